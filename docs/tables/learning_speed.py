"""How soon the players of methods beat `greedy`, from nothing.

The figures are in ``docs/learning_speed.json``, which `benchmarks/learning_speed.py` writes.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.learning_speed import PLAYERS, SETS

_FIGURES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "learning_speed.json").read_text("utf-8")
)
_SHARES = (0.90, 0.95)


def _seconds(points: list[dict[str, Any]], share: float) -> float:
    """The CPU seconds of the first checkpoint with a share of points; infinite without one."""
    reached = (point["seconds"] for point in points if point["score"][0] >= share)
    return next(reached, float("inf"))


def _soon(method: str, place: str, player: str, share: float) -> str:
    """The CPU seconds to a share of points, in the median of the seeds.

    Where they did not suffice, it is the share at the end instead.
    """
    curves = [found[player] for found in _FIGURES.get(f"{method} {place}", {}).values()]
    if not curves:
        return "–"
    median = statistics.median_high(_seconds(points, share) for points in curves)
    if median < float("inf"):
        return f"{median}"
    last = statistics.median_low(points[-1]["score"][0] for points in curves)
    return f"{last:.0%} after {curves[0][-1]['seconds']}"


def speeds() -> str:
    """A row for each set of chapters in which a method learned."""
    head = [f"`{player}`: {share:.0%}" for player in PLAYERS["value"] for share in _SHARES]
    rows = [
        (
            place.replace("+", " + "),
            *(
                _soon("value", place, player, share)
                for player in PLAYERS["value"]
                for share in _SHARES
            ),
            *(_soon("turn-ppo", place, player, _SHARES[-1]) for player in PLAYERS["turn-ppo"]),
        )
        for place in SETS
        if f"value {place}" in _FIGURES
    ]
    # Without figures, the page says that nothing was measured yet.
    return table(("chapters", *head, "PPO over whole turns: 95%"), rows) if rows else ""


BLOCKS: dict[str, Callable[[], str]] = {"learning speed": speeds}
