"""Arrays that are reused once nothing refers to them, since large ones are slow to allocate."""

import math
import weakref
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

_MOST: Final = 4
#: How much more memory than before is taken for a larger array: the next one may be a little larger still.
_SPARE: Final = 1.25


class BufferPool:
    """A pool of arrays of any shape; its memory grows with the largest.

    An array and all its views refer to the one array that directly wraps the memory, which is free once that array is gone.

    >>> pool = BufferPool()
    >>> first = pool.take((2, 3), np.int8)
    >>> row, address = first[0], first.ctypes.data
    >>> del first
    >>> pool.take((2, 3), np.int8).ctypes.data == address  # the row is still held
    False
    >>> del row
    >>> pool.take((3, 2), np.int8).ctypes.data == address
    True
    """

    def __init__(self) -> None:
        self._size = 0
        #: Each piece of memory with the array that wraps it, in the order in which they were taken.
        self._memory: list[tuple[memoryview, weakref.ref[NDArray[Any]]]] = []

    def take(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array that nothing else refers to, with arbitrary content."""
        size = np.dtype(dtype).itemsize * math.prod(shape)
        if size > self._size:
            self._size = int(_SPARE * size) if self._size else size
            self._memory = []
        free = next(
            (number for number, (_, holder) in enumerate(self._memory) if holder() is None), None
        )
        # Where all are in use, the oldest is let go of: it belongs to its holder now.
        memory = (
            np.empty(self._size, np.uint8).data if free is None else self._memory.pop(free)[0]
        )  # numpy asks for large pages
        flat = np.frombuffer(memory, np.uint8)
        self._memory = [*self._memory[-_MOST + 1 :], (memory, weakref.ref(flat))]
        return flat[:size].view(dtype).reshape(shape)

    def __reduce__(self) -> "tuple[type[BufferPool], tuple[()]]":
        """A copy has its own memory."""
        return BufferPool, ()
