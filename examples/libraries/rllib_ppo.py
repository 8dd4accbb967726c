"""RLlib's PPO with a module that masks actions, on the new API stack.

Needs the extra ``[rllib]``.

python examples/libraries/rllib_ppo.py --steps 4000
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from tkm_env.adapters.rllib import RLlibEnv
from tkm_env.evaluation import evaluate


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

    torch.set_num_threads(1)  # a network this small gains nothing from more
    steps_each = min(arguments.steps, 2000)
    config = (
        PPOConfig()
        .environment(RLlibEnv, env_config={"opponent": "random", "side": "random"})
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config={"head_fcnet_hiddens": [128], "head_fcnet_activation": "relu"},
            )
        )
        .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
        .training(
            train_batch_size_per_learner=steps_each,
            minibatch_size=min(steps_each, 500),
            num_epochs=4,
            lr=5e-4,
            gamma=0.997,
        )
        .debugging(seed=arguments.seed)
    )
    algorithm = config.build_algo()
    for _ in range(arguments.steps // steps_each):
        algorithm.train()
    module = algorithm.get_module()

    def ppo(observation: Any, info: dict[str, Any]) -> Any:
        """Return the module's best action in each game, from observations as in `RLlibEnv`."""
        seen = {
            "observations": observation.reshape(len(observation), -1),
            "action_mask": info["action_mask"],
        }
        with torch.no_grad():
            answer = module.forward_inference(
                {
                    "obs": {
                        key: torch.as_tensor(rows, dtype=torch.float32)
                        for key, rows in seen.items()
                    }
                }
            )
        return np.asarray(answer["action_dist_inputs"].argmax(1))

    print(evaluate(ppo, "random", games=arguments.games, opening_turns=2, seed=arguments.seed))
    algorithm.stop()


if __name__ == "__main__":
    main()
