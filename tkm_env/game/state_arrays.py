"""Fast copies and fast reading of structured arrays: numpy copies them field by field, which takes twenty times as long as bytes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
    selected: NDArray[np.void] = _bytes_of(states)[indices].view(states.dtype)
    return selected


def put_states(states: NDArray[np.void], indices: NDArray[np.int64], others: NDArray[np.void]) -> None:
    """Replace the games with these indices by copies of others.

    Args:
        states: shape (n,), of any engine's dtype.
        indices: int64 of shape (k,).
        others: shape (k,), the same dtype.
    """
    _bytes_of(states)[indices] = _bytes_of(others)


def _bytes_of(states: NDArray[np.void]) -> NDArray[np.void]:
    """A view without fields."""
    return states.view(np.dtype((np.void, states.itemsize)))


def words_of(states: NDArray[np.void]) -> NDArray[np.uint64]:
    """A view as words of 64 bits, which records without padding fill.

    Args:
        states: shape (n,), of any engine's dtype, C-contiguous.

    Returns:
        Shape (n, words of a state).
    """
    return states.view(np.uint64).reshape(len(states), states.itemsize // 8)


def fields_of(state: Any) -> SimpleNamespace:
    """The fields of one game's record as plain numbers and lists: five times as fast to read, many at a time, as the record itself.

    >>> record = np.zeros(1, [("cell", np.int8, 2), ("turn", np.int64)])[0]
    >>> fields_of(record)
    namespace(cell=[0, 0], turn=0)
    """
    values = [value.tolist() if isinstance(value, np.ndarray) else value for value in state.item()]
    return SimpleNamespace(**dict(zip(state.dtype.names, values, strict=True)))
