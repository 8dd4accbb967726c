"""The PPO of ``libraries/masked_ppo.py`` with a limit of CPU time, against the package's agents.

It plays one side, against random play in half of the games and against ``greedy`` in the others,
and its policy is saved as a player. It needs what that program needs.

python examples/masked_ppo_on_a_budget.py --cpu-minutes 10 --save masked.npz
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import torch
from budget import Played, add_arguments, rounds
from libraries.masked_ppo import Agent, Args, train
from torch.utils.tensorboard import SummaryWriter

from tkm_env import OpponentPool
from tkm_env.players import write_policy


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    add_arguments(parser)
    parser.set_defaults(cpu_minutes=10.0, save=Path("masked.npz"))
    given = parser.parse_args()
    args = Args(seed=given.seed)

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # a network this small gains nothing from more
    pool = OpponentPool(["random", "greedy"])
    envs = gymnasium.make_vec(
        "tkm_env/TKM-v0",
        args.num_envs,
        opponent=pool,
        side="random",
        observation="compact",
        opening_turns=2,
        autoreset_mode="SameStep",
    )
    agent = Agent(envs)
    played = Played()

    def save(file: Path) -> None:
        layers = [
            (layer.weight.detach().numpy().T, layer.bias.detach().numpy())
            for layer in agent.actor[::2]
        ]
        write_policy(file, layers, activation="relu", observation="compact")

    def iterations() -> Iterator[float]:
        for _, share in rounds(given, 1, save, played):
            yield share
            games = sum(tally.games for tally in pool.tallies.values())
            played.add(games - played.games, args.num_envs * args.num_steps)

    writer = SummaryWriter(str(given.save.parent / "runs" / given.save.stem))
    train(args, envs, agent, writer, iterations())


if __name__ == "__main__":
    main()
