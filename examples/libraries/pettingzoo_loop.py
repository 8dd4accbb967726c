"""PettingZoo's loop over agents, with numpy alone.

A linear policy plays itself and learns by REINFORCE.

python examples/libraries/pettingzoo_loop.py --steps 40000
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from tkm_env import tkm_v0
from tkm_env.evaluation import evaluate

LEARNING_RATE = 0.03


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--steps", type=int, default=40_000, help="steps to learn from (default: 40000)"
    )
    parser.add_argument(
        "--games", type=int, default=400, help="games of the evaluation afterwards (default: 400)"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    generator = np.random.default_rng(arguments.seed)
    env = tkm_v0.env()
    actions = int(env.action_space("white_0").n)
    weights = np.zeros(
        (int(np.prod(env.observation_space("white_0")["observation"].shape)), actions)
    )

    def logits(observations: Any, masks: Any) -> Any:
        """Return the logits, with minus infinity for illegal actions."""
        return np.where(masks == 1, observations.reshape(*masks.shape[:-1], -1) @ weights, -np.inf)

    steps = 0
    env.reset(seed=arguments.seed)
    while steps < arguments.steps:
        seen: dict[str, list[Any]] = {agent: [] for agent in env.possible_agents}
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            if termination or truncation:  # once for each agent, with its reward
                inputs, gradients = (np.array(rows) for rows in zip(*seen[agent], strict=True))
                weights += LEARNING_RATE * reward / np.sqrt(len(inputs)) * inputs.T @ gradients
                action = None
            else:
                odds = logits(observation["observation"], observation["action_mask"])
                chances = np.exp(odds - odds.max())
                chances /= chances.sum()
                action = int(generator.choice(actions, p=chances))
                seen[agent].append(
                    (observation["observation"].ravel(), np.eye(actions)[action] - chances)
                )
                steps += 1
            env.step(action)
        env.reset()

    def reinforce(observation: Any, info: dict[str, Any]) -> Any:
        return logits(observation, info["action_mask"]).argmax(-1)

    print(
        evaluate(reinforce, "random", games=arguments.games, opening_turns=2, seed=arguments.seed)
    )


if __name__ == "__main__":
    main()
