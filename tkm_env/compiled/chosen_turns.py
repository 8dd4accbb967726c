"""Turns to play in the games of a batch, chosen from a table that lists them."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import Flags, Indices, Rows, States, WordRows, Words
from tkm_env.compiled.atomics import address_of, array_at
from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.hashing import key_of
from tkm_env.compiled.kernels import NO_ACTION

# The kernel `work` takes one address for a task. For the tasks `TAKE_TURNS` and `PLAY_TURNS` it is
# the address of these int64 words.
#: The addresses of arrays.
_CHOSEN: Final = 0
_BEFORE: Final = 1
_ROWS: Final = 2
_REFUSED: Final = 3
_STATES: Final = 4
_TABLE: Final = 5
#: The bytes of a state, and the rows and columns of the table.
_STATE_BYTES: Final = 6
_LENGTH: Final = 7
_LONGEST: Final = 8

_WORD_BYTES: Final = 8

#: Instead of a row of the table: play nothing.
NO_ROW: Final = -1


@inlined
def take_turns(
    words: WordRows,
    chosen: Indices,
    before: Words,
    table: Rows,
    num_actions: int,
    rows: Rows,
    refused: Flags,
) -> None:
    """Take chosen turns out of a table, and find those that were listed for another position.

    Args:
        words: the games as words: uint64 of shape (n, words of a state).
        chosen: the row of the table to play in each game, or `NO_ROW`: int64 of shape (n,).
        before: the key of each position for which the turns were listed: uint64 of shape (n,).
        table: the actions of turns, then `NO_ACTION`: int8 of shape (rows, longest turn).
        num_actions: the number of different actions. A turn with anything else is refused.
        rows: where to write the turn of each game: int8 of shape (n, longest turn).
        refused: where to write whether it cannot be played: bool of shape (n,).
    """
    # Rows that lie far apart are all asked for before anything else is done with them.
    for game in range(chosen.shape[0]):
        for place in range(table.shape[1]):
            rows[game, place] = NO_ACTION if chosen[game] == NO_ROW else table[chosen[game], place]
    for game in range(chosen.shape[0]):
        refused[game] = chosen[game] != NO_ROW and key_of(words[game]) != before[game]
        for action in rows[game]:
            refused[game] |= action < NO_ACTION or action >= num_actions


@inlined
def turns_at(address: int, games: int) -> tuple[WordRows, Indices, Words, Rows, Rows, Flags]:
    """What the tasks `TAKE_TURNS` and `PLAY_TURNS` need.

    Args:
        address: the address of the words of a `TurnTask`.
        games: the number of games.

    Returns:
        ``words``, ``chosen``, ``before``, ``table``, ``rows`` and ``refused``, as `take_turns`
            takes them.
    """
    words = array_at(address, 1, _WORD_BYTES * (_LONGEST + 1)).view(np.int64)[0]
    size = _WORD_BYTES * games
    return (
        array_at(words[_STATES], games, words[_STATE_BYTES]).view(np.uint64),
        array_at(words[_CHOSEN], 1, size).view(np.int64)[0],
        array_at(words[_BEFORE], 1, size).view(np.uint64)[0],
        array_at(words[_TABLE], words[_LENGTH], words[_LONGEST]),
        array_at(words[_ROWS], games, words[_LONGEST]),
        array_at(words[_REFUSED], 1, games).view(np.bool_)[0],
    )


class TurnTask:
    """The argument of the tasks that take and play chosen turns, and room for what they write.

    Args:
        states: the games: records of shape (n,).
        chosen: the row of the table to play in each game, or `NO_ROW`: int64 of shape (n,).
        before: the key of each position for which the turns were listed: uint64 of shape (n,).
        table: the actions of turns, then `NO_ACTION`: int8 of shape (rows, longest turn).

    Attributes:
        refused: once they are taken, which turns cannot be played: bool of shape (n,).
        address: what the kernel ``work`` takes, as long as this object is kept.
    """

    def __init__(self, states: States, chosen: Indices, before: Words, table: Rows) -> None:
        rows = np.empty((len(chosen), table.shape[1]), np.int8)
        self.refused = np.empty(len(chosen), np.bool_)
        own: tuple[NDArray[Any], ...] = (chosen, before, rows, self.refused, states)
        self._arrays = (*own, table)  # which must stay
        self._words = np.array(
            [*map(address_of, own), table.ctypes.data, states.itemsize, *table.shape], np.int64
        )
        self.address = address_of(self._words)
