"""The benchmark's second track, from nothing.

    python benchmarks/from_nothing.py METHOD FOLDER --seeds 1-5

It trains a method on the standard game, once for each seed, and plays the benchmark's task with
the checkpoints. Trainings and games are kept in the folder, so an interrupted run resumes where it
stopped; an interrupted training starts over. ``docs/from_nothing.json`` holds the curves of all
methods, and ``docs/pictures/from_nothing.svg`` shows them, which needs matplotlib.

A method is a program that takes ``--cpu-minutes 10 --seed S --save FILE --checkpoint-minutes 2,5``
and stops by itself. It writes FILE at the end, and checkpoints after 2 and 5 minutes, with -2 and
-5 before the file's suffix. Beside each it may write what it had played by then, in a file that
ends in ``.played.json``: ``{"games": 20000, "actions": 1500000}``, as ``examples/budget.py`` does.

A program of your own needs no change here; it is drawn beside the others, in the folder alone:

    python benchmarks/from_nothing.py own FOLDER --program mine.py --player policy:FILE
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


_TURN_PLAYERS = f"{ROOT}/examples/turn_players.py"
METHODS = {
    "ppo": Method("PPO over actions", "examples/ppo_selfplay.py", "policy:FILE"),
    "turn-ppo": Method(
        "PPO over whole turns",
        "examples/turn_ppo.py",
        f"{_TURN_PLAYERS}:TurnPolicy:file=FILE",
        ("--evaluation", "0"),
    ),
    "alphazero": Method("AlphaZero, its policy alone", "examples/alphazero.py", "policy:FILE"),
    "value": Method("tkm train", "examples/train_value.py", "net:file=FILE,endgames=False"),
    "sb3": Method("MaskablePPO of sb3-contrib", "examples/sb3_selfplay.py", "policy:FILE"),
    "turn-sb3": Method(
        "MaskablePPO over whole turns",
        "examples/sb3_turn_selfplay.py",
        f"{_TURN_PLAYERS}:TurnScores:file=FILE",
    ),
    "masked-ppo": Method(
        "masked PPO in CleanRL's style", "examples/masked_ppo_on_a_budget.py", "policy:FILE"
    ),
}
#: Stands for a program of the reader's own instead of a method's name.
OWN = "own"


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


def trained(
    method: Method, file: Path, seed: int, minutes: float, checkpoints: list[float]
) -> float:
    """`train`, unless that was done before: what it returned is kept beside the file."""
    known = file.with_suffix(".json")
    if not known.exists():
        known.write_text(json.dumps(train(method, file, seed, minutes, checkpoints)), "utf-8")
    used: float = json.loads(known.read_text("utf-8"))
    return used


def checkpoint(file: Path, minutes: float) -> Path:
    """What a training that writes a file saved after this number of CPU minutes."""
    return file.with_stem(f"{file.stem}-{minutes:g}")


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


def played_by(file: Path) -> dict[str, Any]:
    """What a program had played when it wrote a player's file, if it says so."""
    counts = file.with_suffix(".played.json")
    return {"played": json.loads(counts.read_text("utf-8"))} if counts.exists() else {}


def curve(
    method: Method, name: str, seed: int, given: argparse.Namespace, progress: Progress
) -> dict[str, Any]:
    """The training with a seed, or what is left of it, and its ratings."""
    checkpoints = [float(minutes) for minutes in given.checkpoints.split(",") if minutes]
    file = given.folder.resolve() / f"{name}-seed{seed}.npz"
    progress.console.print(f"training {method.title}, seed {seed}")
    used = trained(method, file, seed, given.cpu_minutes, checkpoints)
    points = []
    for minutes in [*checkpoints, given.cpu_minutes]:
        saved = file if minutes == given.cpu_minutes else checkpoint(file, minutes)
        rated = rate(method, saved, given.processes, progress)
        points.append({"minutes": minutes, **played_by(saved), **rated})
    return {"cpu_minutes": used, "curve": points}


def draw(figures: dict[str, Any], picture: Path) -> None:
    """Draw scores over CPU minutes, and over actions if those of a method were counted.

    A line is the mean of the seeds, with a band from the lowest to the highest.
    """
    from matplotlib import pyplot

    pyplot.style.use(ROOT / "docs" / "plots.mplstyle")
    colours = pyplot.rcParams["axes.prop_cycle"].by_key()["color"]
    drawing, (over_minutes, over_actions) = pyplot.subplots(1, 2, figsize=(10, 4), sharey=True)
    is_counted = False
    for number, found in enumerate(figures["methods"].values()):
        seeds = [seed["curve"] for seed in found["seeds"].values()]
        points = [*zip(*seeds, strict=True)]
        scores = [[100 * point["score"]["share"] for point in at_once] for at_once in points]
        panels = {over_minutes: [at_once[0]["minutes"] for at_once in points]}
        if all("played" in point for at_once in points for point in at_once):
            is_counted = True
            panels[over_actions] = [
                sum(point["played"]["actions"] for point in at_once) / len(at_once)
                for at_once in points
            ]
        for axes, places in panels.items():
            means = [sum(row) / len(row) for row in scores]
            colour = colours[number % len(colours)]
            # Where colours come again, lines are dashed.
            dashes = "-" if number < len(colours) else "--"
            title = found["title"]
            axes.plot(places, means, color=colour, linestyle=dashes, marker=".", label=title)
            low, high = [*map(min, scores)], [*map(max, scores)]
            axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)
    over_minutes.set(
        xlabel="CPU minutes of the training",
        ylabel="score against the panel, %",
        ylim=(0, 100),
        xlim=(0, None),
    )
    over_actions.set(xlabel="actions that the learner took", xscale="log")
    for axes in (over_minutes, over_actions):
        axes.grid()
    lines, titles = over_minutes.get_legend_handles_labels()
    last = over_actions if is_counted else over_minutes
    last.legend(lines, titles, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    over_actions.set_visible(is_counted)
    drawing.savefig(picture, metadata={"Date": None}, bbox_inches="tight")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("method", choices=[*METHODS, OWN])
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
    own = parser.add_argument_group(f"a program of your own, if METHOD is {OWN}")
    own.add_argument("--program", type=Path, help="the program that learns")
    own.add_argument(
        "--player", help="the player, as in tkm match, with FILE for what the program saves"
    )
    own.add_argument("--title", help="what the picture calls it (default: the program's name)")
    given = parser.parse_args()
    if given.method == OWN and not (given.program and given.player):
        parser.error(f"{OWN} needs --program and --player")
    return given


def main() -> None:
    given = arguments()
    is_own = given.method == OWN
    given.folder.mkdir(parents=True, exist_ok=True)
    if is_own:
        program = given.program.resolve()
        method = Method(given.title or program.name, str(program), given.player)
        kept, picture = (given.folder / f"from_nothing.{kind}" for kind in ("json", "svg"))
    else:
        method, kept, picture = METHODS[given.method], FIGURES, PICTURE
        begun(given.folder, "from nothing", given.method)
    first, _, last = given.seeds.partition("-")
    with Progress(disable=not sys.stderr.isatty()) as progress:
        seeds = {
            str(seed): curve(method, given.method, seed, given, progress)
            for seed in range(int(first), int(last or first) + 1)
        }
    figures = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {"methods": {}}
    figures["benchmark"] = VERSION
    figures["methods"][given.method] = {"title": method.title, "seeds": seeds}
    kept.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    draw(figures, picture)
    if not is_own:
        keep(given.folder, "from nothing")
    print(f"wrote {kept} and {picture}" + ("" if is_own else "; now run: python docs/generate.py"))


if __name__ == "__main__":
    main()
