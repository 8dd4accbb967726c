"""One game as one NumPy record, so that equality, hash and pickle are those of its bytes.

It has no padding, and each unused field has a fixed value.
"""

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.kernels import NOBODY as NOBODY
from tkm_env.compiled.kernels import UNDECIDED
from tkm_env.compiled.random_numbers import draw

# Players, and the value for neither.
PLAYERS: Final = ("red", "blue")
RED, BLUE = range(2)


class Era(NamedTuple):
    """A kind of era.

    Attributes:
        letter: its letter.
        name: its name.
    """

    letter: str
    name: str


# Terminus, Pieces. A victory era of a player is VICTORY + player. Special events are GROW to SWAP.
# APPROACHES and all after it cannot be covered: they are the fixed events, and Terminus, after
# which no card is played.
ERAS: Final = (
    Era(" ", "nothing: beyond the timeline's end"),
    Era(".", "empty"),
    Era("R", "red victory"),
    Era("B", "blue victory"),
    Era("G", "grow"),
    Era("F", "freeze"),
    Era("S", "swap"),
    Era("A", "terminus approaches"),
    Era("I", "impetus"),
    Era("T", "Terminus"),
)
NOTHING, EMPTY, VICTORY, _, GROW, FREEZE, SWAP, APPROACHES, IMPETUS, TERMINUS = range(len(ERAS))

#: The special events, in the order in which the field ``covered`` counts them.
EVENTS: Final = (GROW, FREEZE, SWAP)

# Cards: 1 to 17 by their numbers, and Terminus, whose number changes.
NUM_CARDS: Final = 18
CARD_WIDTH: Final = 3
TERMINUS_CARD: Final = 0
IMPETUS_CARD: Final = 1
NO_CARD: Final = -1
HAND_SIZE: Final = 3

#: The longest timeline: every card at an end, covering nothing.
MAX_LENGTH: Final = NUM_CARDS * CARD_WIDTH

# Steps: what the next action decides.
PLAY, RESOLVE, OVER = range(3)

# Results. A win of ``player`` is WON + player.
WON: Final = 1

#: Terminus, A turn 1: with the second `A`, Terminus is shuffled into the deck; with the third, its
#: number becomes 0.
_ENTERS: Final = 2
_IS_LOWEST: Final = 3

#: A record of dtype `STATE`; type checkers cannot see its fields.
State: TypeAlias = Any

_STATE_FIELDS = [
    # Bytes come first and fill whole words, so that there is no padding.
    ("era", np.uint8, (MAX_LENGTH,)),  # the visible eras from left to right, NOTHING beyond the end
    ("card", np.int8, (MAX_LENGTH,)),  # the card that each belongs to, NO_CARD beyond the end
    ("face", np.uint8, (NUM_CARDS, CARD_WIDTH)),  # the eras of every card, constant during a game
    # Face down; the last card is drawn next; NO_CARD after it.
    ("deck", np.int8, (NUM_CARDS - 1,)),
    ("hand", np.int8, (2, HAND_SIZE)),  # by player, the lowest number first, NO_CARD after the last
    ("frozen", np.uint8, (NUM_CARDS,)),  # 1 for a frozen card
    # The player who played the card in their last turn, if all of it is still visible, or NOBODY.
    ("fresh", np.int8, (NUM_CARDS,)),
    # The number of events of each kind that were covered this turn and can still be resolved.
    ("covered", np.uint8, (len(EVENTS),)),
    ("stream", np.uint64, (1,)),  # the game's own random numbers, which determine the next shuffle
    ("length", np.int64),  # of the timeline
    ("deck_size", np.int64),
    ("approached", np.int64),  # how many A were played
    ("to_act", np.int64),  # a player
    ("step", np.int64),
    ("result", np.int64),
    ("turn", np.int64),
]

#: The dtype of one game.
STATE: Final = np.dtype((np.record, np.dtype(_STATE_FIELDS, align=True)))


@inlined
def number_of(state: State, card: int) -> int:
    """Terminus, A turn 1: a card's number.

    The number of Terminus is 18 until the third `A` was played, then 0.

    Args:
        state: the game.
        card: the card, 0 (Terminus) to 17.

    Returns:
        The number.
    """
    if card == TERMINUS_CARD and state.approached < _IS_LOWEST:
        return NUM_CARDS
    return card


@inlined
def first_era_of(state: State, card: int) -> int:
    """The index of a card's first era on the timeline.

    Args:
        state: the game.
        card: a card that is wholly visible.

    Returns:
        The index, from 0.
    """
    number = 0
    while state.card[number] != card:
        number += 1
    return number


@inlined
def hand_size(state: State, player: int) -> int:
    """The number of cards that a player controls.

    Args:
        state: the game.
        player: the player, 0 or 1.

    Returns:
        From 0 to 3.
    """
    size = 0
    while size < HAND_SIZE and state.hand[player, size] != NO_CARD:
        size += 1
    return size


@inlined
def insert_in_hand(state: State, player: int, card: int) -> None:
    """Add a card to a hand, which stays in the order of numbers.

    Args:
        state: the game.
        player: the player, 0 or 1, who has fewer than three cards.
        card: the card, 0 (Terminus) to 17.
    """
    place = hand_size(state, player)
    while place > 0 and number_of(state, state.hand[player, place - 1]) > number_of(state, card):
        state.hand[player, place] = state.hand[player, place - 1]
        place -= 1
    state.hand[player, place] = card


@inlined
def remove_from_hand(state: State, player: int, place: int) -> int:
    """Remove a card from a hand.

    Args:
        state: the game.
        player: the player, 0 or 1.
        place: the index of the card in the hand, 0 to 2.

    Returns:
        The card.
    """
    card = state.hand[player, place]
    for after in range(place + 1, HAND_SIZE):
        state.hand[player, after - 1] = state.hand[player, after]
    state.hand[player, HAND_SIZE - 1] = NO_CARD
    return card


@inlined
def draw_up(state: State, player: int) -> None:
    """Terminus, A turn 3: draw up to three cards while the deck lasts.

    Args:
        state: the game.
        player: the player, 0 or 1, whose hand is filled up.
    """
    while state.deck_size > 0 and state.hand[player, HAND_SIZE - 1] == NO_CARD:
        state.deck_size -= 1
        card = state.deck[state.deck_size]
        state.deck[state.deck_size] = NO_CARD
        insert_in_hand(state, player, card)


@inlined
def shuffle_deck(state: State) -> None:
    """Shuffle the deck with the game's own random numbers (Terminus T4)."""
    for last in range(state.deck_size - 1, 0, -1):
        other = draw(state.stream, 0, last + 1)
        card = state.deck[last]
        state.deck[last] = state.deck[other]
        state.deck[other] = card


@inlined
def count_approach(state: State) -> None:
    """Terminus, A turn 1: the immediate effect of playing an `A`."""
    state.approached += 1
    if state.approached == _ENTERS:
        state.deck[state.deck_size] = TERMINUS_CARD
        state.deck_size += 1
        shuffle_deck(state)
    elif state.approached == _IS_LOWEST:
        for player in range(2):
            for place in range(HAND_SIZE):
                if state.hand[player, place] == TERMINUS_CARD:
                    insert_in_hand(state, player, remove_from_hand(state, player, place))


@inlined
def set_up(state: State) -> None:
    """Terminus, Set-up: begin a new game.

    It uses the cards in ``state.face`` and the random numbers of ``state.stream``.
    """
    state.era[:] = NOTHING
    state.card[:] = NO_CARD
    for number in range(CARD_WIDTH):
        state.era[number] = state.face[IMPETUS_CARD, number]
        state.card[number] = IMPETUS_CARD
    state.length = CARD_WIDTH
    state.deck[:] = NO_CARD
    for card in range(IMPETUS_CARD + 1, NUM_CARDS):
        state.deck[card - IMPETUS_CARD - 1] = card
    state.deck_size = NUM_CARDS - IMPETUS_CARD - 1
    state.hand[:] = NO_CARD
    state.frozen[:] = 0
    state.fresh[:] = NOBODY
    state.covered[:] = 0
    state.approached = 0
    state.step = PLAY
    state.result = UNDECIDED
    state.turn = 1
    shuffle_deck(state)
    draw_up(state, RED)
    draw_up(state, BLUE)
    state.to_act = RED if state.hand[RED, 0] < state.hand[BLUE, 0] else BLUE
