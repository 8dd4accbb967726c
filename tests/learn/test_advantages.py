"""Advantages of two players' steps: by hand, by definition, and from environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests.envs.comparison import random_legal
from tkm_env import ArrayError, ConfigError
from tkm_env.compiled.decorators import COMPILES
from tkm_env.learn import zero_sum_gae


def by_definition(
    rewards: Any, values: Any, done: Any, to_act: Any, gamma: float, lam: float, final_values: Any
) -> np.ndarray:
    """Sum discounted temporal differences step by step and game by game.

    Each is seen by the player whose advantage it is.
    """
    steps, games = rewards.shape
    advantages = np.zeros((steps, games))
    for game in range(games):
        for start in range(steps):
            player, weight = to_act[start, game], 1.0
            for step in range(start, steps):
                actor, following = to_act[step, game], to_act[step + 1, game]
                mine = 1 if actor == player else -1
                goes_on = (1 if following == player else -1) * values[step + 1, game]
                ahead = mine * final_values[step, game] if done[step, game] else goes_on
                now = mine * values[step, game]
                advantages[start, game] += weight * (
                    mine * rewards[step, game] + gamma * ahead - now
                )
                weight *= gamma * lam
                if done[step, game]:
                    break
    return advantages


def test_advantages_are_the_sums_of_the_definition() -> None:
    generator = np.random.default_rng(1)
    steps, games = 23, 6
    for gamma, lam in ((1, 1), (1, 0), (0.99, 0.95), (0, 0.5), (0.5, 1)):
        rewards, values = (
            generator.normal(size=(steps, games)),
            generator.normal(size=(steps + 1, games)),
        )
        done, to_act = (
            generator.random((steps, games)) < 0.15,
            generator.integers(2, size=(steps + 1, games)),
        )
        final_values = np.where(
            generator.random((steps, games)) < 0.5, generator.normal(size=(steps, games)), 0
        )
        advantages, returns = zero_sum_gae(
            rewards, values, done, to_act, gamma=gamma, lam=lam, final_values=final_values
        )
        expected = by_definition(rewards, values, done, to_act, gamma, lam, final_values)
        np.testing.assert_allclose(advantages, expected, atol=1e-12, err_msg=f"{gamma=}, {lam=}")
        np.testing.assert_allclose(returns, advantages + values[:-1])
        assert advantages.dtype == returns.dtype == np.float64


def column(*numbers: float) -> np.ndarray:
    return np.array(numbers)[:, None]


def test_a_turn_of_two_steps_and_a_reply_by_hand() -> None:
    """White acts twice, Black once and wins; gamma is 0.9 and lambda 0.5."""
    rewards, done = column(0, 0, 1), column(False, False, True)
    values, to_act = column(0.2, 0.4, 0.6, 0.3), column(0, 0, 1, 0)
    advantages, _ = zero_sum_gae(rewards, values, done, to_act, gamma=0.9, lam=0.5)
    last = 1 - 0.6
    middle = (0 - 0.9 * 0.6 - 0.4) - 0.9 * 0.5 * last
    first = (0 + 0.9 * 0.4 - 0.2) + 0.9 * 0.5 * middle
    np.testing.assert_allclose(advantages.ravel(), [first, middle, last])


def test_with_lambda_1_returns_are_the_results_of_games() -> None:
    returns = zero_sum_gae(
        column(0, 0, 0, 0, 1),
        np.random.default_rng(1).normal(size=(6, 1)),
        column(False, False, False, False, True),
        column(0, 0, 1, 1, 0, 1),
        lam=1.0,
    )[1]
    np.testing.assert_allclose(returns.ravel(), [1, 1, -1, -1, 1])


def test_an_unfinished_game_is_worth_the_value_of_its_last_position() -> None:
    unfinished = {"rewards": column(0, 0), "done": column(False, False), "lam": 1.0}
    values = column(0, 0, 0.5)
    np.testing.assert_allclose(
        zero_sum_gae(values=values, to_act=column(0, 1, 1), **unfinished)[1].ravel(), [-0.5, 0.5]
    )
    np.testing.assert_allclose(
        zero_sum_gae(values=values, to_act=column(0, 1, 0), **unfinished)[1].ravel(), [0.5, -0.5]
    )


def test_a_truncated_game_is_worth_its_final_value_to_the_last_player() -> None:
    """The next game, in the same column, does not matter."""
    advantages, returns = zero_sum_gae(
        column(0, 0, -1),
        column(0.1, 0.2, 9, 9),
        column(False, True, True),
        column(0, 1, 1, 0),
        lam=1.0,
        final_values=column(7, 0.7, 0),
    )
    np.testing.assert_allclose(returns.ravel(), [-0.7, 0.7, -1])
    np.testing.assert_allclose(advantages[1, 0], 0.5)


@pytest.mark.parametrize(
    "mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.name
)
def test_returns_of_self_play_are_the_results_of_its_games(mode: AutoresetMode) -> None:
    games, steps = 8 if COMPILES else 2, 300 if COMPILES else 60
    envs: Any = gymnasium.make_vec(
        "tkm_env/TKM-v0", games, opponent="self", autoreset_mode=mode, max_turns=40
    )
    generator = np.random.default_rng(1)
    _, info = envs.reset(seed=1)
    rewards, done = np.zeros((steps, games)), np.zeros((steps, games), np.bool_)
    to_act, won = np.zeros((steps + 1, games), int), np.zeros((steps, games, 2))
    for step in range(steps):
        to_act[step] = info["to_act"]
        _, rewards[step], terminations, truncations, info = envs.step(
            random_legal(info["action_mask"], generator)
        )
        done[step], won[step] = terminations | truncations, info["rewards"]
    to_act[steps] = info["to_act"]
    returns = zero_sum_gae(rewards, np.zeros((steps + 1, games)), done, to_act, lam=1.0)[1]
    checked = 0
    for game in range(games):
        begin = 0
        for end in done[:, game].nonzero()[0].tolist():
            mine = won[end, game, to_act[begin : end + 1, game]]
            np.testing.assert_array_equal(returns[begin : end + 1, game], mine)
            checked += int(abs(mine).sum())
            begin = end + (2 if mode == AutoresetMode.NEXT_STEP else 1)
    assert checked > 50 or not COMPILES


GIVEN: dict[str, Any] = {
    "rewards": np.zeros((3, 2)),
    "values": np.zeros((4, 2)),
    "done": np.zeros((3, 2), bool),
    "to_act": np.zeros((4, 2), int),
}


def test_invalid_arrays_are_named() -> None:
    for name, value in (
        ("rewards", np.zeros(3)),
        ("rewards", "nonsense"),
        ("rewards", np.full((3, 2), np.nan)),
        ("values", np.zeros((3, 2))),
        ("values", np.full((4, 2), np.inf)),
        ("values", np.zeros((4, 2), object)),
        ("done", np.zeros((3, 2), int)),
        ("done", np.zeros((4, 2), bool)),
        ("to_act", np.zeros((3, 2), int)),
        ("final_values", np.zeros((4, 2))),
    ):
        with pytest.raises(ArrayError, match=f"^invalid {name}:"):
            zero_sum_gae(**GIVEN | {name: value})


def test_invalid_discounts_are_named() -> None:
    for keyword in ("gamma", "lam"):
        for value in (-0.1, 1.1, np.nan, "1", None, True):
            with pytest.raises(ConfigError, match=f"^{keyword}="):
                zero_sum_gae(**GIVEN, **{keyword: value})
