"""The engine's entry points: the same rules for one game and for an array of games.

Imports `turn`, `observation`, `streams`, `sharing` and below.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.engine.actions import CONCEDE
from tkm_env.engine.compiled import compiled, entry_point, unlocked_entry_point
from tkm_env.engine.geometry import NUM_SPACES
from tkm_env.engine.observation import NUM_PLANES, write_observation
from tkm_env.engine.sharing import hand_out, part_done, room, take_part, task
from tkm_env.engine.state import OVER, UNDECIDED
from tkm_env.engine.streams import draw
from tkm_env.engine.turn import play, write_mask

__all__ = [
    "BEGIN",
    "NO_ACTION",
    "OBSERVE",
    "PICK",
    "PLAY",
    "PLAY_AT_RANDOM",
    "REFRESH",
    "STEP",
    "count_legal",
    "draw_all",
    "nth_legal",
    "observe_all",
    "observe_one",
    "pick_all",
    "play_and_observe",
    "play_one",
    "replay",
    "work",
]

#: In place of an action: leave the game as it is.
NO_ACTION: Final = -1
#: In place of an action: begin anew, from the game's place in ``starts``.
BEGIN: Final = -2

# What `work` can be set to do; the functions it calls tell what that is.
PICK: Final = 0
PLAY: Final = 1
PLAY_AT_RANDOM: Final = 2
REFRESH: Final = 3
OBSERVE: Final = 4
STEP: Final = 5


@compiled
def _rows(observations: Any, games: int) -> Any:
    """Observations as `write_observation` takes them: one row a game, as int8 and the same memory as uint64."""
    spaces = observations.reshape(games, NUM_PLANES * NUM_SPACES)
    return spaces, spaces.view(np.uint64)


@entry_point
def play_one(states: Any, action: int, mask: Any, scratch: Any) -> int:
    """Play a legal action, if it is not `NO_ACTION`, in the one game there is, and write what is legal then.

    Answers the player to act plus twice the result: what every caller needs next. Shapes: ``states`` (1,) of dtype STATE, ``mask``
    (NUM_ACTIONS,) int8, ``scratch`` (1,) of dtype SCRATCH.
    """
    if action == NO_ACTION:
        write_mask(states[0], mask, scratch[0])
    else:
        play(states[0], action, mask, scratch[0])
    return states[0].to_act + 2 * states[0].result


@entry_point
def play_and_observe(states: Any, action: int, mask: Any, observation: Any, scratch: Any) -> int:
    """The same, and write what the player then to act sees to ``observation`` (NUM_PLANES, 4, 4) int8, C-contiguous."""
    play(states[0], action, mask, scratch[0])
    spaces, words = _rows(observation, 1)
    write_observation(states[0], states[0].to_act, spaces[0], words[0])
    return states[0].to_act + 2 * states[0].result


@entry_point
def replay(states: Any, actions: Any, mask: Any, scratch: Any) -> None:
    """Play ``actions`` (k,) int64, each legal at its place, one after the other in the one game there is."""
    for number in range(actions.shape[0]):
        play(states[0], actions[number], mask, scratch[0])


@compiled
def nth_legal(mask: Any, number: int) -> int:
    """The ``number``-th legal action, from 0."""
    action = 0
    while True:
        if mask[action]:
            if number == 0:
                return action
            number -= 1
        action += 1


@compiled
def count_legal(mask: Any) -> int:
    """How many actions are legal."""
    count = 0
    for action in range(mask.shape[0]):
        if mask[action]:
            count += 1
    return count


@compiled
def pick_all(masks: Any, streams: Any, actions: Any) -> None:
    """Write a legal action, all equally likely, to each of ``actions`` (n,) int64; `NO_ACTION` where nothing is legal."""
    for game in range(masks.shape[0]):
        legal = count_legal(masks[game])
        actions[game] = nth_legal(masks[game], draw(streams, game, legal)) if legal else NO_ACTION


@entry_point
def observe_one(states: Any, viewer: int, observation: Any) -> None:
    """Write what a player sees of the one game there is to ``observation`` (NUM_PLANES, 4, 4) int8, C-contiguous."""
    spaces, words = _rows(observation, 1)
    write_observation(states[0], viewer, spaces[0], words[0])


@entry_point
def observe_all(states: Any, viewers: Any, observations: Any) -> None:
    """Write what player ``viewers[i]`` sees of ``states[i]`` to ``observations[i]``.

    Shapes: ``viewers`` (n,) int64, ``observations`` (n, NUM_PLANES, 4, 4) int8, C-contiguous.
    """
    spaces, _ = _rows(observations, states.shape[0])
    _observe_all(states, viewers, spaces)


@compiled
def _observe_all(states: Any, viewers: Any, spaces: Any) -> None:
    """The same with one row a game in ``spaces`` (n, bytes) int8."""
    words = spaces.view(np.uint64)
    for game in range(states.shape[0]):
        write_observation(states[game], viewers[game], spaces[game], words[game])


@compiled
def _play_or_forfeit(state: Any, action: int, mask: Any, scratch: Any) -> bool:
    """Play an action; if it is illegal, which is the answer, the player to act loses. A game that is over stays as it is."""
    if state.step == OVER:
        mask[:] = 0
        return False
    illegal = bool(mask[action] == 0)
    play(state, CONCEDE if illegal else action, mask, scratch)
    return illegal


@compiled
def _play_all(states: Any, starts: Any, actions: Any, masks: Any, results: Any, illegal: Any, scratch: Any) -> None:
    """Play ``actions[i]``, and write what is legal then, and how the game ended if it did.

    An illegal action loses the game for who made it, and is told in ``illegal``; `NO_ACTION` leaves a game as it is, `BEGIN` begins it
    anew; a game that is over stays as it is.
    """
    for game in range(states.shape[0]):
        illegal[game] = False
        if actions[game] >= 0:
            illegal[game] = _play_or_forfeit(states[game], actions[game], masks[game], scratch[0])
        elif actions[game] == BEGIN:
            states[game] = starts[game]
            write_mask(states[game], masks[game], scratch[0])
        results[game] = states[game].result


@compiled
def _play_all_at_random(states: Any, players: Any, streams: Any, masks: Any, results: Any, scratch: Any) -> None:
    """Play legal actions, all equally likely, in each game until it is over or ``players[i]`` is to act."""
    for game in range(states.shape[0]):
        mask = masks[game]
        while states[game].step != OVER and states[game].to_act != players[game]:
            action = nth_legal(mask, draw(streams, game, count_legal(mask)))
            play(states[game], action, mask, scratch[0])
        results[game] = states[game].result


@compiled
def _refresh_all(states: Any, masks: Any, results: Any, scratch: Any) -> None:
    """Write anew what is legal and how the games ended, of states that other code wrote."""
    for game in range(states.shape[0]):
        write_mask(states[game], masks[game], scratch[0])
        results[game] = states[game].result


@compiled
def _step_all(states: Any, starts: Any, actions: Any, masks: Any, spaces: Any, results: Any, illegal: Any, scratch: Any) -> None:
    """Play ``actions[i]``, note how the game ended and begin it anew if it is over; write what is legal and what the player to act sees.

    ``results``: UNDECIDED, or how the game that was just replaced by a new one ended.
    """
    words = spaces.view(np.uint64)
    for game in range(states.shape[0]):
        illegal[game] = _play_or_forfeit(states[game], actions[game], masks[game], scratch[0])
        results[game] = states[game].result
        if results[game] != UNDECIDED:
            states[game] = starts[game]
            write_mask(states[game], masks[game], scratch[0])
        write_observation(states[game], states[game].to_act, spaces[game], words[game])


@unlocked_entry_point
def work(
    board: Any,
    thread: int,
    to_do: int,
    address: int,
    states: Any,
    starts: Any,
    actions: Any,
    players: Any,
    masks: Any,
    results: Any,
    illegal: Any,
    streams: Any,
    scratch: Any,
) -> None:
    """Work on games as one of the threads that share a ``board`` (see `sharing`); thread 0 says what is ``to_do``.

    Shapes: ``states`` and ``starts`` (n,) of dtype STATE, ``actions`` and ``players`` (n,) int64, ``masks`` (n, NUM_ACTIONS) int8,
    ``results`` (n,) int8, ``illegal`` (n,) bool, ``streams`` (n,) uint64, ``scratch`` (threads,) of dtype SCRATCH. To `OBSERVE` and to
    `STEP`, observations (n, NUM_PLANES, 4, 4) int8, C-contiguous, lie at ``address``.
    """
    if thread == 0:
        hand_out(board, to_do, address)
    own = scratch[thread : thread + 1]
    while True:
        first, until = take_part(board, thread)
        if until == 0:
            return
        part, doing = slice(first, until), task(board)
        if doing == PICK:
            pick_all(masks[part], streams[part], actions[part])
        elif doing == PLAY:
            _play_all(states[part], starts[part], actions[part], masks[part], results[part], illegal[part], own)
        elif doing == PLAY_AT_RANDOM:
            _play_all_at_random(states[part], players[part], streams[part], masks[part], results[part], own)
        elif doing == REFRESH:
            _refresh_all(states[part], masks[part], results[part], own)
        else:
            observations = room(board, states.shape[0], NUM_PLANES * NUM_SPACES)[part]
            if doing == OBSERVE:
                _observe_all(states[part], players[part], observations)
            else:
                _step_all(states[part], starts[part], actions[part], masks[part], observations, results[part], illegal[part], own)
        part_done(board, until - first)


@entry_point
def draw_all(streams: Any, chosen: Any, below: int, drawn: Any) -> None:
    """Draw a whole number from 0 to ``below`` - 1 from the streams ``chosen`` (k,) int64, into ``drawn`` (k,) int64."""
    for number in range(chosen.shape[0]):
        drawn[number] = draw(streams, chosen[number], below)
