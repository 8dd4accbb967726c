"""Train a small policy by self-play and evaluate it: ``python examples/sb3_selfplay.py``.

Needs the extra ``[train]``. Takes two to three minutes on one core. The best model is saved to one
file, and as a player to another.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from budget import Played, add_arguments, rounds
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from tkm_env.envs.sb3 import SB3VecEnv
from tkm_env.evaluation import evaluate
from tkm_env.learn.export_policy import save_policy
from tkm_env.learn.sb3 import SelfPlayCallback, WinRateCallback


class Count(BaseCallback):
    """Counts the learner's actions, and the games that end."""

    def __init__(self) -> None:
        super().__init__()
        self.played = Played()

    def _on_step(self) -> bool:
        self.played.add(int(self.locals["dones"].sum()), len(self.locals["dones"]))
        return True


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--steps", type=int, default=600_000, help="steps to learn from (default: 600000)"
    )
    parser.add_argument(
        "--games", type=int, default=1000, help="games of each final evaluation (default: 1000)"
    )
    parser.add_argument("--envs", type=int, default=256, help="games at once (default: 256)")
    parser.add_argument("--seed", type=int, default=1)
    add_arguments(parser)
    parser.add_argument(
        "--best", type=Path, default=Path("sb3_selfplay.zip"), help="where to keep the best model"
    )
    arguments = parser.parse_args()

    torch.set_num_threads(1)  # a network this small gains nothing from more
    envs = SB3VecEnv(num_envs=arguments.envs, side="random", opening_turns=2, observation="compact")
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        learning_rate=1e-3,
        n_steps=32,
        batch_size=1024,
        n_epochs=3,
        gamma=0.997,
        ent_coef=0.003,
        policy_kwargs={"net_arch": [128, 128]},
        seed=arguments.seed,
    )
    playing = SelfPlayCallback(
        every=arguments.steps // 12,
        keep=6,
        anchors={"random": 0.1, "greedy": 0.1},
        sampling="prioritised",
    )
    if arguments.cpu_minutes:
        counting = Count()

        def save(file: Path) -> None:
            save_policy(file, model, observation="compact")

        for _ in rounds(arguments, 12, save, counting.played):
            steps = 8 * 32 * arguments.envs
            model.learn(steps, callback=[playing, counting], reset_num_timesteps=False)
        return
    rating = WinRateCallback(
        ["random", "greedy"], games=200, every=arguments.steps // 6, best=arguments.best, verbose=1
    )
    model.learn(arguments.steps, callback=[playing, rating])
    best = MaskablePPO.load(arguments.best)
    for opponent in ("random", "greedy"):
        print(
            evaluate(
                best,
                opponent,
                games=arguments.games,
                seed=arguments.seed + 1,
                observation="compact",
            )
        )
    player = arguments.best.with_suffix(".npz")
    save_policy(player, best, observation="compact")
    print(f"it plays without PyTorch as well: tkm match policy:{player} greedy")


if __name__ == "__main__":
    main()
