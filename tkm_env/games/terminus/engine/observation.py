"""What a player sees: the table of features, and the one function that writes them.

A feature is a run of elements.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from tkm_env.compiled.array_types import Row
from tkm_env.compiled.bits import write_equal
from tkm_env.compiled.decorators import cached_inlined, inlined
from tkm_env.games.terminus.engine.actions import RANKS
from tkm_env.games.terminus.engine.state import (
    CARD_WIDTH,
    EMPTY,
    ERAS,
    EVENTS,
    FREEZE,
    HAND_SIZE,
    IMPETUS,
    MAX_LENGTH,
    NO_CARD,
    NOBODY,
    NOTHING,
    NUM_CARDS,
    OVER,
    PLAY,
    RED,
    RESOLVE,
    TERMINUS_CARD,
    VICTORY,
    State,
    number_of,
)


class Feature(NamedTuple):
    """A run of elements of an observation.

    Attributes:
        name: the name.
        meaning: what the elements say.
        length: the number of elements.
        high: the largest value of each, the smallest being 0.
        varies: letters of eras, for the elements in turn and then repeated: an element varies only
            with decks that have one of its letters. Without letters it always varies.
    """

    name: str
    meaning: str
    length: int
    high: int
    varies: tuple[str, ...] = ("",)


#: The kinds of eras as a player sees them, by name.
SEEN_ERAS: Final = tuple(
    {"red victory": "my victory", "blue victory": "their victory"}.get(era.name, era.name)
    for era in ERAS[EMPTY:]
)
_NUM_SEEN: Final = len(SEEN_ERAS)
#: For each kind the letters of the eras that are seen as such.
_LETTERS_SEEN: Final = tuple("RB" if era.letter in "RB" else era.letter for era in ERAS[EMPTY:])
#: As `_LETTERS_SEEN`, for cards in hands. Impetus is on the timeline from the start, so its letter
#: is replaced by that of nothing, which no card has.
_LETTERS_HELD: Final = tuple(
    ERAS[NOTHING].letter if letters == ERAS[IMPETUS].letter else letters
    for letters in _LETTERS_SEEN
)
_EVENT_LETTERS: Final = "".join(ERAS[event].letter for event in EVENTS)


def eras_of_card(kinds: Sequence[str]) -> str:
    """The meaning of the elements that show which of these kinds each era of a card is."""
    return f"its eras from left to right, each as {len(kinds)} numbers: {', '.join(kinds)}"


def _hand(whose: str) -> list[Feature]:
    return [
        feature
        for rank in RANKS
        for feature in (
            Feature(f"{whose} {rank}", f"1 where there is a {rank} card in {whose} hand", 1, 1),
            Feature(
                f"{whose} {rank} number",
                "its number; for Terminus, the number that it has at the moment",
                1,
                NUM_CARDS,
            ),
            Feature(f"{whose} {rank} frozen", "1 where it is frozen", 1, 1, (ERAS[FREEZE].letter,)),
            Feature(
                f"{whose} {rank} eras",
                eras_of_card(SEEN_ERAS),
                CARD_WIDTH * _NUM_SEEN,
                1,
                _LETTERS_HELD,
            ),
        )
    ]


#: The table of features, in order.
TERMINUS_FEATURES: Final = (
    *(
        Feature(
            name,
            f"1 where that era of the timeline, from left to right, is {name}",
            MAX_LENGTH,
            1,
            (letters,),
        )
        for name, letters in zip(SEEN_ERAS, _LETTERS_SEEN, strict=True)
    ),
    Feature(
        "card",
        "the number of the card that the era belongs to; 0 for Terminus and beyond the end",
        MAX_LENGTH,
        NUM_CARDS - 1,
    ),
    Feature(
        "my fresh",
        "1 on a card that I played in my last turn, or in this one, if all of it is still visible",
        MAX_LENGTH,
        1,
    ),
    Feature(
        "their fresh", "1 on such a card of theirs, which I may not cover wholly", MAX_LENGTH, 1
    ),
    *_hand("my"),
    *_hand("their"),
    Feature("red", "1 where I am red", 1, 1),
    Feature("to act", "1 where I am to act", 1, 1),
    Feature("play", "1 at the step that plays a card", 1, 1),
    Feature("resolve", "1 at the step that resolves an event", 1, 1, (_EVENT_LETTERS,)),
    *(
        Feature(
            f"{ERAS[event].name} left",
            f"how many {ERAS[event].name} events are left to resolve",
            1,
            CARD_WIDTH,
            (letter,),
        )
        for event, letter in zip(EVENTS, _EVENT_LETTERS, strict=True)
    ),
    Feature("approached", "how many A were played", 1, CARD_WIDTH * (NUM_CARDS - 2)),
    Feature("deck", "how many cards the deck holds", 1, NUM_CARDS - 2),
    Feature("Terminus in the deck", "1 where the deck holds Terminus", 1, 1),
)
NUM_FEATURES: Final = sum(feature.length for feature in TERMINUS_FEATURES)
#: The largest value of each element of an observation: int8 of shape (features,).
OBSERVATION_HIGH: Final = np.repeat(
    [feature.high for feature in TERMINUS_FEATURES],
    [feature.length for feature in TERMINUS_FEATURES],
).astype(np.int8)


def _first(name: str) -> int:
    number = next(
        number for number, feature in enumerate(TERMINUS_FEATURES) if feature.name == name
    )
    return sum(feature.length for feature in TERMINUS_FEATURES[:number])


#: Where to begin groups of sixteen eras so that they cover all eras.
_SIXTEENS: Final = (*range(0, MAX_LENGTH - 16, 16), MAX_LENGTH - 16)
_CARD: Final = _first("card")
_MY_FRESH: Final = _first("my fresh")
_HANDS: Final = _first("my first")
_CARD_IN_HAND: Final = _first("my second") - _HANDS
_GAME: Final = _first("red")


@inlined
def _seen_era(era: int, viewer: int) -> int:
    """The index of an era among the kinds as a player sees them.

    Red and blue victories become mine and theirs.
    """
    if viewer != RED and VICTORY <= era <= VICTORY + 1:
        era = VICTORY + VICTORY + 1 - era
    return int(era) - EMPTY


@cached_inlined
def write_observation(state: State, viewer: int, observation: Row) -> None:
    """Write what a player sees.

    Args:
        state: the game.
        viewer: the player, 0 or 1.
        observation: where to write: int8 of shape (`NUM_FEATURES`,).
    """
    observation[:] = 0
    for kind in range(_NUM_SEEN):
        era = EMPTY + _seen_era(EMPTY + kind, viewer)  # what is exchanged twice is as it was
        for first in _SIXTEENS:
            write_equal(observation, kind * MAX_LENGTH + first, state.era[first:], era)
    for number in range(state.length):
        card = state.card[number]
        observation[_CARD + number] = card
        player = int(state.fresh[card])
        observation[_MY_FRESH + (player & 1 ^ viewer) * MAX_LENGTH + number] = player != NOBODY
    for theirs in range(2):
        for rank in range(HAND_SIZE):
            card = state.hand[viewer ^ theirs, rank]
            if card != NO_CARD:
                _write_card(
                    state,
                    viewer,
                    card,
                    observation,
                    _HANDS + (theirs * HAND_SIZE + rank) * _CARD_IN_HAND,
                )
    _write_game(state, viewer, observation)


@inlined
def _write_card(state: State, viewer: int, card: int, observation: Row, first: int) -> None:
    observation[first] = 1
    observation[first + 1] = number_of(state, card)
    observation[first + 2] = state.frozen[card]
    for number in range(CARD_WIDTH):
        observation[
            first + 3 + number * _NUM_SEEN + _seen_era(state.face[card, number], viewer)
        ] = 1


@inlined
def _write_game(state: State, viewer: int, observation: Row) -> None:
    observation[_GAME] = viewer == RED
    observation[_GAME + 1] = state.to_act == viewer and state.step != OVER
    observation[_GAME + 2] = state.step == PLAY
    observation[_GAME + 3] = state.step == RESOLVE
    for event in range(len(EVENTS)):
        observation[_GAME + 4 + event] = state.covered[event]
    observation[_GAME + 7] = state.approached
    observation[_GAME + 8] = state.deck_size
    holds_terminus = False
    for number in range(NUM_CARDS - 1):
        holds_terminus |= state.deck[number] == TERMINUS_CARD
    observation[_GAME + 9] = holds_terminus
