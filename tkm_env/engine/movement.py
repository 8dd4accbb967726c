"""RULES §3, the standard actions: move (with a pull, §6) and travel. Imports `push` and below."""

from __future__ import annotations

from typing import Any

from tkm_env.engine.actions import MOVES, MOVES_PULLING, TRAVELS
from tkm_env.engine.compiled import compiled
from tkm_env.engine.geometry import FUTURE, NEIGHBOUR, NOWHERE, OPPOSITE, PAST
from tkm_env.engine.push import gives_way, is_statue, kill, pass_on_steps, push, shift
from tkm_env.engine.scratch import Scratch
from tkm_env.engine.state import COPY, EMPTY, State

__all__ = ["apply", "legal", "steps_freely"]


@compiled
def steps_freely(state: State, era: int, space: int) -> bool:
    """Whether a copy on ``space`` could step onto a free space beside it, and so also back again."""
    for direction in range(4):
        beside = NEIGHBOUR[direction, space]
        if beside != NOWHERE and state.cell[era, beside] == EMPTY:
            return True
    return False


@compiled
def legal(state: State, mask: Any) -> None:
    """Mark the active copy's legal moves and travels."""
    era, here, own = state.active_era, state.active_space, COPY + state.to_act
    for direction in range(4):
        there = NEIGHBOUR[direction, here]
        if there == NOWHERE or not gives_way(state, era, there, direction):
            continue
        mask[MOVES + direction] = 1
        # A copy that dies in a paradox pulls nothing (R4).
        if state.cell[era, there] != own and is_statue(state, era, NEIGHBOUR[OPPOSITE[direction], here]):
            mask[MOVES_PULLING + direction] = 1
    if era != FUTURE and state.cell[era + 1, here] == EMPTY:
        mask[TRAVELS] = 1
    if era != PAST and state.cell[era - 1, here] == EMPTY and state.supply[state.to_act] > 0:
        mask[TRAVELS + 1] = 1


@compiled
def apply(state: State, action: int, scratch: Scratch) -> None:
    """Take a legal move or travel."""
    if action >= TRAVELS:
        _travel(state, action == TRAVELS)
    else:
        _move(state, (action - MOVES) % 4, action >= MOVES_PULLING, scratch)


@compiled
def _travel(state: State, forward: bool) -> None:
    """§3 travel forward, or backward, which leaves a new copy from the supply."""
    era, here, player = state.active_era, state.active_space, state.to_act
    state.active_era = era + 1 if forward else era - 1
    state.cell[state.active_era, here] = COPY + player
    if forward:
        state.cell[era, here] = EMPTY
    else:
        state.supply[player] -= 1


@compiled
def _move(state: State, direction: int, pull: bool, scratch: Scratch) -> None:
    """§3 move; then, if asked for, §6 pull."""
    era, here, own = state.active_era, state.active_space, COPY + state.to_act
    there = NEIGHBOUR[direction, here]
    # While it moves, the active copy is off the board (R8).
    state.cell[era, here] = EMPTY
    if state.cell[era, there] == own:  # paradox
        kill(state, era, there)
        state.active_era = NOWHERE
        state.active_space = NOWHERE
        return
    push(state, era, there, direction, scratch)
    state.cell[era, there] = own
    state.active_space = there
    if pull:
        shift(state, era, NEIGHBOUR[OPPOSITE[direction], here], direction, scratch)
    pass_on_steps(state, era, scratch)
