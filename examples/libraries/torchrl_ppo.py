"""TorchRL's PPO with its masked distribution.

    python examples/libraries/torchrl_ppo.py --steps 8192

Needs the extra ``[torchrl]``.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary, Composite
from torchrl.envs import (
    ActionMask,
    Compose,
    DTypeCastTransform,
    FlattenObservation,
    GymWrapper,
    TransformedEnv,
)
from torchrl.envs.gym_like import default_info_dict_reader
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import tkm_env
from tkm_env.evaluation import evaluate

gymnasium.register_envs(tkm_env)

GAMES_AT_ONCE = 32


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
    torch.manual_seed(arguments.seed)
    envs = gymnasium.make_vec(
        "tkm_env/TKM-v0", GAMES_AT_ONCE, autoreset_mode="SameStep", opponent="random", side="random"
    )
    actions = envs.single_action_space.n
    env = GymWrapper(envs, categorical_action_encoding=True)
    mask = Binary(actions, (GAMES_AT_ONCE, actions), dtype=torch.int8)
    env.set_info_dict_reader(
        default_info_dict_reader(
            ["action_mask"], Composite(action_mask=mask, shape=(GAMES_AT_ONCE,))
        )
    )
    casts = (
        DTypeCastTransform(
            torch.int8, torch.bool, in_keys=["action_mask"]
        ),  # for MaskedCategorical
        DTypeCastTransform(torch.int8, torch.float32, in_keys=["observation"]),
        FlattenObservation(-3, -1, in_keys=["observation"]),
    )
    env = TransformedEnv(env, Compose(*casts, ActionMask()))
    env.set_seed(arguments.seed)

    def network(outputs: int) -> nn.Module:
        return nn.Sequential(
            nn.Linear(84 * 4 * 4, 128),
            nn.Tanh(),
            nn.Linear(128, 128),
            nn.Tanh(),
            nn.Linear(128, outputs),
        )

    scores = TensorDictModule(network(actions), ["observation"], ["logits"])
    actor = ProbabilisticActor(
        scores,
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(network(1), in_keys=["observation"])
    loss_of = ClipPPOLoss(actor, critic, entropy_coeff=0.003)
    advantages = GAE(gamma=0.997, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss_of.parameters(), lr=1e-3)
    for steps in Collector(
        env, actor, frames_per_batch=64 * GAMES_AT_ONCE, total_frames=arguments.steps
    ):
        for _ in range(3):
            batch = advantages(steps).reshape(-1)
            for part in batch[torch.randperm(len(batch))].split(512):
                losses = loss_of(part)
                optimizer.zero_grad()
                sum(
                    losses[name] for name in ("loss_objective", "loss_critic", "loss_entropy")
                ).backward()
                optimizer.step()

    def ppo(observation: Any, info: dict[str, Any]) -> Any:
        with torch.no_grad():
            logits = scores(torch.as_tensor(observation).flatten(1).float())
        return (
            logits.masked_fill(torch.as_tensor(info["action_mask"]) == 0, -torch.inf)
            .argmax(1)
            .numpy()
        )

    print(evaluate(ppo, "random", games=arguments.games, opening_turns=2, seed=arguments.seed))


if __name__ == "__main__":
    main()
