"""The one figure that stands for the speed of the package, from ``docs/performance.json``."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path

_DOCS = Path(__file__).parents[1]


def steps_per_second() -> str:
    """Decisions in the standard game on one core, by `Batch`."""
    rows = json.loads((_DOCS / "performance.json").read_text("utf-8"))["rows"]
    figures = next(row["rounds"] for row in rows if row["name"] == "batch/standard")
    return f"{statistics.median(figures) / 1e6:.1f} million steps"


BLOCKS: dict[str, Callable[[], str]] = {"steps per second": steps_per_second}
