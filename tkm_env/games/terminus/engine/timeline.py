"""Terminus, A turn 1: which cards may be played, where, and what happens then.

A place is given here by its ``start``: the index of the card's left-hand era, from -3 (directly at
the left end) to the timeline's length (directly at the right end).
"""

from tkm_env.compiled.array_types import Mask
from tkm_env.compiled.decorators import inlined
from tkm_env.games.terminus.engine.actions import ENDS, LEFT, NUM_PLACES, RIGHT
from tkm_env.games.terminus.engine.state import (
    APPROACHES,
    CARD_WIDTH,
    GROW,
    HAND_SIZE,
    NO_CARD,
    NOBODY,
    NUM_CARDS,
    OVER,
    SWAP,
    TERMINUS_CARD,
    VICTORY,
    WON,
    State,
    count_approach,
    first_era_of,
    remove_from_hand,
)


@inlined
def start_of(place: int, length: int) -> int:
    """The start of a card at a place of the enumeration of actions.

    Args:
        place: the index of the place.
        length: the length of the timeline.

    Returns:
        The index of the card's left-hand era.
    """
    if place == LEFT:
        return -CARD_WIDTH
    if place == RIGHT:
        return length
    return place - ENDS - (CARD_WIDTH - 1)


@inlined
def _write_covering(state: State, mask: Mask, first: int) -> None:
    """Mark the places over the timeline where a card may lie, by their starts from -2 on.

    Terminus, A turn 1: it may cover no fixed event, and not all three eras of a card that the
    opponent played in their last turn (T1).
    """
    era = state.era
    mask[first] = era[0] < APPROACHES
    mask[first + 1] = (era[0] < APPROACHES) & (era[1] < APPROACHES)
    whole = first + CARD_WIDTH - 1  # where the card covers no era to the left of the timeline
    for start in range(state.length):
        mask[whole + start] = (
            (era[start] < APPROACHES)
            & (era[start + 1] < APPROACHES)
            & (era[start + 2] < APPROACHES)
        )
    for card in range(NUM_CARDS):
        if state.fresh[card] == 1 - state.to_act:
            mask[whole + first_era_of(state, card)] = 0


@inlined
def write_plays(state: State, mask: Mask, first: int, number_of_places: int) -> None:
    """Mark the ways to play a card, by rank, flipped or not, and place.

    Terminus, A turn 1: the card is the lowest-numbered of the unfrozen cards, or any frozen one.
    T2: a card that reads the same flipped is not flipped.

    Args:
        state: the game.
        mask: where to write: int8 of shape (actions,), with 0 for these actions.
        first: the index of the first of these actions: of plays, or of grows.
        number_of_places: the number of places for such an action: all, or both ends.
    """
    lowest_seen = False
    written = -1
    for rank in range(HAND_SIZE):
        card = state.hand[state.to_act, rank]
        if card == NO_CARD:
            return
        if not state.frozen[card]:
            if lowest_seen:
                continue
            lowest_seen = True
        for flipped in range(1 if state.face[card, 0] == state.face[card, CARD_WIDTH - 1] else 2):
            row = first + (rank * 2 + flipped) * number_of_places
            if written < 0:
                written = row
                mask[row + LEFT] = 1
                mask[row + RIGHT] = 1
                if number_of_places == NUM_PLACES:
                    _write_covering(state, mask, row + ENDS)
            else:
                for place in range(number_of_places):
                    mask[row + place] = mask[written + place]


@inlined
def play_card(state: State, rank: int, flipped: int, start: int) -> None:
    """Terminus, A turn 1: play a card of the player to act; Terminus ends the game.

    Args:
        state: the game.
        rank: the index of the card in the hand, 0 to 2.
        flipped: whether to flip it, 1 or 0.
        start: where to place it.
    """
    card = remove_from_hand(state, state.to_act, rank)
    state.frozen[card] = 0
    if start < 0:
        _make_room(state, -start)
        start = 0
    for number in range(CARD_WIDTH):
        _cover(state, start + number)
        state.era[start + number] = state.face[card, CARD_WIDTH - 1 - number if flipped else number]
        state.card[start + number] = card
    state.length = max(state.length, start + CARD_WIDTH)
    if card == TERMINUS_CARD:
        _end(state)
        return
    state.fresh[card] = state.to_act
    for number in range(CARD_WIDTH):
        if state.face[card, number] == APPROACHES:
            count_approach(state)


@inlined
def _make_room(state: State, eras: int) -> None:
    """Lengthen the timeline on the left; the caller then writes the new eras."""
    for number in range(state.length - 1, -1, -1):
        state.era[number + eras] = state.era[number]
        state.card[number + eras] = state.card[number]
    for number in range(eras):
        state.card[number] = NO_CARD
    state.length += eras


@inlined
def _cover(state: State, number: int) -> None:
    """Cover one era of the timeline; a special event there can be resolved this turn."""
    card = state.card[number]
    if card != NO_CARD:
        state.fresh[card] = NOBODY
        if GROW <= state.era[number] <= SWAP:
            state.covered[state.era[number] - GROW] += 1


@inlined
def _end(state: State) -> None:
    """Terminus, The end: the player with more visible eras of their colour wins.

    On a tie, the player who played Terminus loses.
    """
    lead = 0
    for number in range(state.length):
        if state.era[number] == VICTORY + state.to_act:
            lead += 1
        elif state.era[number] == VICTORY + 1 - state.to_act:
            lead -= 1
    state.covered[:] = 0
    state.step = OVER
    state.result = WON + (state.to_act if lead > 0 else 1 - state.to_act)
