"""Offline reinforcement learning with PyTorch.

    python examples/offline_rl.py DATASET --save offline.npz

Advantage-weighted regression (Peng, Kumar, Zhang and Levine, 2019) on a Minari data set, without
playing: a network learns what positions are worth to the players of the data, and the policy
imitates their decisions, with more weight on those that led to better results than the network
expects. Needs torch and minari, like `behaviour_cloning.py`, which does the rest.
"""

from __future__ import annotations

import argparse

import torch
from behaviour_cloning import Decisions, add_arguments, imitate, perceptron, save_and_evaluate
from torch import Tensor
from torch.nn import functional


def advantages(data: Decisions, args: argparse.Namespace) -> Tensor:
    """How much better each decision turned out than its position's value, from -2 to 2."""
    value = perceptron(data.observations.shape[1], args.width, 1)
    optimizer = torch.optim.Adam(value.parameters(), args.rate)
    known = (~data.is_apart).nonzero()[:, 0]
    for _ in range(args.value_epochs):
        for rows in known[torch.randperm(len(known))].split(args.batch):
            loss = functional.mse_loss(value(data.observations[rows])[:, 0], data.rewards[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        expected = torch.cat([value(rows)[:, 0] for rows in data.observations.split(4096)])
    apart = data.is_apart
    explained = 1 - (data.rewards - expected)[apart].var() / data.rewards[apart].var()
    print(f"values explain {explained:.0%} of the variance of the results of other games")
    return data.rewards - expected


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    parser.add_argument(
        "--value-epochs",
        type=int,
        default=3,
        help="passes in which values are learned (default: 3)",
    )
    parser.add_argument(
        "--temperature",
        type=float,
        default=0.5,
        help="the advantage that makes a weight e times as large (default: 0.5)",
    )
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    data = Decisions(args.dataset)
    weights = (advantages(data, args) / args.temperature).exp().clamp(max=20)
    policy = perceptron(data.observations.shape[1], args.width, data.masks.shape[1])
    imitate(policy, data, weights, args)
    save_and_evaluate(policy, args)


if __name__ == "__main__":
    main()
