"""The cards of Terminus: the project's own deck, and custom decks.

None of this project's sources shows the faces of the published cards, so the deck here is its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from tkm_env.foundations.checks import whole_number
from tkm_env.foundations.errors import ConfigError, FileError, TKMError, path_of, repr_of
from tkm_env.foundations.files import read_json, write_json
from tkm_env.games.terminus.engine.state import (
    CARD_WIDTH,
    ERAS,
    IMPETUS_CARD,
    NOTHING,
    NUM_CARDS,
    TERMINUS,
)

#: What may be given as ``deck``: a file's path, the eras of each card by its number, or the eras of
#: cards 1 to 17 in order; None for the project's own deck.
DeckLike: TypeAlias = (
    "str | os.PathLike[str] | Mapping[Any, str] | tuple[str, ...] | list[str] | None"
)

_KIND: Final = "tkm_env terminus deck"
_LETTERS: Final = "".join(era.letter for era in ERAS)
_PRINTED: Final = _LETTERS[NOTHING + 1 : TERMINUS]
_IMPETUS_LETTER: Final = "I"
_APPROACHES_LETTER: Final = "A"
#: Terminus enters with the second `A`.
_LEAST_APPROACHES: Final = 2

#: The project's own deck: the eras of cards 1 to 17, each from left to right. Swapping red and blue
#: exchanges 2/3, 4/5, 7/8, 9/10, 12/13 and 14/15, and flips the others.
DEFAULT_DECK: Final = (
    ".I.",  # 1
    "R.G",  # 2
    "B.G",  # 3
    "RF.",  # 4
    "BF.",  # 5
    "RAB",  # 6
    "RSR",  # 7
    "BSB",  # 8
    "BR.",  # 9
    "RB.",  # 10
    "RAB",  # 11
    "RGF",  # 12
    "BGF",  # 13
    "RS.",  # 14
    "BS.",  # 15
    "RAB",  # 16
    "RFB",  # 17
)


class DeckError(TKMError):
    """The error raised when cards do not make up a Terminus deck.

    Args:
        card: the number of the card that is wrong; None if no single card is.
        reason: what is wrong.
        path: the file that holds the deck; None if it is not from a file.

    Attributes:
        card: as given.
        reason: as given.
        path: as given.
    """

    def __init__(self, card: int | None, reason: str, path: object = None) -> None:
        super().__init__(card, reason, path)
        self.card = card
        self.reason = reason
        self.path = path
        where = "" if path is None else f"{path_of(path)}: "
        self._message = where + ("the deck" if card is None else f"card {card}") + f": {reason}"


def checked_deck(given: DeckLike) -> tuple[str, ...]:
    """A deck, given in any of the ways of `DeckLike`; the project's own for None.

    Returns:
        The eras of cards 1 to 17.

    Raises:
        ConfigError: if it cannot be read as a deck.
        DeckError: naming the invalid card and the reason.
        FileError: if a file is not a deck file.
    """
    if given is None:
        return DEFAULT_DECK
    if isinstance(given, (str, os.PathLike)):
        return read_deck(given)
    if isinstance(given, Mapping):
        return _checked_cards(given)
    if isinstance(given, (tuple, list)):
        return _checked_cards(dict(enumerate(given, IMPETUS_CARD)))
    raise ConfigError(
        "deck",
        given,
        "it must be None, a path, eras by the card's number, or the eras of cards 1 to 17",
    )


def read_deck(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Read the deck in a JSON file, such as `write_deck` writes.

    The file looks like ``{"kind": "tkm_env terminus deck", "version": 1, "cards": {"1": ".I.",
    …}}``.

    Args:
        path: the path of the file.

    Returns:
        The eras of cards 1 to 17.

    Raises:
        FileError: if it cannot be read, or is not such a file.
        DeckError: naming the file, the invalid card and the reason.
    """
    cards = read_json(path, _KIND, ("cards",))["cards"]
    if not isinstance(cards, dict):
        raise FileError(
            path, f"its cards must be an object of eras by the card's number, not {repr_of(cards)}"
        )
    try:
        return _checked_cards(cards)
    except DeckError as error:
        raise DeckError(error.card, error.reason, path) from None


def write_deck(path: str | os.PathLike[str], deck: DeckLike = None) -> None:
    """Write a deck to a file for `read_deck`, for example to edit it by hand.

    Args:
        path: the file.
        deck: the deck, in any of the ways of ``deck`` in `tkm_env.TerminusConfig`; by default the
            project's own.

    Raises:
        ConfigError: if it cannot be read as a deck.
        DeckError: naming the invalid card and the reason.
        FileError: if the file cannot be written; an existing file is left as it was.
    """
    write_json(
        path,
        _KIND,
        {
            "cards": {
                str(number): eras for number, eras in enumerate(checked_deck(deck), IMPETUS_CARD)
            }
        },
    )


def _checked_cards(cards: Mapping[Any, Any]) -> tuple[str, ...]:
    """Terminus, Pieces: check the requirements for a deck."""
    by_number: dict[int, Any] = {}
    for given, eras in cards.items():
        number = _number_of(given)
        if number in by_number:
            raise DeckError(number, "it is given twice")
        by_number[number] = eras
    for number in range(IMPETUS_CARD, NUM_CARDS):
        if number not in by_number:
            raise DeckError(number, "it is missing")
    deck = tuple(
        _checked_eras(number, by_number[number]) for number in range(IMPETUS_CARD, NUM_CARDS)
    )
    approaches = "".join(deck[1:]).count(_APPROACHES_LETTER)
    if approaches < _LEAST_APPROACHES:
        raise DeckError(
            None,
            f"cards 2 to {NUM_CARDS - 1} need two {_APPROACHES_LETTER} or more, not {approaches}, "
            "or Terminus never enters",
        )
    return deck


def _number_of(given: object) -> int:
    """The number of a card, given as an integer or as text."""
    for number in range(IMPETUS_CARD, NUM_CARDS):
        if number == (whole_number(given) or 0) or given == str(number):
            return number
    raise DeckError(
        None,
        f"there is no card {repr_of(given)}; a deck has cards 1 to {NUM_CARDS - 1}, and Terminus, "
        "which is always the same",
    )


def _checked_eras(number: int, eras: object) -> str:
    if not isinstance(eras, str) or len(eras) != CARD_WIDTH:
        raise DeckError(number, f"it must have three letters, not {repr_of(eras)}")
    for letter in eras:
        if letter not in _PRINTED:
            raise DeckError(number, f"{letter!r} is not one of {_PRINTED!r}")
    if (_IMPETUS_LETTER in eras) != (number == IMPETUS_CARD):
        raise DeckError(
            number, f"card {IMPETUS_CARD}, and no other, must have {_IMPETUS_LETTER}, not {eras!r}"
        )
    return str(eras)


def faces_of(deck: tuple[str, ...]) -> np.ndarray:
    """The deck as the engine stores it, including Terminus: uint8 of shape (18, 3)."""
    rows = (_LETTERS[TERMINUS] * CARD_WIDTH, *deck)
    return np.array([[_LETTERS.index(letter) for letter in eras] for eras in rows], np.uint8)


def deck_of(faces: np.ndarray) -> tuple[str, ...]:
    """The inverse of `faces_of`: the eras of cards 1 to 17."""
    return tuple("".join(_LETTERS[era] for era in eras) for eras in faces[IMPETUS_CARD:].tolist())
