"""Observations: the table of planes, and each plane read independently.

The other reading is from the position's text.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.cases import each_setting
from tests.games.tkm.positions import (
    EXTREME,
    POWER_NAMES,
    REVEALED,
    START,
    TALK,
    VARIED,
    random_game,
    with_fields,
)
from tests.games.tkm.random_games import power_pairs, seed_of
from tkm_env import PLANES, Game, GameConfig
from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.notation import FIELDS

#: How long random games are.
TURNS = 12 if COMPILES else 5
ERAS = ("past", "present", "future")
PLAYERS = ("white", "black")
NUM_PLANES = len(PLANES)
SHAPE = (NUM_PLANES, 4, 4)
#: By rule only the future holds trees, and the past no shrubs: these planes are there to make the
#: eras alike.
ALWAYS_EMPTY = {("past", "shrub")} | {
    (era, name)
    for era in ("past", "present")
    for name in ("tree", "fallen north", "fallen east", "fallen south", "fallen west")
}

Key = tuple[str | None, str]


def index_of(era: str | None, name: str) -> int:
    return next(
        number for number, plane in enumerate(PLANES) if (plane.era, plane.name) == (era, name)
    )


def plane_of(game: Game, player: str, name: str, era: str | None = None) -> np.ndarray:
    return game.observation(player)[index_of(era, name)]


# The table.


def test_planes_have_different_names_within_their_era() -> None:
    keys = [(plane.era, plane.name) for plane in PLANES]
    assert len(set(keys)) == len(keys)
    assert all(plane.name and plane.meaning for plane in PLANES)


def test_planes_come_in_three_equal_groups_and_then_those_of_the_game() -> None:
    groups = [[plane for plane in PLANES if plane.era == era] for era in (*ERAS, None)]
    assert [*PLANES] == [plane for group in groups for plane in group]
    for group in groups[1:3]:
        assert [plane._replace(era="past") for plane in group] == groups[0]


def test_bounds_and_layouts_are_possible() -> None:
    for plane in PLANES:
        assert 1 <= plane.high <= 127, plane
        assert plane.layout in ("spaces", "everywhere", "numbered"), plane
        assert plane.layout != "spaces" or plane.high == 1, plane
        assert (plane.era is None) <= (plane.layout != "spaces"), plane


# The arrays.


@pytest.mark.parametrize("position", VARIED)
def test_observations_are_new_writable_contiguous_arrays_of_one_shape(position: str) -> None:
    game = Game(position=position)
    for player in PLAYERS:
        observation = game.observation(player)
        assert observation.shape == SHAPE
        assert observation.dtype == np.int8
        assert observation.flags.c_contiguous
        assert observation.flags.writeable
        assert not np.shares_memory(observation, game.observation(player))


def test_bounds_are_reached_by_every_plane_that_the_rules_do_not_keep_empty() -> None:
    highest = np.zeros(SHAPE, np.int8)
    for position in EXTREME:
        for edition in ("2021", "2022"):
            game = Game(position=position, edition=edition, max_turns=9_999)
            for player in PLAYERS:
                observation = game.observation(player)
                assert (observation >= 0).all()
                highest = np.maximum(highest, observation)
    for plane, reached in zip(PLANES, highest.max((1, 2)), strict=True):
        expected = 0 if (plane.era, plane.name) in ALWAYS_EMPTY else plane.high
        assert reached == expected, (
            f"{plane.name} of {plane.era or 'the game'}: {reached}, not {expected}"
        )


# Each plane against the text.


def era_planes(text: str, mine: str, theirs: str) -> dict[str, list[bool]]:
    """What one era's letters say, by plane, for the viewer whose letter is ``mine``."""
    statue = {"w": "I", "b": "E"}
    letters = {
        "mine": (mine, mine.upper()),
        "theirs": (theirs, theirs.upper()),
        "seed": "*wb",
        "shrub": "#",
        "tree": "T",
        "fallen north": "^",
        "fallen east": ">",
        "fallen south": "v",
        "fallen west": "<",
        "orange statue": "O",
        "my statue": statue[mine],
        "their statue": statue[theirs],
        "dark elephant": "D",
        "light elephant": "L",
    }
    cells = text.replace("/", "")
    return {name: [cell in wanted for cell in cells] for name, wanted in letters.items()}


def read(position: str, edition: str, viewer: str) -> np.ndarray:
    """The observation that a position's text describes, worked out from the text alone."""
    fields = dict(zip(FIELDS, position.split(" "), strict=True))
    mine, theirs = ("w", "b") if viewer == "white" else ("b", "w")
    number = {"w": 0, "b": 1}
    over = fields["step"] in ("1-0", "0-1", "1/2", "*")
    step = fields["step"]
    planes: dict[Key, object] = {}
    for era, (name, text) in enumerate(zip(ERAS, fields["board"].split("|"), strict=True)):
        planes |= {(name, plane): cells for plane, cells in era_planes(text, mine, theirs).items()}
        cells = text.replace("/", "")
        active = fields["active copy"]
        planes[name, "active"] = [active == f"{'PNF'[era]}{space + 1}" for space in range(16)]
        dark, light = (hats[era] for hats in fields["hats"].split("/"))
        for whose, player in (("my", mine), ("their", theirs)):
            wearing = "D" * (dark == player) + "L" * (light == player)
            planes[name, f"{whose} hat"] = [cell in wearing for cell in cells]
            planes[name, f"{whose} focus"] = fields["focus"][number[player]] == "PNF"[era]
    planes |= {
        (None, "white"): viewer == "white",
        (None, "to act"): fields["to act"] == mine and not over,
        (None, "choose"): step[0] == "c",
        (None, "act"): step in ("1", "1+", "2", "2+"),
        (None, "shift"): step[0] == "f",
        (None, "draft"): step == "d",
        (None, "order"): step == "o",
        (None, "answer"): step == "a",
        (None, "actions left"): 0 if over or not step[0].isdigit() else int(step[0]),
        (None, "free action"): "+" in step,
        (None, "offered"): "=" in step,
        (None, "growth"): "G" in fields["chapters"],
        (None, "influence"): "I" in fields["chapters"],
        (None, "memory"): "M" in fields["chapters"],
        (None, "edition 2022"): edition == "2022",
        (None, "turn, hundreds"): int(fields["turn"]) // 100,
        (None, "turn, units"): int(fields["turn"]) % 100,
    }
    *revealed, white, black = slots = fields["powers"].split("/")
    shared = step in "do" and len(slots) == 2
    if shared:
        revealed, white, black = [white], black, black
    taken = {"w": white, "b": black}
    names = revealed[0].split(",") if revealed else []
    planes[None, "power share"] = shared
    planes |= numbered("revealed", {name: place for place, name in enumerate(names, 1)})
    for whose, player in (("my", mine), ("their", theirs)):
        planes[None, f"{whose} supply"] = int(fields["supply"].split("/")[number[player]])
        planes[None, f"{whose} statue unbuilt"] = player in fields["statues"]
        planes[None, f"{whose} overtime spent"] = taken[player] == "overtime!"
        planes |= numbered(f"{whose} power", {taken[player].rstrip("!"): 1})
    observation = np.full(SHAPE, -1, np.int8)
    for (era, name), value in planes.items():
        observation[index_of(era, name)] = (
            np.reshape(value, (4, 4)) if isinstance(value, list) else value
        )
    return observation


def numbered(name: str, values: dict[str, int]) -> dict[Key, object]:
    """The planes that show values of powers, sixteen to a plane."""
    line = [values.get(power, 0) for power in POWER_NAMES]
    line += [0] * (-len(line) % 16)
    return {
        (None, name if first == 0 else f"{name} {first // 16 + 1}"): line[first : first + 16]
        for first in range(0, len(line), 16)
    }


def assert_observed_as_written(game: Game) -> None:
    for player in PLAYERS:
        seen, expected = game.observation(player), read(game.position, game.config.edition, player)
        assert (expected >= 0).all(), "the reading of the text leaves planes out"
        if not np.array_equal(seen, expected):
            number = int(np.argmax((seen != expected).any((1, 2))))
            plane = PLANES[number]
            pytest.fail(
                f"{plane.name} of {plane.era or 'the game'}, seen by "
                f"{player}:\n{seen[number]}\nnot\n{expected[number]}\n{game.position}"
            )


@pytest.mark.parametrize("position", EXTREME)
def test_planes_show_what_the_text_of_extreme_positions_says(position: str) -> None:
    for edition in ("2021", "2022"):
        assert_observed_as_written(Game(position=position, edition=edition, max_turns=9_999))


@each_setting
def test_planes_show_what_the_text_of_random_positions_says(
    chapters: tuple[str, ...], edition: str
) -> None:
    generator = np.random.default_rng(seed_of("observation", chapters, edition))
    for powers in power_pairs(chapters, generator, 3):
        config = GameConfig(
            chapters=chapters, edition=edition, powers=powers, max_turns=TURNS, **TALK
        )
        for game in random_game(Game(config), seed_of(powers)):
            assert_observed_as_written(game)


@pytest.mark.parametrize("timeline", ["draft_powers", "power_share"])
def test_planes_show_what_the_text_of_drafts_says(timeline: str) -> None:
    for seed in range(4):
        for game in random_game(Game(timeline=timeline, seed=seed, max_turns=3), seed):
            assert_observed_as_written(game)


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2", "*"])
def test_nobody_acts_and_no_step_shows_after_the_end(result: str) -> None:
    game = Game(position=with_fields(START, step=result))
    assert_observed_as_written(game)
    for player in PLAYERS:
        for name in (
            "to act",
            "choose",
            "act",
            "shift",
            "draft",
            "order",
            "answer",
            "actions left",
        ):
            assert not plane_of(game, player, name).any(), name


@pytest.mark.parametrize(
    ("turn", "hundreds", "units"), [(1, 0, 1), (99, 0, 99), (100, 1, 0), (9_999, 99, 99)]
)
def test_the_turn_is_shown_in_two_parts(turn: int, hundreds: int, units: int) -> None:
    game = Game(position=with_fields(START, turn=str(turn)), max_turns=9_999)
    assert np.unique(plane_of(game, "black", "turn, hundreds")).tolist() == [hundreds]
    assert np.unique(plane_of(game, "black", "turn, units")).tolist() == [units]


def test_revealed_powers_show_in_the_order_in_which_they_were_revealed() -> None:
    game = Game(position=with_fields(START, step="d", focus="--", powers=f"{REVEALED}/-/express"))
    revealed = plane_of(game, "white", "revealed").ravel()
    for place, name in enumerate(REVEALED.split(","), 1):
        assert revealed[POWER_NAMES.index(name)] == place
    assert np.count_nonzero(revealed) == 4
    assert not plane_of(game, "white", "my power").any()
    assert plane_of(game, "black", "my power").ravel().nonzero()[0].tolist() == [
        POWER_NAMES.index("express")
    ]


# Two sides, and the way back.


def with_colours_swapped(position: str) -> str:
    """The same position with white and black exchanged."""
    fields = position.split(" ")
    fields[0] = fields[0].translate(str.maketrans("WBwbIE", "BWbwEI"))
    fields[2] = {"w": "b", "b": "w"}[fields[2]]
    fields[3] = {"1-0": "0-1", "0-1": "1-0"}.get(fields[3], fields[3])
    fields[4] = fields[4][::-1]
    fields[6] = fields[6][::-1]
    fields[7] = {"w": "b", "b": "w"}.get(fields[7], fields[7])
    fields[8] = fields[8].translate(str.maketrans("wb", "bw"))
    *revealed, white, black = slots = fields[9].split("/")
    fields[9] = "/".join(slots if "," in white else [*revealed, black, white])
    return " ".join(fields)


def assert_sides_see_alike(game: Game) -> None:
    swapped = Game(
        position=with_colours_swapped(game.position), edition=game.config.edition, max_turns=9_999
    )
    apart = [index_of(None, "white")]
    for player, other in (PLAYERS, PLAYERS[::-1]):
        one = np.delete(game.observation(player), apart, 0)
        assert np.array_equal(one, np.delete(swapped.observation(other), apart, 0)), game.position


@pytest.mark.parametrize("position", VARIED)
def test_a_side_sees_what_the_other_would_with_colours_swapped(position: str) -> None:
    assert_sides_see_alike(Game(position=position))


@each_setting
def test_a_side_sees_what_the_other_would_in_random_games(chapters: tuple[str, ...]) -> None:
    for game in random_game(
        Game(chapters=chapters, max_turns=10, **TALK), seed_of("sides", chapters)
    ):
        assert_sides_see_alike(game)


@each_setting
def test_different_positions_look_different(chapters: tuple[str, ...]) -> None:
    seen: dict[tuple[str, bytes], str] = {}
    for game in random_game(
        Game(chapters=chapters, max_turns=15, **TALK), seed_of("different", chapters)
    ):
        if game.result is None:
            for player in PLAYERS:
                assert (
                    seen.setdefault((player, game.observation(player).tobytes()), game.position)
                    == game.position
                )
