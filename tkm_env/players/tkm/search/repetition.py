"""The positions that a game has been through, so that players can avoid repeating them."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.core.state_arrays import words_of
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.hashing import position_key
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.turn import play
from tkm_env.players.tkm.search.evaluation import PROVEN

#: The value of a turn that repeats a position, in hundredths of a logit. A draw is worth 0; with less, a side plays on until it is this
#: far behind.
REPETITION_VALUE: Final = -120

#: The history of a game that has only begun.
NO_HISTORY: Final = np.zeros(0, np.int64)


@inlined
def is_repetition(history: Any, words: Any, number: int) -> bool:
    """Whether the position between turns in ``words[number]`` is in ``history``: keys as `history_keys` returns them, in any order."""
    if history.shape[0] == 0:
        return False
    key = position_key(words, number, True, False)
    for earlier in history:  # noqa: SIM110 compiled
        if earlier == key:
            return True
    return False


@inlined
def value_of_repetition(value: int) -> int:
    """The value of a turn that repeats a position of the game, where ``value`` is that of any other turn there."""
    return REPETITION_VALUE if -PROVEN < value < PROVEN else value


@inlined
def note_position(notes: Any, words: Any, number: int) -> None:
    """Add the key of the position in ``words[number]`` to ``notes`` (k,) int64, if there is room: how many keys they hold, and these."""
    notes[0] += 1
    notes[notes[0]] = position_key(words, number, True, False)


@kernel
def _write_keys(states: Any, words: Any, actions: Any, keys: Any, mask: Any, scratch: Any) -> int:
    """Play ``actions`` from ``states[0]``, and write the key of each position between two turns to ``keys``; returns how many there are."""
    count, turn = 0, 0
    for action in actions:
        if states[0].turn != turn:
            turn = states[0].turn
            keys[count] = position_key(words, 0, True, False)
            count += 1
        play(states[0], action, mask, scratch[0])
    return count


def history_keys(game: Any) -> NDArray[np.int64]:
    """The keys of the positions before each turn of a `tkm_env.Game`, in the order of play: int64 of shape (n,)."""
    states, actions = game.start_state, game.history
    keys = np.zeros(len(actions), np.int64)
    count = _write_keys(
        states,
        words_of(states),
        np.array(actions, np.int64),
        keys,
        np.zeros(NUM_ACTIONS, np.int8),
        new_scratch(),
    )
    return keys[:count]
