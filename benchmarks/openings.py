"""Measure how level the openings are: ``python benchmarks/openings.py FOLDER``.

Alpha-beta plays both sides, half of the games in each edition, deeper than when the openings were
chosen and with other random numbers; as then, it chooses at random among its best few turns. What
was measured is kept in FOLDER, so an interrupted run resumes where it stopped.
``docs/openings.json`` holds the figures. Afterwards, ``python docs/generate.py`` writes the table
of ``docs/openings.md``.

With ``--only`` or ``--games``, for a quick look, it prints the figures and publishes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from tkm_env import Game, GameConfig
from tkm_env.evaluation.score import PairResults
from tkm_env.foundations.files import write_file
from tkm_env.games.tkm import openings

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep
from benchmarks.levels import SETS
from benchmarks.make_openings import EDITIONS, MAX_TURNS, scores_of_white

FIGURES = ROOT / "docs" / "openings.json"
GAMES = 40
DEPTH = 3
SEED = 2


def scores_of(place: str, number: int, games: int) -> list[float]:
    """White's points in games from the opening with this number, from 0."""
    configs = [
        GameConfig(chapters=SETS[place], edition=edition, max_turns=MAX_TURNS)
        for edition in EDITIONS
    ]
    position = openings.openings(configs[0])[number]
    generator = np.random.default_rng([SEED, [*SETS].index(place), number])
    starts = [Game(config, position=position) for config in configs]
    return scores_of_white(starts, games, DEPTH, generator)


def interval(scores: Sequence[Sequence[float]]) -> list[float]:
    """The share of the points in games from some openings, and its 95% interval."""
    games = {
        (opening, game): points
        for opening, own in enumerate(scores)
        for game, points in enumerate(own)
    }
    starts = {game: game[0] for game in games} if len(scores) > 1 else None
    return [round(each, 4) for each in PairResults.of(games.items(), starts).score]


def spread(scores: Sequence[Sequence[float]]) -> float:
    """The standard deviation of white's share between openings, beyond what chance explains."""
    table = np.array(scores)
    chance = float(np.mean(table.var(axis=1, ddof=1) / table.shape[1]))
    return max(0.0, float(table.mean(axis=1).var(ddof=1)) - chance) ** 0.5


def figures_of(scores: Sequence[Sequence[float]]) -> dict[str, Any]:
    """What is published of the openings of a set of chapters."""
    return {
        "games": len(scores[0]),
        "white": interval(scores),
        "spread": round(spread(scores), 4),
        "openings": [interval([own]) for own in scores],
    }


def measured(folder: Path, places: Sequence[str], games: int) -> dict[str, Any]:
    """The figures of some sets of chapters; games that were played before are read."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    with Progress(disable=not sys.stderr.isatty()) as progress:
        for place in places:
            path = folder / f"{place}-{games}.json"
            scores = json.loads(path.read_text("utf-8")) if path.exists() else []
            if not scores:
                begun(folder, "openings", place)
            count = len(openings.openings(GameConfig(chapters=SETS[place])))
            left = range(len(scores), count)
            for number in progress.track(left, count, len(scores), description=place):
                scores.append(scores_of(place, number, games))
                write_file(path, json.dumps(scores).encode())
            found[place] = figures_of(scores)
    return found


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--games", type=int, default=GAMES, help=f"from each opening (default: {GAMES})"
    )
    parser.add_argument("--only", nargs="+", choices=SETS, help="these sets of chapters")
    given = parser.parse_args()
    found = measured(given.folder, given.only or [*SETS], given.games)
    if given.games != GAMES or given.only:
        for place, row in found.items():
            share, low, high = row["white"]
            print(f"{place}: {share:.0%} ({low:.0%} to {high:.0%}), spread {row['spread']:.0%}")
        return
    FIGURES.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    keep(given.folder, "openings")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
