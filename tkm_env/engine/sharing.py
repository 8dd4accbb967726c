"""How threads share the games of a batch, without Python and without waking each other. Imports `compiled`.

Thread 0 hands out a task: what to do with all games. It takes part after part of them from the front, the other threads do from the
back, until none is left; so each core mostly meets the games it met the last time. The others then stay awake for a while and look
out for the next task: to wake a thread takes as long as playing hundreds of games.

What they tell each other lies on a board. numba has no atomic operations for the CPU, so those that are needed are LLVM's, by the same
names as the plain functions that stand for them in uncompiled Python; there, only thread 0 may work.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numba import extending, types
from numba.np import arrayobj
from numba.np.numpy_support import carray
from numpy.typing import NDArray

from tkm_env.engine.compiled import compiled, unlocked_entry_point

__all__ = ["all_done", "hand_out", "new_board", "part_done", "room", "take_part", "task"]

# numba's types leave these out.
_intrinsic: Callable[[Callable[..., Any]], Any] = extending.intrinsic
_make_array: Any = arrayobj.make_array

# The words of a board; those that several threads write to each have a cache line of their own.
#: How many parts are taken: from the front in the upper half of the word, from the back in the lower.
_TAKEN: Final = 0
_DONE: Final = 8
_PARTS: Final = 16
_TASK: Final = 17
_ADDRESS: Final = 18
_WORDS: Final = 24

_ONE_FROM_FRONT: Final = 1 << 32
_BACK: Final = _ONE_FROM_FRONT - 1

#: How often a thread looks out for work before it goes to sleep: for some tenths of a millisecond.
_PATIENCE: Final = 400_000


def new_board(parts: int) -> NDArray[np.int64]:
    """A board for games in so many parts, on which nothing is left to do."""
    board = np.zeros(_WORDS, np.int64)
    board[[_TAKEN, _DONE, _PARTS]] = parts
    return board


def _read(board: Any, place: Any) -> Any:
    """A word as other threads have left it, and with it all that they wrote before."""
    return board[place]


def _replace(board: Any, place: Any, expected: Any, word: Any) -> Any:
    """Put a word in place of the expected one, and tell whether it was that."""
    same = bool(board[place] == expected)
    if same:
        board[place] = word
    return same


def _pointer(address: Any) -> Any:
    """An address in memory as what `numba.carray` takes."""
    return ctypes.c_void_p(address)


def _place_of(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    words = _make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(words.data, [arguments[1]])


@_intrinsic
def _atomic_read(typing_context: Any, board: Any, place: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_place_of(context, builder, signature, arguments), "acquire", 8)

    return types.int64(board, types.intp), emit


@_intrinsic
def _atomic_replace(typing_context: Any, board: Any, place: Any, expected: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where = _place_of(context, builder, signature, arguments)
        return builder.extract_value(builder.cmpxchg(where, arguments[2], arguments[3], "seq_cst", "seq_cst"), 1)

    return types.boolean(board, types.intp, types.int64, types.int64), emit


@_intrinsic
def _as_pointer(typing_context: Any, address: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), emit


@extending.overload(_read)
def _compiled_read(board: Any, place: Any) -> Any:
    def read(board: Any, place: Any) -> Any:
        return _atomic_read(board, place)

    return read


@extending.overload(_replace)
def _compiled_replace(board: Any, place: Any, expected: Any, word: Any) -> Any:
    def replace(board: Any, place: Any, expected: Any, word: Any) -> Any:
        return _atomic_replace(board, place, expected, word)

    return replace


@extending.overload(_pointer)
def _compiled_pointer(address: Any) -> Any:
    def pointer(address: Any) -> Any:
        return _as_pointer(address)

    return pointer


@compiled
def hand_out(board: Any, task: int, address: int) -> None:
    """Set all threads to a task, a number, once they are done with the last; ``address`` is that of an array it needs, or 0."""
    board[_TASK] = task
    board[_ADDRESS] = address
    board[_DONE] = 0
    _replace(board, _TAKEN, _read(board, _TAKEN), 0)


@compiled
def take_part(board: Any, thread: int, games: int) -> tuple[int, int]:
    """The next of so many games to work on, from the first one on until the second; (0, 0) once no work is left.

    Thread 0 is told so at once, the others when none has come for a while.
    """
    parts, looked = board[_PARTS], 0
    while looked < _PATIENCE:
        taken = _read(board, _TAKEN)
        front, back = taken >> 32, taken & _BACK
        if front + back == parts:
            looked = _PATIENCE if thread == 0 else looked + 1
        elif _replace(board, _TAKEN, taken, taken + (_ONE_FROM_FRONT if thread == 0 else 1)):
            part = front if thread == 0 else parts - 1 - back
            return part * games // parts, (part + 1) * games // parts
    return 0, 0


@compiled
def task(board: Any) -> int:
    """What to do with a part that was taken."""
    return board[_TASK]


@compiled
def room(board: Any, games: int, bytes_each: int) -> Any:
    """The array that the task needs: int8 of shape (games, bytes_each), or without rows if it needs none."""
    address = board[_ADDRESS]
    return carray(_pointer(address), (games if address else 0, bytes_each), np.int8)


@compiled
def part_done(board: Any) -> None:
    """Tell that a part is done."""
    done = _read(board, _DONE)
    while not _replace(board, _DONE, done, done + 1):
        done = _read(board, _DONE)


@unlocked_entry_point
def all_done(board: Any) -> bool:
    """Whether all parts are done; looks out for that for a while."""
    looked = 0
    while looked < _PATIENCE and _read(board, _DONE) != board[_PARTS]:
        looked += 1
    return looked < _PATIENCE
