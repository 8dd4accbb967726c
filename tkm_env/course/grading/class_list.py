"""The roster of a class: a CSV table with a row per student, to which points are added."""

import csv
import os
import re
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any, Final, NamedTuple

from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import read_file
from tkm_env.foundations.untrusted_text import csv_of

#: Names of columns that identify a student, in lower case.
_IDS: Final = (
    *("id", "sis user id", "sis login id", "sid", "student id", "id number", "identifier"),
    *("email", "email address", "username", "login", "submission id", "pseudonym"),
)
#: Names of columns with a student's full name, in lower case.
_NAMES: Final = ("student", "name", "full name", "student name")
_FIRST, _LAST = "first name", "last name"
_POINTS_POSSIBLE: Final = "Points Possible"


class _Format(NamedTuple):
    """A platform's table of grades; names of columns are in lower case."""

    file: str  # the name of the file that is written
    told_by: frozenset[str]  # the columns by which this platform's roster is recognized
    columns: tuple[str, ...]  # the columns that are written back; empty for all
    points: str | None  # the column for the points; None for a new one at the end


_CANVAS: Final = "canvas.csv"
#: The first format whose ``told_by`` columns are all present applies. Of Canvas's and Gradescope's
#: tables, only the columns that identify students are written back, so that no other grade changes.
_FORMATS: Final = (
    _Format(
        _CANVAS,
        frozenset({"student", "id", "section"}),
        ("student", "id", "sis user id", "sis login id", "section"),
        None,
    ),
    _Format("moodle.csv", frozenset({"identifier", "grade"}), (), "grade"),
    _Format(
        "gradescope.csv",
        frozenset({"first name", "last name", "sid"}),
        ("first name", "last name", "sid", "email", "sections", "total score"),
        "total score",
    ),
    _Format("points.csv", frozenset(), (), None),
)


class ClassList:
    """The students of a class.

    Args:
        path: the roster, a CSV file as a learning platform exports it.

    Attributes:
        names: the students' names, in the order of the rows.

    Raises:
        FileError: if the file cannot be read, or no column identifies the students.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            rows = [
                row
                for row in csv.reader(StringIO(read_file(path).decode("utf-8-sig")))
                if any(cell.strip() for cell in row)
            ]
        except (UnicodeDecodeError, csv.Error) as error:
            raise FileError(path, f"it is not a table in CSV: {error}") from None
        self._header = rows[0] if rows else []
        self._columns = {
            name.strip().lower(): number for number, name in reversed([*enumerate(self._header)])
        }
        known = [name for name in (*_IDS, *_NAMES, _LAST) if name in self._columns]
        if not known:
            raise FileError(
                path, f"it needs a column that identifies students: {', '.join((*_IDS, *_NAMES))}"
            )
        width = len(self._header)
        # Canvas has one or two rows below the header that belong to no student.
        padded = [[*row, *[""] * width][:width] for row in rows[1:]]
        self._rows = [
            row
            for row in padded
            if not row[0].strip().startswith(_POINTS_POSSIBLE) and any(self._ids(row))
        ]
        self.names = [self._name(row) for row in self._rows]

    def match(self, keys: Mapping[str, Sequence[str]]) -> dict[int, str]:
        """Find the student of each submission.

        Args:
            keys: names and ids that identify the student, by the submission's name.

        Returns:
            The name of the submission of each student who has one, by the student's index in
                ``names``.

        Raises:
            ConfigError: if a submission matches several students, or two match the same one.
        """
        index: dict[str, set[int]] = {}
        for number, row in enumerate(self._rows):
            for key in self._ids(row):
                index.setdefault(key, set()).add(number)
        found: dict[int, str] = {}
        for submission, words in keys.items():
            rows = next((index[key] for key in map(_plain, words) if key in index), set())
            if len(rows) > 1:
                students = " and ".join(repr(self.names[number]) for number in sorted(rows)[:2])
                raise ConfigError(
                    "roster", submission, f"this submission could belong to {students}"
                )
            for number in rows:
                if number in found:
                    raise ConfigError(
                        "roster",
                        submission,
                        f"{self.names[number]!r} has also handed in {found[number]!r}",
                    )
                found[number] = submission
        return found

    def table(self, title: str, points: Sequence[float | None], most: float) -> tuple[str, str]:
        """Return the points as a file that the platform of this roster can import.

        Args:
            title: the name of the column for the points, unless the platform has its own.
            points: the points of each student, in the order of the rows; None for an empty cell.
            most: the maximum number of points.

        Returns:
            The name of the file, and its content.
        """
        form = next(each for each in _FORMATS if each.told_by <= self._columns.keys())
        kept = sorted(
            index
            for column, index in self._columns.items()
            if not form.columns or column in form.columns
        )
        head = [self._header[index] for index in kept]
        names = [column.strip().lower() for column in head]
        if form.points is not None and form.points in names:
            place = names.index(form.points)
        else:
            place = len(head)
            head.append(title)
        table: list[list[Any]] = [head]
        if form.file == _CANVAS:
            table.append([f"    {_POINTS_POSSIBLE}", *[""] * (len(head) - 2), most])
        for row, gained in zip(self._rows, points, strict=True):
            cells: list[Any] = [row[index] for index in kept]
            cells[place : place + 1] = ["" if gained is None else gained]
            table.append(cells)
        return form.file, csv_of(table)

    def _name(self, row: list[str]) -> str:
        if _FIRST in self._columns and _LAST in self._columns:
            return f"{row[self._columns[_FIRST]]} {row[self._columns[_LAST]]}"
        return next(
            row[self._columns[name]] for name in (*_NAMES, *_IDS, _LAST) if name in self._columns
        )

    def _ids(self, row: list[str]) -> list[str]:
        """Return everything that identifies the student of a row, without spaces and signs.

        Names are included in both orders.
        """
        words = [row[self._columns[name]] for name in _IDS if name in self._columns]
        words += [word.removeprefix("Participant ") for word in words]
        name = self._name(row)
        last, comma, first = name.partition(",")
        *firsts, final = name.split() or [""]
        words += [name, f"{first} {last}" if comma else f"{final} {' '.join(firsts)}"]
        return [*filter(None, map(_plain, words))]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
