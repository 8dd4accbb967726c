"""Powers in the settings: what can be given, what is drawn, and drafts as steps of every face."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from pettingzoo.test import api_test, seed_test

from tkm_env import ConfigError, Game, GameConfig, tkm_v0
from tkm_env.games.tkm.engine.powers import POWER_NAMES, POWER_SETS, POWERS
from tkm_env.games.tkm.engine.state import CHAPTERS, NO_POWER

DRAFTS = ["draft_powers", "power_share"]


def names(numbers: Any) -> tuple[str, ...]:
    """The powers with these numbers."""
    return tuple(POWER_NAMES[number] for number in numbers)


def chapters_drawn(**settings: Any) -> Counter[str]:
    """How often each set of chapters was drawn over many seeds."""
    return Counter(Game(**settings, seed=seed).position.split(" ")[1] for seed in range(600))


@pytest.mark.parametrize(
    ("power_set", "possible"),
    [
        ("tempo", {"GI", "GM", "IM", "G", "I", "M"}),  # nothing required: two of four cards
        ("self", {"GI", "GM", "IM", "G", "I", "M"}),
        ("beasts", {"M", "GM", "IM"}),  # one required: one more of three cards
        ("matter", {"GI"}),  # two required: none more
        (("brushwood", "ripple", "loyalty", "express"), {"GIM"}),
        (("brushwood", "green-thumb", "doorway", "express"), {"G", "GI", "GM"}),
    ],
)
@pytest.mark.parametrize("timeline", DRAFTS)
def test_chapters_come_from_requirements_and_cards_all_equally_likely(
    timeline: str, power_set: Any, possible: set[str]
) -> None:
    drawn = chapters_drawn(timeline=timeline, power_set=power_set)
    assert set(drawn) == possible
    for chapters, count in drawn.items():
        assert abs(count - 600 / len(possible)) < 70, (
            f"{chapters} was drawn {count} times of 600: {drawn}"
        )


def test_given_chapters_fix_what_a_timeline_would_draw() -> None:
    assert set(chapters_drawn(timeline="draft_powers", power_set="self", chapters="standard")) == {
        "-"
    }
    assert set(chapters_drawn(timeline="draft_powers", power_set="self", chapters=["growth"])) == {
        "G"
    }
    assert set(
        chapters_drawn(timeline="draft_powers", power_set="tempo", chapters="convergence")
    ) == {"GI", "GM", "IM"}


def test_a_random_set_is_one_that_the_given_chapters_satisfy() -> None:
    def sets_drawn(**settings: Any) -> set[str]:
        revealed = {
            names(Game(timeline="draft_powers", seed=seed, **settings).info()["revealed"])
            for seed in range(200)
        }
        return {name for name, powers in POWER_SETS.items() if powers in revealed}

    assert sets_drawn() == {"tempo", "self", "matter", "beasts"}
    assert sets_drawn(chapters="standard") == {"tempo", "self"}
    assert sets_drawn(chapters="memory") == {"tempo", "self", "beasts"}
    assert sets_drawn(chapters=CHAPTERS) == {"tempo", "self", "matter", "beasts"}


@pytest.mark.parametrize(
    ("keyword", "settings"),
    [
        ("powers", {"powers": ("brushwood", None)}),
        ("powers", {"powers": ("ripple", None), "chapters": "growth"}),
        ("powers", {"powers": (None, "loyalty"), "chapters": "convergence"}),
        ("powers", {"powers": ("flying", None)}),
        ("powers", {"powers": "doorway"}),
        ("powers", {"powers": ("doorway",)}),
        ("powers", {"powers": ("doorway", None), "timeline": "draft_powers"}),
        ("timeline", {"timeline": "draft"}),
        ("timeline", {"timeline": True}),
        ("power_set", {"power_set": "tempo"}),
        ("power_set", {"timeline": "draft_powers", "power_set": "time"}),
        ("power_set", {"timeline": "draft_powers", "power_set": (*POWER_SETS["tempo"], "kinship")}),
        ("power_set", {"timeline": "draft_powers", "power_set": POWER_SETS["tempo"][:3]}),
        ("power_set", {"timeline": "power_share", "power_set": ("express",) * 4}),
        ("power_set", {"timeline": "power_share", "power_set": set(POWER_SETS["tempo"])}),
        ("chapters", {"timeline": "draft_powers", "power_set": "matter", "chapters": "growth"}),
        (
            "chapters",
            {"timeline": "draft_powers", "power_set": "beasts", "chapters": "convergence"},
        ),
    ],
)
def test_an_invalid_configuration_is_refused_by_its_keyword(
    keyword: str, settings: dict[str, Any]
) -> None:
    for make in (GameConfig, Game, tkm_v0.env, tkm_v0.raw_env):
        with pytest.raises(ConfigError, match=keyword) as caught:
            make(**settings)
        assert caught.value.keyword == keyword


@pytest.mark.parametrize("power", POWERS)
def test_every_power_can_be_played_by_either_side_once_its_chapter_is_in_play(power: Any) -> None:
    chapters, number = (
        [name for bit, name in enumerate(CHAPTERS) if power.requires >> bit & 1],
        POWERS.index(power),
    )
    assert Game(chapters=chapters, powers=(power.name, None)).info()["powers"].tolist() == [
        number,
        NO_POWER,
    ]
    assert Game(chapters=chapters, powers=(power.name, power.name)).info()["powers"].tolist() == [
        number,
        number,
    ]


@pytest.mark.parametrize("first_player", ["white", "black"])
def test_in_draft_powers_each_takes_one_and_the_second_decides_the_order(first_player: str) -> None:
    game = Game(
        timeline="draft_powers", power_set="tempo", chapters="standard", first_player=first_player
    )
    second = "black" if first_player == "white" else "white"
    assert game.to_act == first_player
    assert game.first_player is None
    game.play("draft 3")
    assert game.to_act == second
    assert game.legal_names() == ["draft 1", "draft 2", "draft 4"]
    game.play("draft 1")
    assert game.to_act == second
    assert game.legal_names() == ["go first", "go second"]
    game.play("go second")
    assert game.to_act == game.first_player == first_player
    assert names(game.info()["powers"])[0 if first_player == "white" else 1] == "express"
    assert game.position.split(" ")[4] == ("PF" if first_player == "white" else "FP")


def test_in_power_share_one_power_is_taken_for_both() -> None:
    game = Game(timeline="power_share", power_set="self", chapters="standard")
    assert game.position.split(" ")[9] == "second-wind,afterimage,exchange,kinship/-"
    game.play("draft 4")
    assert game.position.split(" ")[9] == "second-wind,afterimage,exchange,kinship/kinship"
    assert game.to_act == "black"
    game.play("go first")
    assert game.position.split(" ")[9] == "kinship/kinship"
    assert game.first_player == "black"


@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
@pytest.mark.parametrize("timeline", DRAFTS)
@pytest.mark.parametrize("face", [tkm_v0.env, tkm_v0.raw_env])
def test_pettingzoo_suites_pass_with_drafts_and_draw_offers(timeline: str, face: Any) -> None:
    settings = {"timeline": timeline, "draws": True, "concede": True, "max_turns": 40}
    api_test(face(**settings), num_cycles=200)
    seed_test(lambda: face(**settings), num_cycles=200)


def test_info_reports_what_was_drawn() -> None:
    env = tkm_v0.env(timeline="draft_powers", power_set="beasts", max_turns=1)
    env.reset(seed=4)
    _, chapters, *_ = env.game.position.split(" ")
    info = env.game.info()
    assert names(info["revealed"]) == POWER_SETS["beasts"]
    assert (
        "".join(name[0].upper() for name in itertools.compress(CHAPTERS, info["chapters"]))
        == chapters
    )
    assert info["powers"].tolist() == [NO_POWER, NO_POWER]
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        env.step(int(env.last()[4]["action_mask"].argmax()))
    for info in env.infos.values():
        assert info["totals"].tolist() == [[*kinds.values()] for kinds in env.game.totals.values()]
        assert NO_POWER not in info["powers"]
        assert info["revealed"].tolist() == [NO_POWER] * 4
