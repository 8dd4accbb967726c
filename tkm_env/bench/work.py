"""Pieces of work whose speed can be measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias, TypeVar

Given = TypeVar("Given")

#: Works for about that many seconds, and returns a figure: steps per second, or seconds.
Work: TypeAlias = Callable[[float], float]


def rate(play: Callable[[], int]) -> Work:
    """Steps per second of ``play``, which returns how many steps it made. It is run once before anything is timed."""

    def work(seconds: float) -> float:
        steps = 0
        began = time.perf_counter()
        while True:
            steps += play()
            spent = time.perf_counter() - began
            if spent >= seconds:
                return steps / spent

    play()
    return work


def prepared_rate(prepare: Callable[[], Given], play: Callable[[Given], int]) -> Work:
    """The same for work that needs something prepared each time, outside the timed part."""

    def work(seconds: float) -> float:
        steps, spent = 0, 0.0
        while spent < seconds:
            given = prepare()
            began = time.perf_counter()
            steps += play(given)
            spent += time.perf_counter() - began
        return steps / spent

    play(prepare())
    return work
