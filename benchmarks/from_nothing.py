"""The benchmark's second track, from nothing.

    python benchmarks/from_nothing.py METHOD FOLDER --seeds 1-5

It trains a method on the standard game, once for each seed, and plays the benchmark's task with
the checkpoints. Trainings and games are kept in the folder, so an interrupted run resumes where it
stopped; an interrupted training starts over. ``docs/from_nothing.json`` holds the curves of all
methods, and ``docs/pictures/from_nothing.svg`` shows them, which needs matplotlib.

A method is a program that takes ``--cpu-minutes 10 --seed S --save FILE --checkpoint-minutes 2,5``
and stops by itself. It writes FILE at the end, and checkpoints after 2 and 5 minutes, with -2 and
-5 before the file's suffix.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from rich.progress import Progress

from tkm_env.arena.benchmark.run import Benchmark
from tkm_env.arena.benchmark.tasks import TASKS, VERSION
from tkm_env.arena.playing.referee import Conditions

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep

FIGURES = ROOT / "docs" / "from_nothing.json"
PICTURE = ROOT / "docs" / "pictures" / "from_nothing.svg"
MINUTES = 10.0
TASK = TASKS["standard"]


class Method(NamedTuple):
    """A program that learns."""

    title: str
    program: str
    player: str  # the line of text with which its FILE plays
    options: tuple[str, ...] = ()


METHODS = {
    "ppo": Method("PPO over actions", "examples/ppo_selfplay.py", "policy:FILE"),
    "turn-ppo": Method(
        "PPO over whole turns",
        "examples/turn_ppo.py",
        f"{ROOT}/examples/turn_ppo.py:TurnPolicy:file=FILE",
        ("--games", "0"),
    ),
    "alphazero": Method("AlphaZero, its policy alone", "examples/alphazero.py", "policy:FILE"),
    "value": Method("tkm train", "examples/train_value.py", "net:file=FILE,endgames=False"),
    "sb3": Method("MaskablePPO of sb3-contrib", "examples/sb3_selfplay.py", "policy:FILE"),
}


def train(method: Method, file: Path, seed: int, minutes: float, checkpoints: list[float]) -> float:
    """Train from nothing, ignoring the remains of earlier attempts.

    Args:
        method: the program.
        file: where it writes the player.
        seed: its seed.
        minutes: how many CPU minutes it may learn.
        checkpoints: the CPU minutes after which it also writes the player.

    Returns:
        The CPU minutes of all its processes.
    """
    for left in (*file.parent.glob(f"{file.stem}.*"), *file.parent.glob(f"{file.stem}-*")):
        left.unlink()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    before = children.ru_utime + children.ru_stime
    given = {
        "--cpu-minutes": minutes,
        "--seed": seed,
        "--save": file,
        "--checkpoint-minutes": ",".join(map("{:g}".format, checkpoints)),
    }
    options = [str(word) for option in given.items() for word in option]
    with file.with_suffix(".log").open("w") as log:
        command = [sys.executable, str(ROOT / method.program), *options, *method.options]
        subprocess.run(command, check=True, stdout=log, stderr=log)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (children.ru_utime + children.ru_stime - before) / 60


def rate(method: Method, file: Path, processes: int, progress: Progress) -> dict[str, Any]:
    """The score and the rating of what a training saved."""
    # A file of our own needs no process of its own.
    benchmark = Benchmark(method.player.replace("FILE", str(file)), (TASK,), Conditions(trust=True))
    bar = progress.add_task(file.stem, total=benchmark.games)
    records = []
    for record in benchmark.play(file.with_suffix(".jsonl"), processes=processes):
        records.append(record)
        progress.advance(bar)
    progress.remove_task(bar)
    (result,) = benchmark.schedule().results(records)
    return {name: result.as_json()[name] for name in ("score", "elo")}


def curve(name: str, seed: int, given: argparse.Namespace, progress: Progress) -> dict[str, Any]:
    """The training with a seed, or what is left of it, and its ratings."""
    method = METHODS[name]
    checkpoints = [float(minutes) for minutes in given.checkpoints.split(",")]
    file = given.folder.resolve() / f"{name}-seed{seed}.npz"
    trained = file.with_suffix(".json")
    if not trained.exists():
        progress.console.print(f"training {method.title}, seed {seed}")
        trained.write_text(
            json.dumps(train(method, file, seed, given.cpu_minutes, checkpoints)), "utf-8"
        )
    points = []
    for minutes in [*checkpoints, given.cpu_minutes]:
        saved = file if minutes == given.cpu_minutes else file.with_stem(f"{file.stem}-{minutes:g}")
        points.append({"minutes": minutes, **rate(method, saved, given.processes, progress)})
    return {"cpu_minutes": json.loads(trained.read_text("utf-8")), "curve": points}


def draw(figures: dict[str, Any]) -> None:
    """Draw scores over CPU minutes: the mean of the seeds, with a band from lowest to highest."""
    from matplotlib import pyplot

    pyplot.style.use(PICTURE.parents[1] / "plots.mplstyle")
    drawing, axes = pyplot.subplots(figsize=(7, 4))
    for number, found in enumerate(figures["methods"].values()):
        curves = [seed["curve"] for seed in found["seeds"].values()]
        minutes = [point["minutes"] for point in curves[0]]
        scores = [
            [100 * point["score"]["share"] for point in points]
            for points in zip(*curves, strict=True)
        ]
        axes.plot(
            minutes,
            [sum(row) / len(row) for row in scores],
            color=f"C{number}",
            marker=".",
            label=found["title"],
        )
        axes.fill_between(
            minutes,
            [*map(min, scores)],
            [*map(max, scores)],
            color=f"C{number}",
            alpha=0.15,
            linewidth=0,
        )
    axes.set(
        xlabel="CPU minutes of the training",
        ylabel="score against the panel, %",
        ylim=(0, 100),
        xlim=(0, None),
    )
    axes.grid()
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    drawing.savefig(PICTURE, metadata={"Date": None}, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", default="1-5", help="the first and the last (default: 1-5)")
    parser.add_argument(
        "--cpu-minutes", type=float, default=MINUTES, help="of each training (default: 10)"
    )
    parser.add_argument(
        "--checkpoints",
        default="2,5",
        help="CPU minutes at which it is rated as well (default: 2,5)",
    )
    parser.add_argument(
        "--processes", type=int, default=1, help="that play games side by side (default: 1)"
    )
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    begun(given.folder, "from nothing", given.method)
    first, _, last = given.seeds.partition("-")
    with Progress(disable=not sys.stderr.isatty()) as progress:
        seeds = {
            str(seed): curve(given.method, seed, given, progress)
            for seed in range(int(first), int(last or first) + 1)
        }
    figures = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {"methods": {}}
    figures["benchmark"] = VERSION
    figures["methods"][given.method] = {"title": METHODS[given.method].title, "seeds": seeds}
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    keep(given.folder, "from nothing")
    draw(figures)
    print(f"wrote {FIGURES} and {PICTURE}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
