"""MaskablePPO over whole turns by self-play: ``python examples/sb3_turn_selfplay.py``.

The policy of ``libraries/sb3_maskable_ppo.py`` learns against copies of itself, and in a tenth of
the games each against random play and ``greedy``. Needs the extra ``[train]``. The player that it
saves needs numpy alone:

    tkm match examples/turn_players.py:TurnScores:file=sb3_turns.npz greedy
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from budget import Played, add_arguments, rounds
from libraries.sb3_maskable_ppo import ID, MAX_CHOICES, TurnPolicy
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from turn_players import Layers, SampledTurns, write_layers

from tkm_env import NO_ACTION
from tkm_env.envs.sb3 import SB3VecEnv
from tkm_env.learn import Snapshots


class CountingEnvs(SB3VecEnv):
    """Counts the actions of which the learner's turns consist, and the games that ended."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.played = Played()

    def step_async(self, actions: np.ndarray) -> None:
        counts, offsets = self._turns.counts, self._turns.offsets[:-1]
        # Where there are more turns than choices, a choice stands for several.
        places = np.where(counts > MAX_CHOICES, actions * counts // MAX_CHOICES, actions)
        self.played.add(0, int((self._turns.actions[offsets + places] != NO_ACTION).sum()))
        super().step_async(actions)

    def step_wait(self) -> Any:
        stepped = super().step_wait()
        self.played.add(int(stepped[2].sum()), 0)
        return stepped

    def _infos_of(self, info: dict[str, Any]) -> list[dict[str, Any]]:
        self._turns = info["turns"]
        return super()._infos_of(info)


def layers_of(model: MaskablePPO) -> Layers:
    """A copy of the network that gives turns their scores."""
    scores = model.policy.mlp_extractor
    return [
        (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())
        for layer in (*scores.hidden[::2], scores.score)
    ]


class CopyOften(BaseCallback):
    """Adds a copy of the model to its opponents, first at the start, then after ``every`` turns."""

    def __init__(self, every: int, snapshots: Snapshots, generator: np.random.Generator) -> None:
        super().__init__()
        self.every, self.snapshots, self.generator = every, snapshots, generator
        self.due = 0

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self.due:
            self.snapshots.add(SampledTurns(layers_of(self.model), self.generator))
            self.due = self.num_timesteps + self.every

    def _on_step(self) -> bool:
        return True


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--envs", type=int, default=128, help="games at once (default: 128)")
    parser.add_argument(
        "--turns", type=int, default=16, help="turns in each between two updates (default: 16)"
    )
    parser.add_argument("--seed", type=int, default=1)
    add_arguments(parser)
    parser.set_defaults(cpu_minutes=10.0, save=Path("sb3_turns.npz"))
    arguments = parser.parse_args()

    torch.set_num_threads(1)  # a network this small gains nothing from more
    snapshots = Snapshots({"random": 0.1, "greedy": 0.1}, keep=4, sampling="latest")
    envs = CountingEnvs(
        ID,
        num_envs=arguments.envs,
        opponent=snapshots.pool,
        side="random",
        opening_turns=2,
        max_choices=MAX_CHOICES,
    )
    model = MaskablePPO(
        TurnPolicy,
        envs,
        n_steps=arguments.turns,
        batch_size=512,
        n_epochs=2,
        learning_rate=1e-3,
        gamma=0.99,
        gae_lambda=0.9,
        ent_coef=0.01,
        seed=arguments.seed,
    )
    copying = CopyOften(50_000, snapshots, np.random.default_rng(arguments.seed))

    def save(file: Path) -> None:
        write_layers(file, layers_of(model))

    for _ in rounds(arguments, 1, save, envs.played):
        turns = arguments.turns * arguments.envs
        model.learn(turns, callback=copying, reset_num_timesteps=False)


if __name__ == "__main__":
    main()
