"""The entry point that works on all games of a batch, on several threads."""

from collections.abc import Callable

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
    SHOW,
    TURN_ROOM,
    pick_all,
)
from tkm_env.compiled.random_numbers import ACTIONS, OPPONENT
from tkm_env.compiled.work_sharing import chunk_done, claim_chunk, post_task, task, task_address


def batch_entry_point_of(rules: EngineRules, loops: GameLoops) -> Callable[..., None]:
    """The kernel ``work`` of an engine.

    Every thread that works on a batch calls it. Thread 0 posts the task; then all threads perform
    it on one chunk of the games after another until none is left.

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

    @shared_entry
    def work(
        control: Control,
        thread: int,
        to_do: int,
        address: int,
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
            thread: the index of the calling thread; thread 0 posts the task.
            to_do: the task, one of those in `tkm_env.compiled.kernels`; threads other than 0 ignore
                it.
            address: for `OBSERVE`, `STEP` and `COPY_MASKS`, the address of the array to write to:
                int8, C-contiguous. For `SHOW`, that of an array for observations with one for masks
                behind it. For `PLAY_TURNS`, that of the turns' actions, int8 of shape
                (n, `TURN_ROOM`). For `GATHER` and `GATHER_BYTES`, what `row_and_plans_at` takes.
            states: the games: records of shape (n,).
            starts: where games begin again: records of shape (n,).
            actions: what to play in each game; for `PICK`, where to write the actions: int64 of
                shape (n,).
            players: the viewer of each game; for `PLAY_AT_RANDOM`, the player to stop for: integers
                of shape (n,).
            masks: the legal actions: int8 of shape (n, actions).
            results: how each game ended: int8 of shape (n,).
            illegal: whether the last action was illegal: bool of shape (n,).
            streams: random numbers by purpose: uint64 of shape (`STREAMS`, n).
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
            elif doing == PLAY_TURNS:
                turns = array_at(task_address(control), states.shape[0], TURN_ROOM)[chunk]
                play_all_turns(
                    states[chunk], turns, masks[chunk], results[chunk], illegal[chunk], scratch
                )
            elif doing == COPY_MASKS:
                copies = array_at(task_address(control), states.shape[0], num_actions)[chunk]
                copy_all(masks[chunk], copies)
            elif doing == SHOW:
                rows = array_at(task_address(control), states.shape[0], observed)[chunk]
                observe_all(states[chunk], players[chunk], rows)
                behind = task_address(control) + states.shape[0] * observed
                copies = array_at(behind, states.shape[0], num_actions)[chunk]
                copy_all(masks[chunk], copies)
            elif doing in (GATHER, GATHER_BYTES):
                row, plans = row_and_plans_at(task_address(control), thread, observed)
                if doing == GATHER:
                    by, floats = floats_at(task_address(control), states.shape[0])
                    gather_all(states[chunk], players[chunk], row, plans, by, floats[chunk])
                else:
                    by_bytes, signed = bytes_at(task_address(control), states.shape[0])
                    gather_all(states[chunk], players[chunk], row, plans, by_bytes, signed[chunk])
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

    return work
