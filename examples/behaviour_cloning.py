"""Behaviour cloning with PyTorch.

    python examples/behaviour_cloning.py DATASET --save clone.npz

It imitates the players of a Minari data set, made with ``tkm match`` and
``tkm dataset --observation compact``; docs/datasets.md has the commands. With ``--winners`` it
imitates only the winners. Needs torch and minari: the extras ``[train]`` and ``[data]``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import minari
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tkm_env.evaluation import evaluate
from tkm_env.players import write_policy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", help="the name of a Minari data set with compact observations")
    parser.add_argument(
        "--epochs", type=int, default=8, help="passes through the data (default: 8)"
    )
    parser.add_argument(
        "--width",
        type=int,
        default=256,
        help="units of each of the two hidden layers (default: 256)",
    )
    parser.add_argument(
        "--batch", type=int, default=512, help="decisions per update (default: 512)"
    )
    parser.add_argument(
        "--rate",
        type=float,
        default=1e-3,
        help="Adam's step size, which falls to 0 (default: 0.001)",
    )
    parser.add_argument(
        "--games", type=int, default=400, help="games of each evaluation (default: 400)"
    )
    parser.add_argument(
        "--save",
        type=Path,
        default=Path("clone.npz"),
        help="the file of the policy (default: clone.npz)",
    )
    parser.add_argument("--seed", type=int, default=1)


class Decisions:
    """All decisions of a data set, with those of every tenth game set apart.

    Each has the observation, the legal actions, the action, and the final reward.
    """

    def __init__(self, name: str) -> None:
        episodes = list(minari.load_dataset(name).iterate_episodes())
        self.observations = torch.from_numpy(
            np.concatenate([episode.observations[:-1] for episode in episodes]).astype(np.float32)
        )
        self.masks = torch.from_numpy(
            np.concatenate([episode.infos["action_mask"][:-1] for episode in episodes]) != 0
        )
        self.actions = torch.from_numpy(np.concatenate([episode.actions for episode in episodes]))
        lengths = [len(episode.actions) for episode in episodes]
        self.rewards = torch.tensor(
            np.repeat([episode.rewards[-1] for episode in episodes], lengths), dtype=torch.float32
        )
        # Each side of a game is an episode of its own.
        self.is_apart = torch.tensor(
            np.repeat([episode.infos["game"][0] % 10 == 9 for episode in episodes], lengths)
        )


def perceptron(inputs: int, width: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, width),
        nn.ReLU(),
        nn.Linear(width, width),
        nn.ReLU(),
        nn.Linear(width, outputs),
    )


def imitate(
    policy: nn.Sequential, data: Decisions, weights: Tensor, args: argparse.Namespace
) -> None:
    """Train the policy to choose the actions of the data, with a weight for each decision."""
    chosen = ((weights > 0) & ~data.is_apart).nonzero()[:, 0]
    updates = args.epochs * (len(chosen) // args.batch)
    optimizer = torch.optim.Adam(policy.parameters(), args.rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, updates)
    for epoch in range(args.epochs):
        for rows in chosen[torch.randperm(len(chosen))].split(args.batch)[: updates // args.epochs]:
            logits = policy(data.observations[rows]).masked_fill(~data.masks[rows], -torch.inf)
            loss = (
                weights[rows]
                * functional.cross_entropy(logits, data.actions[rows], reduction="none")
            ).sum() / weights[rows].sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            guessed = (
                policy(data.observations[data.is_apart])
                .masked_fill(~data.masks[data.is_apart], -torch.inf)
                .argmax(1)
            )
        right = (guessed == data.actions[data.is_apart]).float().mean()
        print(
            f"epoch {epoch + 1:2}: loss {loss.item():.3f}, "
            f"{right:.1%} of the actions of other games guessed"
        )


def save_and_evaluate(policy: nn.Sequential, args: argparse.Namespace) -> None:
    layers = [
        (layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in policy[::2]
    ]
    write_policy(args.save, layers, activation="relu", observation="compact")
    for opponent in ("random", "greedy"):
        result = evaluate(f"policy:{args.save}", opponent, games=args.games, seed=args.seed)
        print(f"    {result.score} of the points against {opponent}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    parser.add_argument("--winners", action="store_true", help="imitate only the winners")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    data = Decisions(args.dataset)
    policy = perceptron(data.observations.shape[1], args.width, data.masks.shape[1])
    imitate(
        policy,
        data,
        (data.rewards > 0).float() if args.winners else torch.ones(len(data.rewards)),
        args,
    )
    save_and_evaluate(policy, args)


if __name__ == "__main__":
    main()
