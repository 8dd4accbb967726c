"""Terminus, A turn 2: which special events can be resolved, and how."""

from __future__ import annotations

from typing import Any

from tkm_env.compiled.decorators import inlined
from tkm_env.games.terminus.engine.actions import DONE, ENDS, FREEZES, GROWS, LEFT, SWAPS
from tkm_env.games.terminus.engine.state import (
    CARD_WIDTH,
    HAND_SIZE,
    NO_CARD,
    TERMINUS_CARD,
    State,
    insert_in_hand,
    remove_from_hand,
)
from tkm_env.games.terminus.engine.timeline import play_card, write_plays

# The places of the special events in the field ``covered``.
_GROW, _FREEZE, _SWAP = range(3)


@inlined
def write_events(state: State, mask: Any) -> bool:
    """Mark what can be done with the remaining events in a ``mask`` of zeros; returns whether there is anything."""
    player = state.to_act
    if state.hand[player, 0] == NO_CARD:
        return False
    if state.covered[_GROW]:
        write_plays(state, mask[GROWS:FREEZES], ENDS)
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
