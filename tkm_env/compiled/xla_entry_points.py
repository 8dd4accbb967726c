"""The entry points through which XLA plays and observes many games, made from their rules."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tkm_env.compiled.atomics import array_at, stack_row
from tkm_env.compiled.decorators import c_function, in_module
from tkm_env.compiled.engine_rules import EngineRules
from tkm_env.compiled.game_loops import GameLoops
from tkm_env.compiled.kernels import NO_ACTION
from tkm_env.compiled.xla import (
    begins_work,
    gathered_bytes,
    observe_arrays,
    plans_and_factors,
    play_arrays,
    result,
)


class XlaEntryPoints(NamedTuple):
    """The functions for XLA; each is described where it is made.

    They take the address of a call's frame, which `tkm_env.compiled.xla` reads, and return 0.
    """

    play: Callable[[int], int]
    observe: Callable[[int], int]


def xla_entry_points_of(rules: EngineRules, loops: GameLoops) -> XlaEntryPoints:
    """The functions for XLA of an engine.

    Args:
        rules: the engine's rules.
        loops: the engine's loops.

    Returns:
        The functions.
    """
    # Compiled functions refer to plain names, not to fields.
    write_mask, play_or_forfeit, observe_all, gather_all = (
        rules.write_mask,
        loops.play_or_forfeit,
        loops.observe_all,
        loops.gather_all,
    )
    num_actions, observed = rules.num_actions, rules.observed
    state_dtype, state_bytes = rules.state, rules.state.itemsize
    scratch_dtype, scratch_bytes = rules.scratch, rules.scratch.itemsize
    entry = in_module(rules.module, c_function)

    @entry
    def xla_play(frame: int) -> int:
        """Play an action in each of many games; see `play_arrays`."""
        if begins_work(frame):
            memory, actions, masks, statuses = play_arrays(frame, state_bytes, num_actions)
            states = memory.view(state_dtype)
            scratch = stack_row(scratch_bytes).view(scratch_dtype)[0]
            for game in range(actions.shape[0]):
                state, action, mask = states[game], actions[game], masks[game]
                if action == NO_ACTION:
                    write_mask(state, mask, scratch)
                else:
                    mask[action % num_actions] = action < num_actions
                    play_or_forfeit(state, action % num_actions, mask, scratch)
                statuses[game] = state.to_act + 2 * state.result
        return 0

    @entry
    def xla_observe(frame: int) -> int:
        """Write what a player sees of each of many games; see `observe_arrays`."""
        if begins_work(frame):
            memory, viewers = observe_arrays(frame, state_bytes)
            states = memory.view(state_dtype)
            address, width = result(frame, 0), gathered_bytes(frame)
            if width == 0:
                observe_all(states, viewers, array_at(address, viewers.shape[0], observed))
            else:
                row, (plans, factors) = stack_row(observed), plans_and_factors(frame, 2)
                shown = array_at(address, viewers.shape[0], factors.shape[0])
                if width == 1:
                    gather_all(states, viewers, row, plans, factors, shown)
                else:
                    floats, shown_floats = factors.view(np.float32), shown.view(np.float32)
                    gather_all(states, viewers, row, plans, floats, shown_floats)
        return 0

    return XlaEntryPoints(xla_play, xla_observe)
