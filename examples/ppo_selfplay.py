"""PPO by self-play in one file, with PyTorch alone: ``python examples/ppo_selfplay.py``.

One network plays both sides of many games at once and learns from every step (Schulman, Wolski,
Dhariwal, Radford and Klimov, "Proximal Policy Optimization Algorithms", 2017). Needs torch, which
is in the extra ``[train]``. Takes three minutes on one core.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from budget import Played, add_arguments, rounds
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

import tkm_env
from tkm_env.evaluation import evaluate
from tkm_env.learn import zero_sum_gae
from tkm_env.players import write_policy

gymnasium.register_envs(tkm_env)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--steps", type=int, default=6_000_000, help="steps to learn from (default: 6000000)"
    )
    parser.add_argument("--envs", type=int, default=512, help="games at once (default: 512)")
    parser.add_argument(
        "--rollout", type=int, default=64, help="steps of each game between updates (default: 64)"
    )
    parser.add_argument(
        "--minibatches", type=int, default=8, help="minibatches per update (default: 8)"
    )
    parser.add_argument("--epochs", type=int, default=2, help="epochs per update (default: 2)")
    parser.add_argument(
        "--width",
        type=int,
        default=128,
        help="units of each of the two hidden layers (default: 128)",
    )
    parser.add_argument(
        "--rate",
        type=float,
        default=2e-3,
        help="Adam's step size, which falls to 0 (default: 0.002)",
    )
    parser.add_argument(
        "--gamma", type=float, default=0.997, help="the discount of each step (default: 0.997)"
    )
    parser.add_argument(
        "--lam", type=float, default=0.95, help="how far advantages look ahead (default: 0.95)"
    )
    parser.add_argument(
        "--clip",
        type=float,
        default=0.2,
        help="clipping range of the probability ratio (default: 0.2)",
    )
    parser.add_argument(
        "--entropy",
        type=float,
        default=0.01,
        help="the weight of the policy's entropy (default: 0.01)",
    )
    parser.add_argument(
        "--evaluations",
        type=int,
        default=4,
        help="number of evaluations, the last one at the end (default: 4)",
    )
    parser.add_argument(
        "--games", type=int, default=400, help="games of each evaluation (default: 400)"
    )
    parser.add_argument("--seed", type=int, default=1)
    add_arguments(parser)
    return parser.parse_args()


class Network(nn.Module):
    """Maps compact observations to logits of all actions and the value for the player to act."""

    def __init__(self, inputs: int, actions: int, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)
        for layer, gain in (
            (self.body[0], 2**0.5),
            (self.body[2], 2**0.5),
            (self.policy, 0.01),
            (self.value, 1.0),
        ):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities, very small for illegal actions, and values."""
        features = self.body(observations)
        logits = self.policy(features).masked_fill(~masks, -1e9)
        return logits.log_softmax(1), self.value(features).squeeze(1)

    @torch.no_grad()
    def act(self, observations: NDArray[Any], info: dict[str, Any]) -> NDArray[np.int64]:
        """Return the most probable action in each game, for environments and `evaluate`."""
        logs, _ = self(torch.from_numpy(observations), torch.from_numpy(info["action_mask"]).bool())
        return logs.argmax(1).numpy()

    def save(self, file: Path) -> None:
        """Write a player that needs no torch: ``policy:FILE``."""
        layers = [
            (layer.weight.detach().numpy().T, layer.bias.detach().numpy())
            for layer in (*self.body[::2], self.policy)
        ]
        write_policy(file, layers, activation="relu", observation="compact")


def main() -> None:
    args = arguments()
    torch.set_num_threads(1)  # a network this small gains nothing from more
    torch.manual_seed(args.seed)
    envs = gymnasium.make_vec(
        "tkm_env/TKM-v0",
        num_envs=args.envs,
        opponent="self",
        observation="compact",
        autoreset_mode="SameStep",
        opening_turns=2,
    )
    size, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    network = Network(size, actions, args.width)
    optimizer = torch.optim.Adam(network.parameters(), lr=args.rate, eps=1e-5)

    shape = (args.rollout, args.envs)
    seen, masks = torch.zeros(*shape, size), torch.zeros(*shape, actions, dtype=torch.bool)
    chosen, old_logs = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape)
    rewards, done = np.zeros(shape), np.zeros(shape, np.bool_)
    values, to_act = (
        np.zeros((args.rollout + 1, args.envs)),
        np.zeros((args.rollout + 1, args.envs), np.int64),
    )

    observation, info = envs.reset(seed=args.seed)
    updates = max(1, args.steps // (args.rollout * args.envs))
    played = Played()
    for update, share in rounds(args, updates, network.save, played):
        for group in optimizer.param_groups:
            group["lr"] = args.rate * (1 - share)

        # Play. A truncated game counts as a draw, as in matches, so ``final_obs`` needs no value.
        began, stepping = time.process_time(), 0.0
        with torch.no_grad():
            for step in range(args.rollout + 1):
                now, legal = (
                    torch.from_numpy(observation),
                    torch.from_numpy(info["action_mask"]).bool(),
                )
                logs, value = network(now, legal)
                values[step], to_act[step] = value.numpy(), info["to_act"]
                if step == args.rollout:
                    break
                action = torch.multinomial(logs.exp(), 1)
                seen[step], masks[step], chosen[step], old_logs[step] = (
                    now,
                    legal,
                    action[:, 0],
                    logs.gather(1, action)[:, 0],
                )
                stepped = time.process_time()
                observation, rewards[step], terminations, truncations, info = envs.step(
                    action[:, 0].numpy()
                )
                stepping += time.process_time() - stepped
                done[step] = terminations | truncations

        played.add(int(done.sum()), done.size)

        # Learn.
        found = zero_sum_gae(rewards, values, done, to_act, gamma=args.gamma, lam=args.lam)
        advantages, returns = (
            torch.from_numpy(array.astype(np.float32).ravel()) for array in found
        )
        flat_seen, flat_masks = seen.flatten(0, 1), masks.flatten(0, 1)
        flat_chosen, flat_logs = chosen.flatten(), old_logs.flatten()
        for _ in range(args.epochs):
            for part in torch.randperm(len(flat_seen)).chunk(args.minibatches):
                logs, value = network(flat_seen[part], flat_masks[part])
                ratio = (logs.gather(1, flat_chosen[part, None])[:, 0] - flat_logs[part]).exp()
                advantage = advantages[part]
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                policy_loss = -torch.min(
                    advantage * ratio, advantage * ratio.clamp(1 - args.clip, 1 + args.clip)
                ).mean()
                value_loss = functional.mse_loss(value, returns[part])
                entropy = -(logs.exp() * logs).sum(1).mean()
                optimizer.zero_grad()
                (policy_loss + 0.5 * value_loss - args.entropy * entropy).backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
        ended = time.process_time()
        spent = ended - began
        print(
            f"{update * done.size:>9,} steps: {done.size / spent:,.0f} a CPU second, "
            f"{stepping / spent:.1%} of it in the environment; "
            f"games of {done.size / max(1, done.sum()):.0f} steps, "
            f"entropy {entropy:.2f}, value loss {value_loss:.3f}"
        )
        if (
            not args.cpu_minutes
            and update * args.evaluations // updates > (update - 1) * args.evaluations // updates
        ):
            for opponent in ("random", "greedy"):
                result = evaluate(
                    network.act,
                    opponent,
                    games=args.games,
                    seed=args.seed + 1,
                    observation="compact",
                )
                print(
                    f"    {result.score} of the points against {opponent}: "
                    f"+{result.wins} ={result.draws} -{result.losses}"
                )


if __name__ == "__main__":
    main()
