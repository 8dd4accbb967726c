"""A game's earlier positions, so that players can avoid repeating them."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.atomics import stack_row
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.core.state_arrays import words_of
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.hashing import position_key
from tkm_env.games.tkm.engine.scratch import SCRATCH
from tkm_env.games.tkm.engine.turn import play
from tkm_env.players.tkm.search.evaluation import PROVEN

#: The value of a turn that repeats a position, in hundredths of a logit. A draw is worth 0; a value
#: below that makes a side play on until it is this far behind.
REPETITION_VALUE: Final = -120

#: The history of a game that has just begun.
NO_HISTORY: Final = np.zeros(0, np.int64)

_SCRATCH_BYTES: Final = SCRATCH.itemsize


@inlined
def is_repetition(history: Any, words: Any, index: int) -> bool:
    """Tell whether a position between turns occurred earlier in the game.

    Args:
        history: int64 of shape (m,): keys as `history_keys` returns them, in any order.
        words: uint64 of shape (n, k): positions as `words_of` returns them.
        index: the index of the position in ``words``.

    Returns:
        Whether ``history`` holds the position's key.
    """
    if history.shape[0] == 0:
        return False
    key = position_key(words, index, True, False)
    for earlier in history:  # noqa: SIM110 compiled
        if earlier == key:
            return True
    return False


@inlined
def value_of_repetition(value: int) -> int:
    """Return the value of a repeating turn that would otherwise be worth ``value``."""
    return REPETITION_VALUE if -PROVEN < value < PROVEN else value


@inlined
def note_position(notes: Any, words: Any, index: int) -> None:
    """Add the key of a position between turns to the notes of a game.

    Args:
        notes: int64 of shape (k,): the number of keys, then the keys. There must be room for one
            more.
        words: uint64 of shape (n, k): positions as `words_of` returns them.
        index: the index of the position in ``words``.
    """
    notes[0] += 1
    notes[notes[0]] = position_key(words, index, True, False)


@kernel
def _write_keys(states: Any, words: Any, actions: Any, keys: Any) -> int:
    """Write the keys of a game's positions before its turns to ``keys``.

    The game begins at ``states[0]``, where ``actions`` are played in place.

    Returns:
        The number of keys.
    """
    mask, scratch = stack_row(NUM_ACTIONS), stack_row(_SCRATCH_BYTES).view(SCRATCH)[0]
    count, turn = 0, 0
    for action in actions:
        if states[0].turn != turn:
            turn = states[0].turn
            keys[count] = position_key(words, 0, True, False)
            count += 1
        play(states[0], action, mask, scratch)
    return count


def history_keys(game: Any) -> NDArray[np.int64]:
    """Return the keys of the positions before a game's turns, in order: int64 of shape (n,)."""
    states, actions = game.start_state, game.history
    keys = np.zeros(len(actions), np.int64)
    count = _write_keys(states, words_of(states), np.array(actions, np.int64), keys)
    return keys[:count]
