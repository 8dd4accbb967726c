"""A small training against a pool that grows: what a checkpoint in its middle has to hold."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import tkm_env  # noqa: F401 registers the environments
from tkm_env import OpponentPool

GAMES = 8


class LinearPolicy:
    """A softmax over linear scores of the actions; as a model it can be an opponent."""

    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights

    def probabilities(self, seen: np.ndarray, masks: np.ndarray) -> np.ndarray:
        scores = np.where(masks, seen @ self.weights, -np.inf)
        odds = np.exp(scores - scores.max(-1, keepdims=True))
        return odds / odds.sum(-1, keepdims=True)

    def predict(
        self, observation: Any, action_masks: Any = None, deterministic: bool = True
    ) -> tuple[Any, None]:
        return self.probabilities(observation, action_masks).argmax(-1), None


class Training:
    """Everything that a training is made of: environments, pool, policy and random numbers."""

    def __init__(self, seed: int) -> None:
        self.pool = OpponentPool({"random": "random"})
        self.envs: Any = gymnasium.make_vec(
            "tkm_env/TKM-Compact-v0",
            GAMES,
            opponent=self.pool,
            side="random",
            max_turns=12,
            autoreset_mode="SameStep",
        )
        inputs, actions = self.envs.single_observation_space.shape[0], self.envs.batch.num_actions
        self.policy = LinearPolicy(np.zeros((inputs, actions)))
        self.generator = np.random.default_rng(seed)
        self.seen, self.info = self.envs.reset(seed=seed)
        self.steps = 0

    def step(self) -> tuple[float, list[int], dict[str, Any]]:
        """Act and learn once.

        Returns:
            The sum of the rewards, the opponents drawn, and the pool's results.
        """
        masks = self.info["action_mask"].astype(np.bool_)
        odds = self.policy.probabilities(self.seen, masks)
        with np.errstate(divide="ignore"):  # illegal actions have no odds
            actions = (np.log(odds) + self.generator.gumbel(size=odds.shape)).argmax(1)
        before = self.seen
        self.seen, rewards, _, _, self.info = self.envs.step(actions)
        gradient = np.eye(odds.shape[1])[actions] - odds
        self.policy.weights += 0.1 * before.T @ (gradient * rewards[:, None])
        self.steps += 1
        if self.steps % 30 == 0:
            self.pool.add(f"step {self.steps}", LinearPolicy(self.policy.weights.copy()), 2.0)
        return float(rewards.sum()), self.info["opponent"].tolist(), self.pool.tallies

    def curve(self, steps: int) -> list[Any]:
        """What this number of further steps returns, and the weights in the end."""
        return [*(self.step() for _ in range(steps)), self.policy.weights.sum()]


if __name__ == "__main__":
    with Path(sys.argv[1]).open("rb") as file:
        resumed = pickle.load(file)
    sys.stdout.buffer.write(pickle.dumps(resumed.curve(int(sys.argv[2]))))
