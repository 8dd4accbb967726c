"""What lateness costs: per day, per hour, with grace, free days, limits and extensions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from tkm_env.course.grading.platform_times import parsed_lateness, parsed_time
from tkm_env.course.late_policy import LateCost, parse_late_policy
from tkm_env.foundations.errors import ConfigError

DUE = datetime(2026, 10, 2, 23, 59, tzinfo=timezone(timedelta(hours=2)))
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NONE = timedelta()


@pytest.mark.parametrize(
    ("policy", "late", "free", "cost"),
    [
        ({}, 5 * DAY, 0, LateCost(5, 0, 0.0)),
        ({"lost": 0.1}, NONE, 0, LateCost(0, 0, 0.0)),
        ({"lost": 0.1}, timedelta(seconds=1), 0, LateCost(1, 0, 0.1)),
        ({"lost": 0.1}, DAY, 0, LateCost(1, 0, 0.1)),
        ({"lost": 0.1}, DAY + HOUR, 0, LateCost(2, 0, 0.2)),
        ({"lost": 0.1}, 20 * DAY, 0, LateCost(20, 0, 1.0)),
        ({"lost": 0.1, "most_lost": 0.4}, 20 * DAY, 0, LateCost(20, 0, 0.4)),
        ({"lost": 0.01, "per": "hour"}, DAY + HOUR, 0, LateCost(25, 0, 0.25)),
        ({"lost": 0.1}, 3 * DAY, 2, LateCost(3, 2, 0.1)),
        ({"lost": 0.1}, DAY, 2, LateCost(1, 1, 0.0)),
        ({"lost": 0.1, "last": 3}, 3 * DAY, 0, LateCost(3, 0, 0.3)),
        ({"lost": 0.1, "last": 3}, 4 * DAY, 5, LateCost(4, 0, 1.0)),
        ({"last": 0}, HOUR, 0, LateCost(1, 0, 1.0)),
    ],
    ids=str,
)
def test_what_lateness_costs(
    policy: dict[str, Any], late: timedelta, free: int, cost: LateCost
) -> None:
    assert parse_late_policy(policy).cost(late, free) == cost


@pytest.mark.parametrize(
    ("policy", "submitted", "told", "extension", "expected"),
    [
        ({}, None, None, NONE, None),
        ({}, DUE, None, NONE, None),
        ({}, None, DAY, NONE, DAY),
        ({}, None, DAY, 2 * DAY, NONE),
        ({"due": DUE}, DUE, None, NONE, NONE),
        ({"due": DUE}, DUE - HOUR, DAY, NONE, NONE),
        ({"due": DUE}, DUE + HOUR, None, NONE, HOUR),
        ({"due": DUE}, (DUE + HOUR).astimezone(UTC), None, NONE, HOUR),
        ({"due": DUE}, (DUE + HOUR).replace(tzinfo=None), None, NONE, HOUR),
        ({"due": DUE, "grace": 60}, DUE + HOUR, None, NONE, NONE),
        ({"due": DUE, "grace": 59}, DUE + HOUR, None, NONE, HOUR),
        ({"due": DUE}, DUE + 3 * DAY, None, 2 * DAY, DAY),
        ({"due": DUE.replace(tzinfo=None)}, DUE.replace(tzinfo=None) + DAY, None, NONE, DAY),
    ],
    ids=str,
)
def test_how_late_something_is(
    policy: dict[str, Any],
    submitted: datetime | None,
    told: timedelta | None,
    extension: timedelta,
    expected: timedelta | None,
) -> None:
    assert parse_late_policy(policy).lateness(submitted, told, extension) == expected


@pytest.mark.parametrize(
    "policy",
    [
        {"due": "2026-10-02"},
        {"due": DUE.date()},
        {"per": "week"},
        {"lost": 2},
        {"lost": -1},
        {"last": 1.5},
        {"free": -1},
        {"grace": "long"},
        {"earlier": "grades.csv"},
        {"grace": 1e300},
        {"until": 3},
    ],
    ids=str,
)
def test_an_invalid_policy_is_refused(policy: dict[str, Any]) -> None:
    (key,) = policy
    with pytest.raises(ConfigError, match=key):
        parse_late_policy(policy)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-02 23:59:00 +0200", DUE),
        ("2026-10-02T23:59:00+02:00", DUE),
        ("Friday, 2 October 2026, 11:59 PM", DUE.replace(tzinfo=None)),
        ("Friday, October 2, 2026, 11:59 PM", DUE.replace(tzinfo=None)),
        ("", None),
        ("-", None),
        ("vendredi 2 octobre 2026, 23:59", None),
    ],
)
def test_times_are_read_as_platforms_write_them(text: str, expected: datetime | None) -> None:
    assert parsed_time(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("00:00:00", NONE),
        ("25:00:30", DAY + HOUR + timedelta(seconds=30)),
        ("Submitted for grading - 1 day 2 hours late - Released", DAY + 2 * HOUR),
        ("Submitted for grading - 1 hour 1 min late", HOUR + timedelta(minutes=1)),
        ("Submitted for grading", None),
        ("No submission", None),
        ("Graded", None),
        ("", None),
    ],
)
def test_lateness_is_read_as_platforms_write_it(text: str, expected: timedelta | None) -> None:
    assert parsed_lateness(text) == expected
