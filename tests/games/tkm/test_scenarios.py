"""Worked examples from the rulebooks, legal and illegal.

There are also positions in which the engine was once wrong.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import json_lines
from tkm_env import ACTIONS, Game
from tkm_env.games.tkm.engine.powers import POWER_NAMES

CASES = [
    case for name in ("scenarios", "powers", "regressions") for case in json_lines(f"{name}.jsonl")
]


def game_of(case: dict[str, Any]) -> Game:
    given = {
        keyword: case[keyword]
        for keyword in ("edition", "power_texts", "concede", "draws")
        if keyword in case
    }
    return Game(position=case["from"], **given)


@pytest.mark.parametrize("case", CASES)
def test_scenarios_agree(case: dict[str, Any]) -> None:
    game = game_of(case)
    about = f"{case['source']}: {case['why']}"
    assert game.position == case["from"], about
    legal = {ACTIONS[action] for action in game.legal_actions()}
    assert set(case["legal"]) <= legal, about
    assert not set(case["illegal"]) & legal, about
    for action in case["play"]:
        game.play(action)
    if case["to"] is not None:
        assert game.position == case["to"], about
    assert game.result == case["result"], about


def test_scenarios_have_different_names() -> None:
    names = [case["id"] for case in CASES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("power", POWER_NAMES)
def test_every_power_has_cases_of_its_own(power: str) -> None:
    assert sum(case["id"].startswith(f"power-{power}-") for case in CASES) >= 3
