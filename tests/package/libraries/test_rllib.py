"""RLlib's masking module plays only legal actions, and environments that do not fit are refused.

These tests are left out without the extra ``[rllib]``.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from tkm_env import tkm_v0
from tkm_env.adapters.rllib import RLlibEnv

pytest.importorskip("ray", reason="needs the extra [rllib]")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("torch") is None or find_spec("tree") is None, reason="needs the extra [rllib]"
    ),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module", autouse=True)
def ray() -> Iterator[None]:
    """A Ray of this process alone."""
    import ray

    folder = tempfile.mkdtemp(prefix="ray-")
    ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False, _temp_dir=folder)
    yield
    ray.shutdown()
    shutil.rmtree(folder)


def algorithm(env: Any, **settings: Any) -> Any:
    """PPO with the module that masks, in this process."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    spec = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [8]}
    )
    return (
        PPOConfig()
        .environment(env, env_config=settings)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=2)
        .training(train_batch_size_per_learner=100, minibatch_size=50, num_epochs=1)
        .rl_module(rl_module_spec=spec)
        .build_algo()
    )


def test_ppo_trains_and_plays_legal_actions_only() -> None:
    trained = algorithm(RLlibEnv, side="random", max_turns=10)
    trained.train()
    episodes = trained.env_runner.sample(num_episodes=4)
    for episode in episodes:
        masks = episode.get_observations()["action_mask"][:-1]
        actions = np.asarray(episode.get_actions())
        assert len(actions) > 5
        assert masks[np.arange(len(actions)), actions].all()
    trained.stop()


def test_pettingzoos_face_is_refused_for_its_keys() -> None:
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.tune.registry import register_env

    register_env("pettingzoo", lambda config: PettingZooEnv(tkm_v0.env()))
    with pytest.raises(Exception, match="observations"):
        algorithm("pettingzoo")


def test_the_environment_as_it_is_is_refused_for_its_planes() -> None:
    from ray.rllib.algorithms.ppo import PPOConfig

    config = PPOConfig().environment("tkm_env:tkm_env/TKM-v0").env_runners(num_env_runners=0)
    with pytest.raises(ValueError, match="No default CNN configuration"):
        config.build_algo()
