"""Terminus, A turn: whose step it is, what is legal, and what follows an action.

`play` and `write_mask` are the engine; everything else supports them.
"""

from __future__ import annotations

from typing import Any

from tkm_env.compiled.decorators import cached_inlined, inlined
from tkm_env.games.terminus.engine.actions import GROWS, NUM_PLACES, PLAYS
from tkm_env.games.terminus.engine.card_events import resolve, write_events
from tkm_env.games.terminus.engine.state import NO_CARD, NOBODY, NUM_CARDS, OVER, PLAY, RESOLVE, WON, State, draw_up
from tkm_env.games.terminus.engine.timeline import play_card, start_of, write_plays


@cached_inlined
def write_mask(state: State, mask: Any) -> bool:
    """Write which actions are legal, 1 or 0 by index; returns whether there is anything to do at this step.

    There is nothing if no event can be resolved; then ``mask`` is all 0.
    """
    mask[:] = 0
    if state.step == PLAY:
        write_plays(state, mask[PLAYS:GROWS], NUM_PLACES)
    elif state.step == RESOLVE:
        return write_events(state, mask)
    return True


@cached_inlined
def play(state: State, action: int, mask: Any) -> None:
    """Carry out a legal action up to the next decision, and write the mask."""
    if state.step == PLAY:
        way, place = (action - PLAYS) // NUM_PLACES, (action - PLAYS) % NUM_PLACES
        state.step = RESOLVE
        play_card(state, way // 2, way % 2, start_of(place, state.length))
    else:
        resolve(state, action)
    if not write_mask(state, mask):
        _end_turn(state)
        write_mask(state, mask)


@inlined
def _end_turn(state: State) -> None:
    """Terminus, A turn 3: draw; then it is the opponent's turn, unless they are out of cards, and so out of the game (T6)."""
    state.covered[:] = 0
    draw_up(state, state.to_act)
    if state.hand[1 - state.to_act, 0] != NO_CARD:
        state.to_act = 1 - state.to_act
    for card in range(NUM_CARDS):
        if state.fresh[card] == state.to_act:
            state.fresh[card] = NOBODY
    state.step = PLAY
    state.turn += 1


@inlined
def forfeit(state: State) -> None:
    """The player to act loses at once."""
    state.step = OVER
    state.covered[:] = 0
    state.result = WON + 1 - state.to_act
