"""The benchmark's tasks and opponents, and what was measured.

The figures are in ``docs/benchmark/*.json`` and ``docs/from_nothing.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table
from tkm_env.arena.benchmark.report import read_report, tables_of
from tkm_env.arena.benchmark.tasks import TASKS, VERSION

_DOCS = Path(__file__).parents[1]
_REPORTS = [read_report(path) for path in (_DOCS / "benchmark").glob("*.json")]
#: Opponents of both games, of which the table shows those of the first.
_SHARED = TASKS["standard"].panel
_CURVES = _DOCS / "from_nothing.json"


def tasks() -> str:
    """The tasks, with their games."""
    rows = []
    for name, task in TASKS.items():
        settings = (
            ", ".join(f"`{key}={value}`" for key, value in task.settings.items()) or "the defaults"
        )
        starts = (
            "shipped openings"
            if isinstance(task.starts[0], str)
            else f"random starts: any draft and {task.starts[0]} turns are played at random"
        )
        rows.append(
            (
                f"`{name}`",
                f"`{task.game}`",
                settings,
                f"{len(task.starts)} {starts}",
                str(task.games),
            )
        )
    return table(("task", "game", "settings", "starts against each opponent", "games"), rows)


def panel() -> str:
    """The opponents' ratings."""
    lines = {
        name: line
        for task in TASKS.values()
        for name, line in task.panel.items()
        if task.game == "tkm" or name not in _SHARED
    }
    rows = [
        (
            name,
            f"`{line}`",
            *(f"{task.ratings[name]:.0f}" if name in task.panel else "" for task in TASKS.values()),
        )
        for name, line in lines.items()
    ]
    return table(("opponent", "in commands", *TASKS), rows)


def baselines() -> str:
    """The reports, those with the lowest first score first."""
    (found,) = tables_of(sorted(_REPORTS, key=lambda report: report["tasks"][0]["score"]["share"]))
    return table(found.head, found.rows)


def commands() -> str:
    """The command of each baseline."""
    rows = []
    for report in sorted(_REPORTS, key=lambda report: str(report["name"])):
        chosen = [task["task"] for task in report["tasks"]]
        tasks = "" if chosen == [*TASKS] else f" --tasks {','.join(chosen)}"
        rows.append((report["name"], f"`tkm benchmark {report['agent']}{tasks}`"))
    return table(("agent", "command"), rows)


def from_nothing() -> str:
    """The picture of the curves, and the table of their ends.

    Rows that were measured before games and actions were counted lack them.
    """
    if not _CURVES.exists():
        return "No curves have been measured yet."
    rows = []
    for name, found in json.loads(_CURVES.read_text("utf-8"))["methods"].items():
        seeds = found["seeds"].values()
        ends: list[dict[str, Any]] = [seed["curve"][-1] for seed in seeds]
        shares = [100 * end["score"]["share"] for end in ends]
        minutes = max(seed["cpu_minutes"] for seed in seeds)
        mean = f"{sum(shares) / len(shares):.1f} ({min(shares):.1f} to {max(shares):.1f})"
        played = [end["played"] for end in ends if "played" in end]
        games, actions = (
            f"{sum(count[what] for count in played) / len(played):,.0f}" if played else "–"
            for what in ("games", "actions")
        )
        command = f"`python benchmarks/from_nothing.py {name} FOLDER`"
        rows.append(
            (found["title"], str(len(ends)), mean, games, actions, f"{minutes:.1f}", command)
        )
    head = (
        "method",
        "seeds",
        "score at the end: mean (lowest to highest)",
        "games, mean",
        "actions, mean",
        "CPU minutes, at most",
        "command",
    )
    picture = "![Scores over the training](pictures/from_nothing.svg)"
    return f"{picture}\n\n{table(head, rows)}"


BLOCKS: dict[str, Callable[[], str]] = {
    "benchmark version": lambda: VERSION,
    "benchmark tasks": tasks,
    "benchmark panel": panel,
    "benchmark baselines": baselines,
    "benchmark commands": commands,
    "benchmark from nothing": from_nothing,
}
