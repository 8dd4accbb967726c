"""Grade classes and see whether marks mean something.

    python benchmarks/course.py FOLDER

FOLDER is empty or does not exist yet. For each seed, the program writes an assignment and grades a
class of 42: 20 honest submissions of five levels, 21 cheats and the untouched file. It kills
``tkm course grade-all`` twice and runs it again, and prints the points of each level, the best
cheat, and the time. The exit code is 1 if a submission does not score above every submission of
the level below, or if a cheat scores above the untouched file.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.course_class import LEVELS, write_class
from tkm_env.foundations.cores import cores


def tkm(*arguments: str) -> list[str]:
    """A command line of the package."""
    return [sys.executable, "-m", "tkm_env", *arguments]


def graded(
    folder: Path, seed: int, processes: int, kills: list[float], options: list[str]
) -> dict[str, float]:
    """The points of each submission of a class.

    Args:
        folder: where the assignment, the submissions and the grades are written.
        seed: the seed of the assignment.
        processes: how many submissions are graded at a time.
        kills: for each time that the command is killed, how many seconds it runs before.
        options: more options of ``tkm course new``.

    Returns:
        The points, by submission.
    """
    assignment, grades = folder / "assignment", folder / "grades"
    new = tkm("course", "new", str(assignment), "--seed", str(seed), "--no-check", *options)
    subprocess.run(new, check=True, stdout=subprocess.DEVNULL)
    write_class(folder / "submissions", assignment)
    command = tkm(
        "course",
        "grade-all",
        str(folder / "submissions"),
        "--spec",
        str(assignment / "staff/grading.toml"),
    )
    command += ["--out", str(grades), "--processes", str(processes)]
    for seconds in kills:
        with contextlib.suppress(subprocess.TimeoutExpired):  # which kills it
            subprocess.run(command, timeout=seconds, check=False, stdout=subprocess.DEVNULL)
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    with open(grades / "grades.csv", encoding="utf-8", newline="") as file:
        return {row["submission"]: float(row["points"] or 0) for row in csv.DictReader(file)}


def main() -> None:
    """Grade a class for each seed, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[*range(1, 11)])
    parser.add_argument("--processes", type=int, default=cores())
    parser.add_argument(
        "--kill-after",
        type=float,
        nargs="*",
        default=[60.0, 60.0],
        help="seconds until the command is killed",
    )
    parser.add_argument(
        "--options",
        nargs=argparse.REMAINDER,
        default=[],
        help="of tkm course new, such as --chapters growth",
    )
    given = parser.parse_args()
    wrong = 0
    for seed in given.seeds:
        began = time.monotonic()
        (given.folder / str(seed)).mkdir(parents=True)
        points = graded(
            given.folder / str(seed), seed, given.processes, given.kill_after, given.options
        )
        levels = [
            sorted(gained for name, gained in points.items() if name.startswith(level))
            for level in LEVELS
        ]
        cheats = {name: gained for name, gained in points.items() if name.startswith("cheat")}
        untouched = points["0 untouched"]
        ahead = [name for name, gained in cheats.items() if gained > untouched]
        in_order = all(below[-1] < above[0] for below, above in pairwise(levels))
        wrong += bool(ahead) or not in_order
        shown = ", ".join(f"{level[0]:g} to {level[-1]:g}" for level in levels)
        cheating = ", ".join(ahead) or "none"
        print(
            f"seed {seed}: levels {shown}; untouched {untouched:g}; "
            f"{len(cheats)} cheats, ahead: {cheating}",
            end="; ",
        )
        print(f"{len(points)} graded in {(time.monotonic() - began) / 60:.1f} min", flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
