"""Rate the opponents of the benchmark: ``python benchmarks/panel.py FOLDER``.

In each task, each pairing of opponents plays from all the starts.
``tkm_env/arena/benchmark/panel.json`` holds the ratings. The games are kept in the folder, so an
interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.progress import Progress

from tkm_env import __version__
from tkm_env.arena.benchmark.tasks import (
    OPENING_TURNS,
    PANEL,
    PANEL_FILE,
    SEED,
    STARTS,
    TASKS,
    VERSION,
    Task,
)
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.rating import fit
from tkm_env.arena.record_results import RecordedGame
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.evaluation.starts import Settings, openings_for
from tkm_env.foundations.files import write_json

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import begun, keep

GREEDY = 1000.0


def ratings(task: Task, folder: Path, processes: int, progress: Progress) -> dict[str, float]:
    """The ratings of a task's opponents."""
    settings = Settings(
        task.game, task.config, openings_for(task.spec, task.config, None), OPENING_TURNS
    )
    tournament = Tournament(
        tuple(Entrant(*named) for named in task.panel.items()), (settings,), pairs=STARTS, seed=SEED
    )
    bar = progress.add_task(task.name, total=tournament.games)
    games = []
    for record in tournament.play(folder / f"{task.name}.jsonl", processes=processes):
        games.append(RecordedGame.of(record).played)
        progress.advance(bar)
    found = fit(filter(None, games), anchor=("greedy", GREEDY))
    return {line: round(found.of(line).elo.estimate, 1) for line in task.panel}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--processes", type=int, default=1, help="that play games side by side (default: 1)"
    )
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    begun(given.folder, "opponents")
    with Progress(disable=not sys.stderr.isatty()) as progress:
        found = {
            name: ratings(task, given.folder, given.processes, progress)
            for name, task in TASKS.items()
        }
    made = (
        f"python benchmarks/panel.py: each pairing plays {STARTS} pairs of games, "
        f"greedy has {GREEDY:g}"
    )
    write_json(
        PANEL_FILE,
        PANEL,
        {"benchmark": VERSION, "package": __version__, "made": made, "ratings": found},
    )
    keep(given.folder, "opponents")
    print(f"wrote {PANEL_FILE}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
