"""The drawing of Terminus: well-formed, complete, and without what is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from tests.games.terminus.games import DECKS, generator_of, random_action
from tests.render.drawings import checked, drawn_parts, glyphs_in
from tkm_env import ConfigError, TerminusGame
from tkm_env.games.terminus.render.svg import (
    CANVAS,
    ERA_GLYPHS,
    THEMES,
    box_of,
    place_of,
    preview_of,
)
from tkm_env.games.terminus.view import view_of

START = "1:.I. r p 2,9,13/3,5,16 ?10 -/- 1 -"
#: Cards are frozen, Terminus is in a hand.
LATE = "11:RAB|14:RS|1:.I.|6:BAR b F 4*,7,12/3*,17,T ?2 -/6 6 -"


def glyphs_of(game: TerminusGame, slot: str, **shown: bool) -> list[str]:
    """What is drawn in one slot."""
    return glyphs_in(drawn_parts(game, **shown).get(slot, ""))


def random_positions() -> Iterator[TerminusGame]:
    for name, deck in DECKS.items():
        generator = generator_of(name, "svg")
        for seed in range(3):
            game = TerminusGame(seed=seed, deck=deck)
            while game.result is None:
                yield game
                game.play(random_action(game, generator))
            yield game


def test_random_positions_can_all_be_drawn() -> None:
    drawn = 0
    for game in random_positions():
        root = checked(game.svg(legal=True, theme="dark" if drawn % 2 else "light"))
        assert root.findtext("{http://www.w3.org/2000/svg}desc") == game.position_for("red")
        drawn += 1
    assert drawn > 200


def test_drawing_shows_each_visible_era_and_the_border_of_each_card() -> None:
    letters = set()
    for game in random_positions():
        seen = view_of(game)
        eras = [glyph for glyph in glyphs_of(game, "timeline") if glyph in ERA_GLYPHS.values()]
        fresh = [f"{player}-shield" for player, cards in seen.fresh.items() for _ in cards]
        assert sorted(eras) == sorted([ERA_GLYPHS[letter] for letter in seen.eras] + fresh)
        assert drawn_parts(game)["timeline"].count("<g ") == len(seen.timeline)
        letters |= set(seen.eras)
    assert letters == set(ERA_GLYPHS), "all kinds of eras were drawn"


def test_red_and_blue_differ_without_their_colours() -> None:
    red, blue = (
        CANVAS.glyphs.split(f'id="tkm-{player}-shield"')[1].split("</g>")[0]
        for player in ("red", "blue")
    )
    assert red.replace("red", "") != blue.replace("blue", "")


def test_order_of_the_deck_is_not_drawn() -> None:
    generator = np.random.default_rng(1)
    for game in random_positions():
        twin = game.determinize(generator)
        assert twin.svg(last=False, legal=True) == game.svg(last=False, legal=True)


def test_hands_show_their_cards_frozen_ones_and_terminus() -> None:
    game = TerminusGame(position=LATE)
    assert glyphs_of(game, "red").count("frozen") == 1
    assert glyphs_of(game, "blue").count("terminus-era") == 3
    assert glyphs_of(game, "approached").count("approached") == 3
    assert glyphs_of(game, "deck").count("freeze-era") == 1, "the event that may be resolved"


def test_terminus_waits_beside_the_deck_then_is_in_it_then_nowhere_there() -> None:
    game = TerminusGame(position=START)
    assert (glyphs_of(game, "deck").count("stone"), view_of(game).terminus) == (1, "aside")
    game = TerminusGame(position="11:RAB|1:.I.|6:BAR r p 4,7,12/2,3,5 ?9 -/- 3 -")
    assert (glyphs_of(game, "deck").count("stone"), view_of(game).terminus) == (1, "deck")
    held = TerminusGame(position=LATE)
    assert (glyphs_of(held, "deck").count("stone"), view_of(held).terminus) == (0, "hand")


def test_last_action_is_framed_unless_it_is_not_wanted() -> None:
    game = TerminusGame(position=START)
    assert "marks" not in drawn_parts(game)
    game.play("play first at right")
    assert drawn_parts(game)["marks"].count("<path") == 2, (
        "the card that was played and the one that was drawn"
    )
    assert not {"marks", "action"} & set(drawn_parts(game, last=False))


def test_targets_of_legal_actions_are_marked_on_request() -> None:
    game = TerminusGame(position=START)
    assert "targets" not in drawn_parts(game)
    places = {place_of(name, game.to_act) for name in game.legal_names()}
    assert glyphs_of(game, "targets", legal=True).count("target") == len(places)
    frozen = TerminusGame(position=LATE)
    assert drawn_parts(frozen, legal=True)["targets"].count("<path") == 1, (
        "of a hand with a frozen card and Terminus one is left"
    )


def test_places_lie_on_the_drawing_and_do_not_overlap() -> None:
    for game in random_positions():
        seen = view_of(game)
        places = {place_of(name, game.to_act) for name in game.legal_names()} - {None}
        boxes = [box_of(place, seen) for place in places if place is not None]
        for left, top, width, height in boxes:
            assert 0 <= left < left + width <= CANVAS.width
            assert 0 <= top < top + height <= CANVAS.height
        for one, other in combinations(sorted(boxes), 2):
            assert (
                one[0] + one[2] <= other[0] + 0.01
                or one[1] + one[3] <= other[1]
                or other[1] + other[3] <= one[1]
            )


#: Eighteen eras are visible, in nine cards.
LONG = "2:R.G|12:G|9:.RB|7:R|13:FGB|15:.|6:AR|1:I|11:BAR r p 16,17/14*,T ?0 -/2 14 -"


def test_a_long_timeline_has_two_rows_which_break_between_cards() -> None:
    view = view_of(TerminusGame(position=LONG))
    tops = {number: box_of(str(number), view)[1] for number in range(1, len(view.eras) + 1)}
    assert [top < tops[18] for top in tops.values()] == [True] * 8 + [False] * 10
    assert box_of("left", view)[1] == tops[1]
    assert box_of("right", view)[1] == tops[18]


def test_eras_stay_wide_enough_to_be_read() -> None:
    longest = 0
    for game in random_positions():
        seen = view_of(game)
        longest = max(longest, len(seen.eras))
        assert len(seen.eras) > 30 or box_of("1", seen)[2] > 46
    assert longest > 30, "a timeline of more than 30 eras was drawn"


def test_a_card_over_the_end_of_a_row_continues_in_the_next_one() -> None:
    view = view_of(TerminusGame(position=LONG))
    assert preview_of("play first at 8", view).count("<g ") == 1
    assert preview_of("play first at 9", view).count("<g ") == 2
    for action in ("play first at 9", "play first flipped at 10"):
        assert (
            glyphs_in(preview_of(action, view))
            == (
                ["red-shield", "approaches-era", "blue-shield"][:: -1 if "flipped" in action else 1]
            )
        )


def test_notebooks_show_the_drawing() -> None:
    assert 'width="760"' in TerminusGame(seed=1)._repr_svg_()


@pytest.mark.parametrize("wrong", [{"size": 0}, {"theme": "pink"}])
def test_invalid_size_and_theme_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        TerminusGame().svg(**wrong)


def test_themes_name_the_same_colours() -> None:
    assert THEMES["light"].keys() == THEMES["dark"].keys()
