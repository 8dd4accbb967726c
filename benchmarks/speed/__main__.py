"""The command, and the loop that measures.

The outcome is stored as JSON: "machine", "settings", "missing" (why rows have no figures), "memory"
(bytes of one game of a batch), and "rows". Each row has its "group", "name", "what", "unit",
"target" (or None), "rounds" (the figure of each round), and "beside": the rows that it is compared
with, each with the ratio to reach (or None).
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.figures import ROOT, Figures
from benchmarks.speed.rows import Row, all_rows
from benchmarks.speed.work import Work
from tkm_env import Batch, ConfigError, __version__
from tkm_env.foundations.cores import cores
from tkm_env.games.tkm.engine.state import STATE

_PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "chess", "jax", "pgx", "open-spiel")


def measure(
    rows: Sequence[Row], *, rounds: int, seconds: float, most_games: int | None = None
) -> dict[str, Any]:
    """Measure each row, in turn.

    Args:
        rows: what to measure.
        rounds: how many times.
        seconds: about how long each time.
        most_games: the most games side by side; None for no limit.

    Returns:
        The outcome, as this module describes it.
    """
    machine = _machine()
    ready: dict[Row, Work] = {}
    missing: dict[str, str] = {}
    for row in rows:
        print(f"setting up {row.name}", file=sys.stderr)
        try:
            ready[row] = row.set_up(most_games)
        except (ImportError, ConfigError) as error:  # no such library, no GPU
            missing[row.name] = str(error)
    figures: dict[Row, list[float]] = {row: [] for row in ready}
    gc.collect()
    gc.freeze()  # a real program would not hold all of this at once
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for row, work in ready.items():
            if row.most_rounds is None or number < row.most_rounds:
                figures[row].append(work(seconds))
    gc.unfreeze()
    names = {row.name for row in ready}
    return {
        "machine": machine,
        "settings": {"rounds": rounds, "seconds": seconds, "most_games": most_games},
        "rows": [
            {name: getattr(row, name) for name in ("group", "name", "what", "unit", "target")}
            | {
                "rounds": found,
                "beside": {name: target for name, target in row.beside.items() if name in names},
            }
            for row, found in figures.items()
        ],
        "missing": missing,
        "memory": _memory_per_game(),
    }


def _memory_per_game() -> dict[str, int]:
    """How many bytes one game of a batch takes, by purpose."""
    batch = Batch(1)
    return {
        "state": STATE.itemsize,
        "state to restart from": STATE.itemsize,
        "action mask": batch.masks.nbytes,
        "result, illegal action, random streams": batch.results.nbytes
        + batch.illegal.nbytes
        + batch.streams.nbytes,
        "actions and players": 2 * batch.random_actions().nbytes,
        "observation": batch.new_observations().nbytes,
    }


def _machine() -> dict[str, Any]:
    """The versions that are measured, and the machine."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "tkm_env": __version__,
        "processor": _processor(),
        "cores": cores(),
        "load average before the run": (
            round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
        ),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: _version(package) for package in _PACKAGES},
    }


def _processor() -> str:
    """The processor's name, if the system provides it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _print(outcome: dict[str, Any]) -> None:
    """Print the medians, and the medians of the ratios within rounds."""
    figures = {row["name"]: row["rounds"] for row in outcome["rows"]}
    for row in outcome["rows"]:
        mine = row["rounds"]
        print(
            f"{row['name']:36} {statistics.median(mine):14,.3f} {row['unit']} "
            f"({min(mine):,.3f} to {max(mine):,.3f})"
        )
        for other in row["beside"]:
            ratio = statistics.median(
                one / another for one, another in zip(mine, figures[other], strict=False)
            )
            print(f"{'':36} {ratio:14.3f} times {other}")
    for name, reason in outcome["missing"].items():
        print(f"{name:36} not measured: {reason}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed",
        description="Measure everything in turn, in rounds. Leave the machine idle meanwhile.",
    )
    parser.add_argument(
        "--rounds", type=int, default=5, help="how often everything is measured (default: 5)"
    )
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="roughly how long each time (default: 0.5)"
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="PATTERN",
        help="only rows whose names contain this; * matches anything",
    )
    parser.add_argument("--json", type=Path, help="write the figures of each round to this file")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="only check that everything runs: one short round with few games",
    )
    parser.add_argument("--list", action="store_true", help="list the rows and measure nothing")
    asked = parser.parse_args()
    rows = [
        row
        for row in all_rows()
        if any(fnmatchcase(row.name, f"*{pattern}*") for pattern in asked.only or ("",))
    ]
    if not rows:
        parser.error("no row has such a name; --list lists them")
    if asked.list:
        for row in rows:
            print(f"{row.name:36} {row.what}")
        return
    if asked.json is not None:
        asked.json.touch()  # better refused now than after an hour
    rounds, seconds, most_games = (
        (1, 0.001, 4) if asked.quick else (asked.rounds, asked.seconds, None)
    )
    figures = Figures()
    published = ROOT / figures.files["performance"].file
    is_published = asked.json is not None and asked.json.resolve() == published
    measured = {"": figures.now("performance")} if is_published else {}
    outcome = measure(rows, rounds=rounds, seconds=seconds, most_games=most_games)
    _print(outcome)
    if asked.json is not None:
        asked.json.write_text(json.dumps(outcome, indent=1) + "\n", "utf-8")
        figures.keep("performance", measured)


if __name__ == "__main__":
    main()
