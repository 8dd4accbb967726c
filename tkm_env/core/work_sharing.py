"""How threads share the games of a batch, without Python and without waking each other.

Thread 0 hands out a task: what to do with all games. It takes part after part of them from the front, the other threads do from the
back, until none is left; so each core mostly meets the games it met the last time. The parts get smaller towards the end, so that no
thread waits long for another one's last. The others then stay awake for a while and look out for the next task: to wake a thread takes
as long as playing hundreds of games.

What they tell each other lies on a board. Where nothing is compiled, only thread 0 may work.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba.np.numpy_support import carray
from numpy.typing import NDArray

from tkm_env.core.atomics import pointer, read, replace
from tkm_env.core.jit import compiled, unlocked_entry_point

__all__ = ["all_done", "hand_out", "new_board", "part_done", "room", "take_part", "task"]

# The words of a board; those that several threads write to each have a cache line of their own.
#: How many games are taken: from the front in the upper half of the word, from the back in the lower.
_TAKEN: Final = 0
#: How many games are done.
_DONE: Final = 8
_GAMES: Final = 16
#: Of the games that are left, a thread takes one of so many parts.
_PARTS: Final = 17
_TASK: Final = 18
_ADDRESS: Final = 19
_WORDS: Final = 24

_BACK: Final = (1 << 32) - 1
#: Games; taking a part costs about as much as playing two.
_SMALLEST_PART: Final = 8

#: How often a thread looks out for work before it goes to sleep: for some tenths of a millisecond.
_PATIENCE: Final = 400_000


def new_board(games: int, threads: int = 1) -> NDArray[np.int64]:
    """A board for so many games and threads, on which nothing is left to do.

    >>> int(new_board(1000, 2).max())
    1000
    """
    board = np.zeros(_WORDS, np.int64)
    board[[_TAKEN, _DONE, _GAMES]] = games
    board[_PARTS] = 1 if threads == 1 else 2 * threads
    return board


@compiled
def hand_out(board: Any, task: int, address: int) -> None:
    """Set all threads to a task, a number, once they are done with the last; ``address`` is that of the array it needs, if any."""
    board[_TASK] = task
    board[_ADDRESS] = address
    board[_DONE] = 0
    replace(board, _TAKEN, read(board, _TAKEN), 0)


@compiled
def take_part(board: Any, thread: int) -> tuple[int, int]:
    """Some games to work on, from the first number on until the second; (0, 0) once no work is left.

    Thread 0 is told so at once, the others when none has come for a while.
    """
    looked = 0
    while looked < _PATIENCE:
        taken = read(board, _TAKEN)
        front, back = taken >> 32, taken & _BACK
        left = board[_GAMES] - front - back
        size = min(left, max(left // board[_PARTS], _SMALLEST_PART))
        if left == 0:
            looked = _PATIENCE if thread == 0 else looked + 1
        elif thread == 0 and replace(board, _TAKEN, taken, taken + (size << 32)):
            return front, front + size
        elif thread != 0 and replace(board, _TAKEN, taken, taken + size):
            return front + left - size, front + left
    return 0, 0


@compiled
def task(board: Any) -> int:
    """What to do with a part that was taken."""
    return board[_TASK]


@compiled
def room(board: Any, games: int, bytes_each: int) -> Any:
    """The array that the task needs: int8 of shape (games, bytes_each)."""
    return carray(pointer(board[_ADDRESS]), (games, bytes_each), np.int8)


@compiled
def part_done(board: Any, size: int) -> None:
    """Tell that a part of so many games is done."""
    done = read(board, _DONE)
    while not replace(board, _DONE, done, done + size):
        done = read(board, _DONE)


@unlocked_entry_point
def all_done(board: Any) -> bool:
    """Whether all games are done; looks out for that for a while."""
    looked = 0
    while looked < _PATIENCE and read(board, _DONE) != board[_GAMES]:
        looked += 1
    return looked < _PATIENCE
