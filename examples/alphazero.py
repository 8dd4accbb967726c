"""AlphaZero over the search of ``batched_puct.py``: ``python examples/alphazero.py``.

A network learns from games that it plays against itself by search (Silver et al., "A General
Reinforcement Learning Algorithm that Masters Chess, Shogi, and Go through Self-Play", 2018). Most
decisions are searched briefly, only to advance the game; a random share is searched in full, and
the network learns only from these (Wu, "Accelerating Self-Play Learning in Go", 2019). Needs torch,
which is in the extra ``[train]``. Takes a minute on one core, plus a minute for the evaluations.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from batched_puct import PUCT, Trees
from budget import Played, add_arguments, rounds
from numpy.typing import NDArray
from replay_memory import Memory
from torch import Tensor, nn
from torch.nn import functional

from tkm_env import ACTIONS, Batch, Game, GameConfig, ObservationEncoder
from tkm_env.evaluation import evaluate
from tkm_env.players import write_policy


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--updates", type=int, default=30, help="rounds of playing and learning (default: 30)"
    )
    parser.add_argument("--envs", type=int, default=512, help="games at once (default: 512)")
    parser.add_argument(
        "--actions", type=int, default=16, help="actions in each game between updates (default: 16)"
    )
    parser.add_argument(
        "--full", type=int, default=64, help="simulations of a full search (default: 64)"
    )
    parser.add_argument(
        "--fast", type=int, default=12, help="simulations of a brief search (default: 12)"
    )
    parser.add_argument(
        "--share", type=float, default=0.25, help="the share of full searches (default: 0.25)"
    )
    parser.add_argument(
        "--exploration", type=float, default=1.0, help="exploration constant of PUCT (default: 1)"
    )
    parser.add_argument(
        "--memory", type=int, default=60_000, help="positions in the replay memory (default: 60000)"
    )
    parser.add_argument(
        "--passes",
        type=float,
        default=6,
        help="times that each position is learned from, on average (default: 6)",
    )
    parser.add_argument(
        "--batch", type=int, default=512, help="positions per step of Adam (default: 512)"
    )
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
        "--evaluations",
        type=int,
        default=1,
        help="number of evaluations, the last one at the end (default: 1)",
    )
    parser.add_argument(
        "--games", type=int, default=200, help="games of each evaluation (default: 200)"
    )
    parser.add_argument("--seed", type=int, default=1)
    add_arguments(parser)
    return parser.parse_args()


class Network(nn.Module):
    """Maps compact observations to logits of all actions and the value for the player to act."""

    def __init__(self, encoder: ObservationEncoder, actions: int, width: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.layers = nn.Sequential(
            nn.Linear(len(encoder.high), width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Linear(width, actions + 1),
        )

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        answers = self.layers(observations)
        return answers[:, :-1], answers[:, -1].tanh()

    @torch.no_grad()
    def guess(self, batch: Batch, rows: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return priors and values of the games in some rows of a batch, for the search."""
        observations = batch.observations_of(rows, batch.to_act[rows], self.encoder)
        logits, values = self(torch.from_numpy(observations))
        legal = torch.from_numpy(batch.masks[rows]).bool()
        return logits.masked_fill(~legal, -1e9).softmax(1).numpy(), values.numpy()

    def save(self, file: Path) -> None:
        """Write the policy as a player that needs neither torch nor a search: ``policy:FILE``."""
        *layers, last = [
            (layer.weight.detach().numpy().T, layer.bias.detach().numpy())
            for layer in self.layers[::2]
        ]
        write_policy(
            file,
            [*layers, (last[0][:, :-1], last[1][:-1])],
            activation="relu",
            observation="compact",
        )


class SelfPlay:
    """Parallel games in which a network plays both sides by search; finished games restart."""

    def __init__(
        self,
        args: argparse.Namespace,
        network: Network,
        memory: Memory,
        generator: np.random.Generator,
    ) -> None:
        self.batch, self.network, self.memory, self.generator = (
            Batch(args.envs),
            network,
            memory,
            generator,
        )
        self.batch.set_initial_positions(opening_turns=2)
        self.batch.reset(seed=args.seed)
        self.full = Trees(args.envs, args.full, args.exploration, network.guess, generator)
        self.fast = Trees(args.envs, args.fast, args.exploration, network.guess)
        self.share = args.share
        self.played = Played()
        #: The observations, policies and players to act of each game in progress.
        self.begun: list[list[tuple[NDArray[Any], NDArray[Any], int]]] = [
            [] for _ in range(args.envs)
        ]

    def play(self, actions: int) -> int:
        """Play some actions in each game; finished games go to the memory and are counted."""
        games = 0
        for _ in range(actions):
            self._play_one()
            ended = self.batch.over.nonzero()[0]
            games += len(ended)
            for number, rewards in zip(ended.tolist(), self.batch.rewards_of(ended), strict=True):
                for seen, policy, player in self.begun[number]:
                    self.memory.add(seen, policy, rewards[player])
                self.begun[number] = []
            self.batch.begin(self.batch.over)
        self.played.add(games, actions * self.batch.num_games)
        return games

    def _play_one(self) -> None:
        batch, players = self.batch, self.batch.to_act
        has_choice = batch.masks.sum(1) > 1
        in_full = has_choice & (self.generator.random(batch.num_games) < self.share)
        policies = batch.masks.astype(np.float32)  # forced actions need no search
        for trees, selected in ((self.full, in_full), (self.fast, has_choice & ~in_full)):
            if len(numbers := selected.nonzero()[0]):
                tried = trees.search(batch, numbers)
                policies[numbers] = tried / tried.sum(1, keepdims=True)
        numbers = in_full.nonzero()[0]
        observations = batch.observations_of(numbers, players[numbers], self.network.encoder)
        for number, observation in zip(numbers.tolist(), observations, strict=True):
            self.begun[number].append((observation, policies[number], int(players[number])))
        # Sampled by share of visits. With the best action every time, games grow longer and longer.
        batch.play((policies / self.generator.exponential(size=policies.shape)).argmax(1))


def symmetry_tables(encoder: ObservationEncoder) -> list[tuple[Tensor, Tensor]]:
    """Return the symmetries of the area, each as two permutations.

    They permute the elements of observations, and the actions.
    """
    return [
        (torch.from_numpy(symmetry.elements), torch.from_numpy(symmetry.actions))
        for symmetry in encoder.symmetries
        if not symmetry.flipped.any()  # the others exchange the players
    ]


def learn(
    network: Network,
    optimizer: torch.optim.Optimizer,
    memory: Memory,
    steps: int,
    batch: int,
    generator: np.random.Generator,
) -> float:
    """Run steps of Adam on positions drawn from memory, each step under a random symmetry.

    Returns:
        The mean loss.
    """
    tables, losses = symmetry_tables(network.encoder), []
    for _ in range(steps):
        seen, policies, results = memory.draw(batch, generator)
        elements, actions = tables[generator.integers(len(tables))]
        logits, values = network(seen[:, elements])
        loss = functional.cross_entropy(logits, policies[:, actions]) + functional.mse_loss(
            values, results
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return float(np.mean(losses or np.nan))


def main() -> None:
    args = arguments()
    torch.set_num_threads(1)  # a network this small gains nothing from more
    torch.manual_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    network = Network(ObservationEncoder(Game, GameConfig(), "compact"), len(ACTIONS), args.width)
    optimizer = torch.optim.Adam(network.parameters(), lr=args.rate, weight_decay=1e-5)
    memory = Memory(args.memory, len(network.encoder.high), len(ACTIONS))
    self_play = SelfPlay(args, network, memory, generator)
    for update, share in rounds(args, args.updates, network.save, self_play.played):
        for group in optimizer.param_groups:
            group["lr"] = args.rate * (1 - share)
        began, known = time.process_time(), memory.added
        games = self_play.play(args.actions)
        played, new = time.process_time(), memory.added - known
        loss = learn(
            network, optimizer, memory, round(args.passes * new / args.batch), args.batch, generator
        )
        learned = time.process_time()
        print(
            f"update {update:>3}: {games:>3} games, {new:>5} positions to learn from, "
            f"loss {loss:.3f}; "
            f"{played - began:.1f} CPU seconds of play, {learned - played:.1f} of learning"
        )
        if (
            not args.cpu_minutes
            and update * args.evaluations // args.updates
            > (update - 1) * args.evaluations // args.updates
        ):
            for opponent in ("random", "greedy"):
                result = evaluate(
                    PUCT(args.full, args.exploration, network.guess),
                    opponent,
                    games=args.games,
                    seed=args.seed + 1,
                )
                print(
                    f"    {result.score} of the points against {opponent}: "
                    f"+{result.wins} ={result.draws} -{result.losses}"
                )


if __name__ == "__main__":
    main()
