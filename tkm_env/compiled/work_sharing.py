"""How threads share tasks in compiled code: through the words of a control array.

Thread 0 posts tasks for all games. It claims chunks of games from the front, and the helpers claim
them from the back, until none is left, so each core mostly gets the same games every time. All
tasks are performed on a chunk, whose games the core's cache then holds, before the next one is
claimed. Chunks get smaller towards the end. An idle thread first spins, because waking it takes as
long as playing hundreds of games, and then sleeps. Thread 0 returns only when all games are done;
no helper touches an array after that.
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

#: Instead of the number of tasks: end the helpers.
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
#: The number of tasks, and the address of their rows.
_COUNT: Final = 18
_TASKS: Final = 19
#: For each thread, whether it sleeps, and its lock.
_SLEEPERS: Final = 24
_LINE: Final = 8

_AWAKE: Final = 0
_ASLEEP: Final = 1

_BACK: Final = (1 << 32) - 1
#: Games; claiming a chunk costs about as much as playing two.
_SMALLEST_CHUNK: Final = 8
#: Games that fit into a core's cache.
_LARGEST_CHUNK: Final = 256

#: How often a thread looks for work before it sleeps. This takes 50 to 250 microseconds, depending
#: on the processor's pause.
_SPIN_LIMIT: Final = 5_000


def new_control(games: int, threads: int = 1, spare: int = 0) -> Control:
    """A control array with nothing left to do.

    Args:
        games: the number of games in the batch.
        threads: the number of threads that share the array.
        spare: the number of further words at its end: `spare_words`.

    Returns:
        The array: int64.
    """
    locks = _SLEEPERS + _LINE * threads
    control = np.zeros(locks + spare, np.int64)
    control[[_CLAIMED, _DONE, _GAMES]] = games
    control[_THREADS] = threads
    for lock in range(_SLEEPERS + 1, locks if threads > 1 else 0, _LINE):
        control[lock] = new_lock()
        weakref.finalize(
            control, free_lock, int(control[lock])
        ).atexit = False  # helpers may sleep on while the process ends
    return control


@inlined
def spare_words(control: Control) -> int:
    """The index of the first word that has another use than sharing games."""
    return _SLEEPERS + _LINE * control[_THREADS]


@inlined
def post_tasks(control: Control, count: int, address: int) -> None:
    """Give all threads tasks.

    Args:
        control: the array that the threads share.
        count: the number of tasks; `CLOSE` ends the helpers.
        address: the address of their rows: a task, and the address that it needs, int64 of shape
            (count, 2).
    """
    control[_COUNT] = count
    control[_TASKS] = address
    control[_DONE] = 0
    compare_exchange(
        control, _CLAIMED, atomic_load(control, _CLAIMED), CLOSE if count == CLOSE else 0
    )
    for thread in range(1, control[_THREADS]):
        wake(control, thread)


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
        size = min(left, _LARGEST_CHUNK, max(left // chunks, _SMALLEST_CHUNK))
        if left == 0 and thread == 0:
            done = atomic_load(control, _DONE)
            if done == control[_GAMES]:
                return 0, 0
            wait_for_change(control, 0, _DONE, done)
        elif left == 0:
            wait_for_change(control, thread, _CLAIMED, claimed)
        elif thread == 0 and compare_exchange(control, _CLAIMED, claimed, claimed + (size << 32)):
            return front, front + size
        elif thread != 0 and compare_exchange(control, _CLAIMED, claimed, claimed + size):
            return front + left - size, front + left


@inlined
def posted_tasks(control: Control) -> tuple[int, int]:
    """What to do with a claimed chunk: the number of tasks, and the address of their rows."""
    return control[_COUNT], control[_TASKS]


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
        wake(control, 0)


@inlined
def wait_for_change(control: Control, thread: int, place: int, word: int) -> None:
    """Wait until a word is a different one: watch it for a moment, then sleep until `wake`.

    Args:
        control: the array that the threads share.
        thread: the index of the calling thread.
        place: the index of the word.
        word: what the word was.
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
def wake(control: Control, thread: int) -> None:
    """Wake a thread if it sleeps.

    Args:
        control: the array that the threads share.
        thread: the index of the thread to wake.
    """
    sleeper = _SLEEPERS + _LINE * thread
    if compare_exchange(control, sleeper, _ASLEEP, _AWAKE):
        release_lock(control[sleeper + 1])
