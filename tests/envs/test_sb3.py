"""Stable-Baselines3's face; left out, and said so, where the extra ``[train]`` is not installed."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from tkm_env import ConfigError

pytest.importorskip("sb3_contrib", reason="needs the extra [train]")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor

from tests.games.tkm.positions import random_action
from tkm_env.envs.sb3 import SB3VecEnv

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{text}")
    for text in (
        "It seems that your observation",  # is an image
        "Treating image space as channels-last",
        "The minimal resolution for an image",
    )
]


def random_actions(envs: Any, generator: np.random.Generator) -> np.ndarray:
    return np.array([random_action(mask, generator) for mask in get_action_masks(envs)])


@pytest.mark.parametrize("settings", [{}, {"side": "black", "chapters": 4}, {"timeline": "draft_powers", "draws": True}], ids=str)
def test_one_game_passes_their_checks(settings: dict[str, Any]) -> None:
    check_env(gymnasium.make("tkm_env/TKM-v0", **settings).unwrapped)


def test_masks_are_found_where_sb3_contrib_looks() -> None:
    envs = SB3VecEnv(num_envs=5, side="random")
    envs.seed(3)
    envs.reset()
    assert is_masking_supported(envs)
    masks = get_action_masks(envs)
    assert masks.shape == (5, 79)
    assert masks.dtype == np.bool_
    np.testing.assert_array_equal(masks, [info["action_mask"] for info in envs.reset_infos])
    np.testing.assert_array_equal(envs.env_method("action_masks", indices=[1, 4]), masks[[1, 4]])


def test_games_begin_where_the_settings_say() -> None:
    envs = SB3VecEnv(num_envs=6, side="random", opening_turns=2, max_turns=6)
    envs.reset()
    generator = np.random.default_rng(1)
    ends = 0
    for _ in range(60):
        turns = envs.get_attr("batch")[0].states["turn"]
        assert turns.min() >= 3
        _, _, dones, _ = envs.step(random_actions(envs, generator))
        ends += int(dones.sum())
    assert ends
    with pytest.raises(ConfigError, match=r"^positions="):
        SB3VecEnv(positions=["nonsense"])


def test_games_are_those_of_the_vector_environment() -> None:
    """Same seeds and actions give the same steps as Gymnasium's interface with the same autoreset mode."""
    mine = SB3VecEnv(num_envs=8, side="random", chapters="growth", max_turns=12)
    theirs = gymnasium.make_vec(
        "tkm_env/TKM-v0", 8, "vector_entry_point", autoreset_mode="SameStep", side="random", chapters="growth", max_turns=12
    )
    mine.seed(7)
    generator = np.random.default_rng(7)
    observations = mine.reset()
    np.testing.assert_array_equal(observations, theirs.reset(seed=list(range(7, 15)))[0])
    ended = 0
    for _ in range(200):
        actions = random_actions(mine, generator)
        seen, rewards, done, infos = mine.step(actions)
        expected, earned, terminations, truncations, info = theirs.step(actions)
        np.testing.assert_array_equal(seen, expected)
        np.testing.assert_array_equal(rewards, earned)
        np.testing.assert_array_equal(done, terminations | truncations)
        for number in done.nonzero()[0]:
            ended += 1
            np.testing.assert_array_equal(infos[number]["terminal_observation"], info["final_obs"][number])
            assert infos[number]["TimeLimit.truncated"] == truncations[number]
    assert ended > 10


def test_wins_and_losses_balance() -> None:
    envs = VecMonitor(SB3VecEnv(num_envs=64, side="random"))
    envs.seed(1)
    envs.reset()
    generator = np.random.default_rng(1)
    earned: list[float] = []
    while len(earned) < 600:
        infos = envs.step(random_actions(envs, generator))[3]
        earned += [info["episode"]["r"] for info in infos if "episode" in info]
    assert {-1.0, 1.0} <= set(earned)
    assert abs(np.mean(earned)) < 4 / np.sqrt(len(earned))


def test_a_policy_learns_from_it() -> None:
    model = MaskablePPO("MlpPolicy", SB3VecEnv(num_envs=4), n_steps=16, batch_size=32, n_epochs=1, seed=1)
    model.learn(128)
    assert model.num_timesteps == 128


def test_self_play_is_refused() -> None:
    with pytest.raises(ConfigError, match="opponent='self'"):
        SB3VecEnv(num_envs=2, opponent="self")


def test_games_are_rendered_as_pictures_in_a_grid() -> None:
    pytest.importorskip("resvg_py", reason="needs the extra [render]")
    envs = SB3VecEnv(num_envs=2, render_mode="rgb_array")
    envs.reset()
    pictures = envs.get_images()
    assert [picture.shape for picture in pictures] == [(480, 960, 3)] * 2
    grid = envs.render()
    assert grid is not None
    assert grid.dtype == np.uint8
    assert grid.size >= 2 * pictures[0].size
    assert SB3VecEnv(num_envs=1).get_images() == []


def test_options_are_refused() -> None:
    envs = SB3VecEnv(num_envs=2)
    envs.set_options({"position": "x"})
    with pytest.raises(ConfigError, match=r"^options="):
        envs.reset()
    envs.set_options()
    envs.reset()
