"""sb3-contrib's MaskablePPO on many games at once. Needs the extra ``[train]``.

python examples/libraries/sb3_maskable_ppo.py --steps 8192
"""

from __future__ import annotations

import argparse
import warnings

import torch
from sb3_contrib import MaskablePPO

from tkm_env.envs.sb3 import SB3VecEnv
from tkm_env.evaluation import evaluate

# Small planes are not an image, although their shape looks like one.
warnings.filterwarnings("ignore", message="Treating image space as channels-last")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--steps", type=int, default=8_192, help="steps to learn from (default: 8192)"
    )
    parser.add_argument(
        "--games", type=int, default=400, help="games of the evaluation afterwards (default: 400)"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    torch.set_num_threads(1)  # a network this small gains nothing from more
    # MaskablePPO asks the environment for its masks, by env_method("action_masks").
    envs = SB3VecEnv("tkm_env/TKM-v0", num_envs=16, opponent="random", side="random")
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=64,
        batch_size=512,
        learning_rate=1e-3,
        gamma=0.997,
        seed=arguments.seed,
    )
    model.learn(arguments.steps)
    print(evaluate(model, "random", games=arguments.games, opening_turns=2, seed=arguments.seed))


if __name__ == "__main__":
    main()
