"""Grade a class of 200 twice, and see that nobody gains or loses by how it is done.

    python benchmarks/course_term.py FOLDER

FOLDER is empty or does not exist yet. The program writes an assignment, and what a class hands in
on Canvas: twelve kinds of honest submissions, about thirty cheats, three guesses, pairs, late
files, older attempts, and archives that are not read. ``tkm course grade-all`` grades the class
once, and once more while it is killed ten times. The exit code is 1 unless both give everybody the
same, each student has a row, each file has one, and no cheat scores above the untouched file. What
a guess brings, ``tkm course calibrate`` measures. By default the assignment has three of its
questions, with few positions and games; with ``--full`` it is the whole one, which takes hours.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.course import tkm
from benchmarks.course_class import LEVELS, cheats
from tests.course.hostile import PROGRAMS
from tests.course.small import PROGRAM
from tkm_env.foundations.cores import cores

#: The number of submissions of each honest kind, and of kills.
OF_EACH, KILLS = 14, 10
#: The questions of the smaller assignment, and what they have.
_ASKED, _SMALL = ("q1", "q2", "q6"), {"positions": 12, "games": 4}
_SEED = 20261128
_RARE = """
_solved, _calls = count, 0


def count(node, depth):
    global _calls
    _calls += 1
    if _calls % 50 == 3:
        raise ValueError("now and then")
    return _solved(node, depth)
"""
_RAR = b"Rar!\x1a\x07\x01\x00"


class Entry(NamedTuple):
    """What a student hands in.

    Attributes:
        kind: what it is.
        name: the name of the file.
        content: what is in it.
    """

    kind: str
    name: str
    content: bytes


def archive(files: dict[str, str]) -> bytes:
    """A zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, text in files.items():
            file.writestr(name, text)
    return buffer.getvalue()


def entries(assignment: Path) -> Iterator[Entry]:
    """What the class hands in, one submission after the other."""
    staff = assignment / "staff"
    solution = (staff / "solution/agent.py").read_text("utf-8")
    tried = {path.stem: path.read_text("utf-8") for path in (staff / "levels").glob("[1-9]*.py")}
    helped = {"agent.py": "from helper import *\n", "helper.py": solution}
    for number in range(OF_EACH):
        edited = solution.replace("30 * len(spaces)", f"{24 + number} * len(spaces)")
        kinds = {level: change(edited) for level, change in LEVELS.items()} | tried
        kinds["5 solves, with a rare crash"] = edited + _RARE
        kinds["5 solves, and prints"] = edited + "\nprint('loaded')\n"
        for kind, source in kinds.items():
            yield Entry(kind, "agent.py", source.encode())
        yield Entry("5 solves, with a helper", "work.zip", archive(helped))
        yield Entry("5 solves, deep in a folder", "hw.zip", archive({"a/b/agent.py": edited}))
    guesses = {path.stem: path.read_text("utf-8") for path in (staff / "levels").glob("0*.py")}
    for name, source in cheats(assignment).items():
        yield Entry(f"cheat {name}", "agent.py", source.encode())
    for name, source in guesses.items():
        yield Entry(f"guess {name}", "agent.py", source.encode())
    for name, (before, *_) in PROGRAMS.items():
        source = PROGRAM.format(python=sys.executable, before=before)
        # In the tests its time is shorter than what it sleeps; here it is only slow.
        kind = "2 counts, slowly" if name == "finishes late" else f"cheat {name}"
        yield Entry(kind, "run", source.encode())
    untouched = (assignment / "student/agent.py").read_bytes()
    yield Entry("0 untouched", "agent.py", untouched)


def write_class(folder: Path, assignment: Path) -> dict[str, str]:
    """Write the files of a class, its roster, its groups and the decisions about it.

    Args:
        folder: the folder, which is created.
        assignment: the folder of the assignment.

    Returns:
        What each student handed in, by id.
    """
    (folder / "submissions").mkdir(parents=True)
    handed_in, groups, decisions = dict[str, str](), ["id,group"], ["student,days_late,comment"]
    for number, (kind, name, content) in enumerate(entries(assignment)):
        student, upload, late = f"{1000 + number}", 10 * number + 5, ""
        handed_in[student] = kind
        if number % 10 == 3:
            late = "LATE_"
            decisions.append(f"{student},{number % 3},by the time of the email")
        place = folder / "submissions" / f"student{number}_{late}{student}_{upload}_{name}"
        place.write_bytes(content)
        place.chmod(0o755 if name == "run" else 0o644)
        if number % 10 == 5 and name == "agent.py":
            older = f"student{number}_{student}_{upload - 2}_agent.py"
            (folder / "submissions" / older).write_text("def count(node, depth):\n    return 1\n")
        if number % 9 == 4:  # a pair, one of whom hands in
            groups += [f"{student},{number}", f"{5000 + number},{number}"]
            handed_in[f"{5000 + number}"] = kind
    for number, name in enumerate(("a.rar", "work.rar", "start.ipynb", "notes.pdf")):
        student = f"{9000 + number}"
        handed_in[student] = "cannot be graded"
        content = _RAR if name.endswith(".rar") else b"{}"
        place = folder / "submissions" / f"other{number}_{student}_1_{name}"
        place.write_bytes(content)
    handed_in["9999"] = "nothing"
    rows = ["Student,ID,SIS User ID,SIS Login ID,Section"]
    rows += [f'"{each}, Student",{each},,,A' for each in handed_in]
    (folder / "roster.csv").write_text("\n".join(rows))
    (folder / "groups.csv").write_text("\n".join(groups))
    (folder / "adjustments.csv").write_text("\n".join(decisions))
    return handed_in


def grade(folder: Path, out: Path, processes: int, kills: int) -> float:
    """Grade the class, while it is killed a number of times; return the minutes that it took."""
    command = tkm("course", "grade-all", str(folder / "submissions"), "--out", str(out))
    command += ["--spec", str(folder / "assignment/staff/grading.toml")]
    for name in ("roster", "groups", "adjustments"):
        command += [f"--{name}", str(folder / f"{name}.csv")]
    command += ["--processes", str(processes)]
    began, total = time.monotonic(), len([*(folder / "submissions").iterdir()])
    for kill in range(1, kills + 1):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and marked(out) < total * kill / (kills + 1):
            time.sleep(0.1)
        process.kill()
        process.wait()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.monotonic() - began) / 60


def marked(out: Path) -> int:
    """The number of submissions that have a mark."""
    return len([*(out / "marks").glob("*.jsonl")])


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def faults(folder: Path, handed_in: dict[str, str]) -> Iterator[str]:
    """What is wrong with how the class was graded, in sentences."""
    rows = {out: table(folder / out / "grades.csv") for out in ("once", "killed")}
    columns = ("points", "late points", "faults", "note")
    told = {
        out: {row["id"]: [row[name] for name in columns] for row in found}
        for out, found in rows.items()
    }
    different = [each for each in told["once"] if told["once"][each] != told["killed"].get(each)]
    if different or told["once"].keys() != told["killed"].keys():
        yield f"marks differ after kills: {', '.join(different)}"
    known = sorted(row["id"] for row in rows["once"])
    if known != sorted(handed_in):
        yield "not every student has one row"
    files = sorted(row["file"] for row in table(folder / "once/files.csv"))
    if files != sorted(path.name for path in (folder / "submissions").iterdir()):
        yield "not every file has one row"
    points = {row["id"]: float(row["graded"] or 0) for row in rows["once"]}
    untouched = next(points[each] for each, kind in handed_in.items() if kind == "0 untouched")
    for student, kind in handed_in.items():
        if kind.startswith("cheat") and points[student] > untouched:
            yield f"{kind}: {points[student]:g} points, the untouched file {untouched:g}"


def main() -> None:
    """Grade the class twice, and print what came out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--full", action="store_true", help="the whole assignment")
    parser.add_argument("--processes", type=int, default=cores())
    given = parser.parse_args()
    assignment = given.folder / "assignment"
    new = tkm("course", "new", str(assignment), "--seed", str(_SEED), "--no-check")
    subprocess.run(new, check=True, stdout=subprocess.DEVNULL)
    if not given.full:
        spec = assignment / "staff/grading.toml"
        head, *questions = spec.read_text("utf-8").split("[[questions]]")
        asked = [each for each in questions if each.split('"')[1] in _ASKED]
        text = "[[questions]]".join([head, *asked])
        for key, value in _SMALL.items():
            text = re.sub(rf"^{key} = \d+$", f"{key} = {value}", text, flags=re.MULTILINE)
        spec.write_text(text, "utf-8")
    handed_in = write_class(given.folder, assignment)
    for out, kills in (("once", 0), ("killed", KILLS)):
        minutes = grade(given.folder, given.folder / out, given.processes, kills)
        print(f"{len(handed_in)} students, killed {kills} times: {minutes:.1f} min", flush=True)
    by_kind: dict[str, list[float]] = {}
    for row in table(given.folder / "once/grades.csv"):
        by_kind.setdefault(handed_in[row["id"]], []).append(float(row["graded"] or 0))
    for kind, points in by_kind.items():
        print(f"{kind}: {min(points):g} to {max(points):g} points, {len(points)} students")
    found = [*faults(given.folder, handed_in)]
    print("\n".join(found) or "everybody has the same points both times, and no cheat gains")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
