"""Fast copies and fast reading of game records: numpy copies records field by field, which takes twenty times as long as copying bytes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["copy_states", "fields_of", "select_states"]


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


def fields_of(state: Any) -> SimpleNamespace:
    """The fields of one game's record as plain numbers and lists: five times as fast to read, many at a time, as the record itself.

    >>> record = np.zeros(1, [("cell", np.int8, 2), ("turn", np.int64)])[0]
    >>> fields_of(record)
    namespace(cell=[0, 0], turn=0)
    """
    values = [value.tolist() if isinstance(value, np.ndarray) else value for value in state.item()]
    return SimpleNamespace(**dict(zip(state.dtype.names, values, strict=True)))
