"""RULES §3, the standard actions: move (with a pull, §6) and travel."""

from tkm_env.compiled.array_types import Mask
from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.actions import MOVES, MOVES_PULLING, TRAVELS
from tkm_env.games.tkm.engine.bitboards import ALL_SPACES, has, where_below
from tkm_env.games.tkm.engine.event_log import COPIED, PARADOX, PULLED, TRAVELLED, WALKED, note
from tkm_env.games.tkm.engine.geometry import FUTURE, NEIGHBOUR, NOWHERE, OPPOSITE, PAST, WRAPPED
from tkm_env.games.tkm.engine.powers import BRUSHWOOD, BULLDOZE, DOORWAY, GRAPPLE, KINSHIP
from tkm_env.games.tkm.engine.push import (
    gives_way,
    is_statue,
    kill,
    pass_on_steps,
    push,
    push_reaches,
    remove,
    remove_shrub,
    shift,
)
from tkm_env.games.tkm.engine.scratch import Scratch
from tkm_env.games.tkm.engine.state import (
    COPY,
    ELEPHANT,
    EMPTY,
    INFLUENCE,
    SECOND_TEXTS,
    SHRUB,
    TREE,
    State,
)


@inlined
def legal(state: State, mask: Mask) -> bool:
    """Mark the active copy's legal moves and travels.

    Args:
        state: the game, at the step that takes an action.
        mask: where to write: int8 of shape (actions,), with 0 for these actions.

    Returns:
        Whether there are any.
    """
    era, here, player = state.active_era, state.active_space, state.to_act
    power = state.power[player]
    pulling = state.chapters & INFLUENCE or power == GRAPPLE
    able = False
    # Free spaces and copies always give way; only objects need the rules of pushing. Walls and
    # copies thus take no branch.
    free_or_copy = where_below(state, era, TREE)
    objects = ALL_SPACES ^ free_or_copy
    # While it moves, the active copy is off the board (R8).
    state.cell[era, here] = EMPTY
    for direction in range(4):
        there = _target(power, here, direction)
        may_enter = has(free_or_copy, there)
        if has(objects, there):
            may_enter = _may_enter(state, power, era, there, direction)
        mask[MOVES + direction] = may_enter
        able |= may_enter
        if pulling and may_enter:
            mask[MOVES_PULLING + direction] = _pulls(state, power, era, here, there, direction)
    state.cell[era, here] = COPY + player
    # Beyond the last era and before the first the copy itself stands in the way.
    forward = state.cell[era + (era != FUTURE), here] == EMPTY
    backward = (state.cell[era - (era != PAST), here] == EMPTY) & (state.supply[player] > 0)
    mask[TRAVELS] = forward
    mask[TRAVELS + 1] = backward
    return able | forward | backward


@inlined
def _target(power: int, here: int, direction: int) -> int:
    """Where the active copy's move leads: the space beside it.

    With `doorway` a move off one edge leads to the other end of the line.
    """
    return WRAPPED[direction, here] if power == DOORWAY else NEIGHBOUR[direction, here]


@inlined
def _may_enter(state: State, power: int, era: int, there: int, direction: int) -> bool:
    """§3: whether what stands on the target lets the active copy in.

    With `brushwood` shrubs and fallen trees do, too.
    """
    if gives_way(state, era, there, direction):
        return True
    return power == BRUSHWOOD and SHRUB <= state.cell[era, there] < ELEPHANT


@inlined
def _is_paradox(state: State, power: int, era: int, there: int) -> bool:
    """§3: whether a copy of the player's own stands on the target.

    With `kinship` it is pushed instead (R12).
    """
    return state.cell[era, there] == COPY + state.to_act and power != KINSHIP


@inlined
def _pulls(state: State, power: int, era: int, here: int, there: int, direction: int) -> bool:
    """§6: whether a legal move could pull what stands behind.

    That is a statue or, with `grapple`, an opponent's copy. A copy that dies in a paradox pulls
    nothing (R4). With `doorway`, a statue that the push reaches around the edge is not pulled (R8).
    """
    behind = NEIGHBOUR[OPPOSITE[direction], here]
    if behind == NOWHERE or _is_paradox(state, power, era, there):
        return False
    if is_statue(state, era, behind):
        return power != DOORWAY or not push_reaches(state, era, there, direction, behind)
    return power == GRAPPLE and state.cell[era, behind] == COPY + 1 - state.to_act


@inlined
def apply(state: State, action: int, scratch: Scratch) -> None:
    """Take a legal move or travel.

    Args:
        state: the game.
        action: the action's index.
        scratch: the workspace.
    """
    if action >= TRAVELS:
        _travel(state, action == TRAVELS, scratch)
    else:
        _move(state, (action - MOVES) % 4, action >= MOVES_PULLING, scratch)


@inlined
def _travel(state: State, forward: bool, scratch: Scratch) -> None:
    """§3 travel forward, or backward, which leaves a new copy from the supply."""
    era, here, player = state.active_era, state.active_space, state.to_act
    state.active_era = era + 1 if forward else era - 1
    state.cell[state.active_era, here] = COPY + player
    note(scratch, TRAVELLED, era, here, COPY + player, state.active_era)
    if forward:
        state.cell[era, here] = EMPTY
    else:
        state.supply[player] -= 1
        note(scratch, COPIED, era, here, COPY + player, NOWHERE)


@inlined
def _move(state: State, direction: int, pull: bool, scratch: Scratch) -> None:
    """§3 move; then, if asked for, §6 pull."""
    era, here, power = state.active_era, state.active_space, state.power[state.to_act]
    there = _target(power, here, direction)
    if _is_paradox(state, power, era, there):
        kill(state, era, there, PARADOX, scratch)
        kill(state, era, here, PARADOX, scratch)
        return
    state.cell[era, here] = EMPTY
    _clear(state, era, there, direction, scratch)
    state.cell[era, there] = COPY + state.to_act
    state.active_space = there
    note(scratch, WALKED, era, here, COPY + state.to_act, there)
    if pull:
        shift(state, era, NEIGHBOUR[OPPOSITE[direction], here], direction, PULLED, scratch)
    pass_on_steps(state, era, scratch)


@inlined
def _clear(state: State, era: int, there: int, direction: int, scratch: Scratch) -> None:
    """Make the target free.

    What stands there is pushed; with `brushwood` a shrub or a fallen tree is removed (R21). By its
    second text, `bulldoze` holds only for a turn's first action.
    """
    piece = state.cell[era, there]
    if piece == SHRUB:
        remove_shrub(state, era, there, scratch)
    elif piece > SHRUB:
        remove(state, era, there, scratch)
    else:
        push(state, era, there, direction, scratch)
        bulldozes = state.power[state.to_act] == BULLDOZE and (
            state.actions_left != 1 or state.power_texts != SECOND_TEXTS
        )
        if bulldozes and piece == COPY + 1 - state.to_act:
            # R13: once more, if it survived; only then does a copy of that colour stand one space
            # on.
            onward = NEIGHBOUR[direction, there]
            if onward != NOWHERE and state.cell[era, onward] == piece:
                push(state, era, onward, direction, scratch)
