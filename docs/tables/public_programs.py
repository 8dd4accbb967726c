"""Other people's programs of `benchmarks/public_programs.toml`, and what came of them.

The outcomes are in ``docs/public_programs.json``, which `benchmarks/public_programs.py` writes.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

from tables.markdown import table

_ROOT = Path(__file__).parents[2]
_ROWS: list[dict[str, Any]] = tomllib.loads(
    (_ROOT / "benchmarks/public_programs.toml").read_text("utf-8")
)["program"]
_FOUND: dict[str, Any] = json.loads((_ROOT / "docs/public_programs.json").read_text("utf-8"))
#: The longest part of an error that is shown.
_ERROR = 90
#: What one program does, and what several do.
_VERBS = {"works": ("works", "work"), "loses": ("loses", "lose"), "stops": ("stops", "stop")}


def _came(row: dict[str, Any]) -> str:
    """What came of a program, in a cell."""
    found = _FOUND[row["name"]]
    told = found["outcome"] if found["outcome"] == "works" else f"**{found['outcome']}**"
    if "error" in found:
        error = found["error"].removeprefix("tkm_env.foundations.errors.").replace("|", "\\|")
        shown = error if len(error) <= _ERROR else f"{error[:_ERROR].rpartition(' ')[0]} …"
        told += f": `{shown}`"
    elif "figure" in found:
        told += f": {found['figure']}"
    return f"{told}. {row['why']}" if "why" in row else told


def _origin(row: dict[str, Any]) -> str:
    """Where a program is from, in a cell."""
    found = _FOUND[row["name"]]
    if row.get("ours"):
        return "this package"
    if "repository" not in row:
        first = row["packages"][0]
        return f"{first} {found['versions'][first].partition('+')[0]}"
    commit, file = found["commit"], row["files"][0]
    return f"[`{commit[:8]}`](https://github.com/{row['repository']}/blob/{commit}/{file})"


def _summary(rows: list[dict[str, Any]]) -> str:
    """How many of a library's programs came out how, such as "3 programs: 2 work, 1 stops"."""
    came = Counter(_FOUND[row["name"]]["outcome"] for row in rows)
    told = [f"{came[key]} {verbs[came[key] > 1]}" for key, verbs in _VERBS.items() if came[key]]
    return f"{len(rows)} program{'s' if len(rows) > 1 else ''}: {', '.join(told)}"


def programs() -> str:
    """A folded table of programs for each library."""
    parts = []
    for library, rows in groupby(_ROWS, lambda row: row["library"]):
        of_library = [*rows]
        cells = [(row["program"], _origin(row), row["changed"], _came(row)) for row in of_library]
        parts += [
            f"## {library}",
            f"<details><summary>{_summary(of_library)}</summary>",
            table(("program", "from", "what was changed", "what came"), cells),
            "</details>",
        ]
    return "\n\n".join(parts)


def count() -> str:
    """How many programs came out how."""
    came = [found["outcome"] for found in _FOUND.values()]
    return (
        f"Of {len(came)} programs, {came.count('works')} work, {came.count('loses')} run but "
        f"learn to lose or too little, and {came.count('stops')} stop with an error"
    )


def versions() -> str:
    """With which versions and when the programs were run."""
    seen: dict[str, set[str]] = {}
    for found in _FOUND.values():
        for package, version in found["versions"].items():
            seen.setdefault(package, set()).add(version.partition("+")[0])
    listed = ", ".join(f"{package} {' and '.join(sorted(seen[package]))}" for package in seen)
    dates = sorted(found["date"] for found in _FOUND.values())
    pythons = " and ".join(sorted({found["python"] for found in _FOUND.values()}))
    days = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return f"Run on {days} with Python {pythons}, {listed}."


BLOCKS = {
    "public programs": programs,
    "how many public programs work": count,
    "versions of public programs": versions,
}
