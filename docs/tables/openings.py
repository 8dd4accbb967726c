"""How level the openings are.

The figures are in ``docs/openings.json``, which `benchmarks/openings.py` writes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table
from tkm_env.evaluation.score import Interval

_FIGURES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "openings.json").read_text("utf-8")
)


def _in_favour(found: dict[str, Any], of_white: bool) -> str:
    """The numbers of the openings whose interval leaves out one half on a side's side."""
    numbers = [
        str(number)
        for number, (_, low, high) in enumerate(found["openings"], 1)
        if (low > 0.5 if of_white else high < 0.5)
    ]
    return ", ".join(numbers) or "-"


def balance() -> str:
    """White's share, how much it varies, and which openings favour a side."""
    rows = [
        (
            place.replace("+", " + "),
            str(Interval(*found["white"])),
            f"{found['spread']:.0%}",
            _in_favour(found, True),
            _in_favour(found, False),
        )
        for place, found in _FIGURES.items()
    ]
    return table(("chapters", "white's share", "spread", "for white", "for black"), rows)


def games() -> str:
    """How many games were played from each opening."""
    return str(next(iter(_FIGURES.values()))["games"])


def one_sided() -> str:
    """How many openings favour a side, of all."""
    found = [interval for row in _FIGURES.values() for interval in row["openings"]]
    outside = sum(low > 0.5 or high < 0.5 for _, low, high in found)
    return f"{outside} of the {len(found)}"


BLOCKS: dict[str, Callable[[], str]] = {
    "openings by balance": balance,
    "games of an opening": games,
    "one-sided openings": one_sided,
}
