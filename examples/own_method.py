"""A method to begin your own with, which needs numpy alone.

    python examples/own_method.py --cpu-minutes 2 --save mine.npz
    tkm match examples/own_method.py:Linear:file=mine.npz random

It learns what the end of a turn is worth as a linear function of what the player sees there, by
TD(0) in games against itself (Sutton and Barto, "Reinforcement Learning", 2018, section 9.4).
"""

from __future__ import annotations

import argparse
import json
import time
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tkm_env import NO_ACTION, Batch, BatchTurns, Game, GameConfig, ObservationEncoder

GAMES, DISCOUNT, TEMPERATURE, RATE = 256, 0.98, 0.05, 0.01


@cache
def encoder_for(config: GameConfig) -> ObservationEncoder:
    """How a player sees games with these settings, as if it were the first player."""
    return ObservationEncoder(Game, config, "compact", canonical=True)


class Linear:
    """Plays the turn with the most valuable end, by what a training saved."""

    def __init__(self, file: str) -> None:
        with np.load(file) as arrays:
            self.weights = arrays["weights"]

    def act(self, game: Game) -> int:
        """The first action of the best turn, or of the best way to finish the turn."""
        batch = Batch(1, game.config)
        batch.set_game(0, game)
        return int(self.act_all(batch, np.zeros(1, np.int64))[0])

    def act_all(self, batch: Batch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same for some games of a batch, which makes matches faster."""
        turns = batch.turns(indices)
        seen = batch.observe_turns(turns, encoder=encoder_for(batch.config))
        best = turns.best(values_of(batch, turns, seen, self.weights))
        return turns.actions[best, 0].astype(np.int64)


def values_of(
    batch: Batch, turns: BatchTurns, seen: NDArray[np.float32], weights: NDArray[np.float32]
) -> NDArray[np.float64]:
    """What each turn is worth to its player, from -1 to 1; where the game ends, the reward."""
    rewards = batch.ends.rewards[turns.results, turns.players[turns.owners]]
    return np.where(turns.results == 0, np.tanh(seen @ weights), rewards)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu-minutes", type=float, default=2)
    parser.add_argument("--checkpoint-minutes", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, default=Path("mine.npz"))
    args = parser.parse_args()
    checkpoints = [float(minutes) for minutes in args.checkpoint_minutes.split(",") if minutes]

    generator = np.random.default_rng(args.seed)
    encoder = encoder_for(GameConfig())
    weights = np.zeros(len(encoder.high), np.float32)
    played = {"games": 0, "actions": 0}

    def save(file: Path) -> None:
        np.savez(file, weights=weights)
        file.with_suffix(".played.json").write_text(json.dumps(played), "utf-8")

    batch = Batch(GAMES)
    batch.set_initial_positions(opening_turns=2)
    batch.reset(seed=args.seed)
    last = np.zeros((GAMES, len(weights)), np.float32)  # what was seen after the turn before
    has_last = np.zeros(GAMES, np.bool_)
    while (minutes := time.process_time() / 60) < args.cpu_minutes:
        if checkpoints and minutes >= checkpoints[0]:
            save(args.save.with_stem(f"{args.save.stem}-{checkpoints.pop(0):g}"))
        turns = batch.turns()
        seen = batch.observe_turns(turns, encoder=encoder)
        values = values_of(batch, turns, seen, weights)

        # The turn before was worth the opposite of the best that can be done about it.
        best = np.maximum.reduceat(values, turns.offsets[:-1])
        guesses = np.tanh(last @ weights)
        errors = (-DISCOUNT * best - guesses) * (1 - guesses**2) * has_last
        weights += np.float32(RATE * (1 - minutes / args.cpu_minutes)) * (errors @ last)

        noise = TEMPERATURE * generator.gumbel(size=len(values))  # samples a softmax of values
        rows = turns.best(values + noise)
        batch.play_turns(turns, rows)
        played["games"] += int(batch.over.sum())
        played["actions"] += int((turns.actions[rows] != NO_ACTION).sum())
        last, has_last = seen[rows], ~batch.over
        batch.begin(batch.over)
    save(args.save)


if __name__ == "__main__":
    main()
