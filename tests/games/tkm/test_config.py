"""`GameConfig`: what can be chosen before a game, in which forms, and what is refused."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import math
import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any, get_type_hints

import gymnasium
import numpy as np
import pytest

from tests.games.tkm.positions import START, with_fields
from tkm_env import Batch, ConfigError, Game, GameConfig, TKMError, tkm_v0
from tkm_env.games.registry import TKM
from tkm_env.games.tkm.config import GameSettings
from tkm_env.games.tkm.engine.state import CHAPTERS

ID = "tkm_env/TKM-v0"

#: What takes the keywords of a configuration: each returns the `GameConfig` that it makes from
#: them.
FACES: dict[str, Callable[..., GameConfig]] = {
    "GameConfig": GameConfig,
    "Game": lambda **settings: Game(**settings).config,
    "Game with a config": lambda **settings: Game(GameConfig(), **settings).config,
    "env": lambda **settings: tkm_v0.env(**settings).config,
    "raw_env": lambda **settings: tkm_v0.raw_env(**settings).config,
    "Batch": lambda **settings: Batch(1, **settings).config,
    "gymnasium.make": lambda **settings: gymnasium.make(ID, **settings).unwrapped.config,
    "gymnasium.make_vec": lambda **settings: gymnasium.make_vec(ID, **settings).unwrapped.config,
}

every_face = pytest.mark.parametrize("face", FACES)


# What is accepted.

CHAPTER_FORMS: list[tuple[Any, str | tuple[str, ...] | None]] = [
    (None, None),
    ("standard", ()),
    ("growth", ("growth",)),
    ("influence", ("influence",)),
    ("memory", ("memory",)),
    ("convergence", "convergence"),
    (0, ()),
    (1, ("growth",)),
    (2, ("influence",)),
    (3, ("memory",)),
    (4, "convergence"),
    (np.int8(0), ()),
    (np.int64(2), ("influence",)),
    (np.uint16(4), "convergence"),
    ([], ()),
    ((), ()),
    (set(), ()),
    (frozenset(), ()),
    (["memory"], ("memory",)),
    (("influence", "growth"), ("growth", "influence")),
    (["memory", "growth"], ("growth", "memory")),
    ({"memory", "influence"}, ("influence", "memory")),
    (frozenset({"memory", "influence", "growth"}), CHAPTERS),
    (("memory", "influence", "growth"), CHAPTERS),
    (["growth", "growth"], ("growth",)),
    ({"growth": 1, "memory": 2}.keys(), ("growth", "memory")),
    ("growth+memory", ("growth", "memory")),
    ("memory+growth", ("growth", "memory")),
    ("growth+growth", ("growth",)),
    ("influence+memory+growth", CHAPTERS),
]


@every_face
@pytest.mark.parametrize(("given", "kept"), CHAPTER_FORMS)
def test_chapters_are_kept_in_one_form(face: str, given: Any, kept: Any) -> None:
    chapters = FACES[face](chapters=given).chapters
    assert chapters == kept
    assert type(chapters) is type(kept)


@every_face
@pytest.mark.parametrize(
    ("keyword", "given", "kept"),
    [
        ("edition", "2021", "2021"),
        ("edition", "2022", "2022"),
        ("power_texts", np.int8(2), 2),
        ("first_player", "white", "white"),
        ("first_player", "black", "black"),
        ("handicap", (0, 0), (0, 0)),
        ("handicap", (3, 1), (3, 1)),
        ("handicap", [0, 3], (0, 3)),
        ("handicap", (np.int8(2), np.int64(1)), (2, 1)),
        ("max_turns", 1, 1),
        ("max_turns", 9_999, 9_999),
        ("max_turns", np.int16(30), 30),
        ("max_turns", np.uint8(255), 255),
        ("concede", True, True),
        ("concede", False, False),
        ("draws", True, True),
        ("draws", False, False),
    ],
)
def test_settings_are_kept_in_one_form(face: str, keyword: str, given: Any, kept: Any) -> None:
    value = getattr(FACES[face](**{keyword: given}), keyword)
    assert value == kept
    assert type(value) is type(kept)
    if isinstance(value, tuple):
        assert [type(part) for part in value] == [type(part) for part in kept]


@every_face
def test_what_is_not_given_has_its_default(face: str) -> None:
    config = FACES[face]()
    assert config == GameConfig(
        chapters=None,
        edition="2021",
        first_player="white",
        handicap=(0, 0),
        max_turns=200,
        concede=False,
        draws=False,
    )


# Configurations are values.


@pytest.mark.parametrize(
    "given", [1, "growth", ["growth"], {"growth"}, ("growth", "growth"), np.int32(1)]
)
def test_different_forms_of_the_same_settings_are_equal(given: Any) -> None:
    numbers = {"handicap": [1, 2], "max_turns": np.int64(9)}
    config = GameConfig(chapters=given, **numbers)
    assert config == GameConfig(chapters="growth", handicap=(1, 2), max_turns=9)
    assert hash(config) == hash(GameConfig(chapters="growth", handicap=(1, 2), max_turns=9))
    assert {config: "found"}[
        GameConfig(chapters=("growth",), handicap=(1, 2), max_turns=9)
    ] == "found"


def test_each_setting_distinguishes_configurations() -> None:
    changed = [
        GameConfig(),
        GameConfig(chapters="growth"),
        GameConfig(chapters="convergence"),
        GameConfig(chapters=["growth", "memory"]),
        GameConfig(edition="2022"),
        GameConfig(first_player="black"),
        GameConfig(handicap=(1, 0)),
        GameConfig(handicap=(0, 1)),
        GameConfig(max_turns=199),
        GameConfig(concede=True),
        GameConfig(draws=True),
    ]
    for one, other in itertools.combinations(changed, 2):
        assert one != other
    assert len(set(changed)) == len(changed)


@pytest.mark.parametrize(
    "keyword",
    [
        "chapters",
        "edition",
        "first_player",
        "handicap",
        "power_texts",
        "max_turns",
        "concede",
        "draws",
    ],
)
def test_a_configuration_cannot_be_changed(keyword: str) -> None:
    config = GameConfig()
    before = copy.copy(config)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(config, keyword, getattr(GameConfig(), keyword))
    with pytest.raises(dataclasses.FrozenInstanceError):
        delattr(config, keyword)
    assert config == before


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"chapters": np.str_("growth")}, {"chapters": "growth"}),
        (
            {"chapters": [np.str_("growth")], "powers": (np.str_("brushwood"), None)},
            {"chapters": 1, "powers": ("brushwood", None)},
        ),
        ({"timeline": "power_share", "power_set": np.str_("random")}, {"timeline": "power_share"}),
    ],
)
def test_texts_of_numpys_become_plain_ones(given: dict[str, Any], kept: dict[str, Any]) -> None:
    config = GameConfig(**given)
    assert config == GameConfig(**kept)
    assert repr(config) == repr(GameConfig(**kept))


def test_a_keyword_of_any_length_is_refused_in_a_short_message() -> None:
    for keyword in ("x" * 10_000, "\ud800"):
        with pytest.raises(ConfigError, match="there is no such keyword") as refused:
            Game(**{keyword: 1})
        assert len(str(refused.value).encode()) < 1000


def test_a_configuration_does_not_follow_the_list_it_was_made_of() -> None:
    chapters, handicap = ["growth"], [1, 0]
    config = GameConfig(chapters=chapters, handicap=handicap)
    chapters.append("memory")
    handicap[0] = 3
    assert config == GameConfig(chapters="growth", handicap=(1, 0))


def test_settings_may_be_given_in_their_documented_order() -> None:
    given = GameConfig("growth", "2022", "black", (1, 0))
    assert given == GameConfig(
        chapters="growth", edition="2022", first_player="black", handicap=(1, 0)
    )


@pytest.mark.parametrize("chapters", [None, "standard", "memory", "convergence", CHAPTERS])
def test_a_configuration_survives_copying_pickling_and_printing(chapters: Any) -> None:
    config = GameConfig(chapters=chapters, edition="2022", handicap=(3, 0), draws=True)
    assert pickle.loads(pickle.dumps(config)) == config
    assert copy.deepcopy(config) == config
    assert dataclasses.replace(config) == config
    assert GameConfig(**dataclasses.asdict(config)) == config
    assert eval(repr(config)) == config


# What is refused.


class NotAnInteger:
    def __repr__(self) -> str:
        return "NotAnInteger()"


REFUSED: list[tuple[str, Any, str]] = [
    *(
        ("chapters", given, "'growth', 'influence', 'memory'")
        for given in (
            *("", "Growth", "GROWTH", "growth ", "growth,memory", "chapter 1", "basics", "G", "1",
              b"growth", b"", bytearray()),
            *(-1, 5, 10**30, np.int64(-1), np.uint8(5), True, False, np.bool_(True), 1.0,
              np.float64(1), math.nan),
            *(["Growth"], ["growth", "nonsense"], ["standard"], ["convergence"],
              ["growth", "convergence"], [""], [None], [1, 2], [True]),
            *(np.array(2.5), np.array(7), np.array([1, 2]), np.array(True), np.array("growth"),
              np.array(["growth"])),
            *([["growth"]], (b"growth",), {"growth", 1}, {"nonsense": 1}, iter(["growth"]),
              NotAnInteger(), object),
        )
    ),
    *(("power_texts", given, "from 1 to 2") for given in (0, 3, "1", None, True, 1.5)),
    *(("edition", given, "'2021' or '2022'") for given in ("", "2020", "21", "2021 ", 2020, 2021.5,
      None, True, ["2021"], np.int64(2023))),
    *(("first_player", given, "'white' or 'black'") for given in ("", "White", "w", "white_0", 0, 1,
      None, True, ["white"], "random")),
    *(
        ("handicap", given, "pair")
        for given in (None, 0, 1, True, "00", "1,2", (), (1,), [1], (0, 0, 0), {0, 1}, {0: 1, 1: 2},
            iter((0, 0)), NotAnInteger())
    ),
    *(
        ("handicap", given, "from 0 to 3")
        for given in (
            *((4, 0), (0, 4), (-1, 0), (0, -1), (10**30, 0), (True, 0), (0, False), (1.0, 0),
              (0, 1.5), ("1", "0"), (None, None)),
            *((np.float64(1), 0), (np.bool_(True), 0), ((1,), 0), [0, -1]),
        )
    ),
    *(
        ("max_turns", given, "from 1 to 9999")
        for given in (
            *(0, -1, 10_000, 10**30, True, False, 1.0, 200.5, math.inf, math.nan, "200", "", None,
              [200], (1,), np.float64(3)),
            *(np.int64(0), np.int64(10_000), np.bool_(True), NotAnInteger()),
        )
    ),
    *((keyword, given, "False or True") for keyword in ("concede", "draws") for given in (0, 1,
      None, "", "yes", "True", [], [True], 1.0)),
    *(("turns", given, "there is no such keyword") for given in (1, None)),
    *((keyword, "growth", "there is no such keyword") for keyword in ("chapter", "Chapters",
      "expansion", "seeds", "_chapters", "")),
]  # fmt: skip


@pytest.mark.parametrize("face", [*FACES][1:])
@pytest.mark.parametrize(("keyword", "given", "allowed"), REFUSED)
def test_invalid_settings_are_refused_alike_everywhere(
    face: str, keyword: str, given: Any, allowed: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        FACES[face](**{keyword: given})
    assert refused.value.keyword == keyword
    assert isinstance(refused.value, (TKMError, ValueError))
    message = str(refused.value)
    assert message.startswith(f"{keyword}={given!r} ")
    assert allowed in message


@pytest.mark.parametrize(
    ("keyword", "given", "allowed"), [case for case in REFUSED if "no such" not in case[2]]
)
def test_invalid_settings_are_refused_by_the_configuration_itself(
    keyword: str, given: Any, allowed: str
) -> None:
    for make in (GameConfig, lambda **settings: dataclasses.replace(GameConfig(), **settings)):
        with pytest.raises(ConfigError, match=keyword) as refused:
            make(**{keyword: given})
        assert refused.value.keyword == keyword
        assert repr(given) in str(refused.value)
        assert allowed in str(refused.value)


def test_a_configuration_has_no_other_keywords() -> None:
    with pytest.raises(TypeError, match="chapter"):
        GameConfig(chapter="growth")


def test_the_refusal_of_an_unknown_keyword_names_all_there_are() -> None:
    with pytest.raises(ConfigError) as refused:
        Game(expansions="growth")
    for field in dataclasses.fields(GameConfig):
        assert field.name in str(refused.value)


def test_the_refusal_of_chapters_names_all_there_are() -> None:
    with pytest.raises(ConfigError) as refused:
        GameConfig(chapters="nonsense")
    for allowed in (
        "None",
        "'standard'",
        "'growth'",
        "'influence'",
        "'memory'",
        "'convergence'",
        "0 to 4",
    ):
        assert allowed in str(refused.value)


def test_the_first_wrong_one_of_several_keywords_is_named() -> None:
    with pytest.raises(ConfigError) as refused:
        Game(max_turns=0, edition="2020")
    assert refused.value.keyword in ("max_turns", "edition")


def test_a_refused_keyword_changes_nothing() -> None:
    config = GameConfig(chapters="growth")
    with pytest.raises(ConfigError):
        Game(config, max_turns=0)
    assert config == GameConfig(chapters="growth")
    env = tkm_v0.env(chapters="growth")
    with pytest.raises(ConfigError):
        tkm_v0.env(chapters="nonsense")
    env.reset()
    assert env.game == Game(chapters="growth")


def test_refusals_can_be_pickled() -> None:
    with pytest.raises(ConfigError) as refused:
        GameConfig(edition="2020")
    again = pickle.loads(pickle.dumps(refused.value))
    assert str(again) == str(refused.value)
    assert again.keyword == "edition"


# What settings do to the start.


@pytest.mark.parametrize("handicap", [*itertools.product(range(4), repeat=2)])
def test_a_handicap_is_missing_from_the_supply(handicap: tuple[int, int]) -> None:
    white, black = handicap
    assert Game(handicap=handicap).position == with_fields(START, supply=f"{4 - white}/{4 - black}")


def test_the_first_player_acts_and_has_the_focus_in_the_past() -> None:
    assert Game(first_player="white").position == with_fields(START, to_act="w", focus="PF")
    assert Game(first_player="black").position == with_fields(START, to_act="b", focus="FP")


def test_chapters_set_up_the_board() -> None:
    for chapters in (None, "standard", 0, ()):
        assert Game(chapters=chapters).position == START
    assert Game(chapters="growth").position == with_fields(START, chapters="G")
    influence = "|".join(["W.../..O./..../...B"] * 3)
    assert Game(chapters=2).position == with_fields(
        START, chapters="I", board=influence, statues="wb"
    )
    memory = "|".join(["W..D/..../..../L..B"] * 3)
    assert Game(chapters=["memory"]).position == with_fields(START, chapters="M", board=memory)
    everything = "|".join(["W..D/..O./..../L..B"] * 3)
    assert Game(chapters={*CHAPTERS}).position == with_fields(
        START, chapters="GIM", board=everything, statues="wb"
    )


def test_editions_and_limits_do_not_show_in_the_position() -> None:
    for settings in ({"edition": "2022"}, {"max_turns": 7}, {"concede": True}, {"draws": True}):
        game = Game(**settings)
        assert game.position == START
        assert game.config == GameConfig(**settings)


def test_convergence_draws_two_of_three_chapters_equally_often() -> None:
    drawn = Counter(
        Game(chapters="convergence", seed=seed).position.split(" ")[1] for seed in range(600)
    )
    assert set(drawn) == {"GI", "GM", "IM"}
    assert min(drawn.values()) > 150, drawn


def test_convergence_draws_the_same_from_the_same_seed() -> None:
    def drawn() -> list[str]:
        return [
            Game(chapters=chapters, seed=seed).position
            for seed in range(20)
            for chapters in ("convergence", 4)
        ]

    assert drawn() == drawn()
    assert drawn()[::2] == drawn()[1::2]


def test_convergence_stays_undrawn_in_the_configuration() -> None:
    game = Game(chapters="convergence", seed=1)
    assert game.config.chapters == "convergence"


def test_type_checkers_know_the_keywords_of_the_config() -> None:
    assert get_type_hints(GameSettings) == get_type_hints(GameConfig) | {
        "edition": str | int
    }  # kept as text
    assert get_type_hints(GameSettings).keys() == {
        field.name for field in dataclasses.fields(GameConfig)
    }


@pytest.mark.parametrize("text", ["growth,memory", "growth memory", "growth, memory"])
def test_chapters_with_a_comma_in_a_command_are_answered_with_how_they_are_written(
    text: str,
) -> None:
    with pytest.raises(
        ConfigError, match=r"several chapters are joined by a plus sign: growth\+memory"
    ):
        TKM.config_from_text({"chapters": text})
