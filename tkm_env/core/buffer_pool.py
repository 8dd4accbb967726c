"""Arrays that are reused once nothing refers to them: large ones are slow to allocate."""

import math
import weakref
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

_MOST: Final = 4
#: New memory exceeds the request by this factor once the pool has to grow, since the next array may
#: be a little larger still.
_SPARE: Final = 1.25


class BufferPool:
    """A pool of arrays of any shape; its memory grows with the largest.

    An array and all its views refer to the one array that wraps the memory directly. The memory is
    free once that array is gone.

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
        """An array with arbitrary content that nothing else refers to.

        Args:
            shape: its shape.
            dtype: its dtype.

        Returns:
            A C-contiguous array in memory of the pool.
        """
        size = np.dtype(dtype).itemsize * math.prod(shape)
        if size > self._size:
            self._size = int(_SPARE * size) if self._size else size
            self._memory = []
        free = next(
            (number for number, (_, holder) in enumerate(self._memory) if holder() is None), None
        )
        # If all are in use, the pool forgets the oldest, which then belongs to its holder alone.
        # NumPy asks the system for large pages.
        memory = np.empty(self._size, np.uint8).data if free is None else self._memory.pop(free)[0]
        flat = np.frombuffer(memory, np.uint8)
        self._memory = [*self._memory[-_MOST + 1 :], (memory, weakref.ref(flat))]
        return flat[:size].view(dtype).reshape(shape)

    def __reduce__(self) -> "tuple[type[BufferPool], tuple[()]]":
        """Copies have memory of their own."""
        return BufferPool, ()
