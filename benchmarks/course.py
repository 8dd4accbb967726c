"""Time the grading of a class: ``python benchmarks/course.py FOLDER``, an empty or new one.

Thirty submissions of the assignment that ``tkm course new`` writes: solutions, untouched files, and five that crash, exit, print without
end, hang, and read what they must not. ``tkm course grade-all`` is killed after a while, and run again.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.course.hostile import FILES, PROGRAMS
from tests.course.small import program, python

SOLUTIONS, UNTOUCHED = 13, 12


def tkm(*arguments: str) -> list[str]:
    """A command line of the package."""
    return [sys.executable, "-m", "tkm_env", *arguments]


def write_class(folder: Path, options: list[str]) -> tuple[Path, Path]:
    """Write an assignment and the submissions; returns their folder, and what is graded."""
    assignment, submissions = folder / "assignment", folder / "submissions"
    subprocess.run(tkm("course", "new", str(assignment), "--seed", "1", *options), check=True, stdout=subprocess.DEVNULL)
    spec = assignment / "staff" / "grading.toml"
    for number in range(SOLUTIONS):
        shutil.copytree(assignment / "staff" / "solution", submissions / f"solution-{number + 1:02}")
    for number in range(UNTOUCHED):
        shutil.copytree(assignment / "student", submissions / f"untouched-{number + 1:02}")
    for name in ("exits", "floods"):
        program(submissions / name, PROGRAMS[name][0])
    for name in ("crashes when it is imported", "hangs when it is imported", "reads the specification"):
        python(submissions / name, f"SPEC = {str(spec)!r}\n{FILES[name][0]}\n")
    return submissions, spec


def main() -> None:
    """Grade, kill, resume, and print how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--kill-after", type=float, default=90.0, help="seconds until the first command is killed")
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[], help="of tkm course new, such as --chapters growth")
    given = parser.parse_args()
    submissions, spec = write_class(given.folder, given.options)
    grades = given.folder / "grades"
    command = tkm("course", "grade-all", str(submissions), "--spec", str(spec), "--out", str(grades))
    command += ["--processes", str(given.processes)]
    began = time.monotonic()
    try:
        subprocess.run(command, check=True, timeout=given.kill_after)
    except subprocess.TimeoutExpired:  # which kills it
        subprocess.run(command, check=True)
    seconds = time.monotonic() - began
    with open(grades / "grades.csv", encoding="utf-8", newline="") as file:
        rows = [(row["submission"].partition("-")[0], row["points"]) for row in csv.DictReader(file)]
    for (name, points), count in sorted(Counter(rows).items()):
        print(f"{count:3} {name}: {points} points")
    print(f"{len(rows)} submissions in {seconds // 60:.0f} min {seconds % 60:.0f} s, {given.processes} at a time")


if __name__ == "__main__":
    main()
