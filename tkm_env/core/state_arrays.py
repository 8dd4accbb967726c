"""Fast copies and fast reading of structured arrays.

NumPy copies them field by field, which takes twenty times as long as copying their bytes.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray


def copy_states(states: NDArray[np.void]) -> NDArray[np.void]:
    """A writeable copy of games: shape (n,), of any engine's dtype."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


def select_states(states: NDArray[np.void], indices: NDArray[np.int64]) -> NDArray[np.void]:
    """Copies of some games.

    Args:
        states: games, of shape (n,) and any engine's dtype.
        indices: which games: int64 of shape (k,).

    Returns:
        A new array of shape (k,) and the same dtype.
    """
    return _bytes_of(states)[indices].view(states.dtype)


def put_states(
    states: NDArray[np.void], indices: NDArray[np.int64], others: NDArray[np.void]
) -> None:
    """Replace some games by copies of others.

    Args:
        states: games, of shape (n,) and any engine's dtype, changed in place.
        indices: which games: int64 of shape (k,).
        others: what to replace them by: of shape (k,) and the same dtype.
    """
    _bytes_of(states)[indices] = _bytes_of(others)


def _bytes_of(states: NDArray[np.void]) -> NDArray[np.void]:
    """A view without fields: one item of bytes for each game."""
    return states.view(np.dtype((np.void, states.itemsize)))


def integer_record(fields: str) -> np.dtype[Any]:
    """The dtype of a record of int64 fields, whose names are separated by spaces."""
    return np.dtype((np.record, [(field, np.int64) for field in fields.split()]))


def words_of(states: NDArray[np.void]) -> NDArray[np.uint64]:
    """A view of games as 64-bit words.

    The array must be C-contiguous and its records without padding. The view is of shape (n, words
    of a state).
    """
    return states.view(np.uint64).reshape(len(states), states.itemsize // 8)


def fields_of(state: Any) -> SimpleNamespace:
    """The fields of one game's record as Python numbers and lists.

    Reading many of them is five times as fast as from the record.
    """
    values = [value.tolist() if isinstance(value, np.ndarray) else value for value in state.item()]
    return SimpleNamespace(**dict(zip(state.dtype.names, values, strict=True)))
