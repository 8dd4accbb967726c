"""What the endgame tasks of the benchmark measured: ``docs/endgame_benchmark/*.json``."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any

from tables.markdown import table
from tkm_env.arena.benchmark.endgame_report import summary_of, table_of
from tkm_env.arena.benchmark.endgame_tasks import ENDGAME_TASKS, PLAYED_OUT
from tkm_env.arena.benchmark.report import read_report

_DOCS = Path(__file__).parents[1]
_FOLDER = _DOCS / "endgame_benchmark"
_CURVES = _DOCS / "endgame_curves.json"
_REPORTS = {path.stem: read_report(path) for path in sorted(_FOLDER.glob("*.json"))}


def _kept(report: dict[str, Any]) -> float:
    """The share of results that an agent kept in all positions of its first task."""
    share: float = report["tasks"][0]["rows"][-1]["kept"]["share"]
    return share


def baselines() -> str:
    """The agents, those that keep the fewest results first."""
    reports = sorted(_REPORTS.values(), key=_kept)
    return "\n\n".join(
        f"`{name}`:\n\n{table(*summary_of(reports, name))}" for name in ENDGAME_TASKS
    )


def bands() -> str:
    """The result of ``net`` by outcome."""
    return "\n\n".join(table(*table_of(task)) for task in _REPORTS["net"]["tasks"])


def calibration() -> str:
    """What ``net`` expects, in ten intervals, and what was true."""
    bins = _REPORTS["net"]["tasks"][0]["values"]["bins"]
    return table(
        ("positions", "expected result", "true result"),
        [(f"{count:,}", f"{told:+.2f}", f"{true:+.2f}") for count, told, true in bins],
    )


def _longest(task: str) -> int:
    """The most turns until a position of a task is decided."""
    return max(solved.outcome for solved in ENDGAME_TASKS[task].positions)


def commands() -> str:
    """The command of each baseline."""
    rows = [
        (report["name"], f"`tkm benchmark {report['agent']} --tasks endgames`")
        for report in sorted(_REPORTS.values(), key=lambda report: str(report["name"]))
    ]
    return table(("agent", "command"), rows)


def curves() -> str:
    """How right the methods of the second track become, by CPU minutes."""
    if not _CURVES.exists():
        return "No curves have been measured yet."
    kinds: dict[str, tuple[Callable[[dict[str, Any]], float | None], int]] = {
        "best turn": (lambda point: 100 * point["best"], 1),
        "result kept": (lambda point: 100 * point["kept"], 1),
        "converted": (lambda point: 100 * point["converted"], 1),
        "value error": (itemgetter("value_error"), 3),
        "where won": (lambda point: point["errors"]["won"], 2),
        "neither": (lambda point: point["errors"]["neither"], 2),
        "lost": (lambda point: point["errors"]["lost"], 2),
        "calibration": (itemgetter("calibration"), 3),
    }
    rows = []
    for found in json.loads(_CURVES.read_text("utf-8"))["methods"].values():
        at_once: dict[float, list[dict[str, Any]]] = defaultdict(list)
        for points in found["seeds"].values():
            for point in points:
                at_once[point["minutes"]].append(point)
        for minutes, points in sorted(at_once.items()):
            cells = [
                _mean([value for value in map(read, points) if value is not None], digits)
                for read, digits in kinds.values()
            ]
            rows.append((found["title"], f"{minutes:g}", str(len(points)), *cells))
    return table(("method", "CPU minutes", "seeds", *kinds), rows)


def _mean(values: list[float], digits: int) -> str:
    """The mean of several seeds, with the lowest and the highest."""
    if not values:
        return ""
    mean, low, high = sum(values) / len(values), min(values), max(values)
    return f"{mean:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


BLOCKS: dict[str, Callable[[], str]] = {
    "endgame baselines": baselines,
    "endgame bands": bands,
    "endgame calibration": calibration,
    "endgame commands": commands,
    "endgame curves": curves,
    "endgame games played out": lambda: f"{PLAYED_OUT}",
    "longest endgame with three copies": lambda: f"{_longest('endgames-3')}",
}
