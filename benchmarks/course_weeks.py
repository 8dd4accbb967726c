"""Grade the solution and the untouched file of every week.

    python benchmarks/course_weeks.py FOLDER

For each week, set of chapters and seed, the program writes an assignment and checks it as
``tkm course new`` does. Each line of ``weeks.jsonl`` in the folder is one assignment with its
flaws, such as a solution without all points, or an untouched file with more than a fifth of them.
The flaws are printed, and the exit code is 1 if there are any. An interrupted run resumes where it
stopped.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tkm_env.core.registry import game_spec
from tkm_env.course.grading.calibration import flaws
from tkm_env.course.scaffold import ASSIGNMENTS, write_assignment

#: All sets of chapters; Terminus has none.
CHAPTERS = [
    "+".join(names)
    for count in range(4)
    for names in itertools.combinations(("growth", "influence", "memory"), count)
]


def main() -> None:
    """Check assignments that have not been checked yet, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--weeks", nargs="+", choices=[*ASSIGNMENTS], default=[*ASSIGNMENTS])
    parser.add_argument(
        "--sets",
        nargs="+",
        default=["terminus", *CHAPTERS],
        help="terminus, or chapters joined by +; '' for none",
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[*range(1, 11)])
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    rows = given.folder / "weeks.jsonl"
    done = (
        {
            tuple(json.loads(line)["key"]): json.loads(line)["flaws"]
            for line in rows.read_text().splitlines()
        }
        if rows.exists()
        else {}
    )
    found = 0
    for seed, week, played in itertools.product(given.seeds, given.weeks, given.sets):
        is_terminus = played == "terminus"
        if week == ("learning" if is_terminus else "chance"):
            continue  # cards are drawn in Terminus only, and what is learned is for the other game
        key = (week, played, seed)
        if key not in done:
            began = time.monotonic()
            spec = game_spec("terminus" if is_terminus else "tkm")
            config = spec.config_from_text(
                {} if is_terminus or not played else {"chapters": played}
            )
            with TemporaryDirectory() as place:
                write_assignment(Path(place) / "week", spec, config, assignment=week, seed=seed)
                done[key] = flaws(Path(place) / "week")
            with rows.open("a", encoding="utf-8") as file:
                file.write(
                    json.dumps(
                        {"key": key, "flaws": done[key], "seconds": round(time.monotonic() - began)}
                    )
                    + "\n"
                )
        found += bool(done[key])
        shown = "; ".join(done[key]) or "as it should be"
        print(f"{week}, {played or 'no chapters'}, seed {seed}: {shown}", flush=True)
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
