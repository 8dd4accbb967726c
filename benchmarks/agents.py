"""Measure the agents: ``python benchmarks/agents.py FOLDER``.

It measures how far alpha-beta sees and how fast the searches are, and writes
``docs/agents.json``. Every figure is saved in FOLDER as soon as it is available, so an interrupted
run resumes where it stopped; give an empty folder to start over. Afterwards,
``python docs/generate.py`` writes ``docs/agents.md`` from the figures.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from tkm_env import Game, GameConfig
from tkm_env.compiled.random_numbers import new_stream, streams_of
from tkm_env.core.initial_positions import InitialPositions
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.players import make_agent
from tkm_env.players.tkm.search.alphabeta import Searcher, turns_to_end

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import begun, keep
from benchmarks.kernels import roll_out

FIGURES = Path(__file__).parent.parent / "docs" / "agents.json"
SETTINGS = ("standard", "growth", "influence", "memory", "growth+influence+memory")
POSITIONS = 25
ROUNDS = 7


def config_of(chapters: str) -> GameConfig:
    """The settings with these chapters."""
    return GameConfig(chapters=chapters.split("+") if "+" in chapters else chapters)


def middle_positions(chapters: str) -> list[Game]:
    """Positions at the start of a turn, from the middle of games between two quick players."""
    agent = make_agent("alphabeta:depth=2")
    found = []
    for seed in range(POSITIONS):
        game = InitialPositions(Game, config_of(chapters), 2).begin(streams_of(seed))
        positions = []
        while game.result is None:
            if not positions or game.turn != positions[-1].turn:
                positions.append(game.copy())
            game.play(agent.act(game))
        found.append(positions[len(positions) // 2])
    return found


def sight(chapters: str, progress: Progress) -> dict[str, Any]:
    """How many whole turns alpha-beta searches completely within a second, on one core."""
    searcher = Searcher()
    searcher.search(Game(config_of(chapters)).state, depth=2)
    depths, nodes, steps, proved = [], [], [], 0
    for game in progress.track(
        middle_positions(chapters), description=f"alphabeta:seconds=1, {chapters}"
    ):
        searcher.forget()
        nodes_before, steps_before, began = searcher.nodes, searcher.played, time.perf_counter()
        best = searcher.search(game.state, seconds=1)
        seconds = time.perf_counter() - began
        if turns_to_end(best.score) is not None:
            proved += 1
            continue
        depths.append(best.depth)
        nodes.append((searcher.nodes - nodes_before) / seconds)
        steps.append((searcher.played - steps_before) / seconds)
    return {
        "depth": statistics.median(depths),
        "depths": sorted(depths),
        "proved": proved,
        "nodes": statistics.median(nodes),
        "steps": statistics.median(steps),
    }


def rates(chapters: str) -> dict[str, Any]:
    """Rollouts from the start, and the engine's own steps in a batch, on one core, in turn."""
    start, work, mask = (
        Game(config_of(chapters)).state,
        Game().state,
        np.zeros((1, NUM_ACTIONS), np.int8),
    )
    streams, results, scratch = new_stream(1), np.zeros(5, np.int64), new_scratch()
    batch = Batch(1024, config_of(chapters))
    batch.reset(seed=1)

    def rollouts(games: int = 2000) -> int:
        roll_out(start, games, results, work, mask, streams, scratch)
        return games

    def step() -> int:
        for _ in range(50):
            batch.play(batch.random_actions())
            if batch.over.any():
                batch.begin(batch.over)
        return 50 * batch.num_games

    figures: dict[str, list[float]] = {"playouts": [], "engine": []}
    for number in range(ROUNDS + 1):
        for name, work_done in (("playouts", rollouts), ("engine", step)):
            began = time.perf_counter()
            done = work_done()
            if number:
                figures[name].append(done / (time.perf_counter() - began))
    return {
        name: [statistics.median(values), min(values), max(values)]
        for name, values in figures.items()
    }


def measured(folder: Path) -> dict[str, Any]:
    """All figures, those that were measured before from the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "figures.json"
    figures: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def figure(name: str, measure: Callable[[], dict[str, Any]]) -> None:
        if name not in figures:
            begun(folder, "agents", name)
            figures[name] = measure()
            path.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")

    with Progress(disable=not sys.stderr.isatty()) as progress:
        for chapters in SETTINGS:
            figure(f"rates {chapters}", lambda chapters=chapters: rates(chapters))
            figure(f"sight {chapters}", lambda chapters=chapters: sight(chapters, progress))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    figures = measured(folder)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    keep(folder, "agents")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
