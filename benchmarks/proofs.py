"""How many turns from the start are proven to contain no forced win.

    python benchmarks/proofs.py FOLDER

A proof is a search of everything that either side can do (``tkm prove``). Each is kept in FOLDER
as soon as it is known, so an interrupted run resumes where it stopped. ``docs/proofs.json`` holds
them; then ``python docs/generate.py`` writes them into ``docs/proofs.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from rich.progress import Progress

from tkm_env import Game
from tkm_env.players.tkm.proofs import prove

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep

FIGURES = ROOT / "docs" / "proofs.json"
#: The options of ``tkm prove``, and how many turns.
STARTS = {
    "": 16,
    "--chapters growth": 14,
    "--chapters influence": 14,
    "--chapters memory": 16,
    "--handicap 1,0": 16,
    "--handicap 0,1": 16,
    "--handicap 2,0": 16,
    "--handicap 0,2": 16,
    "--handicap 3,0": 16,
    "--handicap 0,3": 16,
}


#: Proofs of fewer turns, which show how the cost grows with each two.
SHALLOWER = {
    "": (10, 12, 14),
    "--chapters growth": (10, 12),
    "--chapters influence": (10, 12),
    "--chapters memory": (10, 12, 14),
}


def settings_of(options: str) -> dict[str, Any]:
    """The keywords of a game."""
    name, _, value = options.removeprefix("--").partition(" ")
    return (
        {}
        if not name
        else {name: tuple(map(int, value.split(","))) if name == "handicap" else value}
    )


def proof(options: str, turns: int, table_bits: int, progress: Progress) -> dict[str, Any]:
    """The side that can force a win within the given turns, if any, and the CPU seconds."""
    task = progress.add_task(options or "standard", total=turns)
    began = time.process_time()
    found = prove(
        Game(**settings_of(options)),
        turns,
        table_bits=table_bits,
        on_progress=lambda done: progress.update(task, completed=done),
    )
    return {
        "turns": found.turns,
        "winner": found.winner,
        "seconds": round(time.process_time() - began, 1),
        "table_bits": table_bits,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--table-bits",
        type=int,
        default=25,
        help="the searches remember 2 to this positions (default: 25)",
    )
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}
    with Progress(disable=not sys.stderr.isatty()) as progress:

        def proved(row: str, options: str, turns: int) -> dict[str, Any]:
            """A proof for a row of the figures; one that is in the folder is read."""
            path = given.folder / f"{options or 'standard'}, {turns} turns.json"
            if not path.exists():
                begun(given.folder, "proofs", row)
                path.write_text(
                    json.dumps(proof(options, turns, given.table_bits, progress)), "utf-8"
                )
            known: dict[str, Any] = json.loads(path.read_text("utf-8"))
            return known

        for options, turns in STARTS.items():
            found[options] = proved(options, options, turns)
        # One that nobody times: the first to run also loads the compiled code.
        proof("", 10, given.table_bits, progress)
        for options, depths in SHALLOWER.items():
            row = f"shallower {options}".strip()
            found[row] = {turns: proved(row, options, turns)["seconds"] for turns in depths}
    FIGURES.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    keep(given.folder, "proofs")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
