"""The rules for players: complete, true to the engine, and cut to what matters in a game."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tkm_env import Game, GameConfig
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import GameSpec
from tkm_env.core.rulebook_text import Example, RulesSection
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.games.tkm.engine.powers import POWERS, effects_of
from tkm_env.games.tkm.engine.state import CHAPTERS
from tkm_env.games.tkm.rulebook_text import GOAL

ROOT = Path(__file__).parents[2]
BOTH = pytest.mark.parametrize("spec", [TKM, TERMINUS], ids=lambda spec: spec.name)


def examples() -> list[tuple[GameSpec, Example]]:
    return [
        (spec, example)
        for spec in (TKM, TERMINUS)
        for section in spec.rules_for()
        for example in section.examples
    ]


def told(game: BaseGame) -> list[str]:
    return [event for frame in game.replay().frames for event in frame.events]


@pytest.mark.parametrize(("spec", "example"), examples())
def test_examples_are_positions_in_which_what_is_shown_is_legal(
    spec: GameSpec, example: Example
) -> None:
    game = example.played(spec.game_class)
    assert game.start.visible_position == example.position, (
        "the position stands in the file as the package writes it"
    )
    assert [game.action_names[action] for action in game.history] == list(example.actions)
    assert example.actions, "a picture shows what an action did"


@BOTH
def test_sections_have_names_of_their_own_that_can_be_typed(spec: GameSpec) -> None:
    names = [section.name for section in spec.rules_for()]
    assert len(names) == len({*names})
    assert all(re.fullmatch("[a-z-]+", name) for name in names)


def test_every_chapter_and_every_power_has_its_part_with_an_example() -> None:
    shown: dict[str, list[RulesSection]] = {}
    for section in TKM.rules_for():
        if section.examples:
            for what in section.needs:
                shown.setdefault(what, []).append(section)
    assert shown.keys() >= {*CHAPTERS, *(power.name for power in POWERS)}
    for power in POWERS:
        (section,) = shown[power.name]
        assert section.text[0] == power.effect
        assert power.name in section.examples[0].position.split(" ")[9]


def test_both_editions_are_shown_where_they_differ() -> None:
    given = [
        example.settings.get("edition")
        for section in TKM.rules_for()
        for example in section.examples
    ]
    assert {*given} == {None, "2021", "2022"}


@pytest.mark.parametrize(
    ("settings", "there", "missing"),
    [
        ({}, ["goal", "turn"], ["seeds", "statues", "elephants", "timelines", "doorway"]),
        (
            {"chapters": "growth"},
            ["goal", "seeds", "trees"],
            ["statues", "elephants", "trees-and-statues"],
        ),
        (
            {"chapters": ("growth", "memory")},
            ["seeds", "elephants", "trees-and-elephants"],
            ["statues", "statues-and-elephants"],
        ),
        (
            {"chapters": "convergence"},
            ["convergence", "seeds", "statues", "elephants", "trees-and-statues"],
            ["timelines"],
        ),
        ({"powers": ("doorway", None)}, ["doorway"], ["fixation", "timelines"]),
        (
            {"timeline": "draft_powers", "power_set": "tempo"},
            ["timelines", "doorway", "seeds"],
            ["kinship"],
        ),
    ],
)
def test_rules_for_settings_are_those_that_can_matter(
    settings: dict[str, Any], there: list[str], missing: list[str]
) -> None:
    names = {section.name for section in TKM.rules_for(GameConfig(**settings))}
    assert names.issuperset(there)
    assert names.isdisjoint(missing)


@pytest.mark.parametrize("edition", ["2021", "2022"])
def test_examples_of_the_other_edition_are_left_out(edition: str) -> None:
    config = GameConfig(chapters=("growth", "influence"), edition=edition)
    given = {
        example.settings.get("edition", edition)
        for section in TKM.rules_for(config)
        for example in section.examples
    }
    assert given == {edition}


def test_the_readme_tells_the_goal_in_the_words_of_the_rules() -> None:
    assert "\n".join(GOAL) in (ROOT / "README.md").read_text("utf-8")


def test_examples_say_truly_what_dies() -> None:
    for _, example in examples():
        if example.position.count("|") == 2 and re.search(
            r"\b(dies|crushes|tramples|are gone)\b", example.words
        ):
            happened = " ".join(told(example.played(Game)))
            assert re.search("squished|vanished|paradox|crushed|trampled", happened), (
                f"{example.words} But: {happened}"
            )


@pytest.mark.parametrize("power_texts", [1, 2])
def test_a_power_is_described_by_the_text_that_holds(power_texts: int) -> None:
    config = GameConfig(
        chapters="memory", powers=("fixation", "whisperer"), power_texts=power_texts
    )
    told = {
        section.name: section.text[0]
        for section in TKM.rules_for(config)
        if section.group == "Powers"
    }
    for name in ("fixation", "whisperer"):
        first, second = effects_of(name)
        assert told[name] == (first if power_texts == 1 else second)
