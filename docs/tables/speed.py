"""The one figure that stands for the speed of the package, and how old figures are.

They are from ``docs/performance.json`` and ``docs/rules_speed.json``.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path

_DOCS = Path(__file__).parents[1]


def age_of(figures: str) -> str:
    """Whether a file of figures is older than the last change that moved speed."""
    if figures in json.loads((_DOCS / "rules_speed.json").read_text("utf-8"))["older"]:
        return (
            "These figures are older than the present rules and search, "
            "whose speed differs by more than a tenth: [changes](changelog.md)."
        )
    return (
        "Since these figures were taken, no change has moved the speed of the rules or the search "
        "by more than a tenth."
    )


def steps_per_second() -> str:
    """Decisions in the standard game on one core, by `Batch`."""
    rows = json.loads((_DOCS / "performance.json").read_text("utf-8"))["rows"]
    figures = next(row["rounds"] for row in rows if row["name"] == "batch/standard")
    return f"{statistics.median(figures) / 1e6:.1f} million steps"


BLOCKS: dict[str, Callable[[], str]] = {
    "steps per second": steps_per_second,
    "age of agents": lambda: age_of("agents.json"),
    "age of learning": lambda: age_of("learning.json"),
}
