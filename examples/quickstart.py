"""Play random games of several chapters through PettingZoo, and evaluate a policy.

It prints boards and results.

python examples/quickstart.py              # one game each
python examples/quickstart.py --games 50 --seed 7 --quiet
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

import numpy as np

from tkm_env import ACTIONS, tkm_v0
from tkm_env.evaluation import evaluate

CHAPTERS = ("standard", "growth", "influence", "memory", "convergence")


def play(chapters: str, seed: int, show: bool) -> str:
    """Play a random game and return the agent who won, or "nobody"."""
    environment = tkm_v0.env(chapters=chapters, render_mode="ansi")
    environment.reset(seed=seed)
    generator = np.random.default_rng(seed)
    winner, steps = "nobody", 0
    if show:
        print(f"\n{chapters}, seed {seed}: how it starts\n{environment.render()}")
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, info = environment.last()
        if termination or truncation:
            winner = agent if reward > 0 else winner
            environment.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        environment.step(int(generator.choice(legal)))
        steps += 1
        if show and steps == 24:
            print(f"\n{chapters}: after {steps} steps\n{environment.render()}")
    if show:
        print(f"\n{chapters}: how it ends, after {steps} steps\n{environment.render()}")
    return winner


def first_legal(observation: Any, info: dict[str, Any]) -> Any:
    """Return the first legal action in each game where the policy is to act."""
    return info["action_mask"].argmax(1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=1, help="games of each chapter (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game (default: 1)")
    parser.add_argument("--quiet", action="store_true", help="print results only")
    arguments = parser.parse_args()
    print(f"{len(ACTIONS)} actions; white_0 and black_0 play at random")
    for chapters in CHAPTERS:
        seeds = range(arguments.seed, arguments.seed + arguments.games)
        winners = Counter(
            play(chapters, seed, show=not arguments.quiet and seed == arguments.seed)
            for seed in seeds
        )
        print(
            f"\n{chapters}: "
            + ", ".join(f"{name} won {count}" for name, count in sorted(winners.items()))
        )
    print(f"\n{evaluate(first_legal, 'random', games=100, seed=arguments.seed)}")


if __name__ == "__main__":
    main()
