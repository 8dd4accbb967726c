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
from typing import Any, Final, NamedTuple

from rich.progress import Progress

from tkm_env import Game
from tkm_env.players.tkm.proofs import prove

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep

FIGURES = ROOT / "docs" / "proofs.json"


class Depth(NamedTuple):
    """How far a proof looks.

    Attributes:
        turns: the number of turns.
        table_bits: the search remembers 2 to this positions, in 24 bytes each.
    """

    turns: int
    table_bits: int = 25


#: The options of ``tkm prove``, and how far.
STARTS: Final = {
    "": Depth(16),
    "--chapters growth": Depth(16, table_bits=27),
    "--chapters influence": Depth(14),
    "--chapters memory": Depth(16),
    "--handicap 1,0": Depth(16),
    "--handicap 0,1": Depth(16),
    "--handicap 2,0": Depth(16),
    "--handicap 0,2": Depth(16),
    "--handicap 3,0": Depth(16),
    "--handicap 0,3": Depth(16),
}


#: Proofs of fewer turns, which show how the cost grows with each two.
SHALLOWER: Final = {
    "": (10, 12, 14),
    "--chapters growth": (10, 12, 14),
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


def proof(options: str, depth: Depth, progress: Progress) -> dict[str, Any]:
    """The side that can force a win within some turns, if any, and the CPU seconds."""
    task = progress.add_task(options or "standard", total=depth.turns)
    began = time.process_time()
    found = prove(
        Game(**settings_of(options)),
        depth.turns,
        table_bits=depth.table_bits,
        on_progress=lambda done: progress.update(task, completed=done),
    )
    return {
        "turns": found.turns,
        "winner": found.winner,
        "seconds": round(time.process_time() - began, 1),
        "table_bits": depth.table_bits,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}
    with Progress(disable=not sys.stderr.isatty()) as progress:

        def proved(row: str, options: str, depth: Depth) -> dict[str, Any]:
            """A proof for a row of the figures; one that is in the folder is read."""
            path = given.folder / f"{options or 'standard'}, {depth.turns} turns.json"
            if not path.exists():
                begun(given.folder, "proofs", row)
                path.write_text(json.dumps(proof(options, depth, progress)), "utf-8")
            known: dict[str, Any] = json.loads(path.read_text("utf-8"))
            return known

        for options, depth in STARTS.items():
            found[options] = proved(options, options, depth)
        # One that nobody times: the first to run also loads the compiled code.
        proof("", Depth(10), progress)
        for options, depths in SHALLOWER.items():
            row = f"shallower {options}".strip()
            found[row] = {turns: proved(row, options, Depth(turns))["seconds"] for turns in depths}
    FIGURES.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    keep(given.folder, "proofs")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
