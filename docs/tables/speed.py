"""The figures that stand for the speed of the package, from ``docs/performance.json``."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

_DOCS = Path(__file__).parents[1]


def _rounds(name: str) -> list[float]:
    rows = json.loads((_DOCS / "performance.json").read_text("utf-8"))["rows"]
    figures: list[float] = next(row["rounds"] for row in rows if row["name"] == name)
    return figures


def steps_per_second() -> str:
    """Decisions in the standard game on one core, by `Batch`."""
    return f"{statistics.median(_rounds('batch/standard')) / 1e6:.1f} million steps"


def times_as_fast(other: str) -> str:
    """How many times as many decisions that is as those of another row, in the same rounds."""
    both = zip(_rounds("batch/standard"), _rounds(other), strict=True)
    return f"{statistics.median(ours / theirs for ours, theirs in both):.0f} times"


BLOCKS: dict[str, Callable[[], str]] = {
    "steps per second": steps_per_second,
    "speed beside Pgx's Connect Four": partial(times_as_fast, "pgx/connect_four/1024"),
}
