"""What handing in late costs: an assignment's due date and policy."""

import dataclasses
import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from tkm_env.foundations.checks import checked_choice, checked_integer, checked_number
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.toml_file import check_table, listed_texts

#: The keys of the table ``[late]``, with their meaning. ``docs/grading.md`` is generated from it.
KEYS: Final[Mapping[str, str]] = {
    "due": (
        "when submissions are due, a date and time such as `2026-10-02T23:59:00+02:00`; without "
        "it, the platform's own lateness counts"
    ),
    "grace": "the minutes after it in which nothing is late; by default 0",
    "per": "`day` (the default) or `hour`: each one that has begun costs the same",
    "lost": "the share of the assignment's points that each of them costs; by default 0",
    "most_lost": "the largest share that lateness costs in all; by default 1",
    "last": "after this many days or hours a submission gets no points; by default never",
    "free": "the number of days or hours that a student may be late without loss; by default 0",
    "earlier": (
        "the tables `grades.csv` of earlier assignments: what a student used there of `free` is "
        "used up. Students are known by their first id on the roster, else by name; paths are "
        "relative to this file"
    ),
}
_MOST_GRACE: Final = 1_000_000  # minutes, about two years
_PERIODS: Final = {"day": timedelta(days=1), "hour": timedelta(hours=1)}


@dataclasses.dataclass(frozen=True)
class LateCost:
    """What lateness costs a student.

    Attributes:
        periods: the number of days or hours that have begun since the due date.
        free: how many of them were free.
        share: the share of the assignment's points that the others cost, from 0 to 1; all points
            are lost if it is 1.
    """

    periods: int = 0
    free: int = 0
    share: float = 0.0


@dataclasses.dataclass(frozen=True)
class LatePolicy:
    """When submissions are due, and what lateness costs; by default nothing.

    Attributes:
        due: when submissions are due; None if only the platform knows.
        grace: the time after that in which nothing is late.
        per: the name of a period, ``"day"`` or ``"hour"``.
        lost: the share of the points that each period costs.
        most_lost: the largest share that lateness costs.
        last: after this many periods a submission gets no points; None for never.
        free: the number of periods that a student may be late without loss.
        earlier: the tables of earlier assignments.
    """

    due: datetime | None = None
    grace: timedelta = timedelta()
    per: str = "day"
    lost: float = 0.0
    most_lost: float = 1.0
    last: int | None = None
    free: int = 0
    earlier: tuple[str, ...] = ()

    @property
    def costs(self) -> bool:
        """Whether lateness can cost points."""
        return self.lost > 0 or self.last is not None

    def lateness(
        self, submitted: datetime | None, told: timedelta | None, extension: timedelta
    ) -> timedelta | None:
        """Return how late something was handed in.

        Args:
            submitted: when it was handed in; None if unknown. A time without an offset is that of
                the due date or, if that has none either, of this machine.
            told: how late the platform says it is; None if it does not say.
            extension: the student's extension.

        Returns:
            How late, after the extension, 0 if it was in time; None if unknown.
        """
        if self.due is not None and submitted is not None:
            due = self.due
            if submitted.tzinfo is None:
                submitted = submitted.replace(tzinfo=due.tzinfo)
            if (submitted.tzinfo is None) != (due.tzinfo is None):
                submitted, due = submitted.astimezone(), due.astimezone()
            told = submitted - due
        if told is None:
            return None
        late = told - extension
        return timedelta() if late <= self.grace else late

    def cost(self, late: timedelta, free: int) -> LateCost:
        """Return what lateness costs.

        Args:
            late: how late something was handed in, after extensions.
            free: the number of free periods that the student has left.

        Returns:
            The cost.
        """
        periods = math.ceil(late / _PERIODS[self.per])
        if self.last is not None and periods > self.last:
            return LateCost(periods, 0, 1.0)
        used = min(periods, free)
        return LateCost(periods, used, min(self.most_lost, round(self.lost * (periods - used), 6)))


def parse_late_policy(table: Any) -> LatePolicy:
    """Parse the table ``[late]`` of an assignment.

    Args:
        table: the table, with the keys of `KEYS`.

    Returns:
        The policy.

    Raises:
        ConfigError: naming the key.
    """
    check_table("late", table, KEYS)
    given = dict(table)
    due = given.get("due")
    if due is not None and not isinstance(due, datetime):
        raise ConfigError("due", due, "it must be a date and time, such as 2026-10-02T23:59:00")
    return LatePolicy(
        due=due,
        grace=timedelta(
            minutes=checked_number("grace", given.get("grace", 0), 0, _MOST_GRACE, from_low=True)
        ),
        per=checked_choice("per", given.get("per", "day"), _PERIODS),
        lost=checked_number("lost", given.get("lost", 0), 0, 1, from_low=True),
        most_lost=checked_number("most_lost", given.get("most_lost", 1), 0, 1, from_low=True),
        last=checked_integer("last", given["last"], 0, 10_000) if "last" in given else None,
        free=checked_integer("free", given.get("free", 0), 0, 10_000),
        earlier=tuple(listed_texts("earlier", given.get("earlier", []))),
    )
