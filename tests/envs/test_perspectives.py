"""Every face shows games as it is asked to: compact observations everywhere, and what the games are otherwise is the same."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import (
    DelayObservation,
    FlattenObservation,
    FrameStackObservation,
    NormalizeObservation,
    RescaleObservation,
    TransformObservation,
)
from gymnasium.wrappers.vector import RescaleObservation as RescaleObservations
from pettingzoo.test import api_test

from tests.envs.comparison import with_warnings_that_any_dict_observation_gets
from tests.games.tictactoe import SPEC, TicTacToe
from tests.games.tkm.positions import random_action
from tkm_env import ConfigError, Game, Perspective, TerminusGame, compact_layout, register_game, terminus_v0, tkm_v0
from tkm_env.agents import FunctionAgent
from tkm_env.arena import evaluate
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import game_spec
from tkm_env.envs.aec import AECGameEnv, OrderEnforcingEnv
from tkm_env.envs.spaces import observation_space

#: Games with settings: chapters and powers, one that draws them, another game, and one from outside.
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "powers": ("tkm", {"chapters": ["growth", "memory"], "powers": ("express", "overtime"), "max_turns": 30}),
    "draft": ("tkm", {"timeline": "draft_powers", "max_turns": 20}),
    "terminus": ("terminus", {}),
    "tictactoe": (SPEC.name, {}),
}


@pytest.fixture(autouse=True)
def _third_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tkm_env.core.registry._SPECS", dict(registered()))
    register_game(SPEC)


def registered() -> Any:
    from tkm_env.core.registry import registered_games

    return registered_games()


def perspective_of(name: str) -> Perspective:
    game, settings = GAMES[name]
    spec = game_spec(game)
    return Perspective(spec.game_class, spec.config(settings), "compact")


def first(observation: Any, info: dict[str, Any]) -> Any:
    return info["action_mask"].argmax(-1)


# What is shown.


@pytest.mark.parametrize("name", GAMES)
def test_one_game_is_shown_compactly_to_the_learner(name: str) -> None:
    game, settings = GAMES[name]
    perspective, generator = perspective_of(name), np.random.default_rng(1)
    env: Any = gymnasium.make(game_spec(game).env_id, observation="compact", side="random", **settings).unwrapped
    assert env.observation_space == observation_space(perspective) == Box(0, 1, perspective.high.shape, np.float32)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space.contains(observation)
            assert observation.tobytes() == perspective.observation(env.game, env.side).tobytes()
            observation, _, terminated, truncated, info = env.step(random_action(info["action_mask"], generator))
            over = terminated or truncated
        assert observation.tobytes() == perspective.observation(env.game, env.side).tobytes()


@pytest.mark.parametrize("env_class", [AECGameEnv, OrderEnforcingEnv])
@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_shows_games_compactly(name: str, env_class: Callable[..., Any]) -> None:
    game, settings = GAMES[name]
    perspective, generator = perspective_of(name), np.random.default_rng(1)
    env = env_class(game, observation="compact", **settings)
    env.reset(seed=1)
    for agent in env.agent_iter():
        seen, _, terminated, truncated, info = env.last()
        for one in env.agents:
            again = env.observe(one)["observation"]
            assert env.observation_space(one)["observation"].contains(again)
            assert again.tobytes() == perspective.observation(env.game, env.players[one]).tobytes()
        assert seen["observation"].tobytes() == env.observe(agent)["observation"].tobytes()
        assert env.state_space.contains(env.state())
        env.step(None if terminated or truncated else random_action(info["action_mask"], generator))


@pytest.mark.parametrize("opponent", ["random", "self"])
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", GAMES)
def test_many_games_are_shown_compactly(name: str, mode: AutoresetMode, opponent: str) -> None:
    game, settings = GAMES[name]
    perspective, generator = perspective_of(name), np.random.default_rng(1)
    made = {
        kind: gymnasium.make_vec(
            game_spec(game).env_id, 9, "vector_entry_point", observation=kind, autoreset_mode=mode, opponent=opponent, **settings
        )
        for kind in ("planes", "compact")
    }
    envs: Any = made["compact"]
    seen = {kind: one.reset(seed=4) for kind, one in made.items()}
    for _ in range(25):
        (planes, info), (compact, other) = seen["planes"], seen["compact"]
        assert envs.observation_space.contains(compact)
        assert info["action_mask"].tolist() == other["action_mask"].tolist()
        viewers = info["to_act" if opponent == "self" else "side"]
        for number, viewer in enumerate(viewers):
            shown = perspective.selection.of_one(planes[number], int(viewer)) if perspective.selection else None
            assert compact[number].tobytes() == shown.tobytes()
            assert shown.tobytes() == perspective.observation(envs.batch.game(number), envs.batch.players[viewer]).tobytes()
        for number in other.get("_final_obs", np.zeros(9)).nonzero()[0]:
            assert other["final_obs"][number].shape == envs.single_observation_space.shape
            assert envs.single_observation_space.contains(other["final_obs"][number])
        if mode == AutoresetMode.DISABLED and envs.batch.over.any():
            seen = {kind: one.reset(options={"reset_mask": envs.batch.over.copy()}) for kind, one in made.items()}
            continue
        actions = np.array([random_action(mask, generator) if mask.any() else 0 for mask in info["action_mask"]])
        stepped = {kind: one.step(actions) for kind, one in made.items()}
        assert stepped["planes"][1].tolist() == stepped["compact"][1].tolist()
        seen = {kind: (result[0], result[-1]) for kind, result in stepped.items()}


@pytest.mark.parametrize("name", GAMES)
def test_functions_see_what_the_learner_sees(name: str) -> None:
    game, settings = GAMES[name]
    perspective = perspective_of(name)
    shapes = set()

    def player(observation: Any, info: dict[str, Any]) -> Any:
        shapes.add((observation.shape[-len(perspective.high.shape) :], str(observation.dtype)))
        return first(observation, info)

    env_id = game_spec(game).env_id
    env = gymnasium.make(env_id, opponent=player, observation="compact", side="random", **settings)
    envs = gymnasium.make_vec(env_id, 5, "vector_entry_point", opponent=player, observation="compact", side="random", **settings)
    for one, action in ((env, int), (envs, np.array)):
        _, info = one.reset(seed=1)
        for _ in range(8):
            *_, info = one.step(action(info["action_mask"].argmax(-1)))
            if one is env and not info["action_mask"].any():
                _, info = env.reset()
    evaluate(player, player, games=4, game=game, observation="compact", opening_turns=0, **settings)
    assert FunctionAgent(player, "compact").act(game_spec(game).game_class(game_spec(game).config(settings), seed=1)) >= 0
    assert shapes == {(perspective.high.shape, "float32")}


def test_a_function_plays_the_same_whatever_it_is_shown() -> None:
    results = [evaluate(first, "random", games=20, seed=3, observation=kind, chapters="memory") for kind in ("planes", "compact")]
    assert results[0] == results[1]


def test_models_see_what_they_were_trained_on() -> None:
    class Model:
        def predict(self, observation: Any, action_masks: Any) -> Any:
            assert observation.shape[1:] == (160,)
            return action_masks.argmax(1), None

    assert evaluate(Model(), games=2, observation="compact").games == 2


def test_stable_baselines_gets_compact_observations() -> None:
    pytest.importorskip("stable_baselines3", reason="needs the extra [train]")
    from tkm_env.envs.sb3 import SB3VecEnv

    envs = SB3VecEnv(num_envs=3, observation="compact", chapters="growth")
    assert envs.observation_space == tkm_v0.observation_space("compact", chapters="growth")
    assert all(envs.observation_space.contains(one) for one in envs.reset())


# Other people's checks and wrappers.


@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_check_env_passes(name: str) -> None:
    game, settings = GAMES[name]
    check_env(gymnasium.make(game_spec(game).env_id, observation="compact", **settings).unwrapped, skip_render_check=True)


@with_warnings_that_any_dict_observation_gets
@pytest.mark.parametrize("module", [tkm_v0, terminus_v0])
@pytest.mark.usefixtures("capsys")
def test_pettingzoos_api_test_passes(module: Any) -> None:
    api_test(module.env(observation="compact"), num_cycles=100)


def test_compact_observations_can_be_rescaled() -> None:
    plain, scaled = (gymnasium.make("tkm_env/TKM-v0", observation="compact", chapters="growth") for _ in range(2))
    scaled = RescaleObservation(scaled, np.float32(-1), np.float32(1))
    generator = np.random.default_rng(1)
    one, info = plain.reset(seed=1)
    other, _ = scaled.reset(seed=1)
    for _ in range(40):
        np.testing.assert_allclose(other, 2 * one - 1, atol=1e-6)
        assert scaled.observation_space.contains(other)
        action = random_action(info["action_mask"], generator)
        (one, *_, info), (other, *_) = plain.step(action), scaled.step(action)
        if not info["action_mask"].any():
            break
    envs = gymnasium.make_vec("tkm_env/TKM-v0", 4, "vector_entry_point", observation="compact")
    observations, _ = RescaleObservations(envs, np.float32(-1), np.float32(1)).reset(seed=1)
    assert set(np.unique(observations[:, :16])) == {-1, 1}


@pytest.mark.parametrize(
    "wrapped",
    [
        FlattenObservation,
        NormalizeObservation,
        lambda env: FrameStackObservation(env, 2),
        lambda env: DelayObservation(env, 1),
        lambda env: TransformObservation(env, lambda seen: seen[:28], Box(0, 1, (28,), np.float32)),
    ],
)
def test_gymnasiums_wrappers_work(wrapped: Any) -> None:
    env = wrapped(gymnasium.make("tkm_env/TKM-v0", observation="compact", max_turns=10))
    observation, info = env.reset(seed=1)
    for _ in range(10):
        assert env.observation_space.contains(observation)
        observation, *_, info = env.step(int(info["action_mask"].argmax()))


# What is refused.

WITH_ELEPHANTS = "W..D/..../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M w c PF - 4/4 - ---/--- -/- 1"


@pytest.mark.parametrize("given", ["Compact", None, 1, ["planes"]])
def test_other_kinds_of_observations_are_refused(given: Any) -> None:
    for made in (
        lambda: tkm_v0.env(observation=given),
        lambda: gymnasium.make("tkm_env/TKM-v0", observation=given),
        lambda: gymnasium.make_vec("tkm_env/TKM-v0", 2, "vector_entry_point", observation=given),
        lambda: evaluate(first, games=2, observation=given),
        lambda: FunctionAgent(first, given),
        lambda: Perspective(Game, Game.default_config, given),
    ):
        with pytest.raises(ConfigError, match=r"^observation=.* it must be 'planes' or 'compact'$"):
            made()


def test_positions_that_cannot_be_shown_are_refused() -> None:
    starts = {"observation": "compact", "positions": [WITH_ELEPHANTS]}
    for made in (
        lambda: tkm_v0.env(**starts),
        lambda: gymnasium.make("tkm_env/TKM-v0", **starts),
        lambda: gymnasium.make_vec("tkm_env/TKM-v0", 2, "vector_entry_point", **starts),
    ):
        with pytest.raises(ConfigError, match=r"^positions=.*with observation='compact' it cannot be told from"):
            made()
    with pytest.raises(ConfigError, match=r"^game=Game.*cannot be told"):
        FunctionAgent(first, "compact").act(Game(position=WITH_ELEPHANTS))
    for env in (tkm_v0.env(observation="compact"), gymnasium.make("tkm_env/TKM-v0", observation="compact").unwrapped):
        env.reset(seed=1)
        before = env.game.position
        with pytest.raises(ConfigError, match=r"^position=.*cannot be told"):
            env.reset(options={"position": WITH_ELEPHANTS})
        assert env.game.position == before
    gymnasium.make("tkm_env/TKM-v0", **starts, chapters="memory").reset(seed=1)


def test_a_batch_refuses_perspectives_of_other_games_or_settings() -> None:
    batch = game_spec("tkm").make_batch(2, chapters="growth")
    for wrong in (
        Perspective(Game, Game.default_config, "compact"),
        Perspective(TerminusGame, TerminusGame.default_config, "compact"),
    ):
        for call in (
            lambda wrong=wrong: batch.new_observations(wrong),
            lambda wrong=wrong: batch.observe(batch.new_observations(), None, wrong),
            lambda wrong=wrong: batch.observations_of([0], [0], wrong),
        ):
            with pytest.raises(ConfigError, match=r"^perspective=.* it must be one of Game under this batch's own settings"):
                call()


# A game from outside.


def test_a_game_from_outside_is_shown_scaled_and_flat() -> None:
    (row,) = compact_layout(SPEC.name)
    assert (row.name, row.start, row.length, row.high) == ("observation", 0, 27, 1)
    game = TicTacToe(position="x........")
    shown = Perspective(TicTacToe, game.config, "compact").observation(game, "nought")
    assert shown.tolist() == game.observation("nought").ravel().tolist()


def test_elements_with_other_bounds_are_in_other_rows_and_those_that_are_always_0_in_none() -> None:
    class Odd(TicTacToe):
        observation_high = np.array([[[1, 1, 0], [4, 4, 2], [2, 2, 2]]] * 3, np.int8)

    class Wrong(TicTacToe):
        @classmethod
        def observation_parts(cls, config: Any) -> Any:
            return [part._replace(elements=(0, 27)) for part in BaseGame.observation_parts.__func__(cls, config)]

    rows = Perspective(Odd, Odd.default_config, "compact").rows
    assert [(row.start, row.length, row.high) for row in rows[:4]] == [(0, 2, 1), (2, 2, 4), (4, 4, 2), (8, 2, 1)]
    with pytest.raises(ConfigError, match=r"^elements=27 is invalid: the observation has elements 0 to 26$"):
        Perspective(Wrong, Wrong.default_config, "compact")


# Copies.


def test_copies_of_environments_show_the_same() -> None:
    env = tkm_v0.env(observation="compact", chapters="growth")
    env.reset(seed=1)
    for twin in (env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.last()[0]["observation"].tobytes() == env.last()[0]["observation"].tobytes()
