"""The threads that work on the games of a batch in compiled code."""

import contextlib
import ctypes
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar

from numpy.typing import NDArray

from tkm_env.compiled.decorators import COMPILES
from tkm_env.compiled.work_sharing import CLOSE, new_control
from tkm_env.foundations.cores import cores

Returned = TypeVar("Returned")

#: What to do with games, one of the tasks in `tkm_env.compiled.kernels`, and the address that the
#: kernel ``work`` needs for it, 0 if it needs none.
Task: TypeAlias = tuple[int, int]

#: With fewer games each, threads cost more than they save.
_GAMES_PER_THREAD: Final = 256

#: The fewest items that are worth a thread of `in_ranges`.
_FEWEST_ITEMS: Final = 64
#: The most items in a range of `in_ranges`. Calling compiled code for fewer would take a noticeable
#: part of the time, and an interrupt would wait longer for more.
_RANGE: Final = 256


def useful_threads(most: int, worth: int) -> int:
    """How many threads to use for a task.

    Args:
        most: the most that may be used.
        worth: how many the task is worth; one is always used.

    Returns:
        Their number: at most one for each core, and only one if nothing is compiled, since others
            would only compete for the GIL.
    """
    return max(1, min(most, cores(), worth)) if COMPILES else 1


def in_threads(function: Callable[[int], Returned], threads: int) -> list[Returned]:
    """Call a function on several threads, once for each; the calling thread is the first.

    Args:
        function: takes the index of the thread; it should mostly run without the GIL. It must not
            call `in_threads`, nor wait for a call of another index to begin: all calls of a process
            share their threads.
        threads: the number of threads.

    Returns:
        What it returned for each thread, in order.
    """
    if threads == 1:
        return [function(0)]
    pool = _helpers(os.getpid())
    others = [pool.submit(function, thread) for thread in range(1, threads)]
    try:
        first = function(0)
    finally:
        wait(others)
    return [first, *(other.result() for other in others)]


def in_ranges(
    function: Callable[[int, slice], object], items: int, threads: int, cost: int = 1
) -> None:
    """Call a function for one range of items after another, on several threads at once.

    A thread that is ready takes the next range. Once the calling thread is interrupted, the others
    end the ranges that they are at and take no more.

    Args:
        function: takes the index of the thread and the range; as for `in_threads`, it should mostly
            run without the GIL.
        items: the number of items.
        threads: the most threads to use.
        cost: how many times longer an item takes than usual; ranges are shorter then.
    """
    used = useful_threads(threads, -(-items * cost // _FEWEST_ITEMS))
    size = max(1, min(_RANGE // cost, -(-items // used)))
    firsts = iter(range(0, items, size))  # under the GIL, each is taken once

    def take_ranges(thread: int) -> None:
        try:
            for first in firsts:
                function(thread, slice(first, first + size))
        except BaseException:
            deque(firsts, maxlen=0)
            raise

    in_threads(take_ranges, used)


@cache
def _helpers(process: int) -> ThreadPoolExecutor:
    """The threads that help others in a process; a forked one has none of its parent's."""
    return ThreadPoolExecutor(cores(), "tkm_env")


#: More tasks than any call has.
_MOST_TASKS: Final = 8


class ThreadTeam:
    """The calling thread and its helpers, which sleep until there is a task.

    The team has no more threads than there are cores, or than the number of games is worth. It
    replaces `numba.prange`: workqueue aborts the process when two Python threads enter it, OpenMP
    kills forked children, and TBB is another package. On two free cores the team is as fast as
    OpenMP (1.8 to 2.0 times one thread). When another process wants a core, the team keeps about
    the speed of one thread, while OpenMP falls to between a tenth and two thirds of it.

    Args:
        num_threads: the maximum number of threads.
        num_games: the number of games in the batch.
    """

    def __init__(self, num_threads: int, num_games: int) -> None:
        self.num_threads = useful_threads(num_threads, 1 + num_games // _GAMES_PER_THREAD)
        self._num_games = num_games
        self._control = self._own = new_control(num_games)
        self._tasks = (ctypes.c_int64 * (2 * _MOST_TASKS))()
        self._address = ctypes.addressof(self._tasks)
        self._arrays: tuple[NDArray[Any], ...] = ()
        self._process = 0
        self._dismiss: Callable[[], object] | None = None

    def __reduce__(self) -> "tuple[type[ThreadTeam], tuple[int, int]]":
        """A copy, also in another process, starts helpers of its own, at most as many."""
        return ThreadTeam, (self.num_threads, self._num_games)

    def work(
        self,
        function: Callable[..., None],
        tasks: Sequence[Task],
        arrays: tuple[NDArray[Any], ...],
        *,
        alone: bool = False,
    ) -> None:
        """Perform tasks on all threads, one after another in each game.

        Once this returns or raises, no helper touches the arrays any more: all of it is compiled
        code, which no signal interrupts.

        Args:
            function: the kernel ``work`` of a game's engine, which describes the other arguments.
            tasks: the tasks, at most `_MOST_TASKS`.
            arrays: the `GameArrays`. Helpers are replaced whenever this is another tuple than in
                the last call, so keep the tuple.
            alone: whether the calling thread performs them by itself, since they would take no
                longer than waking another.
        """
        helped = self.num_threads > 1 and not alone
        if helped and (
            self._process != os.getpid()  # a forked process has none of its parent's threads
            or arrays is not self._arrays
        ):
            self._start_helpers(function, arrays)
        for number, (task, address) in enumerate(tasks):
            self._tasks[2 * number] = task
            self._tasks[2 * number + 1] = address
        control = self._control if helped else self._own
        function(control, 0, len(tasks), self._address, *arrays)

    def _start_helpers(
        self, function: Callable[..., None], arrays: tuple[NDArray[Any], ...]
    ) -> None:
        """Replace the helpers by new ones for these arrays, with their own control array.

        This does not wait for the old helpers to leave.
        """
        self._process = 0  # if this is interrupted, the next call repeats it
        if self._dismiss:
            self._dismiss()
        self._control, self._arrays = new_control(self._num_games, self.num_threads), arrays
        self._dismiss = leave = weakref.finalize(
            self, function, self._control, 0, CLOSE, 0, *arrays
        )
        leave.atexit = False  # sleeping helpers end with the process
        with contextlib.suppress(
            RuntimeError
        ):  # if no more threads can be started, fewer do the work
            for thread in range(1, self.num_threads):
                given = (self._control, thread, 0, 0, *arrays)
                threading.Thread(
                    target=function, args=given, name=f"tkm_env-{thread}", daemon=True
                ).start()
        self._process = os.getpid()
