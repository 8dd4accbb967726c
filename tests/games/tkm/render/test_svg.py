"""The drawing: well-formed, complete, legible, quick."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.cases import CHAPTER_SETS
from tests.games.tkm.positions import NOBODY_WINS, TALK, VARIED, random_game, with_fields
from tests.games.tkm.random_games import power_pairs, seed_of
from tests.render.drawings import checked, drawn_parts, glyphs_in
from tkm_env import ConfigError, Game
from tkm_env.games.tkm.config import TIMELINES
from tkm_env.games.tkm.engine.event_log import KINDS
from tkm_env.games.tkm.engine.powers import POWER_SETS, POWERS, Power
from tkm_env.games.tkm.engine.state import CHAPTERS, COPY, EDITIONS, ELEPHANT, STATUE
from tkm_env.games.tkm.events import (
    EVENT_CLASSES,
    Built,
    Died,
    Moved,
    Trained,
    Travelled,
    Untrained,
    events_of,
)
from tkm_env.games.tkm.notation import CELLS
from tkm_env.games.tkm.render.svg import GLYPHS, THEMES, Scene, parts, place_of
from tkm_env.games.tkm.view import view_of

MEMORY = (
    "W..D/B.../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M w 2 NF N1 4/3 - w-w/bb- -/- 31"
)
ALL_CHAPTERS = (
    "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2 NF N1 2/3 b -w-/--b -/- 12"
)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("position", VARIED)
def test_drawing_is_well_formed_and_reports_its_position(position: str, theme: str) -> None:
    root = checked(Game(position=position, **TALK).svg(theme=theme, legal=True))
    assert root.findtext("{http://www.w3.org/2000/svg}desc") == position


def random_positions() -> Iterator[Game]:
    """Some positions of random games of each set of chapters, edition, power and timeline."""
    for power in POWERS:
        yield from every_seventh(
            Game(chapters=CHAPTERS, powers=(power.name, power.name), seed=1), 1
        )
    for edition in EDITIONS:
        for chapters in CHAPTER_SETS:
            generator = np.random.default_rng(seed_of(chapters, edition, "svg"))
            for powers in power_pairs(chapters, generator, 3):
                yield from every_seventh(
                    Game(chapters=chapters, edition=edition, powers=powers, **TALK), seed_of(powers)
                )
        for timeline in TIMELINES:
            for power_set in POWER_SETS:
                yield from every_seventh(
                    Game(timeline=timeline, power_set=power_set, edition=edition, seed=1), 2
                )


def every_seventh(game: Game, seed: int) -> Iterator[Game]:
    for number, now in enumerate(random_game(game, seed)):
        if number % 7 == 0 or now.result is not None:
            yield now


@pytest.mark.slow
def test_random_positions_can_all_be_drawn() -> None:
    drawn = 0
    for game in random_positions():
        checked(game.svg(legal=True))
        drawn += 1
    assert drawn > 500


#: What stands for each letter of a position's board.
GLYPHS_OF = {
    ".": [],
    "W": ["white-copy"],
    "B": ["black-copy"],
    "w": ["white-copy", "seed"],
    "b": ["black-copy", "seed"],
    "*": ["seed"],
    "#": ["shrub"],
    "T": ["tree"],
    "^": ["fallen-tree"],
    ">": ["fallen-tree"],
    "v": ["fallen-tree"],
    "<": ["fallen-tree"],
    "O": ["orange-statue"],
    "I": ["white-statue"],
    "E": ["black-statue"],
    "D": ["dark-elephant"],
    "L": ["light-elephant"],
}


@pytest.mark.parametrize("letter", CELLS)
def test_each_piece_is_drawn_on_its_space(letter: str) -> None:
    view = view_of(Game())._replace(cells="." * 6 + letter + "." * 41)
    assert glyphs_in(parts(Scene(view)).get("P7", "")) == GLYPHS_OF[letter]


def test_trunks_of_fallen_trees_point_four_ways() -> None:
    drawn = parts(Scene(view_of(Game())._replace(cells="." * 32 + "^>v<" + "." * 12)))
    assert [re.findall(r"rotate\((-?\d+)\)", drawn[f"F{space}"]) for space in (1, 2, 3, 4)] == [
        ["-90"],
        [],
        ["90"],
        ["180"],
    ]


def test_elephants_wear_their_hats() -> None:
    drawn = parts(Scene(view_of(Game(position=MEMORY))))
    hats = {slot: glyphs_in(drawn[slot])[1:] for slot in ("P4", "N4", "F4", "P13", "N13", "F13")}
    assert hats == {
        "P4": ["white-hat"],
        "N4": [],
        "F4": ["white-hat"],
        "P13": ["black-hat"],
        "N13": ["black-hat"],
        "F13": [],
    }


def test_what_is_off_the_board_is_counted() -> None:
    drawn = parts(Scene(view_of(Game(position=ALL_CHAPTERS))))
    copies = re.findall(r"#tkm-white-copy[^>]*?(opacity)?(?:=\"0.16\")?/>", drawn["white"])
    assert copies == ["", "", "opacity", "opacity"], "white has two of four copies left"
    assert 'opacity="0.16"' in next(
        use for use in drawn["white"].split("<use ") if "white-statue" in use
    ), "white's statue is built"
    assert "opacity" not in next(
        use for use in drawn["black"].split("<use ") if "black-statue" in use
    ), "black's is not"


@pytest.mark.parametrize("power", POWERS)
def test_each_power_is_written_beside_its_player(power: Power) -> None:
    name = power.name
    without, with_it = (
        parts(Scene(view_of(Game())._replace(powers=(None, power)))) for power in (None, name)
    )
    assert with_it["white"] == without["white"]
    assert len(with_it["black"]) > len(without["black"])


def test_a_spent_power_is_struck_out() -> None:
    positions = [with_fields(VARIED[0], powers=f"{name}/-") for name in ("overtime", "overtime!")]
    ready, spent = (
        parts(Scene(view_of(Game(position=position))))["white"] for position in positions
    )
    assert ready != spent


@pytest.mark.parametrize("kind", [kind for event in EVENT_CLASSES for kind in event.kinds])
def test_each_kind_of_event_is_marked(kind: str) -> None:
    event = next(event for event in EVENT_CLASSES if kind in event.kinds)
    # What the engine notes: which piece, and where it went.
    piece, to = {
        Travelled: (COPY, 1),
        Trained: (ELEPHANT, 1),
        Untrained: (ELEPHANT, 1),
        Built: (STATUE, 0),
    }.get(event, (COPY, 6))
    plain = parts(Scene(view_of(Game(position=ALL_CHAPTERS))))
    marked = parts(
        Scene(
            view_of(Game(position=ALL_CHAPTERS)),
            "move east",
            events_of(np.array([[KINDS.index(kind), 0, 5, piece, to]])),
        )
    )
    drawn = marked.get("arrows", "") + marked.get("marks", "")
    assert drawn, f"nothing marks {kind}"
    assert {slot for slot in marked if marked[slot] != plain.get(slot)} <= {
        "arrows",
        "marks",
        "action",
    }


def test_several_deaths_on_one_space_are_distinguished() -> None:
    deaths = [Died("past", player, 2, "paradox") for player in ("white", "white", "black")]
    drawn = glyphs_in(
        parts(Scene(view_of(Game(position=ALL_CHAPTERS)), "move east", deaths))["marks"]
    )
    assert drawn == ["white-copy", "white-died", "white-died", "black-died"]


def test_a_step_around_the_edge_leaves_on_one_side_and_comes_in_on_the_other() -> None:
    drawn = parts(
        Scene(
            view_of(Game(position=ALL_CHAPTERS)),
            "move west",
            [Moved("past", "white copy", 5, 8, "walked")],
        )
    )
    assert glyphs_in(drawn["arrows"]) == ["step-out", "step-in"]


def test_the_last_action_is_shown_only_where_it_is_wanted() -> None:
    game = Game()
    for action in ("choose 1", "move east", "move east", "focus present"):
        game.play(action)
    assert "last action: focus present" in game.svg()
    assert "last action" not in game.svg(last=False)
    assert {"marks", "arrows", "action"}.isdisjoint(drawn_parts(game, last=False))


@pytest.mark.parametrize("turns", [1, 2, 3, 4])
def test_a_shift_of_the_focus_is_an_arrow(turns: int) -> None:
    game = Game()
    while game.turn <= turns:
        game.play(game.legal_actions()[-1])
    assert "<path" in drawn_parts(game).get("marks", "")


def test_a_focus_that_stays_gets_no_arrow() -> None:
    game = Game(position=with_fields(NOBODY_WINS, powers="fixation/-"))
    game.play("focus past")
    assert "marks" not in drawn_parts(game)


def test_targets_are_marked_only_where_they_are_wanted() -> None:
    game = Game()
    assert "targets" not in drawn_parts(game)
    assert glyphs_in(drawn_parts(game, legal=True)["targets"]) == ["target-piece"]


def test_each_place_to_which_a_legal_action_leads_is_marked_once() -> None:
    for game in random_positions():
        places = {place_of(name, view_of(game)) for name in game.legal_names()} - {None}
        drawn = drawn_parts(game, legal=True).get("targets", "")
        assert drawn.count("#tkm-target") + drawn.count("<rect") == len(places), (
            f"{places} at\n{game}"
        )


def test_an_action_leads_where_its_target_is_marked() -> None:
    """Once a copy has moved by itself and lives, it stands there."""
    checked_words = set()
    beside = with_fields(
        VARIED[0],
        board="WB../W.../..../....|..../..../..../...B|..../..../..../...B",
        powers="exchange/-",
    )
    for game in chain(
        [Game(position=with_fields(beside, step="2", active_copy="P1"))], random_positions()
    ):
        for name in game.legal_names():
            if name.split(" ")[0] in ("move", "travel", "exchange"):
                after = game.copy()
                after.play(name)
                active = after.position.split(" ")[5]
                if active != "-":
                    assert active == place_of(name, view_of(game)), f"{name} at\n{game}"
                    checked_words |= {name.split(" ")[0], name.split(" ")[-1]}
    assert {"move", "pull", "travel", "far", "leave", "exchange"} <= checked_words, (
        "the positions do not reach all such actions"
    )


@pytest.mark.parametrize("theme", ["", "blue", None, [], {}, 5, b"light"])
def test_an_unknown_theme_is_refused(theme: str) -> None:
    with pytest.raises(ConfigError, match=r"^theme=.* it must be 'light' or 'dark'"):
        Game().svg(theme=theme)


@pytest.mark.parametrize(
    "size", [0, -1, 2.5, "640", True, np.True_, 10**30, 16385, math.nan, [640]]
)
def test_an_unknown_size_is_refused(size: int) -> None:
    with pytest.raises(ConfigError, match=r"^size=.* from 1 to 16384$"):
        Game().svg(size=size)


@pytest.mark.parametrize("keyword", ["last", "legal"])
def test_what_is_neither_true_nor_false_is_refused(keyword: str) -> None:
    for flag in (None, 1, "no", np.ones(2)):
        with pytest.raises(ConfigError, match=f"^{keyword}=.* False or True$"):
            Game().svg(**{keyword: flag})


def test_the_size_is_the_width() -> None:
    assert checked(Game().svg(size=np.int16(640))).get("width") == "640"
    root = checked(Game().svg(size=640))
    assert (root.get("width"), root.get("height")) == ("640", "320")
    assert checked(Game().svg()).get("width") is None


def test_drawings_in_one_document_do_not_share_ids() -> None:
    game = Game()
    one = game.svg()
    game.play("choose 1")
    both = ElementTree.fromstring(f"<p>{one}{game.svg()}{game.svg(theme='dark')}</p>")
    ids = [element.get("id") for element in both.iter() if element.get("id")]
    assert len(ids) == len(set(ids))


def test_a_notebook_shows_the_drawing() -> None:
    assert checked(Game()._repr_svg_()).get("width") == "760"


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in channels
    ]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("colour", ["ink", "faint", "mark", "active", "target"])
def test_text_and_marks_stand_out_from_the_ground(theme: str, colour: str) -> None:
    assert contrast(THEMES[theme][colour], THEMES[theme]["ground"]) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("piece", ["white", "black", "orange", "leaf", "wood", "dark", "light"])
def test_each_piece_stands_out_from_its_outline_or_the_ground(theme: str, piece: str) -> None:
    colours = THEMES[theme]
    for era in ("past", "present", "future"):
        assert (
            max(contrast(colours[era], colours[name]) for name in (piece, f"{piece}-line")) >= 3
        ), f"{piece} in the {era}"


@pytest.mark.parametrize("thing", ["copy", "hat", "statue", "focus", "died"])
def test_things_of_white_and_black_differ_without_colour(thing: str) -> None:
    white, black = (
        re.findall(
            ' (?:d|href)="([^"]+)"', GLYPHS.split(f'id="tkm-{player}-{thing}"')[1].split("</g>")[0]
        )
        for player in ("white", "black")
    )
    assert white != black
