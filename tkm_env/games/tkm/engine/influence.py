"""RULES §6, chapter 2: build a statue, and propagate it.

Pushing statues is in `push`; pulling them is in `movement` and `memory`.
"""

from tkm_env.compiled.array_types import Mask
from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.actions import BUILDS
from tkm_env.games.tkm.engine.bitboards import has_seed
from tkm_env.games.tkm.engine.event_log import BUILT_HERE, note
from tkm_env.games.tkm.engine.geometry import NEIGHBOUR, NOWHERE, NUM_ERAS, OPPOSITE
from tkm_env.games.tkm.engine.powers import IMPOSE
from tkm_env.games.tkm.engine.push import gives_way, is_empty, push, remove_seed, take_steps
from tkm_env.games.tkm.engine.scratch import Scratch
from tkm_env.games.tkm.engine.state import EDITION_2022, STATUE, State


@inlined
def legal(state: State, mask: Mask) -> None:
    """Mark where the active copy may build.

    It may build on an empty space beside it, if the player's statue is still to build. With
    `impose` it may also build where a seed lies, and where what stands there can be pushed (R15).

    Args:
        state: the game, at the step that takes an action.
        mask: where to write: int8 of shape (actions,), with 0 for these actions.
    """
    if not state.unbuilt[state.to_act]:
        return
    era, here, imposes = state.active_era, state.active_space, state.power[state.to_act] == IMPOSE
    for direction in range(4):
        there = NEIGHBOUR[direction, here]
        if there == NOWHERE:
            continue
        mask[BUILDS + direction] = is_empty(state, era, there) or (
            imposes and gives_way(state, era, there, direction)
        )


@inlined
def apply(state: State, action: int, scratch: Scratch) -> None:
    """§6 build, and propagate build.

    In each later era the statue appears, then the steps passed on from the previous era are taken
    (R5).

    Args:
        state: the game.
        action: the index of a legal build action.
        scratch: the workspace.
    """
    era, statue, direction = state.active_era, STATUE + state.to_act, action - BUILDS
    target = NEIGHBOUR[direction, state.active_space]
    state.unbuilt[state.to_act] = 0
    _enter(state, era, statue, target, direction, scratch)
    appears = True
    first = 0
    for later in range(era + 1, NUM_ERAS):
        until = scratch.steps
        appears = appears and _appear(state, later, statue, target, direction, scratch)
        take_steps(state, later, first, until, scratch)
        first = until


@inlined
def _enter(
    state: State, era: int, statue: int, space: int, direction: int, scratch: Scratch
) -> None:
    """Put the statue on a space that gives way.

    A seed there is removed first (R7), and what stands there is pushed.
    """
    if has_seed(state, era, space):
        remove_seed(state, era, space, scratch)
    push(state, era, space, direction, scratch)
    state.cell[era, space] = statue
    note(scratch, BUILT_HERE, era, space, statue, NOWHERE)


@inlined
def _appear(
    state: State, era: int, statue: int, target: int, direction: int, scratch: Scratch
) -> bool:
    """Place the statue in a later era; return whether it was placed.

    It is placed on ``target`` or, by the rules of 2021, displaced from it.
    """
    if gives_way(state, era, target, direction):
        _enter(state, era, statue, target, direction, scratch)
        return True
    if state.edition == EDITION_2022:
        return False
    back = OPPOSITE[direction]
    distance = 1
    space = NEIGHBOUR[back, target]
    while space != NOWHERE and not gives_way(state, era, space, back):
        distance += 1
        space = NEIGHBOUR[back, space]
    if space == NOWHERE:  # R6
        return False
    _enter(state, era, statue, space, back, scratch)
    for _ in range(distance):
        scratch.step_statue[scratch.steps] = statue
        scratch.step_direction[scratch.steps] = back
        scratch.steps += 1
    return True
