"""The engine's entry points: the same rules for one game and for an array of games. Imports `turn`, `observation` and below.

They have the names and the order of arguments of those of the first game, `tkm_env.engine.batch`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.engine.batch import BEGIN, NO_ACTION, nth_legal
from tkm_env.engine.compiled import compiled, entry_point, unlocked_entry_point
from tkm_env.engine.streams import draw
from tkm_env.terminus.engine.observation import write_observation
from tkm_env.terminus.engine.state import OVER, UNDECIDED, set_up, shuffle_deck
from tkm_env.terminus.engine.turn import forfeit, play, write_mask

__all__ = [
    "observe_all",
    "observe_one",
    "play_all",
    "play_and_observe",
    "play_at_random",
    "play_one",
    "set_up_some",
    "shuffle_all",
    "step_all",
]

_HALF: Final = 2**32


@entry_point
def play_one(states: Any, action: int, mask: Any) -> int:
    """Play a legal action, if it is not `NO_ACTION`, in the one game there is, and write what is legal then.

    Answers the player to act plus twice the result. Shapes: ``states`` (1,) of dtype STATE, ``mask`` (NUM_ACTIONS,) int8.
    """
    if action == NO_ACTION:
        write_mask(states[0], mask)
    else:
        play(states[0], action, mask)
    return states[0].to_act + 2 * states[0].result


@entry_point
def play_and_observe(states: Any, action: int, mask: Any, observation: Any) -> int:
    """The same, and write what the player then to act sees to ``observation`` (NUM_FEATURES,) int8."""
    play(states[0], action, mask)
    write_observation(states[0], states[0].to_act, observation)
    return states[0].to_act + 2 * states[0].result


@compiled
def _play_or_forfeit(states: Any, game: int, action: int, masks: Any, illegal: Any) -> None:
    """Play an action; if it is illegal, the player to act loses. A game that is over stays as it is."""
    state, mask = states[game], masks[game]
    illegal[game] = state.step != OVER and mask[action] == 0
    if illegal[game]:
        forfeit(state)
    if state.step == OVER:
        mask[:] = 0
    else:
        play(state, action, mask)


@unlocked_entry_point
def play_all(states: Any, starts: Any, actions: Any, masks: Any, illegal: Any) -> None:
    """Play ``actions[i]`` in ``states[i]``, and write what is legal then to ``masks[i]``.

    An illegal action loses the game for who made it, and is told in ``illegal``; `NO_ACTION` and `BEGIN` may be given, too; a game
    that is over stays as it is. Shapes: ``states`` and ``starts`` (n,) of dtype STATE, ``actions`` (n,) int64, ``masks``
    (n, NUM_ACTIONS) int8, ``illegal`` (n,) bool.
    """
    for game in range(states.shape[0]):
        illegal[game] = False
        if actions[game] >= 0:
            _play_or_forfeit(states, game, actions[game], masks, illegal)
        elif actions[game] == BEGIN:
            states[game] = starts[game]
            write_mask(states[game], masks[game])


@unlocked_entry_point
def play_at_random(states: Any, players: Any, streams: Any, masks: Any) -> None:
    """Play legal actions, all equally likely, in each game until it is over or ``players[i]`` is to act.

    Shapes: ``players`` (n,) int64, ``streams`` (n,) uint64; the others as for `play_all`.
    """
    for game in range(states.shape[0]):
        mask = masks[game]
        while states[game].step != OVER and states[game].to_act != players[game]:
            play(states[game], nth_legal(mask, draw(streams, game, mask.sum())), mask)


@entry_point
def observe_one(states: Any, viewer: int, observation: Any) -> None:
    """Write what a player sees of the one game there is to ``observation`` (NUM_FEATURES,) int8."""
    write_observation(states[0], viewer, observation)


@unlocked_entry_point
def observe_all(states: Any, viewers: Any, observations: Any) -> None:
    """Write what player ``viewers[i]`` sees of ``states[i]`` to ``observations[i]``.

    Shapes: ``viewers`` (n,) int64, ``observations`` (n, NUM_FEATURES) int8.
    """
    for game in range(states.shape[0]):
        write_observation(states[game], viewers[game], observations[game])


@unlocked_entry_point
def step_all(states: Any, starts: Any, actions: Any, masks: Any, observations: Any, results: Any, illegal: Any) -> None:
    """All of one step: play, note results, begin anew what is over, write what is legal and what the players to act see.

    ``results`` (n,) int8: UNDECIDED, or how the game that was just replaced by a new one ended. The other arrays as for `play_all`
    and `observe_all`.
    """
    for game in range(states.shape[0]):
        _play_or_forfeit(states, game, actions[game], masks, illegal)
        results[game] = states[game].result
        if results[game] != UNDECIDED:
            states[game] = starts[game]
            write_mask(states[game], masks[game])
        write_observation(states[game], states[game].to_act, observations[game])


@compiled
def _seed(state: Any, streams: Any, number: int) -> None:
    """Give a game random numbers of its own: two draws side by side, so that they never run in step with those of the stream."""
    upper, lower = np.uint64(draw(streams, number, _HALF)), np.uint64(draw(streams, number, _HALF))
    state.stream[0] = max(upper << np.uint64(32) | lower, np.uint64(1))


@entry_point
def set_up_some(states: Any, chosen: Any, streams: Any) -> None:
    """Set up the games ``chosen`` (k,) int64 anew, each from its own of the ``streams`` (n,) uint64."""
    for number in range(chosen.shape[0]):
        state = states[chosen[number]]
        _seed(state, streams, chosen[number])
        set_up(state)


@compiled
def _sort_deck(state: Any) -> None:
    for number in range(1, state.deck_size):
        card, place = state.deck[number], number
        while place > 0 and state.deck[place - 1] > card:
            state.deck[place] = state.deck[place - 1]
            place -= 1
        state.deck[place] = card


@entry_point
def shuffle_all(states: Any, streams: Any) -> None:
    """Shuffle what nobody sees of games (n,), their decks and all shuffles to come, each by its own of the ``streams`` (n,) uint64.

    How a deck lay before makes no difference: whoever sees the shuffled one has learnt nothing of it.
    """
    for game in range(states.shape[0]):
        _sort_deck(states[game])
        _seed(states[game], streams, game)
        shuffle_deck(states[game])
