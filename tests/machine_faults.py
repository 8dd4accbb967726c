"""A machine that fails: the system's answers when it has nothing left, given on purpose."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Container
from typing import Any

import pytest

#: Pauses are warned of.
warned = pytest.mark.filterwarnings(
    "ignore:.*is tried again in .* since the machine failed:RuntimeWarning"
)


def lack(number: int) -> OSError:
    """The system's refusal of this number."""
    return OSError(number, os.strerror(number))


NO_PROCESS, NO_SPACE, NO_FILES = lack(errno.EAGAIN), lack(errno.ENOSPC), lack(errno.EMFILE)
#: All calls.
ALWAYS = range(1, 10**9)


def failing(
    patches: pytest.MonkeyPatch,
    place: Any,
    name: str,
    error: Exception,
    at: Container[int],
    concerns: Callable[..., bool] = lambda *given, **named: True,
) -> list[int]:
    """Make a function raise an error at some of its calls.

    Args:
        patches: undoes it.
        place: the module or object that has the function.
        name: the function's name.
        error: what is raised, a new one each time.
        at: the numbers of the calls that fail, from 1, counting those that it concerns.
        concerns: whether a call with these arguments counts.

    Returns:
        The numbers of all calls that count, which grows with them.
    """
    calls: list[int] = []
    function = getattr(place, name)

    def call(*given: Any, **named: Any) -> Any:
        if concerns(*given, **named):
            calls.append(len(calls) + 1)
            if calls[-1] in at:
                raise type(error)(
                    *error.args
                ) from error.__cause__  # a new one, which holds on to nothing
        return function(*given, **named)

    patches.setattr(place, name, call)
    return calls
