"""Which turns lose games, and how often players choose them.

The figures are in ``docs/losing_turns.json``, which `benchmarks/losing_turns.py` writes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.ladder import CALLED
from tables.markdown import table

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.losing_turns import CHOOSERS, GAMES, LEARNED, LOSERS, OPPONENT, PLACES, SETTINGS

_FIGURES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "losing_turns.json").read_text("utf-8")
)


def lost() -> str:
    """How many games the players lost, and by which turns, a row for each setting."""
    head = [cell for player in LOSERS for cell in (f"`{player}` loses", "1/2/3/none")]
    rows = []
    for place in SETTINGS:
        cells = []
        for player in LOSERS:
            found = _FIGURES[f"lost {place}: {player}"]
            by_none = found["lost"] - sum(found["by"])
            cells += [f"{found['lost']}", "/".join(map(str, (*found["by"], by_none)))]
        rows.append((CALLED.get(place, place), *cells))
    return table(("chapters", *head), rows)


def chosen() -> str:
    """How often the players choose turns that lose, a row for each set of chapters."""
    choosers = [f"net after {learned:,} games" for learned in LEARNED] + [*CHOOSERS]
    head = [name if " " in name else f"`{name}`" for name in choosers]
    rows = []
    for place in PLACES:
        found = [_FIGURES[f"chosen {place}: {name}"] for name in choosers]
        cells = [
            f"{sum(each['by']) / each['positions']:.2%} ({'/'.join(map(str, each['by']))})"
            for each in found
        ]
        rows.append((place, f"{found[0]['positions']:,}", *cells))
    return table(("chapters", "positions", *head), rows)


def _fewer(place: str) -> str:
    """How many fewer wins in two turns the package's network misses than one that learned less."""
    less, more = (
        _FIGURES[f"chosen {place}: {name}"]["by"][1]
        for name in (f"net after {LEARNED[0]:,} games", CHOOSERS[0])
    )
    return f"{1 - more / less:.0%}"


BLOCKS: dict[str, Callable[[], str]] = {
    "lost games": lost,
    "losing turns": chosen,
    "fewer losing turns in standard": lambda: _fewer("standard"),
    "fewer losing turns in influence": lambda: _fewer("influence"),
    "games of losing turns": lambda: f"{GAMES}",
    "opponent of losing turns": lambda: f"`{OPPONENT}`",
}
