"""`docs/vectors.json`: whoever has nothing but this file can check rules of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tkm_env import ACTIONS, POWERS
from tkm_env.core.registry import game_spec
from tkm_env.isolation.bot_protocol import Go, parse_request

CONTENT = json.loads((Path(__file__).parents[2] / "docs/vectors.json").read_text("utf-8"))
VECTORS = CONTENT["vectors"]


def game_of(vector: dict[str, Any], seed: int = 0) -> Any:
    spec = game_spec(vector["game"])
    return spec.game_class(spec.config(vector["config"]), seed=seed, position=vector["position"])


@pytest.mark.parametrize("vector", VECTORS)
def test_what_follows_depends_on_nothing_but_the_vector(vector: dict[str, Any]) -> None:
    assert game_of(vector).legal_actions() == [row["index"] for row in vector["legal"]]
    for seed, row in enumerate(vector["legal"]):
        game = game_of(vector, seed)
        assert game.action_names[row["index"]] == row["action"]
        game.play(row["action"])
        assert (game.position, game.result) == (row["position"], row["result"])


def test_every_action_of_the_first_game_every_power_and_every_result_is_there() -> None:
    rows = [
        (vector, row) for vector in VECTORS if vector["game"] == "tkm" for row in vector["legal"]
    ]
    assert {row["action"] for _, row in rows} == {*ACTIONS}
    assert {row["result"] for _, row in rows} == {None, "1-0", "0-1", "1/2", "*"}
    assert {power for vector, _ in rows for power in vector["config"].get("powers", ())} >= {
        power.name for power in POWERS
    }


@pytest.mark.parametrize("row", CONTENT["perft"])
def test_the_first_counts_are_those_of_the_legal_actions(row: dict[str, Any]) -> None:
    game = game_of(row)
    after = [game.copy() for _ in game.legal_actions()]
    for each_game, action in zip(after, game.legal_actions(), strict=True):
        each_game.play(action)
    assert row["lines"][:2] == [
        len(after),
        sum(len(each_game.legal_actions()) for each_game in after if each_game.result is None),
    ]


def test_the_longest_request_of_a_default_game_fits_into_64_kib() -> None:
    """Random games have up to ten actions in the first turn, six in others; allow eight."""
    longest = max(ACTIONS, key=len)
    line = str(Go("x" * 200, tuple(range(len(ACTIONS))), (longest,) * (8 * 200), 10_000, 2**53 - 1))
    assert isinstance(parse_request(line), Go)
    assert len(line) < 2**16
