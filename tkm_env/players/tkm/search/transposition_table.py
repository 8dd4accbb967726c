"""The transposition table of alpha-beta: what is known of positions between two turns.


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

# The kinds of bounds: what a value says of the position's true value.
_EXACT: Final = 0  # it is equal
_LOWER: Final = 1  # it is at least as high: the search failed high, it was cut off at beta
_UPPER: Final = 2  # it is at most as high: the search failed low, no turn reached alpha

_FIELDS: Final = (
    "key",  # of the position; 0 while the slot is empty
    "turn",  # the best turn found, packed; `NO_TURN` if there is none
    "value",  # to the side to act
    "depth",  # how many turns deep the search was
    "bound",  # a kind of bound
    "age",  # the ``age`` of the search that stored it
)
_ENTRY: Final = integer_record(" ".join(_FIELDS))


def new_table(bits: int) -> NDArray[np.void]:
    """An empty table of 2**``bits`` entries of 48 bytes: shape (rows, 2)."""
    return np.zeros((1 << (bits - 1), 2), _ENTRY)


@inlined
def value_from_root(value: int, ply: int) -> int:
    """A value counted from a position, converted to one counted from a root ``ply`` turns above it.

    Only proofs differ: a win in n turns from the position is one in n + ``ply`` turns from the
    root. A negative ``ply`` converts back.
    """
    if value >= PROVEN:
        return value - ply
    return value + ply if value <= -PROVEN else value


@inlined
def slot_of(table: Any, key: int) -> int:
    """The slot of its row that may hold a position: the first if that does, else the second."""
    return 0 if table[key & (table.shape[0] - 1), 0].key == key else 1


@inlined
def is_cutoff(entry: Any, ply: int, depth: int, alpha: int, beta: int) -> bool:
    """Whether an entry makes it unnecessary to search its position.

    Args:
        entry: of the position.
        ply: how many turns the position is from the root.
        depth: how many turns deep the search is to be. An entry of a shallower one is enough only
            if it is a proof.
        alpha: the lower bound of the window, counted from the root.
        beta: its upper bound.
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
    """Store a value: in the first slot if that is shallower or older, else in the second.

    Args:
        table: as `new_table` returns it.
        key: of the position.
        turn: the best turn, packed.
        value: to the side to act, counted from the root.
        ply: how many turns the position is from the root.
        depth: how many turns deep the search was.
        alpha: the lower bound of the window that it was searched with.
        beta: its upper bound.
        age: of the search.
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
