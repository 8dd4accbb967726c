"""The roster of a class: a CSV table with a row per student, to which points are added."""

import csv
import os
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from io import StringIO
from typing import Any, Final, NamedTuple

from tkm_env.course.grading.platform_times import parsed_lateness, parsed_time
from tkm_env.foundations.errors import ConfigError, FileError, did_you_mean
from tkm_env.foundations.files import read_file
from tkm_env.foundations.untrusted_text import csv_of, csv_unchanged

#: Names of columns that identify a student, in lower case, with spaces for underscores.
_IDS: Final = (
    *("id", "sis user id", "sis login id", "sid", "student id", "id number", "identifier"),
    *("email", "email address", "username", "login", "login id", "user id", "canvas user id"),
    *("github username", "github id", "roster identifier", "pseudonym"),
)
#: The column of Moodle that identifies a student in one assignment, and another one in the next.
_PASSING: Final = "identifier"
#: The column that identifies a submission, which may be that of a group.
_SUBMISSION: Final = "submission id"
#: Names of columns with a student's full name, in lower case.
_NAMES: Final = ("student", "name", "full name", "student name")
_FIRST, _LAST = "first name", "last name"
#: Names of columns with a student's section, group, and time of submission, in lower case.
_SECTIONS: Final = ("section", "sections")
_GROUPS: Final = ("group", "group name", "team", "team name")
#: What Moodle shows for students without a group.
_NO_GROUP: Final = ("", "-", "default group")
_TIMES: Final = (
    *("submission time", "last modified (submission)", "submission timestamp"),
    *("submitted at", "submitted"),
)
_LATENESS: Final = ("lateness (h:m:s)", "status")
_POINTS_POSSIBLE: Final = "Points Possible"
#: Names of columns with the maximum points, in lower case.
_MAXIMA: Final = ("maximum grade", "max points")
_NUMBER: Final = re.compile(r"\d+(\.\d+)?")
#: What Canvas imports as excused.
_EXCUSED: Final = "EX"


class _Format(NamedTuple):
    """A platform's table of grades; names of columns are in lower case."""

    file: str  # the name of the file that is written
    told_by: frozenset[str]  # the columns by which this platform's roster is recognized
    columns: tuple[str, ...]  # the columns that are written back; empty for all
    points: str | None  # the column for the points; None for a new one at the end
    excused: str = ""  # what stands for the points of students who are excused


_CANVAS: Final = "canvas.csv"
#: The first format whose ``told_by`` columns are all present applies. Of Canvas's and Gradescope's
#: tables, only the columns that identify students are written back, so that no other grade changes.
_FORMATS: Final = (
    _Format(
        _CANVAS,
        frozenset({"student", "id", "section"}),
        ("student", "id", "sis user id", "sis login id", "section"),
        None,
        _EXCUSED,
    ),
    _Format("moodle.csv", frozenset({"identifier", "grade"}), (), "grade"),
    _Format(
        "gradescope.csv",
        frozenset({"first name", "last name", "sid"}),
        ("first name", "last name", "sid", "email", "sections", "total score"),
        "total score",
    ),
    _Format("classroom50.csv", frozenset({"username", "github id", "role"}), (), None),
    _Format("points.csv", frozenset(), (), None),
)


class ClassList:
    """The students of a class.

    Args:
        path: the roster, a CSV file as a learning platform exports it.

    Attributes:
        names: the students' names, in the order of the rows.
        ids: their first ids that last a term, in the same order; empty where there is none.
        sections: their sections, in the same order; empty where there is none.

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
        self._path = path
        self._header = rows[0] if rows else []
        self._columns = {
            _column(name): number for number, name in reversed([*enumerate(self._header)])
        }
        known = [name for name in (*_IDS, *_NAMES, _LAST) if name in self._columns]
        if not known:
            raise FileError(
                path, f"it needs a column that identifies students: {', '.join((*_IDS, *_NAMES))}"
            )
        width = len(self._header)
        # Canvas has one or two rows below the header that belong to no student.
        padded = [[*row, *[""] * width][:width] for row in rows[1:]]
        self._above = [row for row in padded if row[0].strip().startswith(_POINTS_POSSIBLE)]
        self._rows = [row for row in padded if row not in self._above and any(self._ids(row))]
        self.names = [self._name(row) for row in self._rows]
        lasting = [name for name in _IDS if name != _PASSING]
        self.ids = [
            next((cell for name in lasting if (cell := self._cell(row, [name]).strip())), "")
            for row in self._rows
        ]
        self.sections = [self._cell(row, _SECTIONS) for row in self._rows]
        self._index: dict[str, set[int]] = {}
        self._submissions: dict[str, set[int]] = {}
        for number, row in enumerate(self._rows):
            for key in self._ids(row):
                self._index.setdefault(key, set()).add(number)
            if key := _plain(self._cell(row, [_SUBMISSION])):
                self._submissions.setdefault(key, set()).add(number)

    def student(self, words: Sequence[str]) -> int | None:
        """Find a student.

        Args:
            words: names and ids that identify the student, the most reliable first.

        Returns:
            The student's index in ``names``; None if there is no such student.

        Raises:
            ConfigError: if there are several.
        """
        matches = [self._index[key] for key in map(_plain, words) if key in self._index]
        if not matches:
            return None
        # A number may be the id of one student on one platform, and of another on another.
        found = set.intersection(*matches) or matches[0]
        if len(found) > 1:
            students = " and ".join(repr(self.names[number]) for number in sorted(found)[:2])
            raise ConfigError("roster", words[0], f"it could be {students}")
        return min(found)

    def authors(self, words: Sequence[str]) -> set[int]:
        """Return the students whose rows hold the id of a submission.

        Args:
            words: names and ids of the submission.

        Returns:
            The students' indices in ``names``, of a group perhaps several.
        """
        keys = map(_plain, words)
        return next((self._submissions[key] for key in keys if key in self._submissions), set())

    def groups_in(self, table: "ClassList") -> dict[str, set[int]]:
        """Return the groups of these students, as another table has them.

        Args:
            table: the table, with a row for each student and the name of the group.

        Returns:
            The indices of each group's members, by the name of the group.

        Raises:
            FileError: if the table has no column for groups.
            ConfigError: if a row of it could belong to several students.
        """
        if not any(name in table._columns for name in _GROUPS):
            raise FileError(table._path, f"it needs a column for groups: {', '.join(_GROUPS)}")
        found: dict[str, set[int]] = {}
        for row in table._rows:
            group, number = table._cell(row, _GROUPS), self.student(table._words(row))
            if group.strip().lower() not in _NO_GROUP and number is not None:
                found.setdefault(group, set()).add(number)
        return found

    def submitted(self, number: int) -> datetime | None:
        """Return when a student handed in, if the table says so."""
        return parsed_time(self._cell(self._rows[number], _TIMES))

    def lateness(self, number: int) -> timedelta | None:
        """Return how late a student handed in, if the table says so."""
        cells = (self._cell(self._rows[number], [name]) for name in _LATENESS)
        return next((late for cell in cells if (late := parsed_lateness(cell)) is not None), None)

    def _cell(self, row: list[str], names: Sequence[str]) -> str:
        """Return the cell of the first of these columns that there is; empty without one."""
        return next((row[self._columns[name]] for name in names if name in self._columns), "")

    def check_column(self, column: str) -> None:
        """Check that there is a column of this name.

        Raises:
            ConfigError: if there is none.
        """
        if _column(column) not in self._columns:
            near = did_you_mean(column, self._header)
            raise ConfigError("column", column, f"the roster has no such column{near}")

    def most(self, title: str, column: str | None = None) -> float | None:
        """Return the maximum points that the platform has for an assignment.

        Args:
            title: the name of the column for the points, as in `table`.
            column: the column for the points; None for the usual one.

        Returns:
            The points; None if the table does not say.

        Raises:
            ConfigError: if there is no such column.
        """
        target = self._column_for(title, self._format, column)
        cells = [row[target] for row in self._above if target is not None]
        cells += [self._cell(row, _MAXIMA) for row in self._rows]
        numbers = [
            float(cell.replace(",", ".")) for cell in cells if _NUMBER.fullmatch(cell.strip())
        ]
        return numbers[0] if numbers else None

    @property
    def _format(self) -> _Format:
        return next(each for each in _FORMATS if each.told_by <= self._columns.keys())

    def table(
        self,
        title: str,
        points: Sequence[float | str | None],
        most: float,
        column: str | None = None,
    ) -> tuple[str, str]:
        """Return the points as a file that the platform of this roster can import.

        Cells that came from Canvas, Moodle or Gradescope go back unchanged. In the table of anybody
        else, what a spreadsheet would take for a formula is escaped.

        Args:
            title: the name of the column for the points, unless the platform has its own. If a
                column has it, perhaps followed by a number in parentheses, as in Canvas, its points
                are replaced.
            points: the points of each student, in the order of the rows; None for an empty cell,
                text for those who are excused.
            most: the maximum number of points.
            column: the column for the points; None for the usual one.

        Returns:
            The name of the file, and its content.

        Raises:
            ConfigError: if there is no such column.
        """
        form = self._format
        target = self._column_for(title, form, column)
        kept = sorted(
            index
            for name, index in self._columns.items()
            if not form.columns or name in form.columns or index == target
        )
        head = [self._header[index] for index in kept]
        place = len(head) if target is None else kept.index(target)
        if target is None:
            head.append(title)
        table: list[list[Any]] = [head]
        if form.file == _CANVAS:
            table.append([f"    {_POINTS_POSSIBLE}", *[""] * (len(head) - 1)])
            table[1][place] = most
            if target is not None:
                table[1:] = [[row[index] for index in kept] for row in self._above]
        for row, gained in zip(self._rows, points, strict=True):
            cells: list[Any] = [row[index] for index in kept]
            shown = "" if gained is None else form.excused if isinstance(gained, str) else gained
            cells[place : place + 1] = [shown]
            table.append(cells)
        is_foreign = bool(form.told_by)
        return form.file, csv_unchanged(table) if is_foreign else csv_of(table)

    def _column_for(self, title: str, form: _Format, column: str | None) -> int | None:
        """Return the index of the column for the points; None for a new one."""
        if column is not None:
            self.check_column(column)
            return self._columns[_column(column)]
        if form.points is not None:
            return self._columns.get(form.points)
        same = re.compile(rf"{re.escape(_column(title))}( \(\d+\))?")
        return next((at for name, at in self._columns.items() if same.fullmatch(name)), None)

    def _name(self, row: list[str]) -> str:
        if _FIRST in self._columns and _LAST in self._columns:
            return f"{row[self._columns[_FIRST]]} {row[self._columns[_LAST]]}"
        return next(
            row[self._columns[name]] for name in (*_NAMES, *_IDS, _LAST) if name in self._columns
        )

    def _ids(self, row: list[str]) -> list[str]:
        """Return everything that identifies the student of a row, without spaces and signs."""
        return [*filter(None, map(_plain, self._words(row)))]

    def _words(self, row: list[str]) -> list[str]:
        """Return everything that identifies the student of a row; names are in both orders."""
        words = [row[self._columns[name]] for name in _IDS if name in self._columns]
        words += [word.removeprefix("Participant ") for word in words]
        name = self._name(row)
        last, comma, first = name.partition(",")
        *firsts, final = name.split() or [""]
        return [*words, name, f"{first} {last}" if comma else f"{final} {' '.join(firsts)}"]


def _column(name: str) -> str:
    """Return the name of a column in the form in which columns are compared."""
    return name.strip().lower().replace("_", " ")


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
