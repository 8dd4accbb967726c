"""Worked examples for every sentence of the rules of Terminus, legal and illegal.

They are in ``tests/data/terminus.jsonl``. Each line names the rule, begins at a position, plays,
and lists what is then legal, what is illegal, and what the fields of the position hold.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import json_lines
from tests.games.terminus.games import fields_of
from tkm_env import IllegalActionError, TerminusGame

SCENARIOS = json_lines("terminus.jsonl")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenarios_agree(scenario: dict[str, Any]) -> None:
    game = TerminusGame(position=scenario["position"], deck=scenario.get("cards"), seed=1)
    for name in scenario.get("play", ()):
        game.play(name)
    legal = game.legal_names()
    for name in scenario.get("legal", ()):
        assert name in legal, f"{name} must be legal at\n{game}"
    for name in scenario.get("illegal", ()):
        before = game.copy()
        with pytest.raises(IllegalActionError):
            game.play(name)
        assert game == before, "an illegal action changes nothing"
    actual = fields_of(game.position)
    for field, expected in scenario.get("expect", {}).items():
        assert actual[field] == expected, f"{field} at {game.position}"
