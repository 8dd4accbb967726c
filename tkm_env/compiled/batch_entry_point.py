"""The entry point that works on all games of a batch, on several threads."""

from collections.abc import Callable
from typing import Final

import numpy as np

from tkm_env.compiled.array_types import (
    Actions,
    Control,
    Flags,
    Masks,
    PlayerOfEach,
    Results,
    States,
    StreamTable,
)
from tkm_env.compiled.atomics import array_at, stack_row
from tkm_env.compiled.chosen_turns import take_turns, turns_at
from tkm_env.compiled.decorators import in_module, inlined, nogil_kernel
from tkm_env.compiled.engine_rules import EngineRules
from tkm_env.compiled.game_loops import GameLoops
from tkm_env.compiled.gather_plan import bytes_at, floats_at, row_and_plans_at
from tkm_env.compiled.kernels import (
    COPY_MASKS,
    GATHER,
    GATHER_BYTES,
    OBSERVE,
    PICK,
    PLAY,
    PLAY_AT_RANDOM,
    PLAY_TURNS,
    REFRESH,
    SELECT_TO_ACT,
    TAKE_TURNS,
    WRITE_OUTCOMES,
    pick_all,
)
from tkm_env.compiled.outcomes import outcomes_at, write_outcomes
from tkm_env.compiled.random_numbers import ACTIONS, OPPONENT
from tkm_env.compiled.work_sharing import chunk_done, claim_chunk, post_tasks, posted_tasks

#: A task and its address.
_TASK_BYTES: Final = 16


def batch_entry_point_of(rules: EngineRules, loops: GameLoops) -> Callable[..., None]:
    """The kernel ``work`` of an engine.

    Every thread that works on a batch calls it. Thread 0 posts the tasks; then all threads perform
    them on one chunk of the games after another until none is left.

    Args:
        rules: the engine's rules.
        loops: the engine's loops.

    Returns:
        The kernel.
    """
    # Compiled functions refer to plain names, not to fields.
    play_all, play_all_turns, play_all_at_random = (
        loops.play_all,
        loops.play_all_turns,
        loops.play_all_at_random,
    )
    refresh_all, step_all, observe_all, gather_all = (
        loops.refresh_all,
        loops.step_all,
        loops.observe_all,
        loops.gather_all,
    )
    num_actions, observed = rules.num_actions, rules.observed
    part = in_module(rules.module, inlined)
    scratch_dtype, scratch_bytes = rules.scratch, rules.scratch.itemsize
    shared_entry = in_module(rules.module, nogil_kernel)

    @part
    def copy_all(masks: Masks, copies: Masks) -> None:
        """Copy masks, of which the number of actions is known here."""
        for game in range(masks.shape[0]):
            for action in range(num_actions):
                copies[game, action] = masks[game, action]

    @part
    def select_to_act(states: States, players: PlayerOfEach) -> None:
        """Write the player to act in each game."""
        for game in range(states.shape[0]):
            players[game] = states[game].to_act

    @shared_entry
    def work(
        control: Control,
        thread: int,
        count: int,
        tasks: int,
        states: States,
        starts: States,
        actions: Actions,
        players: PlayerOfEach,
        masks: Masks,
        results: Results,
        illegal: Flags,
        streams: StreamTable,
    ) -> None:
        """Work on games as one of the threads that share a control array.

        Args:
            control: the array that the threads share.
            thread: the index of the calling thread; thread 0 posts the tasks.
            count: the number of tasks, which follow each other in every game; `CLOSE` ends the
                helpers. Threads other than 0 ignore it.
            tasks: the address of an int64 array of shape (count, 2). A row is a task, one of those
                in `tkm_env.compiled.kernels`, and an address. For `OBSERVE`, `STEP` and
                `COPY_MASKS`, that is the address of the array to write to: int8, C-contiguous. For
                `TAKE_TURNS` and `PLAY_TURNS`, what `turns_at` takes; for `WRITE_OUTCOMES`, what
                `outcomes_at` takes; for `GATHER` and `GATHER_BYTES`, what `row_and_plans_at` takes.
                Threads other than 0 ignore it.
            states: the games: records of shape (n,).
            starts: where games begin again: records of shape (n,).
            actions: what to play in each game; for `PICK`, where to write the actions: int64 of
                shape (n,).
            players: the viewer of each game, whose reward is written; for `PLAY_AT_RANDOM`, the
                player to stop for; for `SELECT_TO_ACT`, where to write the player to act: integers
                of shape (n,).
            masks: the legal actions: int8 of shape (n, actions).
            results: how each game ended: int8 of shape (n,).
            illegal: whether the last action was illegal: bool of shape (n,).
            streams: random numbers by purpose: uint64 of shape (`STREAMS`, n).
        """
        scratch = stack_row(scratch_bytes).view(scratch_dtype)[0]
        games = states.shape[0]
        if thread == 0:
            post_tasks(control, count, tasks)
        while True:
            first, until = claim_chunk(control, thread)
            if until == 0:
                return
            chunk = slice(first, until)
            posted, place = posted_tasks(control)
            to_do = array_at(place, posted, _TASK_BYTES).view(np.int64)
            for number in range(posted):
                doing, address = to_do[number, 0], to_do[number, 1]
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
                elif doing == SELECT_TO_ACT:
                    select_to_act(states[chunk], players[chunk])
                elif doing == REFRESH:
                    refresh_all(states[chunk], masks[chunk], results[chunk], scratch)
                elif doing == WRITE_OUTCOMES:
                    rewards_of, truncates, flags, earned, rewards = outcomes_at(address, games)
                    write_outcomes(
                        results[chunk],
                        actions[chunk],
                        players[chunk],
                        rewards_of,
                        truncates,
                        flags[0][chunk],
                        flags[1][chunk],
                        flags[2][chunk],
                        earned[chunk],
                        rewards[chunk],
                    )
                elif doing in (TAKE_TURNS, PLAY_TURNS):
                    words, chosen, before, table, turns, refused = turns_at(address, games)
                    if doing == TAKE_TURNS:
                        take_turns(
                            words[chunk],
                            chosen[chunk],
                            before[chunk],
                            table,
                            num_actions,
                            turns[chunk],
                            refused[chunk],
                        )
                    else:
                        play_all_turns(
                            states[chunk],
                            turns[chunk],
                            masks[chunk],
                            results[chunk],
                            illegal[chunk],
                            scratch,
                        )
                elif doing == COPY_MASKS:
                    copy_all(masks[chunk], array_at(address, games, num_actions)[chunk])
                elif doing in (GATHER, GATHER_BYTES):
                    row, plans = row_and_plans_at(address, thread, observed)
                    if doing == GATHER:
                        by, floats = floats_at(address, games)
                        gather_all(states[chunk], players[chunk], row, plans, by, floats[chunk])
                    else:
                        by_bytes, signed = bytes_at(address, games)
                        gather_all(
                            states[chunk], players[chunk], row, plans, by_bytes, signed[chunk]
                        )
                else:
                    rows = array_at(address, games, observed)[chunk]
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

    return work
