"""Measure the players and write ``docs/agents.md``: ``python benchmarks/agents.py FOLDER``.

Matches between neighbours of the ladder, how far alpha-beta sees, and how fast the searches are. Every game and every figure is kept
in FOLDER as soon as it is there, so that an interrupted run resumes where it stopped; give an empty folder to start over.
"""

from __future__ import annotations

import argparse
import inspect
import json
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from tkm_env import Game, GameConfig
from tkm_env.agents.specs import make_agent
from tkm_env.arena.match import Match, opening, standings
from tkm_env.core.registry import load
from tkm_env.core.rng import new_streams
from tkm_env.games.registry import TKM
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.search.alphabeta import Searcher, turns_to_end
from tkm_env.games.tkm.search.playout import play_out_many

DOCS = Path(__file__).parent.parent / "docs"
ONE_CHAPTER = ("standard", "growth", "influence", "memory")
ALL_CHAPTERS = "growth+influence+memory"
SETTINGS = (*ONE_CHAPTER, ALL_CHAPTERS)
#: Whole turns that alpha-beta is to see ahead in a second.
DEPTH_WANTED = dict.fromkeys(SETTINGS, 4) | {"standard": 5, ALL_CHAPTERS: 3}
SHARE_WANTED = 0.75
PLAYOUTS_WANTED = 25_000
POSITIONS = 25
ROUNDS = 7


def config_of(chapters: str) -> GameConfig:
    """The settings with these chapters."""
    return GameConfig(chapters=chapters.split("+") if "+" in chapters else chapters)


def match(folder: Path, strong: str, weak: str, chapters: str, games: int, processes: int, progress: Progress) -> dict[str, Any]:
    """Play a match, or what is left of it."""
    playing = Match(strong, weak, games, config_of(chapters), seed=1)
    name = f"{strong}-{weak}-{chapters}".replace(":", "_").replace("=", "")
    task = progress.add_task(f"{strong} against {weak}, {chapters}", total=playing.games)
    records = []
    for record in playing.play(folder / f"{name}.jsonl", resume=True, processes=processes):
        records.append(record)
        progress.advance(task)
    first, second = standings(records, playing)
    return {
        "score": list(first.score),
        "by_side": first.by_side,
        "games": first.games,
        "turns": first.turns,
        "milliseconds": [1000 * first.seconds, 1000 * second.seconds],
    }


def middle_positions(chapters: str) -> list[Game]:
    """Positions from the middle of games between two quick players, at the beginning of a turn."""
    agent = make_agent("alphabeta:depth=2")
    found = []
    for seed in range(POSITIONS):
        game = opening(Game, config_of(chapters), seed, 2)
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
    for game in progress.track(middle_positions(chapters), description=f"alphabeta:seconds=1, {chapters}"):
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
    """Random play-outs from the start, and the engine's own steps in a batch, on one core, in turn."""
    start, work, mask = Game(config_of(chapters)).state, Game().state, np.zeros((1, NUM_ACTIONS), np.int8)
    streams, results, scratch = new_streams([1]), np.zeros(5, np.int64), new_scratch()
    batch = Batch(1024, config_of(chapters))
    batch.reset(seed=1)

    def play_out(games: int = 2000) -> int:
        play_out_many(start, games, results, work, mask, streams, scratch)
        return games

    def step() -> int:
        for _ in range(50):
            batch.play(batch.random_actions())
            if batch.over.any():
                batch.begin(batch.over)
        return 50 * batch.num_games

    figures: dict[str, list[float]] = {"playouts": [], "engine": []}
    for number in range(ROUNDS + 1):
        for name, work_done in (("playouts", play_out), ("engine", step)):
            began = time.perf_counter()
            done = work_done()
            if number:
                figures[name].append(done / (time.perf_counter() - began))
    return {name: [statistics.median(values), min(values), max(values)] for name, values in figures.items()}


def measured(folder: Path, games: int, processes: int) -> dict[str, Any]:
    """All figures, those that were measured before from the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "figures.json"
    figures: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def figure(name: str, measure: Callable[[], dict[str, Any]]) -> None:
        if name not in figures:
            figures[name] = measure()
            path.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")

    with Progress(disable=not sys.stderr.isatty()) as progress:
        for chapters in SETTINGS:
            figure(f"rates {chapters}", lambda chapters=chapters: rates(chapters))
            figure(f"sight {chapters}", lambda chapters=chapters: sight(chapters, progress))
        for weak, strong in pairwise(TKM.ladder):
            for chapters in ONE_CHAPTER:
                play = (folder, strong, weak, chapters, games, processes, progress)
                figure(f"{strong} against {weak}, {chapters}", lambda play=play: match(*play))
    return figures


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ("---",) * len(head), *rows])


def players() -> str:
    """The players by name, with their options."""
    rows = []
    for name, reference in TKM.agents.items():
        maker = load(reference)
        given = inspect.signature(maker).parameters.values()
        options = ", ".join(f"`{option.name}={option.default}`" for option in given if option.name not in ("seed", "weights"))
        how = inspect.cleandoc(maker.__doc__).partition("\n\n")[0].replace("\n", " ")
        rows.append((f"`{name}`", how, options or "none"))
    return table(("name", "how it thinks", "options"), rows)


def met(reached: bool) -> str:
    return "" if reached else " (not reached)"


def ladder_rows(figures: dict[str, Any]) -> list[tuple[str, ...]]:
    rows = []
    for weak, strong in pairwise(TKM.ladder):
        for chapters in ONE_CHAPTER:
            entry = figures[f"{strong} against {weak}, {chapters}"]
            share, low, high = entry["score"]
            sides = ", ".join("/".join(map(str, entry["by_side"][side])) for side in ("white", "black"))
            rows.append(
                (
                    f"`{strong}` against `{weak}`",
                    chapters,
                    f"{share:.1%} ({low:.1%} to {high:.1%}){met(share >= SHARE_WANTED)}",
                    sides,
                    str(entry["games"]),
                    f"{entry['turns']:.1f}",
                    f"{entry['milliseconds'][0]:.2f}",
                )
            )
    return rows


def document(figures: dict[str, Any]) -> str:
    """``docs/agents.md``."""
    sights = []
    speeds = []
    for chapters in SETTINGS:
        seen, rate = figures[f"sight {chapters}"], figures[f"rates {chapters}"]
        depths = seen["depths"]
        spread = f"{depths[0]} to {depths[-1]}"
        reached = met(seen["depth"] >= DEPTH_WANTED[chapters])
        nodes, steps, engine = seen["nodes"], seen["steps"], rate["engine"][0]
        sights.append((chapters, f"{seen['depth']:g}{reached}", str(DEPTH_WANTED[chapters]), spread, str(seen["proved"])))
        playouts = " ({:,.0f} to {:,.0f})".format(*rate["playouts"][1:])
        short = met(chapters != "standard" or rate["playouts"][0] >= PLAYOUTS_WANTED)
        speeds.append(
            (
                chapters,
                f"{nodes / 1e3:,.0f} k",
                f"{steps / 1e6:.2f} M",
                f"{engine / 1e6:.2f} M",
                f"{rate['playouts'][0]:,.0f}{playouts}{short}",
            )
        )
    return f"""<!-- Written by `python benchmarks/agents.py`; edit that or the players instead. -->

# Players

All players keep to one small protocol, `tkm_env.agents.Agent`: `act(game)` answers with an action and leaves the game as it is,
`reset(seed)` begins anew with randomness of its own, `name` tells it apart. `reset` may be left out by a player that needs none. A
plain function of an observation and an action mask is a player, too.

```python
from tkm_env import Game
from tkm_env.agents import AlphaBetaAgent

game = Game(chapters="growth")
agent = AlphaBetaAgent(depth=3)
while game.result is None:
    game.play(agent.act(game))
```

Wherever a player is asked for by text, in `tkm match`, `tkm play` and as `opponent=` of the Gymnasium faces, its name will do, with
options after a colon: `alphabeta:depth=3`, `mcts:seconds=0.5`. A class or a function of your own is named by its file:
`path/to/bot.py:MyBot`, `path/to/bot.py:MyBot:depth=2`. A file is run, so name only files that you trust.

{players()}

`random`, `greedy` and `alphabeta` with a depth run compiled as opponents in batches; other players are asked game by game.

## How strong they are

Matches of paired games: every start, after two turns of random play, is played from both sides. The score counts a draw, or a game cut
off, as half a point, and comes with its 95% interval (Wilson). Wins, draws and losses are those of the first player, as white, as black.

{table(("match", "chapters", "score of the first", "as white, as black", "games", "turns", "ms a decision"), ladder_rows(figures))}

## How far alpha-beta sees

Whole turns, both sides' counted, that `alphabeta` searches completely within one second on one core: the median over {POSITIONS} positions
from the middle of games, the table empty before each. Positions in which a win or a loss was proved are left out, since the search ends
with the proof.

{table(("chapters", "median depth", "wanted", "least to most", "proved"), sights)}

## How fast they are

On one core, medians. A node is a position between two turns; for each of them the search plays the single actions of all turns from
there, merging those that lead to the same position. Beside it: the engine's own rate in a batch that does nothing but play random
legal actions, drawing them included. Play-outs are random games from the start to the end.

{table(("chapters", "alpha-beta nodes/s", "its actions/s", "engine steps/s", "play-outs/s"), speeds)}

## Tactics

`tests/data/tactics.jsonl` holds 60 positions (win in this turn, in two, in three, avoid the loss), verified by exhaustive search;
alpha-beta solves them all (`tests/test_tactics.py`).

## To repeat it

```sh
python -m pip install 'tkm_env[cli]'
python benchmarks/agents.py games
```

The games, as records, and the figures are kept in the folder `games`; a run that was stopped goes on. The games follow from the seed,
whatever the number of processes; times follow from the machine. A single match:
`tkm match {TKM.ladder[-1]} {TKM.ladder[-2]} --games 400 --seed 1`.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=400, help="of each match (default: 400)")
    parser.add_argument("--processes", type=int, default=1, help="that play matches side by side (default: 1)")
    given = parser.parse_args()
    figures = measured(given.folder, given.games, given.processes)
    (DOCS / "agents.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    (DOCS / "agents.md").write_text(document(figures), "utf-8")


if __name__ == "__main__":
    main()
