"""What the endgame tasks of the benchmark measured: ``docs/endgame_benchmark/*.json``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table
from tkm_env.arena.benchmark.endgame_report import summary_of, table_of
from tkm_env.arena.benchmark.endgame_tasks import ENDGAME_TASKS, PLAYED_OUT
from tkm_env.arena.benchmark.report import read_report

_FOLDER = Path(__file__).parents[1] / "endgame_benchmark"
_REPORTS = {path.stem: read_report(path) for path in sorted(_FOLDER.glob("*.json"))}


def _kept(report: dict[str, Any]) -> float:
    """The share of results that an agent kept in all positions of its first task."""
    share: float = report["tasks"][0]["rows"][-1]["kept"]["share"]
    return share


def baselines() -> str:
    """The agents, those that keep the fewest results first."""
    reports = sorted(_REPORTS.values(), key=_kept)
    return "\n\n".join(table(*summary_of(reports, name)) for name in ENDGAME_TASKS)


def bands() -> str:
    """The result of ``net`` by outcome."""
    return table(*table_of(_REPORTS["net"]["tasks"][0]))


def calibration() -> str:
    """What ``net`` expects, in ten intervals, and what was true."""
    bins = _REPORTS["net"]["tasks"][0]["values"]["bins"]
    return table(
        ("positions", "expected result", "true result"),
        [(f"{count:,}", f"{told:+.2f}", f"{true:+.2f}") for count, told, true in bins],
    )


def commands() -> str:
    """The command of each baseline."""
    rows = [
        (report["name"], f"`tkm benchmark {report['agent']} --tasks endgames`")
        for report in sorted(_REPORTS.values(), key=lambda report: str(report["name"]))
    ]
    return table(("agent", "command"), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "endgame baselines": baselines,
    "endgame bands": bands,
    "endgame calibration": calibration,
    "endgame commands": commands,
    "endgame games played out": lambda: f"{PLAYED_OUT}",
}
