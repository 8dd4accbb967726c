"""Position texts of Terminus.

This is about round trips, what a player's view leaves open, and refusals that name the field.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tests.games.terminus.games import DECKS, fields_of, generator_of, random_action
from tkm_env import ConfigError, PositionError, TerminusGame, UnknownActionError

START = "1:.I. r p 2,9,13/3,5,16 12,7,11,4,17,6,15,8,14,10 -/- 1 00000000000000ff"
MIDDLE = "6:RAB|2:R|4:RF.|1:I.|11:RAB r G 9*,T/3,5*,7 8,10,16 4/- 5 00000000000000ff"
WON = "T:TTT|6:RAB|1:.I.|11:RAB b 1-0 8,9/3,5 7,10,16 -/- 9 00000000000000ff"


@pytest.mark.parametrize("position", [START, MIDDLE, WON])
def test_a_position_is_read_and_printed(position: str) -> None:
    assert TerminusGame(position=position).position == position


def test_a_view_hides_the_order_of_the_deck_and_chance() -> None:
    game = TerminusGame(position=START)
    view = "1:.I. r p 2,9,13/3,5,16 ?10 -/- 1 -"
    assert game.position_for("red") == game.position_for("blue") == view
    drawn = {TerminusGame(position=view, seed=seed).position for seed in range(20)}
    assert len(drawn) == 20, "what is hidden is drawn"
    assert drawn == {TerminusGame(position=view, seed=seed).position for seed in range(20)}, (
        "from the seed"
    )
    for position in drawn:
        assert sorted(fields_of(position)["deck"].split(",")) == sorted(
            fields_of(START)["deck"].split(",")
        )


def test_a_view_is_completed_only_by_cards_that_can_be_in_the_deck() -> None:
    view = "2:R.|9:BR.|1:I.|6:RAB|11:RAB r p 7,12,13/3,5,14 ?4 -/- 4 -"
    for seed in range(30):
        deck = fields_of(TerminusGame(position=view, seed=seed).position)["deck"].split(",")
        assert {"T", "16"} <= set(deck), "Terminus has entered, and card 16 cannot lie covered"
        assert len(set(deck)) == 4
        assert not {"1", "2", "9", "6", "11", "7", "12", "13", "3", "5", "14"} & set(deck)


def test_the_views_of_nobody_are_refused() -> None:
    with pytest.raises(ConfigError, match="'red' or 'blue'"):
        TerminusGame().position_for("white")
    with pytest.raises(ConfigError, match="'red' or 'blue'"):
        TerminusGame().observation("white")


def changed(position: str, **fields: str) -> str:
    merged = fields_of(position) | {name.replace("_", " "): value for name, value in fields.items()}
    return " ".join(merged.values())


@pytest.mark.parametrize(
    ("position", "field", "reason"),
    [
        ("", "position", "8 fields"),
        (START + " ", "position", "8 fields"),
        (START.replace(" ", "  ", 1), "position", "8 fields"),
        (7, "position", "a position is a str"),
        (changed(START, timeline=".I."), "timeline", "a card's number, ':'"),
        (changed(START, timeline="2:R.G"), "timeline", "card 1 is required"),
        (changed(START, timeline="1:.I.|"), "timeline", "a card's number, ':'"),
        (changed(START, timeline="1:.I.|18:R.G"), "timeline", "'18' is not a card"),
        (changed(START, timeline="1:.I.|04:RF."), "timeline", "'04' is not a card"),
        (changed(START, timeline="1:.I.|1:.I."), "timeline", "card 1 is already in the timeline"),
        (changed(START, timeline="1:.I.|4:R.F"), "timeline", "'R.F' is not part of card 4"),
        (changed(START, timeline="1:.I.|4:"), "timeline", "'' is not part of card 4"),
        (changed(START, timeline="1:.I.|4:rf."), "timeline", "'rf.' is not part"),
        (changed(START, timeline="1:."), "timeline", "I of card 1 cannot be covered"),
        (changed(START, timeline="1:.I.|6:B"), "timeline", "A of card 6 cannot be covered"),
        (
            changed(WON, timeline="T:TT|6:RAB|1:.I.|11:RAB"),
            "timeline",
            "nothing can cover Terminus",
        ),
        (changed(START, timeline="T:TTT|1:.I.", step="0-1"), "timeline", "Terminus is set aside"),
        (changed(START, to_act="w"), "to act", "'r' or 'b'"),
        (changed(START, to_act=""), "to act", "'r' or 'b'"),
        (changed(START, to_act="rb"), "to act", "'r' or 'b'"),
        (changed(START, step="x"), "step", "p, up to three"),
        (changed(START, step=""), "step", "p, up to three"),
        (changed(MIDDLE, step="FG"), "step", "in that order"),
        (changed(MIDDLE, step="GGGG"), "step", "up to three"),
        (
            changed(MIDDLE, step="S", hands="9*,T/-"),
            "step",
            "red cannot resolve any of these events",
        ),
        (changed(WON, step="0-1"), "step", "red has 2 visible victories, blue 2"),
        (changed(WON, step="p"), "step", "the game is over"),
        (changed(START, step="1/2"), "step", "p, up to three"),
        (changed(START, hands="2,9,13"), "hands", "separated by '/'"),
        (changed(START, hands="2,9,13/3,5,16/4"), "hands", "separated by '/'"),
        (changed(START, hands="2,9,13,14/3,5,16"), "hands", "more than 3"),
        (changed(START, hands="9,2,13/3,5,16"), "hands", "the lowest number of red comes first"),
        (changed(START, hands="2,9,9/3,5,16"), "hands", "card 9 is already in the hands"),
        (changed(START, hands="2,9,13/3,5,1"), "hands", "card 1 is already in the timeline"),
        (changed(START, hands="2,9,T/3,5,16"), "hands", "Terminus is set aside"),
        (changed(MIDDLE, hands="T,9*/3,5*,7"), "hands", "Terminus counts 18 now"),
        (changed(MIDDLE, hands="9*,T*/3,5*,7"), "hands", "Terminus cannot be frozen"),
        (changed(START, hands="2,9,13**/3,5,16"), "hands", "'13*' is not a card"),
        (changed(START, hands="-/3,5,16"), "hands", "red is to play a card, but has none"),
        (changed(START, hands="/3,5,16"), "hands", "'' is not a card"),
        (changed(START, deck="12,12"), "deck", "card 12 is already in the deck"),
        (changed(START, deck="2"), "deck", "card 2 is already in the hands"),
        (changed(START, deck="12,T,11,6"), "deck", "Terminus is set aside"),
        (changed(START, deck="12,7"), "deck", "card 6 is missing, and cannot be covered"),
        (changed(MIDDLE, hands="9*/3,5*,7"), "deck", "card T is missing"),
        (changed(START, deck="?11", chance="-"), "deck", "from 2 to 10"),
        (changed(START, deck="?1", chance="-"), "deck", "from 2 to 10"),
        (changed(START, deck="?010", chance="-"), "deck", "'?' and the number"),
        (changed(START, deck="?", chance="-"), "deck", "'?' and the number"),
        (changed(START, fresh="-"), "fresh", "separated by '/'"),
        (changed(START, fresh="-/1"), "fresh", "'1' is not a wholly visible card that blue played"),
        (changed(START, fresh="-/4"), "fresh", "'4' is not a wholly visible card that blue played"),
        (changed(START, fresh="-/nine"), "fresh", "'nine' is not a wholly visible card"),
        (
            changed(MIDDLE, fresh="4/4"),
            "fresh",
            "'4' is not a wholly visible card that blue played",
        ),
        (
            changed(MIDDLE, fresh="4/2"),
            "fresh",
            "'2' is not a wholly visible card that blue played",
        ),
        (changed(MIDDLE, fresh="11,4/-"), "fresh", "in the order of their numbers"),
        (
            changed(MIDDLE, fresh="-/4"),
            "fresh",
            "a card of red, who is to act, is needed at step 'G'",
        ),
        (
            changed(MIDDLE, step="p"),
            "fresh",
            "no card of red, who is to act, is needed at step 'p'",
        ),
        (changed(START, turn="0"), "turn", "a number from 1"),
        (changed(START, turn="2"), "turn", "a number from 1 to 1 is needed: 0 cards were played"),
        (changed(START, turn="01"), "turn", "a number from 1"),
        (changed(START, turn="9" * 5000), "turn", "a number from 1"),
        (changed(START, chance="-"), "chance", "16 hexadecimal digits"),
        (changed(START, chance="0" * 16), "chance", "not all 0"),
        (changed(START, chance="FF" * 8), "chance", "16 hexadecimal digits"),
        (changed(START, deck="?10"), "chance", "'-' is needed where the deck is hidden"),
    ],
)
def test_anything_but_a_position_is_refused_with_the_field_and_the_reason(
    position: str, field: str, reason: str
) -> None:
    with pytest.raises(PositionError) as refusal:
        TerminusGame(position=position)
    assert refusal.value.field == field, str(refusal.value)
    assert reason in str(refusal.value), str(refusal.value)


@given(
    st.sampled_from([START, MIDDLE, WON]),
    st.integers(0, 90),
    st.integers(0, 4),
    st.text("0123456789abfprT:|/,*?-GFSRBAI. ", max_size=4),
)
def test_any_other_text_is_read_and_printed_alike_or_refused(
    position: str, at: int, cut: int, put: str
) -> None:
    text = position[:at] + put + position[at + cut :]
    try:
        game = TerminusGame(position=text, seed=1)
    except PositionError as error:
        event(error.field)
        return
    assert text in (game.position, game.position_for("red"))
    generator = np.random.default_rng(1)
    while game.result is None:
        game.play(random_action(game, generator))


def test_what_is_read_of_every_position_goes_on_identically() -> None:
    for name, deck in DECKS.items():
        generator = generator_of("notation", name)
        game = TerminusGame(seed=5, deck=deck)
        while game.result is None:
            twin = TerminusGame(position=game.position, deck=deck)
            action = random_action(game, generator)
            game.play(action)
            twin.play(action)
            assert twin == game


@pytest.mark.parametrize("action", ["play", "play first", "Done", "", -1, 355, 1.5, True, None])
def test_unknown_actions_are_refused(action: Any) -> None:
    game = TerminusGame(seed=1)
    before = game.copy()
    with pytest.raises(UnknownActionError):
        game.play(action)
    assert game == before
