"""The transposition table of a search for proofs: what is known of positions.

A row has two slots: one for the position that cost most to search, and one for the latest of the
others (the scheme "two-big" of Breuker, Uiterwijk and Van den Herik, "Replacement schemes for
transposition tables", 1994).
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.turn_generator import NO_TURN

# What is known of a position: whether the attacker can force a win within the turns that are left.
UNKNOWN: Final = 0
FAILS: Final = 1
WINS: Final = 2

_FIELDS: Final = [
    ("key", np.int64),  # of the position; 0 while the slot is empty
    (
        "turn",
        np.int64,
    ),  # the turn to try first, packed: the one that decided the position, if any did
    ("cost", np.int32),  # how many actions the search of the position played
    ("fails", np.int16),  # the attacker cannot win within this many turns; 0 if nothing is known
    ("wins", np.int16),  # the attacker wins within this many turns; 0 if nothing is known
]
_ENTRY: Final = np.dtype((np.record, _FIELDS))

_MOST_COST: Final = 1 << 30


def new_table(bits: int) -> NDArray[np.void]:
    """An empty table of 2**``bits`` entries of 24 bytes: shape (rows, 2)."""
    return np.zeros((1 << (bits - 1), 2), _ENTRY)


@inlined
def known_result(table: Any, key: int, turns: int) -> int:
    """What the table knows of a position.

    Args:
        table: as `new_table` returns it.
        key: of the position.
        turns: how many turns are left, counted over both sides.

    Returns:
        `WINS`, `FAILS` or `UNKNOWN`.
    """
    row = key & (table.shape[0] - 1)
    for slot in range(2):
        entry = table[row, slot]
        if entry.key == key:
            if turns <= entry.fails:
                return FAILS
            return WINS if 0 < entry.wins <= turns else UNKNOWN
    return UNKNOWN


@inlined
def known_turn(table: Any, key: int) -> int:
    """Return the turn to try first in a position.

    Args:
        table: as `new_table` returns it.
        key: the key of the position.

    Returns:
        The turn, packed; `NO_TURN` if the position has no entry.
    """
    row, turn = key & (table.shape[0] - 1), NO_TURN
    for slot in range(2):
        if table[row, slot].key == key:
            turn = table[row, slot].turn
    return turn


@inlined
def store_result(table: Any, key: int, turns: int, result: int, turn: int, cost: int) -> None:
    """Store what a search has found out about a position.

    Args:
        table: as `new_table` returns it.
        key: of the position.
        turns: how many turns were left, counted over both sides.
        result: `WINS` or `FAILS`.
        turn: the turn that decided it, packed; `NO_TURN` if all turns lead to this result, so that
            none did.
        cost: how many actions the search played. The position takes the first slot if it cost at
            least as much as the one there, else the second.
    """
    cost = min(cost, _MOST_COST)
    row = key & (table.shape[0] - 1)
    entry = table[row, _slot_for(table, row, key, cost)]
    if entry.key != key:
        entry.key = key
        entry.fails = 0
        entry.wins = 0
    entry.cost = cost
    if turn != NO_TURN:
        entry.turn = turn
    if result == FAILS:
        entry.fails = max(entry.fails, turns)
    elif entry.wins == 0 or turns < entry.wins:
        entry.wins = turns


@inlined
def _slot_for(table: Any, row: int, key: int, cost: int) -> int:
    """The slot for a position, from which an entry that cost less may first move to the other."""
    if table[row, 0].key == key:
        return 0
    if table[row, 1].key == key or cost < table[row, 0].cost:
        return 1
    table[row, 1] = table[row, 0]
    return 0
