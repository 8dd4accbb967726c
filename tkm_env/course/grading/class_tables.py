"""The tables of a class: marks, what became of each file, and what has changed."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkm_env.course.assignment import Assignment
from tkm_env.course.grading.class_page import Change, class_page
from tkm_env.course.grading.class_results import Result, changes_between, rows_in, rows_of
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import write_file
from tkm_env.foundations.untrusted_text import csv_of

#: The table of grades, the page of the class, what became of each file, and all changes so far.
GRADES, PAGE, FILES, HISTORY = "grades.csv", "class.html", "files.csv", "history.csv"
#: The points of students who are excused.
EXCUSED: Final = "excused"
#: The page that ``compare50`` writes, if it is run as the guide says.
_ALIKE: Final = "alike/index.html"


class Fate(NamedTuple):
    """What became of a file or folder that was handed in.

    Attributes:
        file: its name.
        submission: the name of the submission that it belongs to.
        words: what became of it.
    """

    file: str
    submission: str
    words: str


class Written(NamedTuple):
    """What `write_class_tables` wrote.

    Attributes:
        files: the tables.
        changes: what changed since they were written the last time.
    """

    files: list[Path]
    changes: list[Change]


def write_class_tables(
    out: Path, assignment: Assignment, results: Sequence[Result], fates: Sequence[Fate]
) -> Written:
    """Write the tables.

    Args:
        out: the folder to write them in. What differs from the table of grades that is there is
            added to the history.
        assignment: the assignment.
        results: what came of everybody.
        fates: what became of each file that was handed in.

    Returns:
        The tables, and what changed.

    Raises:
        FileError: if one cannot be written, or the history there is not one.
    """
    points = {question.id: question.points for question in assignment.questions}
    grades = csv_of([_head([*points]), *(_row(result, [*points]) for result in results)])
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    changes = [
        Change(now, *change) for change in changes_between(rows_of(out / GRADES), rows_in(grades))
    ]
    history = [*_read_history(out / HISTORY), *changes]
    alike = _ALIKE if (out / _ALIKE).exists() else None
    page = class_page(assignment.title, points, results, history, fates, alike)
    files = {PAGE: page, FILES: csv_of([("file", "submission", "what became of it"), *fates])}
    if history:
        rows = [[*change[:4], *map(_number, change[4:])] for change in history]
        files[HISTORY] = csv_of([Change._fields, *rows])
    files[GRADES] = grades  # the last, since it is what the next run compares with
    for name, content in files.items():
        write_file(out / name, content.encode())
    return Written([out / name for name in files], changes)


def _read_history(path: Path) -> list[Change]:
    try:
        return [Change(*(row[name] for name in Change._fields)) for row in rows_of(path)]
    except KeyError:
        raise FileError(path, f"it needs the columns {', '.join(Change._fields)}") from None


def _head(ids: Sequence[str]) -> list[str]:
    return [
        *("submission", "id", "student", "section", "pseudonym", "points", "of", *ids),
        *("graded", "extra", "adjustments", "late", "periods late", "free used", "late points"),
        *("comments", "faults", "outdated", "note", "error"),
    ]


def _row(result: Result, ids: Sequence[str]) -> list[Any]:
    marks = result.marks or (None,) * len(ids)
    cost = result.lateness.cost
    faults = (f"{mark.question}: {mark.fault}" for mark in marks if mark and mark.fault)
    return [
        *(result.submission, result.id, result.student, result.section, result.pseudonym),
        EXCUSED if result.is_excused else result.total,
        result.most,
        *(None if mark is None else result.points_of(mark) for mark in marks),
        *(result.graded_points, result.extra, result.adjusted or None),
        *(result.lateness.words, cost.periods or None, result.free_used or None),
        result.late_points or None,
        *("; ".join(result.comments), "; ".join(faults), " ".join(result.outdated)),
        *(result.note, result.error),
    ]


def _number(text: str) -> float | str:
    """Return the number that a cell holds, or else its text."""
    try:
        return float(text)
    except ValueError:
        return text
