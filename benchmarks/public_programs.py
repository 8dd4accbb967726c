"""Run other people's programs with this package's environments, one row a program.

``python benchmarks/public_programs.py --repositories FOLDER`` runs the rows of
``benchmarks/public_programs.toml`` that have no outcome yet; names run these rows anew. Each runs
in a process and an empty folder of its own, and each outcome goes into
``docs/public_programs.json`` at once, so that an interrupted run goes on where it stopped. Then
``python docs/generate.py`` writes ``docs/public-programs.md``.

Programs that no distribution installs are taken from clones, which lie in FOLDER under the names
of their repositories. What a row changes is changed in a copy that is thrown away.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import importlib.metadata
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, Figures

OUTCOMES = ROOT / "docs/public_programs.json"

#: It did what it is for; it ran, but learned too little, or to lose; it ended with an error.
WORKS, LOSES, STOPS = "works", "loses", "stops"


@dataclasses.dataclass(frozen=True)
class Program:
    """A row of the table.

    Attributes:
        name: a unique name.
        library: the heading under which the page shows it.
        program: what is run: a module or a file, as the page names it.
        packages: the distributions whose versions are recorded.
        changed: what a user changes, in words.
        run: our own lines of Python that run it; lines that begin with ``figure:`` are recorded.
        outcome: what is known to come: one of `WORKS`, `LOSES` and `STOPS`.
        why: what else there is to say of it, in words.
        repository: the repository of a program that no distribution installs.
        files: of the repository, to be copied; what is replaced is in the first.
        replace: texts of the first file, and what takes their places.
        least: the share of points that a learner must reach to work.
        error: a pattern in the last line of its errors, if it stops.
        ours: whether it is this package's own, which replaces the one above it.
    """

    name: str
    library: str
    program: str
    packages: tuple[str, ...]
    changed: str
    run: str
    outcome: str = WORKS
    why: str = ""
    repository: str = ""
    files: tuple[str, ...] = ()
    replace: tuple[tuple[str, str], ...] = ()
    least: float | None = None
    error: str = ""
    ours: bool = False

    def missing(self, repositories: Path | None) -> str:
        """Return what is not here and has to be, in words; nothing if it can be run."""
        for package in self.packages:
            try:
                importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                return f"{package} is not installed"
        if self.repository and repositories is None:
            return "--repositories has to name a folder of clones"
        return ""


def programs() -> dict[str, Program]:
    """The rows of the table, by name."""
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    rows = [
        Program(
            **row
            | {key: tuple(row[key]) for key in ("packages", "files") if key in row}
            | {"replace": tuple((old, new) for old, new in row.get("replace", ()))}
        )
        for row in tomllib.loads(text)["program"]
    ]
    return {row.name: row for row in rows}


def outcomes() -> dict[str, Any]:
    """What came of each row that has been run, by name."""
    found: dict[str, Any] = json.loads(OUTCOMES.read_text("utf-8")) if OUTCOMES.exists() else {}
    return found


def copy_of(row: Program, clone: Path, folder: Path) -> str:
    """Copy the row's files into a folder, with its changes, and return the clone's commit."""
    for number, name in enumerate(row.files):
        source = (clone / name).read_text("utf-8")
        for old, new in row.replace if number == 0 else ():
            if old not in source:
                sys.exit(f"{row.name}: {clone / name} has no {old!r} to replace")
            source = source.replace(old, new)
        # A program lies beside what is run; what it imports keeps its path.
        copy = folder / (Path(name).name if number == 0 else name)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(source, "utf-8")
    git = shutil.which("git") or "git"
    return subprocess.run(
        [git, "-C", clone, "rev-parse", "HEAD"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


def tried(row: Program, repositories: Path | None = None) -> dict[str, Any]:
    """Run a program and say what came.

    Args:
        row: the program.
        repositories: the folder of clones, for a program that is in none of the distributions.

    Returns:
        Its entry of the table of outcomes.
    """
    found: dict[str, Any] = {
        "versions": {package: importlib.metadata.version(package) for package in row.packages},
        "python": platform.python_version(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    with tempfile.TemporaryDirectory() as name:
        if row.repository:
            clone = (repositories or Path()) / row.repository.rpartition("/")[2]
            found["commit"] = copy_of(row, clone, Path(name))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", row.run],
            cwd=name,
            env=os.environ
            | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "SDL_VIDEODRIVER": "dummy"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(done.stdout[-2000:], done.stderr[-2000:], sep="\n", file=sys.stderr)
    found["cpu_seconds"] = round(
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1
    )
    if figures := re.findall(r"^figure: (.*)$", done.stdout, re.MULTILINE):
        found["figure"] = "; ".join(figures)
    found["outcome"] = WORKS
    if done.returncode:
        found["outcome"] = STOPS
        # The last line that names an exception; a signal leaves none.
        said = re.findall(
            r"^[\w.]+(?:Error|Exception|NotFound|Warning)\b.*$", done.stderr, re.MULTILINE
        )
        ended = done.returncode > 0 and said
        found["error"] = said[-1][:300] if ended else f"status {done.returncode}"
    elif row.least is not None:
        scores = [float(score) for score in re.findall(r"([\d.]+)% \(", found["figure"])]
        if min(scores) < 100 * row.least:
            found["outcome"] = LOSES
    return found


def surprise(row: Program, found: dict[str, Any]) -> str:
    """In which way an outcome differs from what the row states, or nothing."""
    if found["outcome"] != row.outcome:
        return f"{row.name}: {found['outcome']} instead of {row.outcome}: {found.get('error', '')}"
    if row.error and not re.search(row.error, found["error"]):
        return f"{row.name} stops for another reason: {found['error']}"
    return ""


def main() -> int:
    rows = programs()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows to run, even if run before")
    parser.add_argument("--repositories", type=Path, metavar="FOLDER", help="where the clones are")
    parser.add_argument("--library", help="only rows under this heading of the page")
    arguments = parser.parse_args()
    if unknown := [*{*arguments.names} - {*rows}]:
        parser.error(f"no rows {', '.join(unknown)}; there are {', '.join(rows)}")

    surprises = []
    for row in rows.values():
        if arguments.library not in (None, row.library):
            continue
        if row.name not in (arguments.names or {*rows} - {*outcomes()}):
            continue
        if absent := row.missing(arguments.repositories):
            print(f"{row.name} is left out: {absent}")
            continue
        measured = {row.name: Figures().now("public_programs", row.name)}
        found = tried(row, arguments.repositories)
        print(f"{row.name}: {json.dumps(found, ensure_ascii=False)}", flush=True)
        surprises += [told] if (told := surprise(row, found)) else []
        seen = outcomes() | {row.name: found}
        OUTCOMES.write_text(
            json.dumps(
                {name: seen[name] for name in programs() if name in seen},
                indent=1,
                ensure_ascii=False,
            )
            + "\n",
            "utf-8",
        )
        Figures().keep("public_programs", measured)
    print("\n".join(surprises))
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
