"""The engine's entry points, for one game and for an array of games."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.compiled.atomics import array_at, stack_row
from tkm_env.compiled.decorators import c_function, inlined, kernel, nogil_kernel
from tkm_env.compiled.gather_plan import bytes_at, floats_at, gather, row_and_plans_at
from tkm_env.compiled.kernels import (
    BEGIN,
    GATHER,
    GATHER_BYTES,
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
from tkm_env.compiled.random_numbers import ACTIONS, OPPONENT
from tkm_env.compiled.threads import chunk_done, claim_chunk, post_task, task, task_address
from tkm_env.compiled.xla import begins_work, gathered_bytes, observe_arrays, plans_and_factors, play_arrays, result
from tkm_env.games.tkm.engine.actions import CONCEDE, NUM_ACTIONS
from tkm_env.games.tkm.engine.geometry import NUM_SPACES
from tkm_env.games.tkm.engine.observation import NUM_PLANES, write_observation
from tkm_env.games.tkm.engine.scratch import SCRATCH
from tkm_env.games.tkm.engine.state import OVER, STATE
from tkm_env.games.tkm.engine.turn import play, write_mask

# Compiled code cannot ask a dtype.
_STATE_BYTES: Final = STATE.itemsize
_SCRATCH_BYTES: Final = SCRATCH.itemsize


@inlined
def _rows(observations: Any, games: int) -> Any:
    """Observations as `write_observation` takes them: one row a game, as int8 and the same memory as uint64."""
    spaces = observations.reshape(games, NUM_PLANES * NUM_SPACES)
    return spaces, spaces.view(np.uint64)


@kernel
def play_one(states: Any, action: int, mask: Any, scratch: Any) -> int:
    """Play an action, unless it is `NO_ACTION`, in the single game, and write the mask; what the mask does not allow is `REFUSED`.

    Returns the player to act plus twice the result, which every caller needs next. Shapes: ``states`` (1,) of dtype STATE, ``mask``
    (NUM_ACTIONS,) int8, ``scratch`` (1,) of dtype SCRATCH.
    """
    if action == NO_ACTION:
        write_mask(states[0], mask, scratch[0])
    elif mask[action] == 0:
        return REFUSED
    else:
        play(states[0], action, mask, scratch[0])
    return states[0].to_act + 2 * states[0].result


@kernel
def play_and_observe(states: Any, action: int, mask: Any, observation: Any, scratch: Any) -> int:
    """As `play_one`; also write what the next player to act sees to ``observation`` (NUM_PLANES, 4, 4) int8, C-contiguous."""
    if mask[action] == 0:
        return REFUSED
    play(states[0], action, mask, scratch[0])
    spaces, words = _rows(observation, 1)
    write_observation(states[0], states[0].to_act, spaces[0], words[0])
    return states[0].to_act + 2 * states[0].result


@kernel
def replay(states: Any, actions: Any, mask: Any, scratch: Any) -> None:
    """Play ``actions`` (k,) int64 in the single game, one after the other; each must be legal in its turn."""
    for number in range(actions.shape[0]):
        play(states[0], actions[number], mask, scratch[0])


@kernel
def observe_one(states: Any, viewer: int, observation: Any) -> None:
    """Write what a player sees of the single game to ``observation`` (NUM_PLANES, 4, 4) int8, C-contiguous."""
    spaces, words = _rows(observation, 1)
    write_observation(states[0], viewer, spaces[0], words[0])


@kernel
def observe_all(states: Any, viewers: Any, observations: Any) -> None:
    """Write what player ``viewers[i]`` sees of ``states[i]`` to ``observations[i]``.

    Shapes: ``viewers`` (n,) int64, ``observations`` (n, NUM_PLANES, 4, 4) int8, C-contiguous.
    """
    spaces, _ = _rows(observations, states.shape[0])
    _observe_all(states, viewers, spaces)


@inlined
def _observe_all(states: Any, viewers: Any, spaces: Any) -> None:
    """As `observe_all`, with one row a game in ``spaces`` (n, bytes) int8."""
    words = spaces.view(np.uint64)
    for game in range(states.shape[0]):
        write_observation(states[game], viewers[game], spaces[game], words[game])


@inlined
def _gather_all(states: Any, viewers: Any, row: Any, plans: Any, factors: Any, gathered: Any) -> None:
    """Gather what player ``viewers[i]`` sees of ``states[i]`` into ``gathered[i]``, by way of a row that stays in the cache."""
    words = row.view(np.uint64)
    for game in range(states.shape[0]):
        write_observation(states[game], viewers[game], row, words)
        gather(row, plans[viewers[game]], factors, gathered[game])


@inlined
def play_or_forfeit(state: Any, action: int, mask: Any, scratch: Any) -> bool:
    """Play an action; an illegal one loses the game. Returns whether it was illegal. A game that is over stays as it is."""
    if state.step == OVER:
        mask[:] = 0
        return False
    illegal = bool(mask[action] == 0)
    play(state, CONCEDE if illegal else action, mask, scratch)
    return illegal


@inlined
def _play_all(states: Any, starts: Any, actions: Any, masks: Any, results: Any, illegal: Any, scratch: Any) -> None:
    """Play ``actions[i]``, and write the mask and the result.

    An illegal action loses the game for the player who made it, and is flagged in ``illegal``; `NO_ACTION` leaves a game unchanged,
    `BEGIN` restarts it; a game that is over stays as it is.
    """
    for game in range(states.shape[0]):
        illegal[game] = False
        if actions[game] >= 0:
            illegal[game] = play_or_forfeit(states[game], actions[game], masks[game], scratch[0])
        elif actions[game] == BEGIN:
            states[game] = starts[game]
            write_mask(states[game], masks[game], scratch[0])
        results[game] = states[game].result


@inlined
def _play_all_at_random(states: Any, players: Any, streams: Any, masks: Any, results: Any, scratch: Any) -> None:
    """Play legal actions, all equally likely, in each game until it is over or ``players[i]`` is to act."""
    for game in range(states.shape[0]):
        mask = masks[game]
        while states[game].step != OVER and states[game].to_act != players[game]:
            play(states[game], draw_legal(mask, streams, game), mask, scratch[0])
        results[game] = states[game].result


@inlined
def _refresh_all(states: Any, masks: Any, results: Any, scratch: Any) -> None:
    """Recompute the masks and results of states that other code wrote."""
    for game in range(states.shape[0]):
        write_mask(states[game], masks[game], scratch[0])
        results[game] = states[game].result


@inlined
def _step_all(states: Any, starts: Any, actions: Any, masks: Any, spaces: Any, results: Any, illegal: Any, scratch: Any) -> None:
    """Play ``actions[i]``, write the result, restart the game if it is over; write the mask and what the player to act sees.

    ``results``: UNDECIDED, or the result of the game that was just restarted.
    """
    words = spaces.view(np.uint64)
    for game in range(states.shape[0]):
        illegal[game] = play_or_forfeit(states[game], actions[game], masks[game], scratch[0])
        results[game] = states[game].result
        if results[game] != UNDECIDED:
            states[game] = starts[game]
            write_mask(states[game], masks[game], scratch[0])
        write_observation(states[game], states[game].to_act, spaces[game], words[game])


@kernel
def play_random_openings(states: Any, indices: Any, turns: int, streams: Any, mask: Any, over: Any, scratch: Any) -> None:
    """Play so many turns, of actions that are all equally likely, in the games with the indices ``indices`` (k,) int64, each by its own
    one of the ``streams`` (n,) uint64; ``over`` (k,) bool receives whether that ended them.

    Shapes: ``states`` (n,) of dtype STATE; to work in, ``mask`` (NUM_ACTIONS,) int8, ``scratch`` of dtype SCRATCH.
    """
    for number in range(indices.shape[0]):
        game = indices[number]
        state = states[game]
        until = state.turn + turns
        write_mask(state, mask, scratch[0])
        while state.step != OVER and state.turn < until:
            play(state, draw_legal(mask, streams, game), mask, scratch[0])
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
    scratch: Any,
) -> None:
    """Work on games as one of the threads that share a ``control`` array; thread 0 posts what is ``to_do``.

    Shapes: ``states`` and ``starts`` (n,) of dtype STATE, ``actions`` and ``players`` (n,) int64, ``masks`` (n, NUM_ACTIONS) int8,
    ``results`` (n,) int8, ``illegal`` (n,) bool, ``streams`` (STREAMS, n) uint64, ``scratch`` (threads,) of dtype SCRATCH. For `OBSERVE`
    and `STEP`, ``address`` is that of the observations: (n, NUM_PLANES, 4, 4) int8, C-contiguous; for `GATHER` and `GATHER_BYTES`, what
    `row_and_plans_at` takes.
    """
    if thread == 0:
        post_task(control, to_do, address)
    own = scratch[thread : thread + 1]
    while True:
        first, until = claim_chunk(control, thread)
        if until == 0:
            return
        chunk, doing = slice(first, until), task(control)
        if doing == PICK:
            pick_all(masks[chunk], streams[ACTIONS][chunk], actions[chunk])
        elif doing == PLAY:
            _play_all(states[chunk], starts[chunk], actions[chunk], masks[chunk], results[chunk], illegal[chunk], own)
        elif doing == PLAY_AT_RANDOM:
            _play_all_at_random(states[chunk], players[chunk], streams[OPPONENT][chunk], masks[chunk], results[chunk], own)
        elif doing == REFRESH:
            _refresh_all(states[chunk], masks[chunk], results[chunk], own)
        elif doing in (GATHER, GATHER_BYTES):
            row, plans = row_and_plans_at(task_address(control), thread, NUM_PLANES * NUM_SPACES)
            if doing == GATHER:
                factors, floats = floats_at(task_address(control), states.shape[0])
                _gather_all(states[chunk], players[chunk], row, plans, factors, floats[chunk])
            else:
                ones, whole = bytes_at(task_address(control), states.shape[0])
                _gather_all(states[chunk], players[chunk], row, plans, ones, whole[chunk])
        else:
            observations = array_at(task_address(control), states.shape[0], NUM_PLANES * NUM_SPACES)[chunk]
            if doing == OBSERVE:
                _observe_all(states[chunk], players[chunk], observations)
            else:
                _step_all(
                    states[chunk], starts[chunk], actions[chunk], masks[chunk], observations, results[chunk], illegal[chunk], own
                )
        chunk_done(control, until - first)


@c_function
def xla_play(frame: int) -> int:
    """What XLA calls to play an action in each of many games; see `play_arrays`."""
    if begins_work(frame):
        memory, actions, masks, statuses = play_arrays(frame, _STATE_BYTES, NUM_ACTIONS)
        states, scratch = memory.view(STATE), stack_row(_SCRATCH_BYTES).view(SCRATCH)
        for game in range(actions.shape[0]):
            state, action, mask = states[game], actions[game], masks[game]
            if action == NO_ACTION:
                write_mask(state, mask, scratch[0])
            else:
                mask[action % NUM_ACTIONS] = action < NUM_ACTIONS
                play_or_forfeit(state, action % NUM_ACTIONS, mask, scratch[0])
            statuses[game] = state.to_act + 2 * state.result
    return 0


@c_function
def xla_observe(frame: int) -> int:
    """What XLA calls to write what a player sees of each of many games; see `observe_arrays`."""
    if begins_work(frame):
        memory, viewers = observe_arrays(frame, _STATE_BYTES)
        states, address, width = memory.view(STATE), result(frame, 0), gathered_bytes(frame)
        if width == 0:
            _observe_all(states, viewers, array_at(address, viewers.shape[0], NUM_PLANES * NUM_SPACES))
        else:
            row, (plans, factors) = stack_row(NUM_PLANES * NUM_SPACES), plans_and_factors(frame, 2)
            shown = array_at(address, viewers.shape[0], factors.shape[0])
            if width == 1:
                _gather_all(states, viewers, row, plans, factors, shown)
            else:
                _gather_all(states, viewers, row, plans, factors.view(np.float32), shown.view(np.float32))
    return 0
