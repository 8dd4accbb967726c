"""Tianshou's DQN, which reads the mask in the observation. Needs the extra ``[tianshou]``.

python examples/libraries/tianshou_dqn.py --steps 4000
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import tkm_env
from tkm_env.adapters.masked_observation import MaskedObservation
from tkm_env.evaluation import evaluate

gymnasium.register_envs(tkm_env)

GAMES_AT_ONCE = 16


def made() -> MaskedObservation:
    """Make the environment with Tianshou's observations: dicts of "obs" and "mask"."""
    return MaskedObservation(
        gymnasium.make("tkm_env/TKM-v0", opponent="random", side="random"), "obs", "mask"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--steps", type=int, default=4_000, help="steps to learn from (default: 4000)"
    )
    parser.add_argument(
        "--games", type=int, default=400, help="games of the evaluation afterwards (default: 400)"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    np.random.seed(arguments.seed)  # noqa: NPY002 Tianshou explores with numpy's global generator
    torch.set_num_threads(1)  # a network this small gains nothing from more
    torch.manual_seed(arguments.seed)
    envs = DummyVectorEnv([made] * GAMES_AT_ONCE)
    envs.seed(arguments.seed)
    env = made()
    net = Net(
        state_shape=env.observation_space["obs"].shape,
        action_shape=env.action_space.n,
        hidden_sizes=(128, 128),
    )
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
    algorithm = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=0.99,
        n_step_return_horizon=20,
        target_update_freq=200,
    )
    collector = Collector(
        algorithm, envs, VectorReplayBuffer(20_000, GAMES_AT_ONCE), exploration_noise=True
    )
    collector.reset()
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=arguments.steps,
            collection_step_num_env_steps=10 * GAMES_AT_ONCE,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=128,
        )
    )

    def dqn(observation: Any, info: dict[str, Any]) -> Any:
        with torch.no_grad():
            return policy(
                Batch(obs=Batch(obs=observation, mask=info["action_mask"]), info=Batch())
            ).act

    print(evaluate(dqn, "random", games=arguments.games, opening_turns=2, seed=arguments.seed))


if __name__ == "__main__":
    main()
