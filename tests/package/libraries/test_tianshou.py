"""Tianshou's collectors and policies; left out, with a note, without the extra ``[tianshou]``."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from tkm_env import tkm_v0
from tkm_env.adapters.masked_observation import MaskedObservation

pytest.importorskip("tianshou", reason="needs the extra [tianshou]")

import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.utils.net.common import Net

GAMES = 4


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Where Tianshou draws its random numbers."""
    np.random.seed(1)  # noqa: NPY002 it takes no generator
    torch.manual_seed(1)


def masked() -> MaskedObservation:
    return MaskedObservation(gymnasium.make("tkm_env/TKM-v0", side="random"), "obs", "mask")


def q_learning(actions: Any) -> DQN:
    net = Net(state_shape=(84, 4, 4), action_shape=int(actions.n), hidden_sizes=(8,))
    policy = DiscreteQLearningPolicy(model=net, action_space=actions, eps_training=0.5)
    return DQN(
        policy=policy, optim=AdamOptimizerFactory(), n_step_return_horizon=3, target_update_freq=10
    )


def collected(algorithm: Any, make: Any) -> VectorReplayBuffer:
    """What random play of several games leaves in a buffer."""
    buffer = VectorReplayBuffer(4000, GAMES)
    collector = Collector(algorithm, DummyVectorEnv([make] * GAMES), buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_episode=2 * GAMES)
    return buffer


def test_every_action_of_q_learning_is_legal() -> None:
    algorithm = q_learning(masked().action_space)
    buffer = collected(algorithm, masked)
    steps = buffer.sample_indices(0)
    assert (buffer.obs.mask[steps][np.arange(len(steps)), buffer.act[steps]] == 1).all()
    assert buffer.done[steps].sum() >= 2 * GAMES
    assert buffer.rew[steps][buffer.done[steps]].any()
    assert not buffer.rew[steps][~buffer.done[steps]].any()
    assert not buffer.hasnull()
    batch, indices = buffer.sample(32)
    assert algorithm._preprocess_batch(batch, buffer, indices).returns.isfinite().all()


def test_pettingzoos_face_is_played_by_both_sides_with_its_mask() -> None:
    env = PettingZooEnv(tkm_v0.env(max_turns=10))
    sides = [
        q_learning(env.action_space),
        MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space),
    ]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=sides, env=env)
    buffer = collected(algorithm, lambda: PettingZooEnv(tkm_v0.env(max_turns=10)))
    steps = buffer.sample_indices(0)
    assert (buffer.obs.mask[steps][np.arange(len(steps)), buffer.act[steps].astype(int)] == 1).all()
    assert {*buffer.obs.agent_id[steps]} == {"white_0", "black_0"}
    assert buffer.rew.shape[1] == 2


def test_without_the_mask_in_the_observation_games_are_lost_by_illegal_actions() -> None:
    def plain() -> Any:
        return gymnasium.make("tkm_env/TKM-v0")

    buffer = collected(q_learning(plain().action_space), plain)
    ends = buffer.sample_indices(0)[buffer.done[buffer.sample_indices(0)]]
    assert (buffer.rew[ends] == -1).all()
    assert buffer.info.illegal_action[ends].any()
