"""What the marks of each assignment measure.

    python benchmarks/course_calibration.py FOLDER

The program tries each assignment as ``tkm course calibrate`` does: with what students of each level
hand in, under many seeds. The report is written to ``docs/course_calibration.json``; the folder
keeps each trial, so that a run resumes where it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.progress import track

from tkm_env.core.registry import game_spec
from tkm_env.course.assignment import read_assignment
from tkm_env.course.grading.level_report import report_of
from tkm_env.course.grading.level_trials import LevelTrials, levels_in
from tkm_env.course.scaffold import write_assignment

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.digests import ROOT
from benchmarks.figures import begun, keep

FIGURES = ROOT / "docs/course_calibration.json"
#: The game of each assignment.
GAMES = {"search": "tkm", "chance": "terminus", "learning": "tkm"}
SEEDS = 20


def calibrated(name: str, trials: Path, seeds: int) -> dict[str, Any]:
    """The report about an assignment; trials that were made before are read."""
    spec = game_spec(GAMES[name])
    with TemporaryDirectory() as place:
        write_assignment(Path(place) / name, spec, spec.config({}), assignment=name)
        staff = Path(place) / name / "staff"
        assignment = read_assignment(staff / "grading.toml").with_isolation("process")
        levels = levels_in(staff)
        work = LevelTrials(assignment, levels, trials, seeds)
        for _ in track(work.run(), name, work.missing, disable=not sys.stderr.isatty()):
            pass
        return report_of(assignment, levels, work.done)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=GAMES, default=[*GAMES])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    known = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    for name in given.only:
        begun(given.folder, "calibration", name)
        known[name] = calibrated(name, given.folder / f"{name}.jsonl", given.seeds)
        print(f"{name}: {'; '.join(known[name]['broken']) or 'all promises hold'}")
    found = {name: known[name] for name in GAMES if name in known}
    FIGURES.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    keep(given.folder, "calibration")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
