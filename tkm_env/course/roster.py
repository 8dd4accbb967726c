"""The roster of a class: a table in CSV with a row for each student, as platforms export it, to which points are added."""

import csv
import os
import re
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any, Final

from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import packaged_json, read_file
from tkm_env.foundations.untrusted_text import csv_of

#: Names of columns that say who a student is, in small letters: ``ids`` and ``names``, of which those of names come after the others.
#: ``formats`` are platforms' tables of grades by the name of the file that is written: the columns that tell one, those that are written
#: back, all if none are named, and the one for the points. Of Canvas's and Gradescope's, only what identifies students is written back.
_COLUMNS: Final[dict[str, Any]] = packaged_json(__package__, "roster_columns.json")
_IDS, _NAMES, _FORMATS = _COLUMNS["ids"], _COLUMNS["names"], _COLUMNS["formats"]
_FIRST, _LAST = "first name", "last name"
_POINTS_POSSIBLE: Final = "Points Possible"


class Roster:
    """The students of a class, with ``names`` as people read them. Raises a `FileError` if the file cannot be read, or has no column that
    says who a student is.
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
                path, f"none of its columns says who a student is: {', '.join((*_IDS, *_NAMES))}"
            )
        width = len(self._header)
        # Canvas has a row, or two, below the names of the columns that are no student's.
        padded = [[*row, *[""] * width][:width] for row in rows[1:]]
        self._rows = [
            row
            for row in padded
            if not row[0].strip().startswith(_POINTS_POSSIBLE) and any(self._ids(row))
        ]
        self.names = [self._name(row) for row in self._rows]

    def match(self, keys: Mapping[str, Sequence[str]]) -> dict[int, str]:
        """The submission of each row that has one, by the row's number, from what says whose each submission is. Raises a `ConfigError` if
        it is not clear whose one is, or two are the same student's.
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
                    "roster", submission, f"it is not clear whose submission this is: {students}"
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
        """The name and the content of a file that the platform of this roster takes: the points of each row, None for nothing."""
        name, form = next(
            each for each in _FORMATS.items() if self._columns.keys() >= {*each[1]["told_by"]}
        )
        kept = sorted(
            number
            for column, number in self._columns.items()
            if not form["columns"] or column in form["columns"]
        )
        head = [self._header[number] for number in kept]
        place = next(
            (
                number
                for number, column in enumerate(head)
                if column.strip().lower() == form["points"]
            ),
            len(head),
        )
        head[place:] = [head[place] if place < len(head) else title, *head[place + 1 :]]
        table: list[list[Any]] = [head]
        if name == "canvas.csv":
            table.append([f"    {_POINTS_POSSIBLE}", *[""] * (len(head) - 2), most])
        for row, gained in zip(self._rows, points, strict=True):
            cells: list[Any] = [row[number] for number in kept]
            cells[place:] = ["" if gained is None else gained, *cells[place + 1 :]]
            table.append(cells)
        return name, csv_of(table)

    def _name(self, row: list[str]) -> str:
        if _FIRST in self._columns and _LAST in self._columns:
            return f"{row[self._columns[_FIRST]]} {row[self._columns[_LAST]]}"
        return next(
            row[self._columns[name]] for name in (*_NAMES, *_IDS, _LAST) if name in self._columns
        )

    def _ids(self, row: list[str]) -> list[str]:
        """All that says who the student of a row is, without spaces and signs; names with the last name first as well."""
        words = [row[self._columns[name]] for name in _IDS if name in self._columns]
        words += [word.removeprefix("Participant ") for word in words]
        name = self._name(row)
        last, comma, first = name.partition(",")
        *firsts, final = name.split() or [""]
        words += [name, f"{first} {last}" if comma else f"{final} {' '.join(firsts)}"]
        return [*filter(None, map(_plain, words))]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
