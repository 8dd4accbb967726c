"""The ids with other defaults, for programs that pass an id and nothing else."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from tkm_env import ConfigError
from tkm_env.envs.registration import compact_id, register_environments, turns_id
from tkm_env.games.registry import TERMINUS, TKM

COMPACT = ["tkm_env/TKM-Compact-v0", "tkm_env/Terminus-Compact-v0"]
TURNS = "tkm_env/TKM-Turns-v0"
SMALL = "tkm_env/TKM-Small-v0"


def test_ids_are_derived_from_the_games_own() -> None:
    assert [compact_id(TKM), compact_id(TERMINUS)] == COMPACT
    assert turns_id(TKM) == TURNS


@pytest.mark.parametrize("env_id", [*COMPACT, TURNS, SMALL])
def test_gymnasiums_checks_pass(env_id: str) -> None:
    check_env(gymnasium.make(env_id).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("env_id", COMPACT)
def test_compact_observations_are_one_dimension_of_floats_in_one_game_and_in_many(
    env_id: str,
) -> None:
    env, envs = gymnasium.make(env_id), gymnasium.make_vec(env_id, num_envs=3)
    space = env.observation_space
    assert space == envs.single_observation_space
    assert (space.dtype, len(space.shape)) == (np.float32, 1)
    observation, _ = env.reset(seed=7)
    observations, _ = envs.reset(seed=7)
    assert np.array_equal(observation, observations[0])


def test_both_sides_see_the_game_alike_where_it_has_such_a_view() -> None:
    env = gymnasium.make(COMPACT[0])
    seen = [env.reset(seed=1, options={"side": side})[0] for side in ("white", "black")]
    assert env.unwrapped.shown_as == {"observation": "compact", "canonical": True}
    assert seen[0].shape == seen[1].shape
    assert gymnasium.make(COMPACT[1]).unwrapped.shown_as["canonical"] is False


@pytest.mark.parametrize("env_id", [COMPACT[0], TURNS])
def test_keywords_take_precedence(env_id: str) -> None:
    settings: dict[str, Any] = {"canonical": False, "chapters": "growth", "opponent": "greedy"}
    for made in (gymnasium.make(env_id, **settings), gymnasium.make_vec(env_id, 2, **settings)):
        base = made.unwrapped
        assert base.config.chapters == ("growth",)
        assert base.opponent == "greedy"
        assert base.shown_as["canonical"] is False


def test_whole_turns_are_the_actions_in_one_game_and_in_many() -> None:
    env, envs = gymnasium.make(TURNS), gymnasium.make_vec(TURNS, num_envs=2)
    assert env.action_space == envs.single_action_space == gymnasium.spaces.Discrete(256)
    observation, info = env.reset(seed=3)
    observations, infos = envs.reset(seed=3)
    for step in range(6):
        assert np.array_equal(info["action_mask"], infos["action_mask"][0]), step
        assert np.array_equal(observation["ends"], observations["ends"][0]), step
        action = int(info["action_mask"].nonzero()[0][-1])
        observation, _, terminated, truncated, info = env.step(action)
        observations, *_, infos = envs.step(np.array([action, 0]))
        if terminated or truncated:
            break
    assert step > 0


def test_a_specification_makes_the_same_environment_again() -> None:
    for env_id in (*COMPACT, TURNS):
        spec = pickle.loads(pickle.dumps(gymnasium.make(env_id, opponent="greedy").spec))
        again = gymnasium.make(spec)
        assert again.unwrapped.opponent == "greedy", env_id
        assert type(again) is type(gymnasium.make(env_id)), env_id


@pytest.mark.parametrize("env_id", [COMPACT[0], TURNS])
def test_gymnasiums_own_vector_environments_take_the_ids(env_id: str) -> None:
    envs = gymnasium.make_vec(env_id, num_envs=2, vectorization_mode="sync")
    assert isinstance(envs, SyncVectorEnv)
    _, info = envs.reset(seed=1)
    envs.step(np.stack(info["action_mask"]).argmax(1))
    envs.close()


def test_processes_that_begin_empty_find_an_id_that_names_the_package() -> None:
    def made() -> gymnasium.Env[Any, Any]:
        return gymnasium.make(f"tkm_env:{COMPACT[0]}")

    envs = AsyncVectorEnv([made] * 2, context="spawn")
    observations, _ = envs.reset(seed=1)
    envs.close()
    assert observations.shape[0] == 2


def test_a_game_that_hides_something_has_no_whole_turns() -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ConfigError, match="must not hide anything"):
            make(turns_id(TERMINUS))


def test_a_preset_begins_at_its_position_with_its_settings_in_every_interface() -> None:
    preset = TKM.presets["Small"]
    assert TKM.id_of("Small") == SMALL
    env: Any = gymnasium.make(SMALL, side="white").unwrapped
    envs: Any = gymnasium.make_vec(SMALL, num_envs=2, opponent="self").unwrapped
    both: Any = pettingzoo.make("aec", SMALL.lower()).unwrapped
    for each in (env, envs, both):
        each.reset(seed=1)
        assert each.config.max_turns == preset.settings["max_turns"]
    for game in (env.game, both.game, *(envs.batch.game(number) for number in range(2))):
        assert game.position == preset.position


def test_keywords_change_the_settings_and_the_position_of_a_preset() -> None:
    position = TKM.presets["Small"].position.replace("PP", "NP")
    env: Any = gymnasium.make(SMALL, positions=[position], max_turns=3, side="white").unwrapped
    env.reset(seed=1)
    assert (env.game.position, env.config.max_turns) == (position, 3)


def test_a_row_with_anything_else_as_a_preset_is_refused() -> None:
    wrong: Any = {"Small": "a position"}
    with pytest.raises(ConfigError, match="presets='a position' is invalid: it must be a Preset"):
        dataclasses.replace(TKM, presets=wrong)


def test_the_other_librarys_id_of_a_preset_is_named() -> None:
    with pytest.raises(ConfigError, match="for PettingZoo it is 'tkm_env/tkm-small-v0'"):
        pettingzoo.make("aec", SMALL)


def test_registering_again_changes_nothing() -> None:
    before = dict(gymnasium.registry)
    register_environments(TKM)
    assert dict(gymnasium.registry) == before
