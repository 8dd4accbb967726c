"""Threads that work together on the games of a batch."""

from __future__ import annotations

import contextlib
import operator
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Final

from tkm_env.compiled.decorators import COMPILES
from tkm_env.compiled.work_sharing import CLOSE, new_control

#: With fewer games for each, threads cost more than they give.
_GAMES_PER_THREAD: Final = 256


def cores() -> int:
    """How many cores this process may use.

    >>> cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ThreadTeam:
    """The calling thread and its helpers, which sleep in compiled code until there is a task.

    It takes the place of `numba.prange`, whose threading layers each have a flaw that users of a library would meet: workqueue aborts
    the process when two Python threads enter it, OpenMP kills forked children, TBB is another package. Measured side by side on two
    cores, the team is as fast as OpenMP while both are free (1.8 to 2.0 times one thread) and faster than workqueue (0.5 to 1.5); when
    another process wants a core it keeps about the speed of one thread, while OpenMP falls to between a tenth and two thirds of it.

    Args:
        num_threads: how many threads at most; not more than this process may use cores, or as there are games for.
        num_games: how many games there are.
    """

    def __init__(self, num_threads: int, num_games: int) -> None:
        # Uncompiled, threads would share nothing but plain Python.
        self.num_threads = min(num_threads, cores(), 1 + num_games // _GAMES_PER_THREAD) if COMPILES else 1
        self._num_games = num_games
        self._control = new_control(num_games)
        self._arrays: tuple[Any, ...] = ()
        self._process = 0
        self._dismiss: Callable[[], object] | None = None

    def __reduce__(self) -> tuple[type[ThreadTeam], tuple[int, int]]:
        """A copy, also one in another process, has helpers of its own, and no more of them."""
        return ThreadTeam, (self.num_threads, self._num_games)

    def work(self, function: Callable[..., None], task: int, address: int, *arrays: Any) -> None:
        """Do a task; ``function`` is the ``work`` of a game's engine, ``arrays`` are what it takes after the address.

        When this returns, by whatever way, no helper touches the arrays: from posting the task to the end of the last chunk, all is
        compiled code, which no signal interrupts.
        """
        if self.num_threads > 1 and (
            self._process != os.getpid()  # a forked process has none of its parent's threads
            or any(map(operator.is_not, arrays, self._arrays))
        ):
            self._start_helpers(function, arrays)
        function(self._control, 0, task, address, *arrays)

    def _start_helpers(self, function: Callable[..., None], arrays: tuple[Any, ...]) -> None:
        """Replace the helpers by some for these arrays, with a control array of their own; nobody waits until the others are gone."""
        self._process = 0  # if this is interrupted, the next call does it again
        if self._dismiss:
            self._dismiss()
        self._control, self._arrays = new_control(self._num_games, self.num_threads), arrays
        self._dismiss = leave = weakref.finalize(self, function, self._control, 0, CLOSE, 0, *arrays)
        leave.atexit = False  # the end of the process ends those that sleep
        with contextlib.suppress(RuntimeError):  # where no more threads can be started, fewer do the work
            for thread in range(1, self.num_threads):
                given = (self._control, thread, 0, 0, *arrays)
                threading.Thread(target=function, args=given, name=f"tkm_env-{thread}", daemon=True).start()
        self._process = os.getpid()
