"""Times as learning platforms write them: when something was handed in, and how late."""

import re
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

#: ISO 8601 aside, the forms of times: Gradescope's, and Moodle's in two kinds of English.
_FORMS: Final = ("%Y-%m-%d %H:%M:%S %z", "%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p")
#: Gradescope's column for lateness.
_CLOCK: Final = re.compile(r"(\d+):(\d\d):(\d\d)")
#: Moodle's status: "Submitted for grading - 1 day 3 hours late".
_SPELLED: Final = re.compile(r"((?:\d+ (?:day|hour|min|sec)s? ?)+)late\b")
_SECONDS: Final = {"day": 86_400, "hour": 3_600, "min": 60, "sec": 1}


def parsed_time(text: str) -> datetime | None:
    """Parse a time.

    Args:
        text: the time, in ISO 8601 or as Gradescope or Moodle writes it.

    Returns:
        The time, with or without an offset; None if the text is no time.

    >>> parsed_time("Wednesday, 10 June 2026, 2:14 PM")
    datetime.datetime(2026, 6, 10, 14, 14)
    """
    with suppress(ValueError):
        return datetime.fromisoformat(text.strip())
    for form in _FORMS:
        with suppress(ValueError):
            return datetime.strptime(text.strip(), form)
    return None


def parsed_lateness(text: str) -> timedelta | None:
    """Parse how late something was handed in.

    Args:
        text: hours, minutes and seconds as Gradescope writes them, or a status of Moodle's.

    Returns:
        How late; None if the text does not say so.

    >>> parsed_lateness("27:05:00"), parsed_lateness("Submitted for grading - 2 mins 5 secs late")
    (datetime.timedelta(days=1, seconds=11100), datetime.timedelta(seconds=125))
    """
    if clock := _CLOCK.fullmatch(text.strip()):
        hours, minutes, seconds = map(int, clock.groups())
        return timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if spelled := _SPELLED.search(text):
        parts = re.findall(r"(\d+) (day|hour|min|sec)", spelled[1])
        return timedelta(seconds=sum(int(count) * _SECONDS[unit] for count, unit in parts))
    return None
