"""How often intervals hold what they estimate.

The figures are in ``docs/intervals.json``, which `benchmarks/intervals.py` writes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tables.markdown import table

_FIGURES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "intervals.json").read_text("utf-8")
)
_SCORES: dict[int, dict[str, dict[str, float]]] = {
    int(name.split()[2]): found for name, found in _FIGURES.items() if name.startswith("score of ")
}
_DEPENDENCES = {
    "-1": "the side decides",
    "-0.5": "the side decides half",
    "0": "independent games",
    "0.5": "half of the pairs end alike",
    "1": "all pairs end alike",
}


def scores() -> str:
    """By the number of pairs and the dependence within them, the lowest coverage and the mean."""
    rows = [
        (
            f"{pairs}",
            *(
                f"{_rounded_down(found[key]['lowest'])} ({found[key]['mean']:.1%})"
                for key in _DEPENDENCES
            ),
        )
        for pairs, found in _SCORES.items()
    ]
    return table(("pairs", *_DEPENDENCES.values()), rows)


def _worst(pairs: int) -> dict[str, float]:
    return min(_SCORES[pairs].values(), key=lambda found: found["lowest"])


def lowest(pairs: int) -> str:
    """The lowest coverage after this number of pairs."""
    return _rounded_down(_worst(pairs)["lowest"])


def _rounded_down(share: float) -> str:
    return f"{math.floor(1000 * share) / 1000:.1%}"


def panels() -> str:
    """By the strength of several opponents and the number of starts, how often scores are held."""
    rows = []
    for name, found in _FIGURES.items():
        if name.startswith("panel of "):
            panel, _, starts = name.removeprefix("panel of ").rpartition(", ")
            shares = (f"{found[key]:.1%}" for key in ("independent", "alike"))
            rows.append((panel, starts.removesuffix(" starts"), *shares))
    return table(("opponents", "starts", "independent of each other", "all end alike"), rows)


def ratings() -> str:
    """By the size of a tournament, how often each method's intervals hold, and how wide."""
    rows = []
    for name, found in _FIGURES.items():
        if name.startswith("ratings by "):
            pairs, starts, worth = name.removeprefix("ratings by ").split(", ")
            each = (
                f"{found[method]['held']:.1%} (±{found[method]['margin']:.0f})"
                for method in ("ours", "independent", "bootstrap")
            )
            rows.append((pairs.split()[0], starts.split()[0], worth, *each))
    head = (
        "pairs of two players",
        "starts",
        "what a start is worth",
        "`tkm rating`",
        "as if independent",
        "bootstrap",
    )
    return table(head, rows)


def _held(method: str) -> str:
    """How often a method's intervals of ratings hold, from the worst tournament to the best."""
    shares = [
        found[method]["held"] for name, found in _FIGURES.items() if name.startswith("ratings by ")
    ]
    return f"{min(shares):.1%} to {max(shares):.1%}"


BLOCKS: dict[str, Callable[[], str]] = {
    "coverage of scores": scores,
    **{f"lowest coverage of {pairs} pairs": partial(lowest, pairs) for pairs in (10, 20, 100)},
    "score of the lowest coverage of 10 pairs": lambda: f"{_worst(10)['share']:.0%}",
    "coverage of panels": panels,
    "coverage of ratings": ratings,
    **{f"coverage of ratings by {name}": partial(_held, name) for name in ("ours", "bootstrap")},
}
