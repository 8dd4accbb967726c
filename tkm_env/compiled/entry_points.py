"""What an engine is called by: for one game, for arrays of games shared by threads, and from XLA; made of a game's rules."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from tkm_env.compiled.atomics import array_at, stack_row
from tkm_env.compiled.decorators import c_function, in_module, inlined, kernel, nogil_kernel
from tkm_env.compiled.gather_plan import bytes_at, floats_at, gather, row_and_plans_at
from tkm_env.compiled.kernels import (
    BEGIN,
    COPY_MASKS,
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
from tkm_env.compiled.xla import (
    begins_work,
    gathered_bytes,
    observe_arrays,
    plans_and_factors,
    play_arrays,
    result,
)


class Rules(NamedTuple):
    """A game's rules: functions that are `inlined`, and the sizes of what they work on."""

    module: str  # whose machine code is kept with that of the engine
    state: np.dtype[
        Any
    ]  # of one game, with fields "to_act", "turn" and "result", UNDECIDED until it is over
    scratch: np.dtype[Any]  # of the workspace of one call, which begins with zeros
    num_actions: int
    observed: int  # how many bytes an observation has
    word: DTypeLike  # an observation is written as bytes and, in the same memory, as words of this dtype
    write_mask: Callable[..., Any]  # (state, mask, scratch): writes which actions are legal, 1 or 0
    play: Callable[
        ..., Any
    ]  # (state, action, mask, scratch): plays a legal action, and writes the mask
    forfeit: Callable[
        ..., Any
    ]  # (state, mask, scratch): ends the game, lost for the player to act, and writes the mask
    write_observation: Callable[
        ..., Any
    ]  # (state, viewer, row, words): writes what a player, 0 or 1, sees


class EntryPoints(NamedTuple):
    """The compiled functions that play a game; those for one game hold the GIL, so that no thread or signal intervenes."""

    play: Callable[..., int]
    play_and_observe: Callable[..., int]
    observe: Callable[..., None]
    play_at_random: Callable[..., int]
    work: Callable[..., None]
    xla_play: Callable[[int], int]
    xla_observe: Callable[[int], int]
    # For other compiled functions.
    play_or_forfeit: Callable[..., bool]
    play_all_at_random: Callable[..., None]
    #: Sets up games from blank ones, as `tkm_env.compiled.xla.start_arrays` describes; None where nothing is left to chance by then.
    xla_start: Callable[[int], int] | None = None


def entry_points_of(rules: Rules) -> EntryPoints:
    """The entry points of the engine with these rules."""
    # Compiled functions refer to plain names, not to fields.
    state_dtype, scratch_dtype, word, num_actions, observed = (
        rules.state,
        rules.scratch,
        rules.word,
        rules.num_actions,
        rules.observed,
    )
    state_bytes, scratch_bytes = state_dtype.itemsize, scratch_dtype.itemsize
    write_mask, play, forfeit, write_observation = (
        rules.write_mask,
        rules.play,
        rules.forfeit,
        rules.write_observation,
    )
    part, entry, shared_entry, c_entry = (
        in_module(rules.module, how) for how in (inlined, kernel, nogil_kernel, c_function)
    )

    @part
    def play_or_forfeit(state: Any, action: int, mask: Any, scratch: Any) -> bool:
        """Play an action; an illegal one loses the game. Returns whether it was illegal. A game that is over stays as it is."""
        if state.result != UNDECIDED:
            mask[:] = 0
            return False
        illegal = bool(mask[action] == 0)
        if illegal:
            forfeit(state, mask, scratch)
        else:
            play(state, action, mask, scratch)
        return illegal

    @part
    def observe_all(states: Any, viewers: Any, rows: Any) -> None:
        """Write what player ``viewers[i]`` (n,) sees of ``states[i]`` to ``rows[i]`` (n, observed) int8."""
        words = rows.view(word)
        for game in range(states.shape[0]):
            write_observation(states[game], viewers[game], rows[game], words[game])

    @part
    def gather_all(
        states: Any, viewers: Any, row: Any, plans: Any, factors: Any, gathered: Any
    ) -> None:
        """Gather what player ``viewers[i]`` sees of ``states[i]`` into ``gathered[i]``, by way of a row that stays in the cache."""
        words = row.view(word)
        for game in range(states.shape[0]):
            write_observation(states[game], viewers[game], row, words)
            gather(row, plans[viewers[game]], factors, gathered[game])

    @part
    def play_all(
        states: Any, starts: Any, actions: Any, masks: Any, results: Any, illegal: Any, scratch: Any
    ) -> None:
        """Play each action, and write the mask and the result. `NO_ACTION` leaves a game as it is, `BEGIN` restarts it."""
        for game in range(states.shape[0]):
            illegal[game] = False
            if actions[game] >= 0:
                illegal[game] = play_or_forfeit(states[game], actions[game], masks[game], scratch)
            elif actions[game] == BEGIN:
                states[game] = starts[game]
                write_mask(states[game], masks[game], scratch)
            results[game] = states[game].result

    @part
    def play_all_at_random(
        states: Any, players: Any, streams: Any, masks: Any, results: Any, scratch: Any
    ) -> None:
        """Play legal actions, all equally likely, in each game until it is over or ``players[i]`` is to act."""
        for game in range(states.shape[0]):
            mask = masks[game]
            while states[game].result == UNDECIDED and states[game].to_act != players[game]:
                play(states[game], draw_legal(mask, streams, game), mask, scratch)
            results[game] = states[game].result

    @part
    def refresh_all(states: Any, masks: Any, results: Any, scratch: Any) -> None:
        """Recompute the masks and results of states that other code wrote."""
        for game in range(states.shape[0]):
            write_mask(states[game], masks[game], scratch)
            results[game] = states[game].result

    @part
    def step_all(
        states: Any,
        starts: Any,
        actions: Any,
        masks: Any,
        rows: Any,
        results: Any,
        illegal: Any,
        scratch: Any,
    ) -> None:
        """Play each action, write its result, restart the game if that ended it; write the mask and what the player to act sees."""
        words = rows.view(word)
        for game in range(states.shape[0]):
            illegal[game] = play_or_forfeit(states[game], actions[game], masks[game], scratch)
            results[game] = states[game].result
            if results[game] != UNDECIDED:
                states[game] = starts[game]
                write_mask(states[game], masks[game], scratch)
            write_observation(states[game], states[game].to_act, rows[game], words[game])

    @entry
    def play_one(states: Any, action: int, mask: Any) -> int:
        """Play an action, unless it is `NO_ACTION`, and write the mask; returns the player to act plus twice the result, or `REFUSED`."""
        if action == NO_ACTION:
            write_mask(states[0], mask, stack_row(scratch_bytes).view(scratch_dtype)[0])
        elif mask[action] == 0:
            return REFUSED
        else:
            play(states[0], action, mask, stack_row(scratch_bytes).view(scratch_dtype)[0])
        return states[0].to_act + 2 * states[0].result

    @entry
    def play_and_observe(states: Any, action: int, mask: Any, observation: Any) -> int:
        """As `play_one`; also write what the next player to act sees to ``observation``, int8, C-contiguous."""
        if mask[action] == 0:
            return REFUSED
        play(states[0], action, mask, stack_row(scratch_bytes).view(scratch_dtype)[0])
        row = observation.reshape(observed)
        write_observation(states[0], states[0].to_act, row, row.view(word))
        return states[0].to_act + 2 * states[0].result

    @entry
    def observe(states: Any, viewer: int, observation: Any) -> None:
        """Write what a player sees of the single game to ``observation``, int8, C-contiguous."""
        row = observation.reshape(observed)
        write_observation(states[0], viewer, row, row.view(word))

    @entry
    def play_at_random(
        states: Any, indices: Any, player: int, turns: Any, streams: Any, mask: Any, played: Any
    ) -> int:
        """Play legal actions, all equally likely, in the games with these indices, until one is over, has reached its one of ``turns``, or
        ``player`` is to act; returns as `play_one` for the last game. Of a single game, ``played`` (k,) int64 gets the actions, after how
        many they are, and ends it when it is full; otherwise k is 0.
        """
        scratch = stack_row(scratch_bytes).view(scratch_dtype)[0]
        status, room, count = 0, played.shape[0] - 1, 0
        for number in range(indices.shape[0]):
            game = indices[number]
            state = states[game]
            write_mask(state, mask, scratch)
            while (
                state.result == UNDECIDED
                and state.to_act != player
                and state.turn < turns[number]
                and count != room
            ):
                action = draw_legal(mask, streams, game)
                play(state, action, mask, scratch)
                if room > 0:
                    count += 1
                    played[0], played[count] = count, action
            status = state.to_act + 2 * state.result
        return status

    @shared_entry
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

        Shapes: ``states`` and ``starts`` (n,), ``actions`` and ``players`` (n,) int64, ``masks`` (n, actions) int8, ``results`` (n,) int8,
        ``illegal`` (n,) bool, ``streams`` (STREAMS, n) uint64. For `OBSERVE`, `STEP` and `COPY_MASKS`, ``address`` is that of what is
        written: int8, C-contiguous; for `GATHER` and `GATHER_BYTES`, what `row_and_plans_at` takes.
        """
        scratch = stack_row(scratch_bytes).view(scratch_dtype)[0]
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
                play_all(
                    states[chunk],
                    starts[chunk],
                    actions[chunk],
                    masks[chunk],
                    results[chunk],
                    illegal[chunk],
                    scratch,
                )
            elif doing == PLAY_AT_RANDOM:
                play_all_at_random(
                    states[chunk],
                    players[chunk],
                    streams[OPPONENT][chunk],
                    masks[chunk],
                    results[chunk],
                    scratch,
                )
            elif doing == REFRESH:
                refresh_all(states[chunk], masks[chunk], results[chunk], scratch)
            elif doing == COPY_MASKS:
                copies = array_at(task_address(control), states.shape[0], num_actions)[chunk]
                for game in range(copies.shape[0]):
                    for action in range(num_actions):
                        copies[game, action] = masks[first + game, action]
            elif doing in (GATHER, GATHER_BYTES):
                row, plans = row_and_plans_at(task_address(control), thread, observed)
                if doing == GATHER:
                    factors, floats = floats_at(task_address(control), states.shape[0])
                    gather_all(states[chunk], players[chunk], row, plans, factors, floats[chunk])
                else:
                    ones, whole = bytes_at(task_address(control), states.shape[0])
                    gather_all(states[chunk], players[chunk], row, plans, ones, whole[chunk])
            else:
                rows = array_at(task_address(control), states.shape[0], observed)[chunk]
                if doing == OBSERVE:
                    observe_all(states[chunk], players[chunk], rows)
                else:
                    step_all(
                        states[chunk],
                        starts[chunk],
                        actions[chunk],
                        masks[chunk],
                        rows,
                        results[chunk],
                        illegal[chunk],
                        scratch,
                    )
            chunk_done(control, until - first)

    @c_entry
    def xla_play(frame: int) -> int:
        """What XLA calls to play an action in each of many games; see `play_arrays`."""
        if begins_work(frame):
            memory, actions, masks, statuses = play_arrays(frame, state_bytes, num_actions)
            states, scratch = (
                memory.view(state_dtype),
                stack_row(scratch_bytes).view(scratch_dtype)[0],
            )
            for game in range(actions.shape[0]):
                state, action, mask = states[game], actions[game], masks[game]
                if action == NO_ACTION:
                    write_mask(state, mask, scratch)
                else:
                    mask[action % num_actions] = action < num_actions
                    play_or_forfeit(state, action % num_actions, mask, scratch)
                statuses[game] = state.to_act + 2 * state.result
        return 0

    @c_entry
    def xla_observe(frame: int) -> int:
        """What XLA calls to write what a player sees of each of many games; see `observe_arrays`."""
        if begins_work(frame):
            memory, viewers = observe_arrays(frame, state_bytes)
            states, address, width = (
                memory.view(state_dtype),
                result(frame, 0),
                gathered_bytes(frame),
            )
            if width == 0:
                observe_all(states, viewers, array_at(address, viewers.shape[0], observed))
            else:
                row, (plans, factors) = stack_row(observed), plans_and_factors(frame, 2)
                shown = array_at(address, viewers.shape[0], factors.shape[0])
                if width == 1:
                    gather_all(states, viewers, row, plans, factors, shown)
                else:
                    gather_all(
                        states,
                        viewers,
                        row,
                        plans,
                        factors.view(np.float32),
                        shown.view(np.float32),
                    )
        return 0

    parts = play_or_forfeit, play_all_at_random
    return EntryPoints(
        play_one, play_and_observe, observe, play_at_random, work, xla_play, xla_observe, *parts
    )
