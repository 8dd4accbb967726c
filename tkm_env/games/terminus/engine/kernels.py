"""The engine's entry points, for one game and for an array of games."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.compiled.atomics import array_at, stack_row
from tkm_env.compiled.decorators import c_function, inlined, kernel, nogil_kernel
from tkm_env.compiled.gather_plan import floats_at, gather, row_and_plans_at
from tkm_env.compiled.kernels import (
    BEGIN,
    GATHER,
    NO_ACTION,
    OBSERVE,
    PICK,
    PLAY,
    PLAY_AT_RANDOM,
    REFRESH,
    REFUSED,
    UNDECIDED,
    draw_legal,
    pick_all,
)
from tkm_env.compiled.random_numbers import ACTIONS, OPPONENT, draw
from tkm_env.compiled.threads import chunk_done, claim_chunk, post_task, task, task_address
from tkm_env.compiled.xla import begins_work, gathered_bytes, observe_arrays, plans_and_factors, play_arrays, result, start_arrays
from tkm_env.games.terminus.engine.actions import NUM_ACTIONS
from tkm_env.games.terminus.engine.observation import NUM_FEATURES, write_observation
from tkm_env.games.terminus.engine.state import OVER, STATE, set_up, shuffle_deck
from tkm_env.games.terminus.engine.turn import forfeit, play, write_mask

_HALF: Final = 2**32
#: Compiled code cannot ask a dtype.
_STATE_BYTES: Final = STATE.itemsize


@kernel
def play_one(states: Any, action: int, mask: Any) -> int:
    """Play an action, unless it is `NO_ACTION`, in the single game, and write the mask; what the mask does not allow is `REFUSED`.

    Returns the player to act plus twice the result. Shapes: ``states`` (1,) of dtype STATE, ``mask`` (NUM_ACTIONS,) int8.
    """
    if action == NO_ACTION:
        write_mask(states[0], mask)
    elif mask[action] == 0:
        return REFUSED
    else:
        play(states[0], action, mask)
    return states[0].to_act + 2 * states[0].result


@kernel
def play_and_observe(states: Any, action: int, mask: Any, observation: Any) -> int:
    """As `play_one`; also write what the next player to act sees to ``observation`` (NUM_FEATURES,) int8."""
    if mask[action] == 0:
        return REFUSED
    play(states[0], action, mask)
    write_observation(states[0], states[0].to_act, observation)
    return states[0].to_act + 2 * states[0].result


@inlined
def _play_or_forfeit(state: Any, action: int, mask: Any) -> bool:
    """Play an action; an illegal one loses the game. Returns whether it was illegal. A game that is over stays as it is."""
    illegal = bool(state.step != OVER and mask[action] == 0)
    if illegal:
        forfeit(state)
    if state.step == OVER:
        mask[:] = 0
    else:
        play(state, action, mask)
    return illegal


@kernel
def observe_one(states: Any, viewer: int, observation: Any) -> None:
    """Write what a player sees of the single game to ``observation`` (NUM_FEATURES,) int8."""
    write_observation(states[0], viewer, observation)


@kernel
def observe_all(states: Any, viewers: Any, observations: Any) -> None:
    """Write what player ``viewers[i]`` sees of ``states[i]`` to ``observations[i]``.

    Shapes: ``viewers`` (n,) int64, ``observations`` (n, NUM_FEATURES) int8.
    """
    _observe_all(states, viewers, observations)


@inlined
def _observe_all(states: Any, viewers: Any, observations: Any) -> None:
    for game in range(states.shape[0]):
        write_observation(states[game], viewers[game], observations[game])


@inlined
def _gather_all(states: Any, viewers: Any, row: Any, plans: Any, factors: Any, gathered: Any) -> None:
    """Gather what player ``viewers[i]`` sees of ``states[i]`` into ``gathered[i]``, by way of a row that stays in the cache."""
    for game in range(states.shape[0]):
        write_observation(states[game], viewers[game], row)
        gather(row, plans[viewers[game]], factors, gathered[game])


@inlined
def _play_all(states: Any, starts: Any, actions: Any, masks: Any, results: Any, illegal: Any) -> None:
    """Play ``actions[i]``, an index, `NO_ACTION` or `BEGIN`, and write the mask and the result."""
    for game in range(states.shape[0]):
        illegal[game] = False
        if actions[game] >= 0:
            illegal[game] = _play_or_forfeit(states[game], actions[game], masks[game])
        elif actions[game] == BEGIN:
            states[game] = starts[game]
            write_mask(states[game], masks[game])
        results[game] = states[game].result


@inlined
def play_at_random(states: Any, players: Any, streams: Any, masks: Any, results: Any) -> None:
    """Play legal actions, all equally likely, in each game until it is over or ``players[i]`` is to act.

    Shapes: ``states`` (n,) of dtype STATE, ``players`` (n,) int64, ``streams`` (n,) uint64, ``masks`` (n, NUM_ACTIONS) and
    ``results`` (n,) int8.
    """
    for game in range(states.shape[0]):
        mask = masks[game]
        while states[game].step != OVER and states[game].to_act != players[game]:
            play(states[game], draw_legal(mask, streams, game), mask)
        results[game] = states[game].result


@inlined
def _refresh_all(states: Any, masks: Any, results: Any) -> None:
    """Recompute the masks and results of states that other code wrote."""
    for game in range(states.shape[0]):
        write_mask(states[game], masks[game])
        results[game] = states[game].result


@inlined
def _step_all(states: Any, starts: Any, actions: Any, masks: Any, observations: Any, results: Any, illegal: Any) -> None:
    """Play ``actions[i]``, write the result, restart the game if it is over; write the mask and what the player to act sees."""
    for game in range(states.shape[0]):
        illegal[game] = _play_or_forfeit(states[game], actions[game], masks[game])
        results[game] = states[game].result
        if results[game] != UNDECIDED:
            states[game] = starts[game]
            write_mask(states[game], masks[game])
        write_observation(states[game], states[game].to_act, observations[game])


@kernel
def play_random_openings(states: Any, indices: Any, turns: int, streams: Any, mask: Any, over: Any) -> None:
    """Play so many turns, of actions that are all equally likely, in the games with the indices ``indices`` (k,) int64, each by its own
    one of the ``streams`` (n,) uint64; ``over`` (k,) bool receives whether that ended them.

    Shapes: ``states`` (n,) of dtype STATE; to work in, ``mask`` (NUM_ACTIONS,) int8.
    """
    for number in range(indices.shape[0]):
        game = indices[number]
        state = states[game]
        until = state.turn + turns
        write_mask(state, mask)
        while state.step != OVER and state.turn < until:
            play(state, draw_legal(mask, streams, game), mask)
        over[number] = state.step == OVER


@nogil_kernel
def work(
    control: Any,
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
) -> None:
    """Work on games as one of the threads that share a ``control`` array; thread 0 posts what is ``to_do``.

    Shapes: ``states`` and ``starts`` (n,) of dtype STATE, ``actions`` and ``players`` (n,) int64, ``masks`` (n, NUM_ACTIONS) int8,
    ``results`` (n,) int8, ``illegal`` (n,) bool, ``streams`` (STREAMS, n) uint64; at ``address`` observations (n, NUM_FEATURES) int8, or
    for `GATHER` what `row_and_plans_at` takes.
    """
    if thread == 0:
        post_task(control, to_do, address)
    while True:
        first, until = claim_chunk(control, thread)
        if until == 0:
            return
        chunk, doing = slice(first, until), task(control)
        if doing == PICK:
            pick_all(masks[chunk], streams[ACTIONS][chunk], actions[chunk])
        elif doing == PLAY:
            _play_all(states[chunk], starts[chunk], actions[chunk], masks[chunk], results[chunk], illegal[chunk])
        elif doing == PLAY_AT_RANDOM:
            play_at_random(states[chunk], players[chunk], streams[OPPONENT][chunk], masks[chunk], results[chunk])
        elif doing == REFRESH:
            _refresh_all(states[chunk], masks[chunk], results[chunk])
        elif doing == GATHER:
            row, plans = row_and_plans_at(task_address(control), thread, NUM_FEATURES)
            factors, gathered = floats_at(task_address(control), states.shape[0])
            _gather_all(states[chunk], players[chunk], row, plans, factors, gathered[chunk])
        else:
            observations = array_at(task_address(control), states.shape[0], NUM_FEATURES)[chunk]
            if doing == OBSERVE:
                _observe_all(states[chunk], players[chunk], observations)
            else:
                _step_all(states[chunk], starts[chunk], actions[chunk], masks[chunk], observations, results[chunk], illegal[chunk])
        chunk_done(control, until - first)


@inlined
def _seed(state: Any, streams: Any, number: int) -> None:
    """Give a game its own random numbers, seeded with two draws joined, so that they never run in step with the stream."""
    upper, lower = np.uint64(draw(streams, number, _HALF)), np.uint64(draw(streams, number, _HALF))
    state.stream[0] = max(upper << np.uint64(32) | lower, np.uint64(1))


@kernel
def set_up_some(states: Any, indices: Any, streams: Any) -> None:
    """Set up the games with the indices ``indices`` (k,) int64, each from its own one of the ``streams`` (n,) uint64."""
    for number in range(indices.shape[0]):
        state = states[indices[number]]
        _seed(state, streams, indices[number])
        set_up(state)


@inlined
def _sort_deck(state: Any) -> None:
    for number in range(1, state.deck_size):
        card, place = state.deck[number], number
        while place > 0 and state.deck[place - 1] > card:
            state.deck[place] = state.deck[place - 1]
            place -= 1
        state.deck[place] = card


@kernel
def shuffle_all(states: Any, streams: Any) -> None:
    """Shuffle what nobody sees of games (n,), the decks and all future shuffles, each by its own one of the ``streams`` (n,) uint64.

    The result does not depend on the previous order of the deck, so it reveals nothing about it.
    """
    for game in range(states.shape[0]):
        _sort_deck(states[game])
        _seed(states[game], streams, game)
        shuffle_deck(states[game])


@c_function
def xla_start(frame: int) -> int:
    """What XLA calls to set up games from blank ones; see `start_arrays`."""
    if begins_work(frame):
        memory, seeds = start_arrays(frame, _STATE_BYTES)
        states, stream = memory.view(STATE), stack_row(8).view(np.uint64)
        for game in range(seeds.shape[0]):
            stream[0] = max(seeds[game], np.uint64(1))
            _seed(states[game], stream, 0)
            set_up(states[game])
    return 0


@c_function
def xla_play(frame: int) -> int:
    """What XLA calls to play an action in each of many games; see `play_arrays`."""
    if begins_work(frame):
        memory, actions, masks, statuses = play_arrays(frame, _STATE_BYTES, NUM_ACTIONS)
        states = memory.view(STATE)
        for game in range(actions.shape[0]):
            state, action, mask = states[game], actions[game], masks[game]
            if action == NO_ACTION:
                write_mask(state, mask)
            else:
                mask[action % NUM_ACTIONS] = action < NUM_ACTIONS
                _play_or_forfeit(state, action % NUM_ACTIONS, mask)
            statuses[game] = state.to_act + 2 * state.result
    return 0


@c_function
def xla_observe(frame: int) -> int:
    """What XLA calls to write what a player sees of each of many games; see `observe_arrays`."""
    if begins_work(frame):
        memory, viewers = observe_arrays(frame, _STATE_BYTES)
        states, address = memory.view(STATE), result(frame, 0)
        if gathered_bytes(frame) == 0:
            _observe_all(states, viewers, array_at(address, viewers.shape[0], NUM_FEATURES))
        else:
            row, (plans, factors) = stack_row(NUM_FEATURES), plans_and_factors(frame, 2)
            shown = array_at(address, viewers.shape[0], factors.shape[0])
            _gather_all(states, viewers, row, plans, factors.view(np.float32), shown.view(np.float32))
    return 0
