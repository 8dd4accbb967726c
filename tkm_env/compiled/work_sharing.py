"""How threads share a task in compiled code: through the words of a control array.

Thread 0 posts a task for all games. It claims chunks of games from the front, and the helpers claim
them from the back, until none is left, so each core mostly gets the same games every time. Chunks
get smaller towards the end. An idle thread first spins, because waking it takes as long as playing
hundreds of games, and then sleeps. Thread 0 returns only when all games are done; no helper touches
an array after that.
"""

import weakref
from typing import Final

import numpy as np

from tkm_env.compiled.array_types import Control
from tkm_env.compiled.atomics import (
    acquire_lock,
    atomic_load,
    compare_exchange,
    free_lock,
    new_lock,
    pause,
    release_lock,
)
from tkm_env.compiled.decorators import inlined

#: The task that ends the helpers.
CLOSE: Final = -1

# The words of a control array. Each word that several threads write to has a cache line of its
# own.
#: How many games are claimed: from the front in the word's upper half, from the back in its lower;
#: `CLOSE` once posted.
_CLAIMED: Final = 0
#: How many games are done.
_DONE: Final = 8
_GAMES: Final = 16
_THREADS: Final = 17
_TASK: Final = 18
_ADDRESS: Final = 19
#: For each thread, whether it sleeps, and its lock.
_SLEEPERS: Final = 24
_LINE: Final = 8

_AWAKE: Final = 0
_ASLEEP: Final = 1

_BACK: Final = (1 << 32) - 1
#: Games; claiming a chunk costs about as much as playing two.
_SMALLEST_CHUNK: Final = 8

#: How often a thread looks for work before it sleeps. This takes 50 to 250 microseconds, depending
#: on the processor's pause.
_SPIN_LIMIT: Final = 5_000


def new_control(games: int, threads: int = 1) -> Control:
    """A control array with nothing left to do.

    Args:
        games: the number of games in the batch.
        threads: the number of threads that share the array.

    Returns:
        The array: int64.
    """
    control = np.zeros(_SLEEPERS + _LINE * threads, np.int64)
    control[[_CLAIMED, _DONE, _GAMES]] = games
    control[_THREADS] = threads
    for lock in range(_SLEEPERS + 1, len(control) if threads > 1 else 0, _LINE):
        control[lock] = new_lock()
        weakref.finalize(
            control, free_lock, int(control[lock])
        ).atexit = False  # helpers may sleep on while the process ends
    return control


@inlined
def post_task(control: Control, task: int, address: int) -> None:
    """Give all threads a task.

    Args:
        control: the array that the threads share.
        task: the task; `CLOSE` ends the helpers.
        address: the address of the array that the task needs; 0 if it needs none.
    """
    control[_TASK] = task
    control[_ADDRESS] = address
    control[_DONE] = 0
    compare_exchange(
        control, _CLAIMED, atomic_load(control, _CLAIMED), CLOSE if task == CLOSE else 0
    )
    for thread in range(1, control[_THREADS]):
        _wake(control, thread)


@inlined
def claim_chunk(control: Control, thread: int) -> tuple[int, int]:
    """Claim a range of games to work on, waiting until there are any.

    Args:
        control: the array that the threads share.
        thread: the index of the calling thread.

    Returns:
        The first game and the end of the range; (0, 0) if thread 0 finds all games done, or a
            helper may leave.
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
def task(control: Control) -> int:
    """What to do with a claimed chunk."""
    return control[_TASK]


@inlined
def task_address(control: Control) -> int:
    """The address of the array that the task needs."""
    return control[_ADDRESS]


@inlined
def chunk_done(control: Control, size: int) -> None:
    """Note that a chunk is done.

    Args:
        control: the array that the threads share.
        size: the number of games in the chunk.
    """
    done = atomic_load(control, _DONE)
    while not compare_exchange(control, _DONE, done, done + size):
        done = atomic_load(control, _DONE)
    if done + size == control[_GAMES]:
        _wake(control, 0)


@inlined
def _wait(control: Control, thread: int, place: int, word: int) -> None:
    """Wait until the word there is a different one.

    The thread watches it for a moment, then sleeps until `_wake`.
    """
    sleeper = _SLEEPERS + _LINE * thread
    looked = 0
    while atomic_load(control, place) == word:
        looked += 1
        pause()
        if looked > _SPIN_LIMIT:
            compare_exchange(control, sleeper, _AWAKE, _ASLEEP)
            # Waking marks a thread as awake before releasing its lock. If that has happened
            # already, the lock must be taken again.
            if atomic_load(control, place) == word or not compare_exchange(
                control, sleeper, _ASLEEP, _AWAKE
            ):
                acquire_lock(control[sleeper + 1])


@inlined
def _wake(control: Control, thread: int) -> None:
    sleeper = _SLEEPERS + _LINE * thread
    if compare_exchange(control, sleeper, _ASLEEP, _AWAKE):
        release_lock(control[sleeper + 1])
