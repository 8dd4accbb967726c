"""What came of each student: marks, lateness, decisions of the staff, and the total."""

import csv
import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Final

from tkm_env.course.grading.adjustments import Adjustment
from tkm_env.course.late_policy import LateCost
from tkm_env.course.questions.marks import Mark
from tkm_env.course.questions.question import plural
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import read_file

NOTHING: Final = "nothing was handed in"
#: What is said of a submission that waits for a run that asks it everything.
UNFINISHED: Final = "not graded yet"
#: What is said of a mark that counts although the question was asked again.
KEPT: Final = "the mark from before counts, since only a timeout would lower it"
#: The columns of the table of grades that say who somebody is, or follow from other columns.
_FOLLOWING: Final = (
    *("submission", "id", "student", "section", "pseudonym", "of", "graded", "periods late"),
    *("free used", "comments", "outdated", "note"),
)
#: The lateness of what the platform only marks as late.
_UNKNOWN: Final = "an unknown time"


@dataclasses.dataclass(frozen=True)
class Lateness:
    """How late something was handed in, and what that costs.

    Attributes:
        by: how late; None if unknown.
        is_marked: whether the platform marks it as late.
        cost: what it costs; free of charge if it is unknown.
    """

    by: timedelta | None = None
    is_marked: bool = False
    cost: LateCost = dataclasses.field(default_factory=LateCost)

    @property
    def is_unknown(self) -> bool:
        """Whether it is late, and unknown how much."""
        return self.by is None and self.is_marked

    @property
    def words(self) -> str:
        """How late, such as "1 d 3 h"; empty if it is not late."""
        if self.by is None:
            return _UNKNOWN if self.is_marked else ""
        minutes = math.ceil(self.by / timedelta(minutes=1))
        days, hours = divmod(minutes // 60, 24)
        parts = ((days, "d"), (hours, "h"), (minutes % 60, "min"))
        return " ".join(f"{count} {unit}" for count, unit in parts if count)


@dataclasses.dataclass(frozen=True)
class Result:
    """What came of a student, or of a submission that belongs to nobody on the roster.

    Attributes:
        submission: the name of the submission; empty if nothing was handed in.
        number: the student's index on the roster; None without one.
        student: the student's name on the roster; empty without one.
        section: the student's section; empty if unknown.
        pseudonym: the name under which other students see the submission.
        page: the address of the feedback, relative to the tables; None if there is none.
        most: the points of the whole assignment.
        marks: the mark of each question, in order; None for one that is not graded yet. Empty if
            nothing could be graded.
        outdated: the ids of questions whose mark is from before something changed.
        extra: the extra points earned on the ladder.
        adjustments: the decisions of the staff.
        lateness: how late it was handed in.
        error: why it is not graded, and what must be done; empty if it is graded.
        is_temporary: whether trying again can help.
        note: what else there is to know about what was handed in.
        id: the student's first id on the roster; empty without one.
        kept: the ids of questions whose earlier mark counts, since only a timeout lowered it.
    """

    submission: str
    number: int | None
    student: str
    section: str
    pseudonym: str
    page: str | None
    most: float
    marks: tuple[Mark | None, ...] = ()
    outdated: tuple[str, ...] = ()
    extra: float = 0.0
    adjustments: tuple[Adjustment, ...] = ()
    lateness: Lateness = dataclasses.field(default_factory=Lateness)
    error: str = ""
    is_temporary: bool = False
    note: str = ""
    id: str = ""
    kept: tuple[str, ...] = ()

    @property
    def is_excused(self) -> bool:
        return any(each.is_excused for each in self.adjustments)

    @property
    def is_graded(self) -> bool:
        return bool(self.marks) and not self.error

    @property
    def is_unfinished(self) -> bool:
        """Whether nothing is wrong, but not all questions have been asked."""
        return self.error == UNFINISHED

    def points_of(self, mark: Mark) -> float:
        """Return the points for a question, with those that the staff added to it."""
        added = (each.points for each in self.adjustments if each.question == mark.question)
        return round(mark.score + sum(added), 2)

    @property
    def graded_points(self) -> float | None:
        """The points that the grader gave; None if not all questions are graded."""
        if not self.is_graded or None in self.marks:
            return None
        return round(sum(mark.score for mark in self.marks if mark is not None), 2)

    @property
    def adjusted(self) -> float:
        """The sum of the points that the staff added."""
        return round(sum(each.points for each in self.adjustments), 2)

    @property
    def late_points(self) -> float:
        """The points lost by lateness."""
        if self.graded_points is None:
            return 0.0
        earned = self.graded_points + self.extra + self._added(is_total=False)
        share = self.lateness.cost.share
        return round(max(0.0, earned if share == 1 else min(earned, share * self.most)), 2)

    @property
    def total(self) -> float | None:
        """The points that count; None if there are none yet, or the student is excused."""
        is_blank = self.graded_points is None and not self.adjusted
        if self.is_excused or self.is_unfinished or is_blank:
            return None
        earned = (self.graded_points or 0.0) + self.extra + self._added(is_total=False)
        return round(max(0.0, earned - self.late_points + self._added(is_total=True)), 2)

    def _added(self, *, is_total: bool) -> float:
        """Return the points added to the total, after lateness, or to questions, before it."""
        return sum(each.points for each in self.adjustments if bool(each.question) != is_total)

    @property
    def free_used(self) -> int:
        """The number of free days or hours that lateness has used up."""
        return 0 if self.is_excused or self.error else self.lateness.cost.free

    @property
    def comments(self) -> list[str]:
        """What changed the points, in one line each."""
        return self._comments(self.late_points)

    @property
    def comments_without_points(self) -> list[str]:
        """The comments without the points lost by lateness, which depend on all marks."""
        return self._comments(0.0)

    def _comments(self, late_points: float) -> list[str]:
        lines = [f"{plural(self.extra, 'point')} earned on the ladder"] if self.extra else []
        if self.lateness.words:
            cost = self.lateness.cost
            lost = f": {plural(late_points, 'point')} lost" if late_points else ""
            free = f", {cost.free} of {cost.periods} free of charge" if cost.free else ""
            lines.append(f"late by {self.lateness.words}{free}{lost}")
        return lines + [each.words for each in self.adjustments if each.words]


def free_used_before(tables: Iterable[str]) -> Counter[tuple[str, str]]:
    """Read how many free days or hours were used up in earlier assignments.

    Args:
        tables: the files ``grades.csv`` of these assignments.

    Returns:
        The number of periods, by the first of these that a row has: the id of the student, the
            name, the name of the submission. Each is the second part of a key, whose first part is
            ``"id"`` or ``"name"``.

    Raises:
        FileError: if a file cannot be read, or is not such a table.
    """
    used: Counter[tuple[str, str]] = Counter()
    for path in tables:
        rows = csv.DictReader(StringIO(read_file(path).decode("utf-8", "replace")))
        if not {"submission", "student", "free used"} <= {*(rows.fieldnames or ())}:
            raise FileError(path, "it is not a table that tkm course grade-all wrote")
        for row in rows:
            name, number = row["student"] or row["submission"], row["free used"] or "0"
            if not number.isdecimal():
                raise FileError(path, f"{number!r} in the column free used is not an integer")
            used[("id", row["id"]) if row.get("id") else ("name", name)] += int(number)
    return used


def changes_between(
    before: Sequence[dict[str, str]], after: Sequence[dict[str, str]]
) -> list[list[str]]:
    """Compare two versions of the table of grades.

    What is graded for the first time has not changed, and neither have columns that only follow
    from others.

    Args:
        before: the rows of the earlier version, as `csv.DictReader` yields them.
        after: those of the later one.

    Returns:
        A row for each cell that changed: the submission, the student, the column, and its content
            before and after.
    """
    known = _by_name(before)
    found = []
    for who, row in _by_name(after).items():
        old = known.get(who, row)
        if old.get("error") == UNFINISHED:
            continue
        found += [
            [row["submission"], row["student"], name, old.get(name) or "", cell]
            for name, cell in row.items()
            if name not in _FOLLOWING and not _is_same(old.get(name) or "", cell)
        ]
    return found


def _is_same(before: str, after: str) -> bool:
    """Whether two cells hold the same, such as 2 and 2.0."""
    try:
        return float(before) == float(after)
    except ValueError:
        return before == after


def _by_name(rows: Sequence[dict[str, str]]) -> dict[tuple[str, int], dict[str, str]]:
    """Return rows by the student's or else the submission's name, of which each has a number."""
    counted: Counter[str] = Counter()
    found = {}
    for row in rows:
        name = row.get("student") or row.get("submission") or ""
        found[name, counted[name]] = row
        counted[name] += 1
    return found


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table; none if the file does not exist.

    Raises:
        FileError: if it cannot be read.
    """
    if not path.exists():
        return []
    return rows_in(read_file(path).decode("utf-8", "replace"))


def rows_in(text: str) -> list[dict[str, str]]:
    """Return the rows of a table in CSV."""
    return [*csv.DictReader(StringIO(text))]
