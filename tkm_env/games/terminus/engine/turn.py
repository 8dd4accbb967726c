"""Terminus, A turn: whose step it is, what is legal, and what follows an action, by `play` and `write_mask`."""

from typing import Any

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
def write_mask(state: State, mask: Any) -> None:
    """Write which actions are legal, 1 or 0 by index."""
    _write_next(state, mask, False)


@inlined
def _write_next(state: State, mask: Any, goes_on: bool) -> None:
    """Write which actions are legal; the turn of a player who can resolve nothing ends if the game ``goes_on``."""
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    if state.step == RESOLVE and not write_events(state, mask) and goes_on:
        _end_turn(state)
    if state.step == PLAY:
        write_plays(state, mask, PLAYS, NUM_PLACES)


@cached_inlined
def play(state: State, action: int, mask: Any) -> None:
    """Carry out a legal action up to the next decision, and write the mask."""
    if state.step == PLAY:
        way, place = (action - PLAYS) // NUM_PLACES, (action - PLAYS) % NUM_PLACES
        state.step = RESOLVE
        play_card(state, way // 2, way % 2, start_of(place, state.length))
    else:
        resolve(state, action)
    _write_next(state, mask, True)


@inlined
def _end_turn(state: State) -> None:
    """Terminus, A turn 3: draw; then it is the opponent's turn, unless they are out of cards, and so out of the game (T6)."""
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
    """The player to act loses at once."""
    state.step = OVER
    state.covered[:] = 0
    state.result = WON + 1 - state.to_act


# The places of the special events in the field ``covered``.
_GROW, _FREEZE, _SWAP = range(3)


@inlined
def write_events(state: State, mask: Any) -> bool:
    """Mark what can be done with the remaining events in a ``mask`` of zeros; returns whether there is anything."""
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
    """Terminus, A turn 2, Swap: the opponent's frozen card only for a frozen one, or for Terminus."""
    return not state.frozen[theirs] or state.frozen[mine] or mine == TERMINUS_CARD


@inlined
def resolve(state: State, action: int) -> None:
    """Resolve one event, or skip all remaining ones."""
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
