"""What the staff decides about students: extensions, points with a comment, excuses.

The file is a CSV table with a row for each decision. Removing a row undoes it.
"""

import csv
import dataclasses
import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from io import StringIO
from typing import Final

from tkm_env.course.questions.question import plural
from tkm_env.foundations.checks import checked_number
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import read_file

#: The columns of the table, with their meaning. ``docs/grading.md`` is generated from it.
COLUMNS: Final[Mapping[str, str]] = {
    "student": "a name or id on the roster, or the name of a submission",
    "question": "the id of the question that `points` belong to; empty for the total",
    "points": "points to add, or with a minus sign to take off",
    "extra_days": "days added to the due date, such as `2` or `0.5`",
    "days_late": (
        "how late the submission is, in days, instead of what the platform says; `extra_days` and "
        "`grace` count as always"
    ),
    "extra_seconds": "seconds added to the time limit of each question",
    "excused": "`yes` if the student needs no points",
    "comment": "a reason, shown to the student",
}
#: The columns that hold no numbers.
_WORDS: Final = {"student", "question", "excused", "comment"}
_DAY: Final = timedelta(days=1)
_YES: Final = ("yes", "true", "1", "x")
_NO: Final = ("", "no", "false", "0")


@dataclasses.dataclass(frozen=True)
class Adjustment:
    """A decision about a student.

    Attributes:
        line: the line of the file.
        student: what the file calls the student.
        question: the id of the question; empty for the total.
        points: the points to add.
        extension: the time added to the due date.
        late: how late the submission is; None for what the platform says.
        extra_seconds: the seconds added to each question's time limit.
        is_excused: whether the student needs no points.
        comment: a reason, shown to the student.
    """

    line: int
    student: str
    question: str = ""
    points: float = 0.0
    extension: timedelta = timedelta()
    late: timedelta | None = None
    extra_seconds: float = 0.0
    is_excused: bool = False
    comment: str = ""

    @property
    def words(self) -> str:
        """What it does, and why, in one line."""
        parts = []
        if self.points:
            where = f" for {self.question}" if self.question else ""
            done = "added" if self.points > 0 else "taken off"
            parts.append(f"{plural(abs(self.points), 'point')} {done}{where}")
        if self.extension:
            parts.append(f"due {self.extension / _DAY:g} days later")
        if self.late is not None:
            parts.append(f"counts as {self.late / _DAY:g} days late" if self.late else "in time")
        if self.extra_seconds:
            parts.append(f"{self.extra_seconds:g} seconds more for each question")
        if self.is_excused:
            parts.append("excused")
        return ", ".join(parts) + (f" ({self.comment})" if self.comment else "")


def read_adjustments(path: str | os.PathLike[str], questions: Sequence[str]) -> list[Adjustment]:
    """Read the decisions of the staff.

    Args:
        path: the file, in CSV; only the column ``student`` is needed.
        questions: the ids of the assignment's questions.

    Returns:
        The decisions, in order.

    Raises:
        FileError: naming the line, if something is wrong with it.
    """
    try:
        text = read_file(path).decode("utf-8-sig")
        separator = _separator(text)
        reader = csv.reader(StringIO(text), delimiter=separator)
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(path, f"it is not a table in CSV: {error}") from None
    head = [name.strip().lower().replace(" ", "_") for name in rows[0][1]] if rows else []
    wrong = next((name for name in head if name not in COLUMNS), None)
    if wrong is not None or "student" not in head:
        what = "it needs the column student" if wrong is None else f"there is no column {wrong!r}"
        raise FileError(path, f"{what}; columns: {', '.join(COLUMNS)}")
    found = []
    for line, row in rows[1:]:
        cells = dict(zip(head, (cell.strip() for cell in row), strict=False))
        if separator == ";":  # spreadsheets write it where commas stand in numbers
            cells |= {name: cells[name].replace(",", ".") for name in cells.keys() - _WORDS}
        try:
            if len(row) > len(head):
                raise ConfigError(
                    "row", ",".join(row), 'it has too many cells; put "quotes" around commas'
                )
            found.append(_parsed(line, cells, questions))
        except ConfigError as error:
            raise FileError(path, f"line {line}: {error}") from None
    return found


def _parsed(line: int, cells: Mapping[str, str], questions: Sequence[str]) -> Adjustment:
    student, question = cells.get("student", ""), cells.get("question", "")
    if not student:
        raise ConfigError("student", student, "it is missing")
    if question and question not in questions:
        raise ConfigError("question", question, f"it must be one of {', '.join(questions)}")
    excused = cells.get("excused", "").lower()
    if excused not in (*_YES, *_NO):
        raise ConfigError("excused", excused, "it must be yes, or empty")
    late = _number(cells, "days_late", 0, 10_000) if cells.get("days_late") else None
    found = Adjustment(
        line,
        student,
        question,
        _number(cells, "points", -1e6, 1e6),
        timedelta(days=_number(cells, "extra_days", 0, 10_000)),
        None if late is None else timedelta(days=late),
        _number(cells, "extra_seconds", 0, 1e6),
        excused in _YES,
        cells.get("comment", ""),
    )
    if question and not found.points:
        raise ConfigError("question", question, "without points, it must be empty")
    return found


def _separator(text: str) -> str:
    """Return what separates the cells, by the first line: commas or semicolons."""
    head = text.partition("\n")[0]
    return ";" if ";" in head and "," not in head else ","


def _number(cells: Mapping[str, str], name: str, low: float, high: float) -> float:
    """Read a number from a cell; 0 if the cell is empty."""
    text = cells.get(name, "")
    try:
        given: object = float(text) if text else 0.0
    except ValueError:
        given = text
    return checked_number(name, given, low, high, from_low=True)
