"""Gymnasium's vector environment, with numpy alone.

A linear policy plays against a random player and learns by REINFORCE.

python examples/libraries/gymnasium_vector.py --steps 60000
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers.vector import DtypeObservation, FlattenObservation

import tkm_env
from tkm_env.evaluation import evaluate

gymnasium.register_envs(tkm_env)

GAMES_AT_ONCE = 64
LEARNING_RATE = 0.03


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--steps",
        type=int,
        default=60_000,
        help="steps to learn from, in all games together (default: 60000)",
    )
    parser.add_argument(
        "--games", type=int, default=400, help="games of the evaluation afterwards (default: 400)"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    generator = np.random.default_rng(arguments.seed)
    envs = gymnasium.make_vec(
        "tkm_env/TKM-v0", GAMES_AT_ONCE, opponent="random", side="random", autoreset_mode="NextStep"
    )
    envs = FlattenObservation(DtypeObservation(envs, np.float32))
    weights = np.zeros(
        (envs.single_observation_space.shape[0], envs.single_action_space.n), np.float32
    )

    def logits(observations: Any, masks: Any) -> Any:
        """Return the logits, with minus infinity for illegal actions."""
        return np.where(masks == 1, observations @ weights, -np.inf)

    seen: list[list[Any]] = [[] for _ in range(GAMES_AT_ONCE)]
    observations, info = envs.reset(seed=arguments.seed)
    ended = np.zeros(GAMES_AT_ONCE, bool)
    for _ in range(arguments.steps // GAMES_AT_ONCE):
        # A game that has ended restarts in the next step, whatever the action: its mask is empty.
        odds = logits(observations, np.where(ended[:, None], 1, info["action_mask"]))
        chances = np.exp(odds - odds.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        actions = (odds + generator.gumbel(size=odds.shape)).argmax(1)
        for game in (~ended).nonzero()[0]:
            seen[game].append(
                (
                    observations[game],
                    np.eye(weights.shape[1], dtype=np.float32)[actions[game]] - chances[game],
                )
            )
        observations, rewards, terminations, truncations, info = envs.step(actions)
        ended = terminations | truncations
        for game in ended.nonzero()[0]:
            inputs, gradients = (np.array(rows) for rows in zip(*seen[game], strict=True))
            weights += LEARNING_RATE * rewards[game] / np.sqrt(len(inputs)) * inputs.T @ gradients
            seen[game].clear()

    def reinforce(observation: Any, info: dict[str, Any]) -> Any:
        return logits(observation.reshape(len(observation), -1), info["action_mask"]).argmax(-1)

    print(
        evaluate(reinforce, "random", games=arguments.games, opening_turns=2, seed=arguments.seed)
    )


if __name__ == "__main__":
    main()
