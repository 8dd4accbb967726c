"""The transposition table of alpha-beta: what is known about positions between turns.

A row has two slots: one for the position that was searched deepest, and one for the latest of the
others. Entries left by earlier searches are replaced first. A value that proves a win or a loss is
stored with the number of turns from the position itself, not from the root, so that it holds
wherever the position is reached.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined
from tkm_env.core.state_arrays import integer_record
from tkm_env.players.tkm.search.evaluation import PROVEN

# The kinds of bounds: how the stored value relates to the position's true value.
_EXACT: Final = 0  # it is equal
_LOWER: Final = 1  # the true value may be higher: the search failed high, cut off at beta
_UPPER: Final = 2  # the true value may be lower: the search failed low, no turn reached alpha

_FIELDS: Final = (
    "key",  # of the position; 0 while the slot is empty
    "turn",  # the best turn found, packed; `NO_TURN` if there is none
    "value",  # for the side to act
    "depth",  # the depth of the search, in turns
    "bound",  # a kind of bound
    "age",  # the ``age`` of the search that stored it
)
_ENTRY: Final = integer_record(" ".join(_FIELDS))


def new_table(bits: int) -> NDArray[np.void]:
    """Return an empty table of 2**``bits`` entries of 48 bytes: shape (rows, 2)."""
    return np.zeros((1 << (bits - 1), 2), _ENTRY)


@inlined
def value_from_root(value: int, ply: int) -> int:
    """Convert a value counted from a position to one counted from the root.

    Only proofs differ: a win in n turns from the position is a win in n + ``ply`` turns from the
    root.

    Args:
        value: the value, counted from the position.
        ply: the number of turns from the root to the position; its negative converts from the root
            to the position.

    Returns:
        The value, counted from the root.
    """
    if value >= PROVEN:
        return value - ply
    return value + ply if value <= -PROVEN else value


@inlined
def slot_of(table: Any, key: int) -> int:
    """Return the slot to look a position up in: the first if that has it, or the second.

    Args:
        table: as `new_table` returns it.
        key: the position's key, which determines its row.

    Returns:
        The index of the slot in the row. Even the second slot may hold another position.
    """
    return 0 if table[key & (table.shape[0] - 1), 0].key == key else 1


@inlined
def is_cutoff(entry: Any, ply: int, depth: int, alpha: int, beta: int) -> bool:
    """Tell whether an entry makes it unnecessary to search its position.

    Args:
        entry: the position's entry.
        ply: the number of turns from the root to the position.
        depth: the depth to search to, in turns. The entry of a shallower search is enough only if
            it is a proof.
        alpha: the lower bound of the window, counted from the root.
        beta: the upper bound of the window, counted from the root.

    Returns:
        Whether the entry's value is exact and from a search that was deep enough, or bounds the
            true value outside the window.
    """
    if entry.depth < depth and -PROVEN < entry.value < PROVEN:
        return False
    value = value_from_root(entry.value, ply)
    return bool(
        (entry.bound == _EXACT and entry.depth >= depth)
        or (entry.bound != _UPPER and value >= beta)
        or (entry.bound != _LOWER and value <= alpha)
    )


@inlined
def store_value(
    table: Any,
    key: int,
    turn: int,
    value: int,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
    age: int,
) -> None:
    """Store the value of a position in its row of the table.

    It goes to the second slot if the first holds another position that this search searched deeper.

    Args:
        table: as `new_table` returns it.
        key: the position's key.
        turn: the best turn, packed; `NO_TURN` if there is none.
        value: the value for the side to act, counted from the root.
        ply: the number of turns from the root to the position.
        depth: the depth of the search, in turns.
        alpha: the lower bound of the window of the search, counted from the root.
        beta: the upper bound of the window, counted from the root.
        age: the age of the search.
    """
    row = key & (table.shape[0] - 1)
    entry = table[row, 0]
    if entry.key != key and entry.age == age and entry.depth > depth:
        entry = table[row, 1]
    entry.key = key
    entry.turn = turn
    entry.value = value_from_root(value, -ply)
    entry.depth = depth
    entry.bound = _LOWER if value >= beta else (_EXACT if value > alpha else _UPPER)
    entry.age = age
