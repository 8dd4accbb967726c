"""Terminus, A turn: the steps of a turn.

`write_mask` says what is legal, and `play` what follows an action.
"""

from tkm_env.compiled.array_types import Mask
from tkm_env.compiled.decorators import cached_inlined, inlined
from tkm_env.games.terminus.engine.actions import (
    DONE,
    ENDS,
    FREEZES,
    GROWS,
    LEFT,
    NUM_ACTIONS,
    NUM_PLACES,
    PLAYS,
    SWAPS,
)
from tkm_env.games.terminus.engine.state import (
    CARD_WIDTH,
    HAND_SIZE,
    NO_CARD,
    NOBODY,
    NUM_CARDS,
    OVER,
    PLAY,
    RESOLVE,
    TERMINUS_CARD,
    WON,
    State,
    draw_up,
    insert_in_hand,
    remove_from_hand,
)
from tkm_env.games.terminus.engine.timeline import play_card, start_of, write_plays


@cached_inlined
def write_mask(state: State, mask: Mask) -> None:
    """Write which actions are legal.

    Args:
        state: the game.
        mask: where to write 1 for each legal action, else 0: int8 of shape (actions,).
    """
    _write_next(state, mask, False)


@inlined
def _write_next(state: State, mask: Mask, goes_on: bool) -> None:
    """Write which actions are legal.

    If the game ``goes_on``, the turn of a player who can resolve no event ends.
    """
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    if state.step == RESOLVE and not write_events(state, mask) and goes_on:
        _end_turn(state)
    if state.step == PLAY:
        write_plays(state, mask, PLAYS, NUM_PLACES)


@cached_inlined
def play(state: State, action: int, mask: Mask) -> None:
    """Carry out a legal action up to the next decision, and write the mask.

    Args:
        state: the game.
        action: the action's index.
        mask: where to write the legal actions: int8 of shape (actions,).
    """
    if state.step == PLAY:
        way, place = (action - PLAYS) // NUM_PLACES, (action - PLAYS) % NUM_PLACES
        state.step = RESOLVE
        play_card(state, way // 2, way % 2, start_of(place, state.length))
    else:
        resolve(state, action)
    _write_next(state, mask, True)


@inlined
def _end_turn(state: State) -> None:
    """Terminus, A turn 3: draw; then it is the opponent's turn.

    An opponent without cards is out of the game, and is skipped (T6).
    """
    state.covered[:] = 0
    draw_up(state, state.to_act)
    if state.hand[1 - state.to_act, 0] != NO_CARD:
        state.to_act = 1 - state.to_act
    for card in range(NUM_CARDS):
        state.fresh[card] = NOBODY if state.fresh[card] == state.to_act else state.fresh[card]
    state.step = PLAY
    state.turn += 1


@inlined
def forfeit(state: State) -> None:
    """End the game: the player to act loses."""
    state.step = OVER
    state.covered[:] = 0
    state.result = WON + 1 - state.to_act


# The indices of the special events in the field ``covered``.
_GROW, _FREEZE, _SWAP = range(3)


@inlined
def write_events(state: State, mask: Mask) -> bool:
    """Mark what can be done with the events that are left.

    Args:
        state: the game, at the step that resolves an event.
        mask: where to write: int8 of shape (actions,), all 0.

    Returns:
        Whether there is anything to do.
    """
    player = state.to_act
    if state.hand[player, 0] == NO_CARD:
        return False
    if state.covered[_GROW]:
        write_plays(state, mask, GROWS, ENDS)
    anything = state.covered[_GROW] > 0
    for rank in range(HAND_SIZE):
        mine = state.hand[player, rank]
        if mine == NO_CARD:
            break
        if state.covered[_FREEZE] and mine != TERMINUS_CARD and not state.frozen[mine]:
            mask[FREEZES + rank] = 1
            anything = True
        if state.covered[_SWAP]:
            for other_rank in range(HAND_SIZE):
                theirs = state.hand[1 - player, other_rank]
                if theirs != NO_CARD and _may_swap(state, mine, theirs):
                    mask[SWAPS + rank * HAND_SIZE + other_rank] = 1
                    anything = True
    mask[DONE] = anything
    return anything


@inlined
def _may_swap(state: State, mine: int, theirs: int) -> bool:
    """Terminus, A turn 2, Swap: whether two cards may be exchanged.

    The opponent's frozen card can be taken only for a frozen one, or for Terminus.
    """
    return not state.frozen[theirs] or state.frozen[mine] or mine == TERMINUS_CARD


@inlined
def resolve(state: State, action: int) -> None:
    """Resolve one event, or skip all that are left.

    Args:
        state: the game.
        action: the index of a legal action.
    """
    if action == DONE:
        state.covered[:] = 0
    elif action >= SWAPS:
        state.covered[_SWAP] -= 1
        _swap(state, (action - SWAPS) // HAND_SIZE, (action - SWAPS) % HAND_SIZE)
    elif action >= FREEZES:
        state.covered[_FREEZE] -= 1
        state.frozen[state.hand[state.to_act, action - FREEZES]] = 1
    else:
        state.covered[_GROW] -= 1
        way, place = (action - GROWS) // ENDS, (action - GROWS) % ENDS
        play_card(state, way // 2, way % 2, -CARD_WIDTH if place == LEFT else state.length)


@inlined
def _swap(state: State, rank: int, other_rank: int) -> None:
    """Terminus, A turn 2, Swap: cards change hands, and stay frozen (T3)."""
    mine = remove_from_hand(state, state.to_act, rank)
    theirs = remove_from_hand(state, 1 - state.to_act, other_rank)
    insert_in_hand(state, state.to_act, theirs)
    insert_in_hand(state, 1 - state.to_act, mine)
