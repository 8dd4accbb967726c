"""Train a small policy on the standard game against random play and evaluate it: ``python examples/train_maskable_ppo.py``.

Needs the extra ``[train]``. Some minutes on two cores. What is learned is saved on the way, so that a run that was stopped goes on
where it was when it is started again.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from tkm_env.arena import evaluate
from tkm_env.envs.sb3 import SB3VecEnv

GAMES_AT_ONCE = 64
STEPS_EACH = 128

# Eight bytes a plane and 84 planes are no picture, whatever their shape.
warnings.filterwarnings("ignore", message="Treating image space as channels-last")


class SaveNowAndThen(BaseCallback):
    """Saves the model after every tenth collection of games."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.collected = 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.collected += 1
        if self.collected % 10 == 0:
            self.model.save(self.path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=600_000, help="steps to learn from (default: 600000)")
    parser.add_argument("--games", type=int, default=1000, help="games of each evaluation afterwards (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=Path, default=Path("maskable_ppo.zip"), help="where to keep what is learned")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    arguments = parser.parse_args()

    envs = SB3VecEnv(num_envs=GAMES_AT_ONCE, opponent="random", side="random")
    if arguments.model.exists():
        model = MaskablePPO.load(arguments.model, envs)
        print(f"going on with {arguments.model}, which has learned from {model.num_timesteps} steps")
    else:
        model = MaskablePPO(
            "MlpPolicy",
            envs,
            learning_rate=1e-3,
            n_steps=STEPS_EACH,
            batch_size=1024,
            n_epochs=3,
            gamma=0.997,
            ent_coef=0.003,
            policy_kwargs={"net_arch": [128, 128]},
            seed=arguments.seed,
        )
    left = arguments.steps - model.num_timesteps
    if left > 0:
        saving = SaveNowAndThen(arguments.model)
        model.learn(left, callback=saving, progress_bar=not arguments.no_progress, reset_num_timesteps=False)
        model.save(arguments.model)
    for opponent in ("random", "greedy"):
        print(evaluate(model, opponent, games=arguments.games, opening_turns=2, seed=arguments.seed))


if __name__ == "__main__":
    main()
