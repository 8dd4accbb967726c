"""RULES §2, §9 and §10: the steps of a turn.

`write_mask` says what is legal, and `play` what follows an action.
"""

from tkm_env.compiled.array_types import Mask
from tkm_env.compiled.bits import write_ones
from tkm_env.compiled.decorators import cached_inlined, inlined
from tkm_env.games.tkm.engine import growth, influence, memory, movement, power_actions
from tkm_env.games.tkm.engine.actions import (
    ANSWERS,
    BUILDS,
    CHOICES,
    CONCEDE,
    DRAFTS,
    FOCUSES,
    NUM_ACTIONS,
    OFFER,
    ORDERS,
    PLANTS,
    TRAINS,
    TRAVELS_FAR,
)
from tkm_env.games.tkm.engine.actions import OVERTIME as TAKE_OVERTIME
from tkm_env.games.tkm.engine.bitboards import beside, where
from tkm_env.games.tkm.engine.event_log import begin_log
from tkm_env.games.tkm.engine.geometry import FUTURE, NOWHERE, NUM_ERAS, NUM_SPACES, PAST
from tkm_env.games.tkm.engine.powers import FIXATION, GREEN_THUMB, OVERTIME
from tkm_env.games.tkm.engine.scratch import Scratch
from tkm_env.games.tkm.engine.state import (
    ACT,
    ANSWER,
    CHOOSE,
    COPY,
    DRAFT,
    DRAWN,
    EMPTY,
    GROWTH,
    INFLUENCE,
    MEMORY,
    NO_POWER,
    ORDER,
    OVER,
    SECOND_TEXTS,
    SHIFT,
    TRUNCATED,
    WON,
    State,
)

_ACTIONS_A_TURN = 2


@cached_inlined
def write_mask(state: State, mask: Mask, scratch: Scratch) -> bool:
    """Write which actions are legal.

    Args:
        state: the game.
        mask: where to write 1 for each legal action, else 0: int8 of shape (actions,).
        scratch: the workspace.

    Returns:
        Whether the step can be taken: at the step that chooses a copy, whether one may be chosen
            (R1); at the step that takes an action, whether there is a legal one (R2); at all
            others, True.
    """
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    if state.step == CHOOSE:
        choices = _choices(state, scratch)
        if choices == 0:
            return False
        write_ones(mask, CHOICES, choices)
        _write_offer(state, mask)
    elif state.step == ACT:
        if not _write_acts(state, mask):
            return False
    elif state.step == SHIFT:
        _write_focuses(state, mask)
        if state.power[state.to_act] == OVERTIME:
            _write_overtime(state, mask, scratch)
        if state.draws and state.active_era == NOWHERE and _choices(state, scratch) == 0:
            _write_offer(state, mask)
    elif state.step == DRAFT:
        _write_drafts(state, mask)
    elif state.step == ORDER:
        mask[ORDERS : ORDERS + 2] = 1
    elif state.step == ANSWER:
        mask[ANSWERS : ANSWERS + 2] = 1
    mask[CONCEDE] = state.concede and state.step in (CHOOSE, ACT, SHIFT)
    return True


@cached_inlined
def play(state: State, action: int, mask: Mask, scratch: Scratch) -> None:
    """Carry out a legal action up to the next decision, and write the mask.

    Args:
        state: the game.
        action: the action's index.
        mask: where to write the legal actions: int8 of shape (actions,).
        scratch: the workspace.
    """
    begin_log(scratch)
    if action == CONCEDE:
        _end(state, WON + 1 - state.to_act)
    elif action == OFFER:
        state.to_act = 1 - state.to_act
        state.step = ANSWER
    elif action == TAKE_OVERTIME:
        _take_overtime(state)
    elif state.step == ACT:
        scratch.noting = scratch.log != 0
        scratch.actor = state.to_act
        _act(state, action, scratch)
        scratch.noting = 0
        _count_action(state, action)
        if state.actions_left == 0 or state.active_era == NOWHERE:
            _stop_acting(state)
    elif state.step == CHOOSE:
        _choose(state, action - CHOICES)
    elif state.step == SHIFT:
        _shift_focus(state, action - FOCUSES)
    elif state.step == DRAFT:
        _draft(state, action - DRAFTS)
    elif state.step == ORDER:
        _decide_order(state, action == ORDERS)
    else:
        _answer(state, action == ANSWERS)
    if not write_mask(state, mask, scratch):
        _stop_acting(state)
        write_mask(state, mask, scratch)


@inlined
def _write_acts(state: State, mask: Mask) -> bool:
    """§2 step 2: mark what the active copy may do; return whether there is anything."""
    able = movement.legal(state, mask)
    if state.chapters & GROWTH:
        growth.legal(state, mask)
    if state.chapters & INFLUENCE:
        influence.legal(state, mask)
    if state.chapters & MEMORY:
        memory.legal(state, mask)
    if state.power[state.to_act] != NO_POWER:
        power_actions.legal(state, mask)
    if not able:
        for action in range(PLANTS, NUM_ACTIONS):
            able |= mask[action] != 0
    return able


@inlined
def _act(state: State, action: int, scratch: Scratch) -> None:
    """§2 step 2: the active copy takes an action, which resolves fully."""
    scratch.steps = 0
    if action < PLANTS:
        movement.apply(state, action, scratch)
    elif action < BUILDS:
        growth.apply(state, action, scratch)
    elif action < TRAINS:
        influence.apply(state, action, scratch)
    elif action < TRAVELS_FAR:
        memory.apply(state, action, scratch)
    else:
        power_actions.apply(state, action, scratch)


@inlined
def _count_action(state: State, action: int) -> None:
    """§2: use up one action.

    With `green-thumb` the first plant or remove action of the turn is free (R18).
    """
    if state.free_action and PLANTS <= action < BUILDS:
        state.free_action = 0
    else:
        state.actions_left -= 1


@inlined
def _stop_acting(state: State) -> None:
    """§2: continue with step 3; R3: any remaining actions are lost."""
    state.step = SHIFT
    state.actions_left = 0
    state.free_action = 0


@inlined
def _choices(state: State, scratch: Scratch) -> int:
    """§2 step 1: the copies that may be chosen, as bits.

    They are the player's copies in the focus era of the largest capacity there, if that is above 0
    (R1).
    """
    era = state.focus[state.to_act]
    copies = where(state, era, COPY + state.to_act)
    # A copy that can step onto a free space can also step back, so it has the largest possible
    # capacity.
    both = copies & beside(where(state, era, EMPTY))
    once = 0
    if both != copies:
        for space in range(NUM_SPACES):
            if (copies ^ both) >> space & 1:
                capacity = _capacity(state, era, space, scratch)
                both |= (capacity == _ACTIONS_A_TURN) << space
                once |= (capacity == 1) << space
    return both if both else once


@inlined
def _capacity(state: State, era: int, space: int, scratch: Scratch) -> int:
    """R1: the number of actions, 0 to 2, that the copy there could take this turn."""
    scratch.trial = state
    _activate(scratch.trial, era, space)
    scratch.trial.actions_left = _ACTIONS_A_TURN
    first_acts, second_acts = scratch.first_acts[:], scratch.second_acts[:]
    first_acts[:] = 0
    if not _write_acts(scratch.trial, first_acts):
        return 0
    for action in range(NUM_ACTIONS):
        if first_acts[action]:
            scratch.trial = state
            _activate(scratch.trial, era, space)
            scratch.trial.actions_left = _ACTIONS_A_TURN
            _act(scratch.trial, action, scratch)
            scratch.trial.actions_left = 1
            second_acts[:] = 0
            if scratch.trial.active_era != NOWHERE and _write_acts(scratch.trial, second_acts):
                return _ACTIONS_A_TURN
    return 1


@inlined
def _activate(state: State, era: int, space: int) -> None:
    state.active_era = era
    state.active_space = space


@inlined
def _choose(state: State, space: int) -> None:
    """§2 step 1."""
    _activate(state, state.focus[state.to_act], space)
    state.step = ACT
    state.actions_left = _ACTIONS_A_TURN
    state.free_action = state.power[state.to_act] == GREEN_THUMB
    state.offered = 0


@inlined
def _write_focuses(state: State, mask: Mask) -> None:
    """§2 step 3: mark the two other eras; with `fixation` all three.

    By its second text, `fixation` excludes the focus era if the active copy stands there.
    """
    focus, stays = state.focus[state.to_act], state.power[state.to_act] == FIXATION
    if state.power_texts == SECOND_TEXTS:
        stays &= state.active_era != focus
    for era in range(NUM_ERAS):
        mask[FOCUSES + era] = stays or era != focus


@inlined
def _write_overtime(state: State, mask: Mask, scratch: Scratch) -> None:
    """R11: offer `overtime`, once per game, after the last action.

    The active copy must have a legal action.
    """
    if not state.overtime_spent[state.to_act] and state.active_era != NOWHERE:
        acts = scratch.second_acts[:]
        acts[:] = 0
        mask[TAKE_OVERTIME] = _write_acts(state, acts)


@inlined
def _take_overtime(state: State) -> None:
    state.overtime_spent[state.to_act] = 1
    state.step = ACT
    state.actions_left = 1


@inlined
def _shift_focus(state: State, era: int) -> None:
    """§2 steps 3 and 4; §9 the turn limit, which comes after the check."""
    player = state.to_act
    state.focus[player] = era
    if _eras_held(state, 1 - player) <= 1:
        _end(state, WON + player)
    elif state.turn >= state.max_turns:
        _end(state, TRUNCATED)
    else:
        state.turn += 1
        _begin_turn(state, 1 - player)


@inlined
def _begin_turn(state: State, player: int) -> None:
    state.to_act = player
    state.step = CHOOSE
    state.active_era = NOWHERE
    state.active_space = NOWHERE
    state.offered = 0


@inlined
def _eras_held(state: State, player: int) -> int:
    """§2 step 4: in how many eras the player has copies."""
    held = 0
    for era in range(NUM_ERAS):
        held += where(state, era, COPY + player) != 0
    return held


@inlined
def _end(state: State, result: int) -> None:
    """§9: end the game; the side that acted last stays in ``to_act``."""
    _stop_acting(state)
    state.step = OVER
    state.active_era = NOWHERE
    state.active_space = NOWHERE
    state.offered = 0
    state.result = result


@inlined
def _write_offer(state: State, mask: Mask) -> None:
    """§2, §9: offer a draw, once a turn, where switched on."""
    mask[OFFER] = state.draws and not state.offered


@inlined
def _answer(state: State, accept: bool) -> None:
    """§9: an accepted offer ends the game.

    After a declined one, the side that made it continues.
    """
    state.to_act = 1 - state.to_act
    if accept:
        _end(state, DRAWN)
    else:
        state.step = CHOOSE
        state.offered = 1


@inlined
def _write_drafts(state: State, mask: Mask) -> None:
    """§10: mark the revealed powers that neither player has taken."""
    for number in range(4):
        power = state.revealed[number]
        mask[DRAFTS + number] = power != state.power[0] and power != state.power[1]


@inlined
def _draft(state: State, number: int) -> None:
    """§10: take a power, with Power Share for both players.

    When all are taken, the second drafter decides the order.
    """
    player = state.to_act
    state.power[player] = state.revealed[number]
    second = 1 - player
    if state.power_share:
        state.power[second] = state.revealed[number]
    elif state.power[second] == NO_POWER:
        state.to_act = second
        return
    else:
        second = player
    state.to_act = second
    state.step = ORDER


@inlined
def _decide_order(state: State, first: bool) -> None:
    """§10: the player who goes first gets the focus in the past, the other in the future."""
    player = state.to_act if first else 1 - state.to_act
    state.focus[player] = PAST
    state.focus[1 - player] = FUTURE
    state.revealed[:] = NO_POWER
    state.power_share = 0
    _begin_turn(state, player)
