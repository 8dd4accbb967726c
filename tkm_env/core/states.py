"""Fast copies of arrays of game records: numpy copies records field by field, which takes twenty times as long as copying bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["copy_states", "select_states"]


def copy_states(states: NDArray[np.void]) -> NDArray[np.void]:
    """A copy of some games.

    Args:
        states: shape (n,), of any engine's dtype.

    Returns:
        The same shape and dtype; writeable.
    """
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


def select_states(states: NDArray[np.void], indices: NDArray[np.int64]) -> NDArray[np.void]:
    """Copies of the games with these indices.

    Args:
        states: shape (n,), of any engine's dtype.
        indices: int64 of shape (k,).

    Returns:
        Shape (k,), the same dtype.
    """
    selected: NDArray[np.void] = states.view(np.dtype((np.void, states.itemsize)))[indices].view(states.dtype)
    return selected
