"""Models of PyTorch as files that play as the models do; skipped where torch is not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra [train]")

import torch
from torch import nn

from tkm_env import Batch, ConfigError
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.foundations.errors import ArrayError
from tkm_env.learn.export_policy import save_policy
from tkm_env.players import PolicyAgent


def positions(observation: str, **settings: Any) -> tuple[Batch, np.ndarray]:
    """Games after some random play, with the observations of the players to act."""
    batch = Batch(200, **settings)
    batch.reset(seed=1)
    for _ in range(20):
        batch.play(batch.random_actions())
    numbers = (~batch.over).nonzero()[0]
    return batch, batch.observations_of(
        numbers,
        batch.to_act[numbers],
        ObservationEncoder(batch.game_class, batch.config, observation),
    )


def check_same(path: Path, batch: Batch, logits: np.ndarray) -> None:
    """Check that a file plays the best of these logits, up to the rounding of float16."""
    numbers = (~batch.over).nonzero()[0]
    legal = np.where(batch.masks[numbers] != 0, logits, -np.inf)
    actions = PolicyAgent(path).act_all(batch, numbers)
    shortfall = legal.max(1) - legal[np.arange(len(numbers)), actions]
    assert shortfall.max() < 0.01 * np.abs(logits).max()
    assert (actions == legal.argmax(1)).mean() > 0.97


def test_networks_play_as_they_do_in_torch(tmp_path: Path) -> None:
    torch.manual_seed(1)
    for observation in ("planes", "compact"):
        batch, seen = positions(observation, chapters="growth")
        wide = seen[0].size
        for network in (
            nn.Sequential(nn.Linear(wide, 32), nn.Tanh(), nn.Linear(32, 79)),
            nn.Sequential(
                nn.Flatten(),
                nn.Sequential(nn.Linear(wide, 32), nn.ReLU()),
                nn.Linear(32, 79, bias=False),
            ),
            nn.Sequential(nn.Linear(wide, 79)),
            nn.Linear(wide, 79),
        ):
            save_policy(tmp_path / "a.npz", network, observation=observation, chapters="growth")
            with torch.no_grad():
                check_same(
                    tmp_path / "a.npz",
                    batch,
                    network(torch.tensor(seen).float().flatten(1)).numpy(),
                )


def test_unsupported_parts_are_named(tmp_path: Path) -> None:
    unsupported: list[tuple[Any, str]] = [
        (nn.Sequential(nn.Linear(160, 8), nn.Sigmoid(), nn.Linear(8, 79)), "Sigmoid"),
        (nn.Sequential(nn.Linear(160, 8), nn.Dropout(), nn.ReLU(), nn.Linear(8, 79)), "Dropout"),
        (
            nn.Sequential(
                nn.Linear(160, 8), nn.Tanh(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 79)
            ),
            "ReLU",
        ),
        (nn.Sequential(nn.Linear(160, 8), nn.Linear(8, 79)), "Linear"),
        (nn.Sequential(nn.Linear(160, 79), nn.Tanh()), "last layer must be a Linear"),
        (nn.Sequential(nn.Conv2d(1, 1, 3)), "Conv2d"),
        (nn.Sequential(nn.Flatten(2), nn.Linear(160, 79)), "Flatten"),
        (nn.Sequential(), "last layer must be a Linear"),
        ("model", "'model'"),
        (None, "None"),
    ]
    for model, named in unsupported:
        with pytest.raises(ConfigError, match=f"^model=(?s:.*){named}"):
            save_policy(tmp_path / "a.npz", model, observation="compact")
    assert not [*tmp_path.iterdir()]


def test_networks_for_other_observations_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArrayError, match="weight_0"):
        save_policy(tmp_path / "a.npz", nn.Linear(160, 79))


# Models of Stable-Baselines3.


def test_models_play_as_they_predict(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import A2C, PPO

    from tkm_env.envs.sb3 import SB3VecEnv

    batch, seen = positions("compact")
    envs = SB3VecEnv(num_envs=2, observation="compact")
    for algorithm in (MaskablePPO, PPO, A2C):
        given = {} if algorithm is A2C else {"batch_size": 16}
        for settings in (
            {},
            {"activation_fn": nn.ReLU, "share_features_extractor": False, "net_arch": []},
        ):
            model = algorithm(
                "MlpPolicy", envs, n_steps=16, seed=1, device="cpu", policy_kwargs=settings, **given
            )
            save_policy(tmp_path / "a.npz", model, observation="compact")
            with torch.no_grad():
                logits = model.policy.get_distribution(
                    torch.tensor(seen)
                ).distribution.logits.numpy()
            check_same(tmp_path / "a.npz", batch, logits)


def test_unsupported_models_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    from sb3_contrib import MaskablePPO, RecurrentPPO
    from stable_baselines3 import DQN
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import VecNormalize

    from tkm_env.envs.sb3 import SB3VecEnv

    class Halves(BaseFeaturesExtractor):
        def __init__(self, space: Any) -> None:
            super().__init__(space, 160)

        def forward(self, seen: Any) -> Any:
            return seen / 2

    envs = SB3VecEnv(num_envs=2, observation="compact")
    refused = {
        "DQNPolicy": DQN("MlpPolicy", envs, buffer_size=10, device="cpu"),
        "RecurrentActorCriticPolicy": RecurrentPPO("MlpLstmPolicy", envs, device="cpu"),
        "Halves": MaskablePPO(
            "MlpPolicy", envs, device="cpu", policy_kwargs={"features_extractor_class": Halves}
        ),
        "VecNormalize": MaskablePPO("MlpPolicy", VecNormalize(envs), device="cpu"),
    }
    for named, model in refused.items():
        with pytest.raises(ConfigError, match=f"^model=(?s:.*){named}"):
            save_policy(tmp_path / "a.npz", model, observation="compact")
    assert not [*tmp_path.iterdir()]
