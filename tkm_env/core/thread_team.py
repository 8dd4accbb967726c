"""Threads that work together on the games of a batch."""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from tkm_env.core.jit import COMPILES
from tkm_env.core.work_sharing import all_done, new_board

__all__ = ["Team", "cores"]

#: With fewer games for each, threads cost more than they give.
_GAMES_A_THREAD: Final = 256
#: In seconds; for when a helper lost its core to another process.
_NAP: Final = 50e-6


def cores() -> int:
    """How many cores this process may use.

    >>> cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Team:
    """The calling thread and its helpers.

    A helper comes when a task is handed out, works in compiled code without Python's lock, stays awake for some tenths of a millisecond
    after the last one, and sleeps when no other follows. Nobody waits for it to come.

    Args:
        num_threads: how many threads at most; not more than this process may use cores, or as there are games for.
        num_games: how many games there are.
    """

    def __init__(self, num_threads: int, num_games: int) -> None:
        # Uncompiled, what threads tell each other is no more than plain Python.
        self.num_threads = min(num_threads, cores(), 1 + num_games // _GAMES_A_THREAD) if COMPILES else 1
        self._num_games = num_games
        self._board = new_board(num_games, self.num_threads)
        self._helpers: dict[int, Future[None]] = {}
        self._given: tuple[Any, ...] = ()
        self._process = 0

    def __reduce__(self) -> tuple[type[Team], tuple[int, int]]:
        """A copy, also one in another process, has helpers of its own, and no more of them."""
        return Team, (self.num_threads, self._num_games)

    def work(self, function: Callable[..., None], task: int, address: int, *arrays: Any) -> None:
        """Have a task done; ``function`` is the ``work`` of a game's engine, ``arrays`` are what it takes after the address.

        Raises:
            Exception: what a helper raised when it had come the last time.
        """
        if self.num_threads == 1:
            function(self._board, 0, task, address, *arrays)
            return
        self._wait()  # for what was left when the last call was interrupted
        self._call_helpers(function, arrays)
        function(self._board, 0, task, address, *arrays)
        self._wait()

    def _wait(self) -> None:
        while not all_done(self._board):
            time.sleep(_NAP)

    def _call_helpers(self, function: Callable[..., None], arrays: tuple[Any, ...]) -> None:
        """Call those that are asleep."""
        if self._process != os.getpid():  # a forked process has none of its parent's threads
            self._process, self._helpers = os.getpid(), {}
            self._threads = ThreadPoolExecutor(self.num_threads - 1, "tkm_env")
        stale = not self._given or any(map(operator.is_not, arrays, self._given))
        if stale:
            self._given = ()
        for thread in range(1, self.num_threads):
            if thread in self._helpers and (stale or self._helpers[thread].done()):
                self._helpers.pop(thread).result()  # waits until it is asleep, and tells what went wrong
            if thread not in self._helpers:
                self._helpers[thread] = self._threads.submit(function, self._board, thread, 0, 0, *arrays)
        self._given = arrays
