"""RULES §11: the actions added by the powers `express`, `afterimage` and `exchange`."""

from tkm_env.compiled.array_types import Mask
from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.actions import EXCHANGES, TRAVEL_LEAVING, TRAVELS_FAR
from tkm_env.games.tkm.engine.event_log import COPIED, EXCHANGED, TRAVELLED, note
from tkm_env.games.tkm.engine.geometry import FUTURE, NEIGHBOUR, NOWHERE, PAST
from tkm_env.games.tkm.engine.powers import AFTERIMAGE, EXCHANGE, EXPRESS
from tkm_env.games.tkm.engine.scratch import Scratch
from tkm_env.games.tkm.engine.state import COPY, EMPTY, TREE, State


@inlined
def legal(state: State, mask: Mask) -> None:
    """Mark the active copy's legal actions of these powers.

    Args:
        state: the game, at the step that takes an action.
        mask: where to write: int8 of shape (actions,), with 0 for these actions.
    """
    era, here, player = state.active_era, state.active_space, state.to_act
    power = state.power[player]
    if power == EXPRESS:
        if era == PAST and state.cell[FUTURE, here] == EMPTY:
            mask[TRAVELS_FAR] = 1
        elif era == FUTURE and state.cell[PAST, here] == EMPTY and state.supply[player] > 0:
            mask[TRAVELS_FAR + 1] = 1
    elif power == AFTERIMAGE:
        if era != FUTURE and state.cell[era + 1, here] == EMPTY and state.supply[player] > 0:
            mask[TRAVEL_LEAVING] = 1
    elif power == EXCHANGE:
        for direction in range(4):
            beside = NEIGHBOUR[direction, here]
            if beside != NOWHERE and EMPTY < state.cell[era, beside] < TREE:
                mask[EXCHANGES + direction] = 1


@inlined
def apply(state: State, action: int, scratch: Scratch) -> None:
    """Take a legal action of one of these powers.

    Args:
        state: the game.
        action: the action's index.
        scratch: the workspace.
    """
    era, here, player = state.active_era, state.active_space, state.to_act
    if action >= EXCHANGES:
        # Not a move (R20): with a copy of the same player the board stays as it is, and only the
        # active one changes places.
        beside = NEIGHBOUR[action - EXCHANGES, here]
        state.cell[era, here] = state.cell[era, beside]
        state.cell[era, beside] = COPY + player
        state.active_space = beside
        note(scratch, EXCHANGED, era, here, COPY + player, beside)
        return
    if action == TRAVEL_LEAVING:
        state.active_era = era + 1
    else:
        state.active_era = FUTURE if action == TRAVELS_FAR else PAST
    state.cell[state.active_era, here] = COPY + player
    note(scratch, TRAVELLED, era, here, COPY + player, state.active_era)
    if action == TRAVELS_FAR:
        state.cell[era, here] = EMPTY
    else:
        state.supply[player] -= 1
        note(scratch, COPIED, era, here, COPY + player, NOWHERE)
