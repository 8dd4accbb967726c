"""Arrays that are reused once nothing refers to them, since large ones are slow to allocate."""

from __future__ import annotations

import math
import weakref
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

_MOST: Final = 4


class BufferPool:
    """A pool of arrays of one shape.

    An array and all its views refer to the one array that directly wraps the memory, which is free once that array is gone.

    >>> pool = BufferPool((2, 3), np.int8)
    >>> first = pool.take()
    >>> row, address = first[0], first.ctypes.data
    >>> del first
    >>> pool.take().ctypes.data == address  # the row is still held
    False
    >>> del row
    >>> pool.take().ctypes.data == address
    True
    """

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self._shape, self._dtype = shape, np.dtype(dtype)
        self._memory: list[memoryview] = []
        self._holders: list[weakref.ref[NDArray[Any]]] = []

    def take(self) -> NDArray[Any]:
        """An array that nothing else refers to, with arbitrary content."""
        for number, holder in enumerate(self._holders):
            if holder() is None:
                flat = np.frombuffer(self._memory[number], self._dtype)
                self._holders[number] = weakref.ref(flat)
                return flat.reshape(self._shape)
        if len(self._memory) == _MOST:
            # All are in use: let go of the oldest, which now belongs to its holder.
            del self._memory[0], self._holders[0]
        memory = np.empty(self._dtype.itemsize * math.prod(self._shape), np.uint8).data  # numpy asks for large pages
        flat = np.frombuffer(memory, self._dtype)
        self._memory.append(memory)
        self._holders.append(weakref.ref(flat))
        return flat.reshape(self._shape)

    def __reduce__(self) -> tuple[type[BufferPool], tuple[tuple[int, ...], np.dtype[Any]]]:
        """A copy has its own memory."""
        return BufferPool, (self._shape, self._dtype)


class GrowingPool:
    """A pool of arrays of any shape; its memory grows with the largest.

    >>> pool = GrowingPool()
    >>> pool.take((3, 2), np.int64).shape, pool.take((4,), np.int8).shape
    ((3, 2), (4,))
    """

    def __init__(self) -> None:
        self._size = 0
        self._pool = BufferPool((0,), np.uint8)

    def take(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array that nothing else refers to, with arbitrary content."""
        size = np.dtype(dtype).itemsize * math.prod(shape)
        if size > self._size:
            self._size = size + size // 4  # the next one may be a little larger
            self._pool = BufferPool((self._size,), np.uint8)
        return self._pool.take()[:size].view(dtype).reshape(shape)
