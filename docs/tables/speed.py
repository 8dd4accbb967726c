"""The one figure of speed that stands for all of ``docs/performance.json``."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path


def steps_per_second() -> str:
    """Decisions in the standard game on one core, by `Batch`."""
    rows = json.loads((Path(__file__).parents[1] / "performance.json").read_text("utf-8"))["rows"]
    figures = next(row["rounds"] for row in rows if row["name"] == "batch/standard")
    return f"{statistics.median(figures) / 1e6:.1f} million steps"


BLOCKS: dict[str, Callable[[], str]] = {"steps per second": steps_per_second}
