"""How right a method becomes on solved positions while it learns from nothing.

    python benchmarks/endgame_curves.py METHOD FOLDER

FOLDER holds the trainings that ``python benchmarks/from_nothing.py METHOD FOLDER`` made. Each of
their checkpoints plays the benchmark's endgame tasks; records are kept in the folder, so an
interrupted run resumes. ``docs/endgame_curves.json`` holds the curves of all methods.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from rich.progress import Progress

from tkm_env.arena.benchmark.endgame_tasks import ENDGAME_TASKS, EndgameBenchmark
from tkm_env.arena.playing.referee import Conditions

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep
from benchmarks.from_nothing import METHODS, MINUTES

FIGURES = ROOT / "docs" / "endgame_curves.json"
POSITIONS = 2_000
#: The results of best play, by their names in the figures.
RESULTS = {"won": 1, "neither": 0, "lost": -1}


class Checkpoint(NamedTuple):
    """What a training saved.

    Attributes:
        seed: the seed of the training.
        minutes: the CPU minutes after which it was saved.
        file: the file.
    """

    seed: int
    minutes: float
    file: Path


def checkpoints(folder: Path, method: str) -> list[Checkpoint]:
    """The checkpoints of a method's trainings in a folder, by seed and minutes."""
    found = []
    for file in folder.glob(f"{method}-seed*.npz"):
        name = re.fullmatch(rf"{re.escape(method)}-seed(\d+)(?:-([\d.]+))?", file.stem)
        if name is not None:
            found.append(Checkpoint(int(name[1]), float(name[2] or MINUTES), file.resolve()))
    return sorted(found)


def measure(
    checkpoint: Checkpoint, player: str, positions: int, processes: int, progress: Progress
) -> dict[str, Any]:
    """Play the endgame tasks with a checkpoint.

    Args:
        checkpoint: the checkpoint.
        player: the line of text with which its FILE plays.
        positions: the number of positions of each task.
        processes: the number of games to play at a time.
        progress: shows how many are done.

    Returns:
        What it reached in the first task: a point of a curve.
    """
    benchmark = EndgameBenchmark(
        player.replace("FILE", str(checkpoint.file)), positions, Conditions(trust=True)
    )

    def counted() -> Iterator[dict[str, Any]]:
        bar = progress.add_task(checkpoint.file.stem, total=benchmark.games)
        save = checkpoint.file.with_suffix(f".endgames-{positions}.jsonl")
        for record in benchmark.play(save, processes=processes):
            yield record
            progress.advance(bar)
        progress.remove_task(bar)

    records = [*counted()]
    result = benchmark.schedule().results(records)[0].as_json()
    whole, values, won = result["rows"][-1], result["values"], result["played_out"]
    return {
        "minutes": checkpoint.minutes,
        "best": whole["best"]["share"],
        "kept": whole["kept"]["share"],
        "converted": won[-1]["won"]["share"] if won else None,
        "value_error": values and values["error"]["mean"],
        "calibration": values and values["calibration"],
        "errors": errors_by_result(records, positions),
    }


def errors_by_result(
    records: Sequence[Mapping[str, Any]], positions: int
) -> dict[str, float | None]:
    """The mean distance between what was expected and the true result, for each true result.

    Args:
        records: the games, which begin with one turn in each position of the first task.
        positions: the number of these.

    Returns:
        The distances, from 0 to 2, by `RESULTS`; None where nothing was expected.
    """
    errors: dict[int, list[float]] = {result: [] for result in RESULTS.values()}
    task = next(iter(ENDGAME_TASKS.values()))
    for solved, record in zip(task.positions[:positions], records, strict=False):
        for expected in record.get("expected", {}).values():
            errors[solved.expected_result].append(abs(expected - solved.expected_result))
    return {
        name: fmean(errors[result]) if errors[result] else None for name, result in RESULTS.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("method", choices=[*METHODS])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--positions",
        type=int,
        default=POSITIONS,
        help=f"the number of positions of each task (default: {POSITIONS})",
    )
    parser.add_argument(
        "--processes", type=int, default=1, help="that play games side by side (default: 1)"
    )
    given = parser.parse_args()
    method = METHODS[given.method]
    found = checkpoints(given.folder, given.method)
    if not found:
        parser.error(f"{given.folder} has no training; first: from_nothing.py {given.method}")
    begun(given.folder, "endgame curves", given.method)
    seeds: dict[int, list[dict[str, Any]]] = defaultdict(list)
    with Progress(disable=not sys.stderr.isatty()) as progress:
        for checkpoint in found:
            point = measure(checkpoint, method.player, given.positions, given.processes, progress)
            seeds[checkpoint.seed].append(point)
    figures = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {"methods": {}}
    figures["methods"][given.method] = {
        "title": method.title,
        "positions": given.positions,
        "seeds": seeds,
    }
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    keep(given.folder, "endgame curves")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
