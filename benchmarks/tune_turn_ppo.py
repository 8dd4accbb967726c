"""Search the hyperparameters of PPO over whole turns.

    python benchmarks/tune_turn_ppo.py FOLDER

A random search by successive halving (Jamieson and Talwalkar, "Non-stochastic Best Arm
Identification and Hyperparameter Optimization", 2016): many settings learn for a minute of CPU
time, and the best of them start again with more time. Then come neighbours of the best one, with
a few of its values drawn anew. The measure is the mean score against two opponents from random
openings, which are not the benchmark's, and the seeds are not those that are reported. The first
setting is that of the defaults when the search was made.

Each training and its score is kept in the folder, so an interrupted search resumes where it
stopped. ``docs/turn_ppo_tuning.json`` holds the results.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from rich.progress import Progress

from tkm_env.evaluation import evaluate

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep

FIGURES: Final = ROOT / "docs" / "turn_ppo_tuning.json"
PROGRAM: Final = ROOT / "examples" / "turn_ppo.py"
PLAYER: Final = f"{ROOT}/examples/turn_players.py:TurnPolicy:file="
OPPONENTS: Final = ("greedy", "alphabeta:depth=2,net=None")
GAMES: Final = 300


class Round(NamedTuple):
    """A round of the search."""

    settings: int  # how many of those before it take part
    minutes: float  # the CPU time of each training
    seed: int
    neighbours: int = 0  # how many neighbours of the best so far take part as well


ROUNDS: Final = (Round(10, 1, 101), Round(3, 2, 102), Round(1, 2, 102, neighbours=4))
#: How many values of a neighbour are drawn anew.
CHANGES: Final = 3
#: The first setting that is tried.
DEFAULTS: Final[dict[str, float]] = {
    "games": 256,
    "turns": 32,
    "epochs": 2,
    "batch": 512,
    "width": 128,
    "rate": 2e-3,
    "entropy": 0.02,
    "gamma": 0.99,
    "lam": 0.9,
    "trust": 20.0,
    "clip": 0.2,
    "least": 0.002,
}


def between(low: float, high: float) -> Callable[[np.random.Generator], float]:
    """A number drawn uniformly on a logarithmic scale, to two digits."""
    return lambda generator: float(f"{low * (high / low) ** generator.random():.1e}")


def one_of(*values: float) -> Callable[[np.random.Generator], float]:
    """One of these values."""
    return lambda generator: values[generator.integers(len(values))]


SPACE: Final[dict[str, Callable[[np.random.Generator], float]]] = {
    "games": one_of(64, 128, 256, 512),
    "turns": one_of(8, 16, 32),
    "epochs": one_of(1, 2, 3, 4),
    "batch": one_of(256, 512, 1024, 2048),
    "width": one_of(64, 96, 128, 192),
    "rate": between(5e-4, 8e-3),
    "entropy": between(2e-3, 5e-2),
    "gamma": one_of(0.98, 0.99, 0.995, 1.0),
    "lam": one_of(0.7, 0.8, 0.9, 0.95),
    "trust": between(5, 60),
    "clip": one_of(0.1, 0.2, 0.3),
    "least": one_of(0.002, 0.005, 0.01),
}


def candidates(number: int, seed: int) -> list[dict[str, float]]:
    """The defaults, and settings drawn at random."""
    generator = np.random.default_rng(seed)
    drawn = [{name: draw(generator) for name, draw in SPACE.items()} for _ in range(1, number)]
    return [DEFAULTS, *drawn]


def neighbours(setting: dict[str, float], number: int, seed: int) -> list[dict[str, float]]:
    """Settings that share most of their values with another."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        names = generator.choice([*SPACE], CHANGES, replace=False).tolist()
        found.append(setting | {name: SPACE[name](generator) for name in names})
    return found


def score(setting: dict[str, float], file: Path, minutes: float, seed: int) -> float:
    """Train with a setting, and play against the opponents.

    Args:
        setting: the values of the program's options.
        file: where the player goes.
        minutes: the CPU time.
        seed: seeds the training and the games.

    Returns:
        The mean of the scores, from 0 to 1.
    """
    given = {**setting, "cpu-minutes": minutes, "seed": seed, "save": file, "evaluation": 0}
    options = [str(word) for name, value in given.items() for word in (f"--{name}", value)]
    with file.with_suffix(".log").open("w") as log:
        command = [sys.executable, str(PROGRAM), *options]
        subprocess.run(command, check=True, stdout=log, stderr=log)
    scores = [
        evaluate(f"{PLAYER}{file}", opponent, games=GAMES, opening_turns=2, seed=seed).score.share
        for opponent in OPPONENTS
    ]
    return sum(scores) / len(scores)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--processes", type=int, default=1, help="trainings side by side (default: 1)"
    )
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    begun(folder, "tuning")
    settings = candidates(ROUNDS[0].settings, seed=0)
    found: list[dict[str, Any]] = [{"setting": setting, "scores": {}} for setting in settings]
    left = [*range(len(settings))]
    total = sum((size.settings + size.neighbours) * size.minutes for size in ROUNDS)

    def measured(number: int, size: Round) -> float:
        """The score of a setting in a round, or what is kept of it."""
        file = folder / f"setting{number}-{size.minutes:g}.npz"
        kept = file.with_suffix(".json")
        if not kept.exists():
            reached = score(settings[number], file, size.minutes, size.seed)
            kept.write_text(json.dumps(reached), "utf-8")
        return float(json.loads(kept.read_text("utf-8")))

    with (
        Progress(disable=not sys.stderr.isatty()) as progress,
        ThreadPoolExecutor(given.processes) as pool,
    ):
        bar = progress.add_task("CPU minutes", total=total)
        for size in ROUNDS:
            left = left[: size.settings]
            added = neighbours(settings[left[0]], size.neighbours, size.seed)
            left += range(len(settings), len(settings) + len(added))
            settings += added
            found += [{"setting": setting, "scores": {}} for setting in added]
            for number, reached in zip(left, pool.map(measured, left, repeat(size)), strict=True):
                found[number]["scores"][f"{size.minutes:g}"] = reached
                progress.console.print(f"{size.minutes:g} minutes, setting {number}: {reached:.1%}")
                progress.advance(bar, size.minutes)
            left.sort(key=lambda number: -found[number]["scores"][f"{size.minutes:g}"])
    spent = sum(float(minutes) for each in found for minutes in each["scores"])
    figures = {"cpu_minutes": spent, "best": left[0], "settings": found}
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    keep(folder, "tuning")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
