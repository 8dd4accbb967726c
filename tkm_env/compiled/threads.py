"""Threads that work together on the games of a batch, and how they share them without Python.

Thread 0 posts a task: what to do with all games. It claims one chunk of them after the other from the front, the helpers do from the
back, until none is left; so each core mostly meets the games it met the last time. The chunks get smaller towards the end, so that no
thread waits long for another one's last. A thread with nothing to do spins for a moment, because being woken takes as long as playing
hundreds of games, and then sleeps, because other processes want the core. Thread 0 returns only when all games are done: no helper
touches an array after that.

Threads share this through the words of a control array. Where nothing is compiled, only thread 0 may work.
"""

from __future__ import annotations

import contextlib
import operator
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.atomics import acquire_lock, atomic_load, compare_exchange, free_lock, new_lock, pause, release_lock
from tkm_env.compiled.decorators import COMPILES, inlined

#: The task to leave: what the helpers have been given is not used any longer.
CLOSE: Final = -1

# The words of a control array; those that several threads write to each have a cache line of their own.
#: How many games are claimed: from the front in the upper half of the word, from the back in the lower; `CLOSE` once that is posted.
_CLAIMED: Final = 0
#: How many games are done.
_DONE: Final = 8
_GAMES: Final = 16
_THREADS: Final = 17
_TASK: Final = 18
_ADDRESS: Final = 19
#: Of each thread, whether it sleeps, and its lock.
_SLEEPERS: Final = 24
_LINE: Final = 8

_AWAKE: Final = 0
_ASLEEP: Final = 1

_BACK: Final = (1 << 32) - 1
#: Games; claiming a chunk costs about as much as playing two.
_SMALLEST_CHUNK: Final = 8

#: How often a thread looks for something to do before it goes to sleep: for 50 to 250 microseconds, by how long the processor pauses.
_SPIN_LIMIT: Final = 5_000


def new_control(games: int, threads: int = 1) -> NDArray[np.int64]:
    """The control array of so many games and threads, with nothing left to do.

    >>> int(new_control(1000, 2)[:17].max())
    1000
    """
    control = np.zeros(_SLEEPERS + _LINE * threads, np.int64)
    control[[_CLAIMED, _DONE, _GAMES]] = games
    control[_THREADS] = threads
    for lock in range(_SLEEPERS + 1, len(control) if threads > 1 else 0, _LINE):
        control[lock] = new_lock()
        weakref.finalize(control, free_lock, int(control[lock])).atexit = False  # helpers may sleep on while the process ends
    return control


@inlined
def post_task(control: Any, task: int, address: int) -> None:
    """Set all threads to a task, a number; ``address`` is that of the array it needs, if any."""
    control[_TASK] = task
    control[_ADDRESS] = address
    control[_DONE] = 0
    compare_exchange(control, _CLAIMED, atomic_load(control, _CLAIMED), CLOSE if task == CLOSE else 0)
    for thread in range(1, control[_THREADS]):
        _wake(control, thread)


@inlined
def claim_chunk(control: Any, thread: int) -> tuple[int, int]:
    """Games to work on, from the first number on until the second, as soon as there are any.

    (0, 0) says that there is nothing more to do: to thread 0 when all games are done, to a helper when it may leave.
    """
    while True:
        claimed = atomic_load(control, _CLAIMED)
        if claimed == CLOSE:
            return 0, 0
        front, back = claimed >> 32, claimed & _BACK
        left = control[_GAMES] - front - back
        chunks = 2 * control[_THREADS] if control[_THREADS] > 1 else 1
        size = min(left, max(left // chunks, _SMALLEST_CHUNK))
        if left == 0 and thread == 0:
            done = atomic_load(control, _DONE)
            if done == control[_GAMES]:
                return 0, 0
            _wait(control, 0, _DONE, done)
        elif left == 0:
            _wait(control, thread, _CLAIMED, claimed)
        elif thread == 0 and compare_exchange(control, _CLAIMED, claimed, claimed + (size << 32)):
            return front, front + size
        elif thread != 0 and compare_exchange(control, _CLAIMED, claimed, claimed + size):
            return front + left - size, front + left


@inlined
def task(control: Any) -> int:
    """What to do with a chunk that was claimed."""
    return control[_TASK]


@inlined
def task_address(control: Any) -> int:
    """The address of the array that the task needs."""
    return control[_ADDRESS]


@inlined
def chunk_done(control: Any, size: int) -> None:
    """Note that a chunk of so many games is done."""
    done = atomic_load(control, _DONE)
    while not compare_exchange(control, _DONE, done, done + size):
        done = atomic_load(control, _DONE)
    if done + size == control[_GAMES]:
        _wake(control, 0)


@inlined
def _wait(control: Any, thread: int, place: int, word: int) -> None:
    """Wait until another word is in that place: watch it for a moment, then sleep until `_wake`."""
    sleeper = _SLEEPERS + _LINE * thread
    looked = 0
    while atomic_load(control, place) == word:
        looked += 1
        pause()
        if looked > _SPIN_LIMIT:
            compare_exchange(control, sleeper, _AWAKE, _ASLEEP)
            # Who wakes a thread first notes it as awake. If that has happened already, the lock is free and has to be held again.
            if atomic_load(control, place) == word or not compare_exchange(control, sleeper, _ASLEEP, _AWAKE):
                acquire_lock(control[sleeper + 1])


@inlined
def _wake(control: Any, thread: int) -> None:
    sleeper = _SLEEPERS + _LINE * thread
    if compare_exchange(control, sleeper, _ASLEEP, _AWAKE):
        release_lock(control[sleeper + 1])


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
