"""Decks of Terminus: what is refused, and how; files; that a deck of one's own is played with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.terminus.games import SWAPPED
from tkm_env import ConfigError, DeckError, FileError, TerminusConfig, TerminusGame, TKMError
from tkm_env.foundations.errors import repr_of
from tkm_env.games.terminus.deck import DEFAULT_DECK, checked_deck, read_deck, write_deck

CARDS = {str(number): eras for number, eras in enumerate(DEFAULT_DECK, 1)}


def without(*numbers: int) -> dict[str, Any]:
    return {number: eras for number, eras in CARDS.items() if int(number) not in numbers}


def test_the_default_deck_is_that_of_the_rules() -> None:
    listed = (
        "1 .I. 2 R.G 3 B.G 4 RF. 5 BF. 6 RAB 7 RSR 8 BSB 9 BR. 10 RB. 11 RAB 12 RGF 13 BGF 14 "
        "RS. 15 BS. 16 RAB 17 RFB"
    )
    assert dict(re.findall(r"(\d+) (\S+)", listed)) == CARDS


def test_the_default_deck_is_symmetric_in_the_colours() -> None:
    pairs = {2: 3, 4: 5, 7: 8, 9: 10, 12: 13, 14: 15}
    for number in range(1, 18):
        other = pairs.get(number) or next(
            (one for one, two in pairs.items() if two == number), None
        )
        swapped = SWAPPED[number - 1]
        if other is None:
            assert swapped == DEFAULT_DECK[number - 1][::-1], (
                f"card {number} reads the same flipped and with colours swapped"
            )
        else:
            assert swapped == DEFAULT_DECK[other - 1], f"cards {number} and {other} change places"


@pytest.mark.parametrize(
    ("cards", "card", "reason"),
    [
        (without(5), 5, "it is missing"),
        (CARDS | {"18": "R.B"}, None, "there is no card '18'"),
        (CARDS | {"0": "TTT"}, None, "there is no card '0'"),
        (CARDS | {"02": "R.G"}, None, "there is no card '02'"),
        (CARDS | {"two": "R.G"}, None, "there is no card 'two'"),
        (CARDS | {"4": "RF"}, 4, "it must have three letters, not 'RF'"),
        (CARDS | {"4": "RF.."}, 4, "it must have three letters"),
        (CARDS | {"4": ""}, 4, "it must have three letters"),
        (CARDS | {"4": 7}, 4, "it must have three letters, not 7"),
        (CARDS | {"4": None}, 4, "it must have three letters, not None"),
        (CARDS | {"4": ["R", "F", "."]}, 4, "it must have three letters"),
        (CARDS | {"9": "BX."}, 9, "'X' is not one of '.RBGFSAI'"),
        (CARDS | {"9": "br."}, 9, "'b' is not one of"),
        (CARDS | {"9": "B R"}, 9, "' ' is not one of"),
        (CARDS | {"9": "TTT"}, 9, "'T' is not one of"),
        (CARDS | {"9": "BI."}, 9, "card 1, and no other, must have I"),
        (CARDS | {"1": "..."}, 1, "card 1, and no other, must have I"),
        (CARDS | {"1": "...", "2": ".I."}, 1, "card 1, and no other, must have I"),
        (CARDS | {"6": "R.B", "11": "R.B"}, None, "two A or more, not 1"),
        (CARDS | {"6": "R.B", "11": "R.B", "16": "R.B"}, None, "two A or more, not 0"),
        (CARDS | {"1": "AIA", "6": "R.B", "11": "R.B", "16": "R.B"}, None, "two A or more, not 0"),
        ({}, 1, "it is missing"),
    ],
)
def test_what_makes_no_deck_is_refused_with_the_card_and_the_reason(
    cards: dict[str, Any], card: int | None, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "deck.json"
    path.write_text(
        json.dumps({"kind": "tkm_env terminus deck", "version": 1, "cards": cards}), "utf-8"
    )
    for given in (cards, path, str(path)):
        with pytest.raises(DeckError) as refusal:
            TerminusGame(deck=given)
        assert refusal.value.card == card
        assert reason in str(refusal.value), str(refusal.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is not JSON"),
        (b"R.G", "it is not JSON"),
        (b"\xff\xfe", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"9" * 10_000, "it is not JSON"),
        (b"null", "it is not a file of the kind"),
        (b"[]", "it is not a file of the kind"),
        (b'{"cards": {}}', "it is not a file of the kind"),
        (b'{"kind": "tkm_env terminus deck", "cards": {}}', "version None is not 1"),
        (
            b'{"kind": "tkm_env terminus deck", "version": 2, "cards": {}}',
            "no later version than 1",
        ),
        (b'{"kind": "tkm_env terminus deck", "version": 1.0, "cards": {}}', "version 1.0 is not 1"),
        (
            b'{"kind": "tkm_env terminus deck", "version": true, "cards": {}}',
            "version True is not 1",
        ),
        (
            b'\xef\xbb\xbf{"kind": "tkm_env terminus deck", "version": 1, "cards": {}}',
            "it begins with a byte-order mark",
        ),
        (
            b'{"kind": "tkm_env terminus deck", "version": 1, "cards": {"1": "\\ud800"}}',
            "half of a character",
        ),
        (b'{"kind": "tkm_env terminus deck", "version": 1}', "its keys must be cards"),
        (
            b'{"kind": "tkm_env terminus deck", "version": 1, "cards": {}, "name": "mine"}',
            "its keys must be cards",
        ),
        (
            b'{"kind": "tkm_env terminus deck", "version": 1, "cards": [".I."]}',
            "its cards must be an object",
        ),
        (
            b'{"kind": "tkm_env terminus deck", "version": 1, "cards": {"1": ".I.", "1": ".I."}}',
            "the key '1' is repeated",
        ),
    ],
)
def test_anything_but_a_deck_file_is_refused(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "deck.json"
    path.write_bytes(content)
    with pytest.raises(FileError) as refusal:
        read_deck(path)
    assert reason in str(refusal.value), str(refusal.value)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(FileError, match="it cannot be read"):
            TerminusConfig(deck=path)
    for name in ("", "\0", "\ud800"):
        with pytest.raises(FileError, match="no file can have this name"):
            TerminusConfig(deck=name)


@pytest.mark.parametrize(
    "given",
    [
        7,
        True,
        1.5,
        b"deck.json",
        {1, 2},
        object,
        np.array(DEFAULT_DECK),
        iter(DEFAULT_DECK),
        10**5000,
    ],
)
def test_anything_but_a_deck_is_refused(given: Any) -> None:
    with pytest.raises(ConfigError, match="deck="):
        TerminusConfig(deck=given)


@pytest.mark.parametrize("given", [DEFAULT_DECK[:-1], [*DEFAULT_DECK, "R.B"], ()])
def test_a_sequence_must_have_the_eras_of_cards_1_to_17(given: Any) -> None:
    with pytest.raises(DeckError):
        TerminusConfig(deck=given)


def test_a_number_given_twice_is_refused() -> None:
    with pytest.raises(DeckError, match="card 2: it is given twice") as refused:
        TerminusConfig(deck={**CARDS, 2: "R.G"})
    assert refused.value.card == 2


@pytest.mark.parametrize(
    "number", [True, 1.0, b"1", "01", " 1", "\u0661", 0, 18, -1, 10**5000, None, (1,), "x" * 5000]
)
def test_an_invalid_card_number_is_named(number: Any) -> None:
    with pytest.raises(DeckError, match="there is no card ") as refused:
        TerminusConfig(deck={**without(1), number: ".I."})
    assert repr_of(number) in str(refused.value)
    assert len(str(refused.value)) < 1_000


def test_numbers_of_numpy_are_numbers_of_cards() -> None:
    assert checked_deck({np.int64(number): eras for number, eras in CARDS.items()}) == DEFAULT_DECK


@pytest.mark.parametrize(
    ("cards", "card"),
    [(without(9), 9), (CARDS | {"4": "XXX"}, 4), (CARDS | {"18": "..."}, None), ({}, 1)],
)
def test_a_deck_in_a_file_is_refused_with_the_file(
    cards: dict[str, Any], card: int | None, tmp_path: Path
) -> None:
    path = tmp_path / "deck.json"
    path.write_text(
        json.dumps({"kind": "tkm_env terminus deck", "version": 1, "cards": cards}), "utf-8"
    )
    with pytest.raises(DeckError) as refused:
        read_deck(path)
    assert str(refused.value).startswith(
        f"{path}: {'the deck' if card is None else f'card {card}'}: "
    )
    assert (refused.value.path, refused.value.card) == (path, card)


def test_anything_but_a_deck_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "deck.json"
    write_deck(path)
    before = path.read_bytes()
    for deck in (CARDS | {"4": "XXX"}, 5, tmp_path / "nothing.json"):
        with pytest.raises(TKMError):
            write_deck(path, deck)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "form",
    [dict, list, tuple, lambda deck: {str(number): eras for number, eras in enumerate(deck, 1)}],
)
def test_a_deck_can_be_given_in_several_forms(form: Callable[[Any], Any]) -> None:
    given = form(enumerate(SWAPPED, 1)) if form is dict else form(SWAPPED)
    assert checked_deck(given) == SWAPPED


def test_a_deck_file_is_written_and_played_with(tmp_path: Path) -> None:
    path = tmp_path / "my_deck.json"
    write_deck(path)
    assert read_deck(path) == DEFAULT_DECK
    content = json.loads(path.read_text("utf-8"))
    content["cards"]["2"] = "GFS"
    path.write_text(json.dumps(content), "utf-8")
    game = TerminusGame(deck=path, position="1:.I. r p 2,9,13/3,5,16 ?10 -/- 1 -")
    game.play("play first at right")
    assert game.position_for("red").startswith("1:.I.|2:GFS ")
