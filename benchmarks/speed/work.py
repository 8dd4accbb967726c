"""Pieces of work whose speed can be measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeAlias

#: Works for about that many seconds, and returns a figure: steps per second, or seconds.
Work: TypeAlias = Callable[[float], float]


def rate(play: Callable[..., int], prepare: Callable[[], tuple[Any, ...]] = tuple) -> Work:
    """Steps per second of ``play``.

    Args:
        play: returns how many steps it made; it runs once before anything is timed.
        prepare: returns the arguments of the next call, outside the timed part.

    Returns:
        The work.
    """

    def work(seconds: float) -> float:
        steps, spent = 0, 0.0
        while spent < seconds:
            given = prepare()
            began = time.perf_counter()
            steps += play(*given)
            spent += time.perf_counter() - began
        return steps / spent

    play(*prepare())
    return work
