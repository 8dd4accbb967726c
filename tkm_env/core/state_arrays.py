"""Fast copies and fast reading of structured arrays.

NumPy copies them field by field, which takes twenty times as long as copying their bytes.
"""

import math
import struct
from collections import namedtuple
from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Integers, as NumPy and as `struct` name them.
_LETTERS: Final = {
    "i1": "b",
    "u1": "B",
    "i2": "h",
    "u2": "H",
    "i4": "i",
    "u4": "I",
    "i8": "q",
    "u8": "Q",
}


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


def fields_of(state: Any) -> Any:
    """The fields of one game's record as Python numbers and tuples, in a named tuple.

    Reading many of them from the record itself takes several times as long.
    """
    layout = _layout(state.dtype)
    numbers = layout.unpack(state.tobytes())
    return layout.fields._make(
        [
            numbers[place] if rows is None else tuple([numbers[row] for row in rows])
            for place, rows in layout.places
        ]
    )


class _Layout(NamedTuple):
    """How to read the integers of a record from its bytes.

    Attributes:
        fields: a named tuple of the record's fields.
        unpack: returns all integers, in order.
        places: for each field which integers are its own, and for a table also those of each row.
    """

    fields: Any
    unpack: Callable[[bytes], tuple[Any, ...]]
    places: list[tuple[int | slice, list[slice] | None]]


@cache
def _layout(dtype: np.dtype[Any]) -> _Layout:
    form, places, end = "=", list[tuple[int | slice, list[slice] | None]](), 0
    for name in dtype.names or ():
        field = dtype[name]
        first, end = end, end + math.prod(field.shape)
        form += f"{end - first}{_LETTERS[field.base.str[1:]]}"
        columns = field.shape[-1] if len(field.shape) == 2 else 0
        rows = (
            [slice(row, row + columns) for row in range(first, end, columns)] if columns else None
        )
        places.append((slice(first, end) if field.shape else first, rows))
    assert struct.calcsize(form) == dtype.itemsize, "there is no padding"
    return _Layout(namedtuple("fields", dtype.names or ()), struct.Struct(form).unpack, places)
