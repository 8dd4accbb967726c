"""Evaluation in one call: every game is counted, from both sides, for all kinds of players.

The same seed plays the same games.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import tkm_env
from tests.games.tictactoe import SPEC
from tkm_env import ConfigError, IllegalActionError, UnknownActionError
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core import registry
from tkm_env.evaluation import Evaluation, evaluate
from tkm_env.evaluation.score import PairResults
from tkm_env.players import GreedyAgent, RandomAgent

GAMES = 40 if COMPILES else 4


def first(observation: Any, info: dict[str, Any]) -> Any:
    return info["action_mask"].argmax(1)


def illegal(observation: Any, info: dict[str, Any]) -> Any:
    return info["action_mask"].argmin(1)


class Model:
    """Predicts as a model of sb3-contrib does."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def predict(
        self,
        observation: Any,
        state: Any = None,
        deterministic: bool = False,
        action_masks: Any = None,
    ) -> Any:
        self.seen.append(
            (
                observation.shape,
                observation.dtype,
                action_masks.shape,
                action_masks.dtype,
                deterministic,
            )
        )
        return action_masks.argmax(1), state


class Unmasked:
    def predict(self, observation: Any) -> Any:
        return np.zeros(len(observation), np.int64)


# What is counted.


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tkm", "terminus"])
@pytest.mark.parametrize("policy", ["random", "greedy", first, illegal])
def test_every_game_is_counted(game: str, policy: Any) -> None:
    result = evaluate(policy, "random", games=GAMES, game=game, seed=1)
    assert result.wins + result.draws + result.losses == result.games == result.pairs.games == GAMES
    assert [sum(counts) for counts in result.by_side.values()] == [GAMES // 2] * 2
    assert result.wins + result.draws / 2 == result.pairs.points == result.score.share * GAMES
    assert tuple(result.by_side) == registry.game_spec(game).players


@pytest.mark.parametrize("game", ["tkm", "terminus"])
def test_a_policy_that_always_loses_scores_nothing(game: str) -> None:
    result = evaluate(illegal, "random", games=GAMES, game=game)
    assert (result.wins, result.draws, result.losses, result.illegal) == (0, 0, GAMES, GAMES)
    assert result.score.share == 0 < result.score.high
    assert result.elo.estimate == -math.inf
    assert "illegal" in str(result)


def test_what_one_wins_the_other_loses() -> None:
    one = evaluate("greedy", "random", games=GAMES, seed=3)
    other = evaluate("random", "greedy", games=GAMES, seed=3)
    assert one.wins == other.losses == GAMES
    assert one.losses == other.wins == one.illegal == 0


def test_truncated_games_are_draws() -> None:
    result = evaluate("random", "random", games=GAMES, opening_turns=0, max_turns=1)
    assert result.draws == result.games
    assert result.score.share == 0.5
    assert result.turns == 1


def test_an_odd_number_of_games_is_rounded_up() -> None:
    assert evaluate(first, games=3).games == 4


def test_a_game_of_ones_own_is_evaluated() -> None:
    tkm_env.register_game(SPEC)
    try:
        result = evaluate(first, "random", games=GAMES, game=SPEC.name)
        assert result.games == GAMES
        assert tuple(result.by_side) == ("cross", "nought")
    finally:
        del registry._SPECS[SPEC.name]
        gymnasium.registry.pop(SPEC.env_id)


# Who plays.


def test_a_function_gets_all_games_in_which_it_is_to_act_from_its_own_side() -> None:
    seen: list[Any] = []

    def policy(observation: Any, info: dict[str, Any]) -> Any:
        assert observation.shape == (len(info["action_mask"]), 84, 4, 4)
        assert info["action_mask"].any(1).all()
        seen.append(info["to_act"].tolist())
        return first(observation, info)

    evaluate(policy, games=GAMES, seed=1)
    assert seen[0] == [0] * (GAMES // 2), (
        "after two turns white is to act, in half of the games the policy"
    )
    assert {player for players in seen for player in players} == {0, 1}


def test_a_model_is_asked_with_masks_and_plays_as_the_function_it_is() -> None:
    model = Model()
    of_model, of_function = (evaluate(policy, games=GAMES, seed=2) for policy in (model, first))
    assert (of_model.by_side, of_model.turns) == (of_function.by_side, of_function.turns)
    assert (of_model.policy, of_function.policy) == ("Model", "first")
    number = model.seen[0][0][0]
    assert model.seen[0] == ((number, 84, 4, 4), np.int8, (number, 79), np.bool_, True)


def test_a_model_that_takes_no_masks_loses_by_illegal_actions() -> None:
    result = evaluate(Unmasked(), games=GAMES)
    assert result.illegal == result.losses > 0


def test_agents_and_opponents_of_all_kinds() -> None:
    lines = evaluate("greedy", "random", games=GAMES, seed=1)
    agents = evaluate(GreedyAgent(), RandomAgent(), games=GAMES, seed=1)
    assert lines == agents
    one_by_one = evaluate(
        SimpleNamespace(act=RandomAgent(seed=1).act, name="slow"), Model(), games=4
    )
    assert (one_by_one.policy, one_by_one.opponent) == ("slow", "Model")


def test_an_evaluation_of_a_trained_model() -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    from tkm_env.envs.sb3 import SB3VecEnv

    model = sb3_contrib.MaskablePPO(
        "MlpPolicy", SB3VecEnv(num_envs=2), n_steps=8, batch_size=8, seed=1
    )
    result = evaluate(model, "random", games=4, max_turns=20)
    assert (result.games, result.illegal, result.policy) == (4, 0, "MaskablePPO")


# InitialPositions.


def test_the_same_seed_plays_the_same_games() -> None:
    def played(seed: int, num_threads: int = 1) -> Any:
        seen = []

        def policy(observation: Any, info: dict[str, Any]) -> Any:
            seen.append(observation.tobytes())
            return first(observation, info)

        return evaluate(
            policy, "random", games=200 if COMPILES else 4, seed=seed, num_threads=num_threads
        ), seen

    assert played(1) == played(1) == played(1, 2)
    assert played(1)[1] != played(2)[1]


def test_without_an_opening_games_begin_at_the_start() -> None:
    result = evaluate(first, first, games=2, opening_turns=0)
    assert result.by_side["white"] == result.by_side["black"][::-1], (
        "two games of the same player from the same start"
    )


# What is printed.


def test_what_is_printed() -> None:
    result = Evaluation(
        "mine",
        "greedy",
        {"white": (5, 1, 4), "black": (3, 0, 7)},
        PairResults((3, 1, 4, 0, 2)),
        31.25,
        0,
    )
    assert str(result).splitlines() == [
        "mine against greedy: 20 games, 31.2 turns each on average",
        "  as white  +5 =1 -4",
        "  as black  +3 =0 -7",
        "  all       +8 =1 -11",
        "  score     42.5% (23.4% to 65.7%), 95% interval",
        "  Elo       -53 (-206 to +113)",
        "  white     62.5% of all points",
    ]


# Refusals.


@pytest.mark.parametrize(
    ("keywords", "named"),
    [
        ({"policy": None}, "policy"),
        ({"policy": GreedyAgent}, "policy"),
        ({"policy": "clever"}, "policy"),
        ({"opponent": 5}, "opponent"),
        ({"opponent": "clever"}, "opponent"),
        ({"opponent": tkm_env.OpponentPool(["random"])}, "opponent"),
        ({"games": 0}, "games"),
        ({"games": "4"}, "games"),
        ({"opening_turns": -1}, "opening_turns"),
        ({"opening_turns": 200}, "opening_turns"),
        ({"seed": -1}, "seed"),
        ({"game": "chess"}, "game"),
        ({"num_threads": 0}, "num_threads"),
        ({"chapters": "nonsense"}, "chapters"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_refused_arguments_are_named(keywords: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=f"^{named}="):
        evaluate(**{"policy": first, "games": 2} | keywords)


@pytest.mark.parametrize("answer", [None, 0, [0.5], np.zeros((1, 1), int), [10**6] * 2, [-1] * 2])
def test_a_policy_must_answer_with_an_action_for_each_game(answer: Any) -> None:
    with pytest.raises(
        UnknownActionError, match=r"^the policy returned .* 2 integers from 0 to 78"
    ):
        evaluate(
            lambda observation, info: answer,
            lambda observation, info: first(observation, info),
            games=4,
            opening_turns=0,
        )


def test_an_opponent_may_not_play_an_illegal_action() -> None:
    with pytest.raises(IllegalActionError, match="the opponent played"):
        evaluate(first, illegal, games=2)
