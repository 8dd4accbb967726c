"""A third game, in one file that the package does not know, has every interface.

One call registers it.
"""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import tkm_env
from tests.envs.comparison import with_warnings_that_any_dict_observation_gets
from tests.games.tictactoe import SPEC, TicTacToe
from tkm_env.core import registry
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.record_files import from_record
from tkm_env.envs.aec import OrderEnforcingEnv
from tkm_env.foundations.errors import ConfigError, PositionError


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """The game is known during a test, and forgotten afterwards."""
    tkm_env.register_game(SPEC)
    yield
    del registry._SPECS[SPEC.name]
    gymnasium.registry.pop(SPEC.env_id)


def played(*actions: str) -> TicTacToe:
    game = TicTacToe()
    for action in actions:
        game.play(action)
    return game


#: Cross wins in the middle row.
WON = ("middle centre", "top left", "middle left", "top right", "middle right")


@pytest.mark.parametrize(
    ("keyword", "given"),
    [("env_id", "no id"), ("env_id", ""), ("name", 5), ("load", None), ("title", [])],
)
def test_an_invalid_game_is_refused_and_changes_nothing(keyword: str, given: Any) -> None:
    before = registry.registered_games()
    with pytest.raises(ConfigError, match=f"^{keyword}="):
        tkm_env.register_game(dataclasses.replace(SPEC, **{"name": "another", keyword: given}))
    with pytest.raises(ConfigError, match=r"^spec=.* it must be a GameSpec$"):
        tkm_env.register_game(given)
    assert registry.registered_games() == before


def test_the_package_does_not_mention_it() -> None:
    module = TicTacToe.__module__.rpartition(".")[2]
    files = Path(tkm_env.__file__).parent.rglob("*.py")
    assert not [path for path in files if module in path.read_text("utf-8")]


def test_it_keeps_its_own_rules() -> None:
    game = played(*WON)
    assert (game.result, game.winner, game.to_act, game.turn) == ("1-0", "cross", "cross", 6)
    assert game.legal_names() == []
    with pytest.raises(tkm_env.IllegalActionError, match="the game is over, 1-0"):
        game.play("bottom left")
    with pytest.raises(PositionError, match="take turns"):
        TicTacToe(position="xx.......")
    assert game.at(-1) == played(*WON[:-1]) != game
    assert game.copy() == game
    assert game.copy().history == game.history


@with_warnings_that_any_dict_observation_gets
def test_it_passes_the_suites_of_pettingzoo() -> None:
    env = pettingzoo.make("aec", SPEC.env_id.lower())
    assert isinstance(env.unwrapped, OrderEnforcingEnv)
    assert env.possible_agents == ["cross_0", "nought_0"]
    api_test(env, num_cycles=100)
    seed_test(lambda: pettingzoo.make("aec", SPEC.env_id.lower()))


def test_it_passes_the_checker_of_gymnasium() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(SPEC.env_id).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("opponent", ["random", "self"])
def test_many_games_are_what_single_games_are(opponent: str) -> None:
    envs: Any = gymnasium.make_vec(SPEC.env_id, num_envs=7, opponent=opponent)
    observations, info = envs.reset(seed=3)
    ended = 0
    for _ in range(40):
        for number in range(7):
            game = envs.batch.game(number)
            viewer = game.players[info["to_act" if opponent == "self" else "side"][number]]
            assert (observations[number] == game.observation(viewer)).all()
            assert (info["action_mask"][number] == game.action_mask()).all()
        observations, rewards, terminations, truncations, info = envs.step(
            info["action_mask"].argmax(1)
        )
        assert not truncations.any()
        for number in terminations.nonzero()[0]:
            ended += 1
            assert info["result"][number] in TicTacToe.results.values()
            assert abs(rewards[number]) == (info["result"][number] != "1/2")
    assert ended >= 7


def test_many_games_follow_from_their_seeds() -> None:
    def lines() -> list[list[int]]:
        batch = make_batch(SPEC, 5)
        batch.reset(seed=8)
        observations = batch.new_observations()
        found = []
        for _ in range(30):
            batch.step(batch.random_actions(), observations)
            found.append(batch.results.tolist())
        return found

    assert lines() == lines()
    assert len({tuple(results) for results in lines()}) > 5


def test_a_turn_is_one_action() -> None:
    game = TicTacToe()
    game.play(4)
    assert [turn.actions for turn in game.turns()] == [(action,) for action in game.legal_actions()]
    batch = make_batch(SPEC, 1)
    batch.set_game(0, game.turns()[0].after)
    assert game.turns()[0].key == batch.keys[0]
    with pytest.raises(ConfigError, match=r"TicTacToe\.turns"):
        batch.turns()


def test_an_illegal_action_in_a_batch_loses() -> None:
    batch = make_batch(SPEC, 2)
    batch.play(np.array([4, 4]))
    batch.play(np.array([4, 0]))
    assert batch.illegal.tolist() == [True, False]
    assert batch.rewards.tolist() == [[1, -1], [0, 0]]
    assert not batch.masks[0].any()
    batch.play(np.array([0, 1]))
    assert batch.results.tolist() == [1, 0]


def test_records() -> None:
    game = played(*WON)
    assert from_record(json.loads(json.dumps(game.to_record()))) == game


def test_drawing() -> None:
    svg = played(*WON).svg(size=200, theme="dark", legal=True)
    assert svg.startswith(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300" width="200"'
    )
    assert "over, cross won; last action: middle right" in svg
