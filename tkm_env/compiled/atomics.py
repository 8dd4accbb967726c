"""What numba lacks: atomic operations on words that threads share, and locks.

These plain Python versions run where nothing is compiled. Compiled code uses those of
`tkm_env.compiled.atomics_intrinsics`.
"""

import ctypes
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import Control, Row, Rows

_allocate = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThread_allocate_lock", ctypes.pythonapi))
_acquire = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)(
    ("PyThread_acquire_lock", ctypes.pythonapi)
)
_release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyThread_release_lock", ctypes.pythonapi))
_free = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyThread_free_lock", ctypes.pythonapi))

#: The type of an array's first byte.
_Byte: Final[Any] = ctypes.c_byte


def atomic_load(words: Control, place: int) -> int:
    """A word as other threads have left it.

    Everything that they wrote before it is visible, too.

    Args:
        words: a control array.
        place: the index of the word.

    Returns:
        The word.
    """
    return words[place]


def compare_exchange(words: Control, place: int, expected: int, word: int) -> bool:
    """Replace a word if it is as expected, in one atomic step.

    Args:
        words: a control array.
        place: the index of the word.
        expected: the word that must be there.
        word: the word to write instead.

    Returns:
        Whether the expected word was there.
    """
    same = bool(words[place] == expected)
    if same:
        words[place] = word
    return same


def pause() -> None:
    """Yield the core's execution units, and power, for some nanoseconds."""


def new_lock() -> int:
    """The address of a lock that is held; any thread may release it."""
    address = _allocate()
    if not address:
        raise MemoryError("no memory for a lock")
    _acquire(address, 1)
    return int(address)


def free_lock(address: int) -> None:
    """Free a lock that no thread uses any longer."""
    _free(address)


def acquire_lock(address: int) -> None:
    """Sleep until the lock is released, and hold it; signals do not end the sleep."""
    _acquire(int(address), 1)


def release_lock(address: int) -> None:
    """Release the lock, which wakes a thread that sleeps on it."""
    _release(int(address))


def address_of(array: NDArray[Any]) -> int:
    """The address of an array that can be written to; NumPy takes three times as long.

    Only Python calls this.
    """
    return ctypes.addressof(_Byte.from_buffer(array))


def array_at(address: int, rows: int, columns: int) -> Rows:
    """The memory at an address as an array.

    Args:
        address: where the array begins.
        rows: the number of rows.
        columns: the number of columns.

    Returns:
        A view of the memory, int8 of shape (rows, columns), C-contiguous; the caller keeps the
            memory alive.
    """
    return np.ctypeslib.as_array(
        (ctypes.c_int8 * (rows * columns)).from_address(int(address))
    ).reshape(rows, columns)


def stack_row(size: int) -> Row:
    """Zeroed memory on the stack: int8 of shape (size,), aligned for any type.

    It is gone when the calling function returns.
    """
    return np.zeros(size, np.int8)
