"""Opponents that change during games, and trained models as opponents.

Both in one game and in many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests.envs.comparison import assert_same, first_legal, from_what_it_sees, random_legal
from tests.games.tkm.positions import random_action
from tkm_env import ConfigError, OpponentPool
from tkm_env.players import GreedyAgent, RandomAgent

ID = "tkm_env/TKM-v0"


def one_game(**settings: Any) -> Any:
    return gymnasium.make(ID, **{"side": "white"} | settings).unwrapped


def many(**settings: Any) -> Any:
    return gymnasium.make_vec(ID, 4, **{"side": "white"} | settings)


def by_method(env: Any, opponent: Any) -> None:
    env.set_opponent(opponent)


def by_attribute(env: Any, opponent: Any) -> None:
    env.opponent = opponent


# Another opponent.


@pytest.mark.parametrize("change", [by_method, by_attribute])
@pytest.mark.parametrize("made", [one_game, many])
def test_another_opponent_plays_on_from_the_next_step(
    made: Callable[..., Any], change: Callable[[Any, Any], None]
) -> None:
    env, asked = made(opponent=first_legal), []

    def noting(observation: Any, info: dict[str, Any]) -> Any:
        asked.append(info)
        return first_legal(observation, info)

    _, info = env.reset(seed=1)
    while True:  # to the last action of the learner's turn
        step = info["action_mask"].argmax(-1)
        position = env.game.turn if made is one_game else env.batch.states["turn"][0]
        if position == 3:
            break
        *_, info = env.step(step)
    change(env, noting)
    assert env.opponent is noting
    assert not asked, "the learner is to act"
    seen = env.game.position if made is one_game else env.batch.states.tobytes()
    while not asked:
        *_, info = env.step(info["action_mask"].argmax(-1))
    assert seen != (env.game.position if made is one_game else env.batch.states.tobytes())
    assert (env.game.turn if made is one_game else env.batch.states["turn"][0]) == 5, (
        "the game goes on"
    )


@pytest.mark.parametrize("made", [one_game, many])
def test_a_pool_draws_for_games_in_progress(made: Callable[..., Any]) -> None:
    env = made(opponent="random", side="random")
    assert "opponent" not in env.reset(seed=1)[1]
    env.set_opponent(OpponentPool(["random", first_legal], [0, 1]))
    *_, info = env.step(env.action_masks().argmax(-1))
    assert np.unique(info["opponent"]).tolist() == [1]
    env.set_opponent("greedy")
    *_, info = env.step(env.action_masks().argmax(-1))
    assert "opponent" not in info


@pytest.mark.parametrize(
    "new", ["random", "greedy", RandomAgent(), OpponentPool(["random", GreedyAgent()])]
)
@pytest.mark.parametrize("made", [one_game, many])
def test_the_same_seed_and_the_same_changes_give_the_same_games(
    made: Callable[..., Any], new: Any
) -> None:
    series = []
    for _ in range(2):
        env, generator = (
            made(opponent=from_what_it_sees, side="random", max_turns=4),
            np.random.default_rng(1),
        )
        _, info = env.reset(seed=1)
        series.append([info])
        for step in range(30):
            if step in (4, 5):
                env.set_opponent(new)
            if made is many:
                series[-1].append(env.step(random_legal(info["action_mask"], generator)))
            else:
                series[-1].append(env.step(random_action(info["action_mask"], generator)))
            *_, terminated, truncated, info = series[-1][-1]
            if made is one_game and (terminated or truncated):
                _, info = env.reset()
    assert_same(*series, "the same changes")


@pytest.mark.parametrize("made", [one_game, many])
def test_an_opponent_may_change_before_the_first_reset_and_between_games(
    made: Callable[..., Any],
) -> None:
    env = made(opponent=first_legal, side="black", max_turns=1)
    env.set_opponent(from_what_it_sees)
    expected = made(opponent=from_what_it_sees, side="black", max_turns=1)
    assert_same(env.reset(seed=1), expected.reset(seed=1), "after a reset")
    env.set_opponent(first_legal)
    expected = made(opponent=first_legal, side="black", max_turns=1)
    assert_same(env.reset(seed=2), expected.reset(seed=2), "after another reset")


@pytest.mark.parametrize("given", [None, 5, "clever", GreedyAgent])
@pytest.mark.parametrize("made", [one_game, many])
def test_anything_but_an_opponent_is_refused_and_changes_nothing(
    made: Callable[..., Any], given: Any
) -> None:
    env = made(opponent="random")
    _, info = env.reset(seed=1)
    with pytest.raises(ConfigError, match=r"^opponent="):
        env.set_opponent(given)
    assert env.opponent == "random"
    env.step(info["action_mask"].argmax(-1))


def test_self_play_neither_begins_nor_ends_in_an_environment() -> None:
    for before, after in (("self", "random"), ("random", "self")):
        envs = many(opponent=before)
        with pytest.raises(ConfigError, match="self-play"):
            envs.set_opponent(after)
        assert envs.opponent == before


@pytest.mark.parametrize("made", [one_game, many])
def test_the_side_that_was_requested_is_reported(made: Callable[..., Any]) -> None:
    assert made(side="random").wanted_side == "random"
    assert made(side="black").wanted_side == "black"


# Trained models.


class Model:
    """Predicts as a model of sb3-contrib does: for one observation, or for many."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def predict(
        self,
        observation: Any,
        state: Any = None,
        deterministic: bool = False,
        action_masks: Any = None,
    ) -> Any:
        self.asked.append((observation.shape, action_masks.dtype, deterministic))
        return action_masks.argmax(-1), state


class UnmaskedModel:
    """Predicts as a model of Stable-Baselines3 does that takes no masks."""

    def predict(self, observation: Any, state: Any = None, deterministic: bool = False) -> Any:
        return np.zeros(observation.shape[:-3], np.int64), state


@pytest.mark.parametrize("made", [one_game, many])
def test_a_model_plays_as_the_function_that_it_is(made: Callable[..., Any]) -> None:
    model, series = Model(), []
    for opponent in (model, first_legal):
        env, generator = made(opponent=opponent, max_turns=6), np.random.default_rng(1)
        _, info = env.reset(seed=1)
        series.append([])
        for _ in range(12):
            series[-1].append(
                env.step(
                    random_legal(np.atleast_2d(info["action_mask"]), generator)[
                        ... if made is many else 0
                    ]
                )
            )
            info = series[-1][-1][-1]
    assert_same(*series, "a model and a function")
    assert model.asked[0] == ((4, 84, 4, 4) if made is many else (84, 4, 4), np.bool_, True)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_model_that_takes_no_masks_plays_random_legal_actions_in_place_of_illegal_ones(
    mode: AutoresetMode,
) -> None:
    series = []
    for _ in range(2):
        envs = many(opponent=UnmaskedModel(), side="random", max_turns=4, autoreset_mode=mode)
        _, info = envs.reset(seed=1)
        generator = np.random.default_rng(1)
        series.append([])
        for _ in range(30):
            *step, info = envs.step(random_legal(info["action_mask"], generator))
            series[-1].append((step, info))
            done = step[2] | step[3]
            if mode == AutoresetMode.DISABLED and done.any():
                _, info = envs.reset(options={"reset_mask": done})
    assert_same(*series, "two environments with the same seed")


def test_a_model_that_takes_no_masks_plays_one_game() -> None:
    env = one_game(opponent=UnmaskedModel(), side="black", max_turns=3)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
    assert info["result"] == "*"
