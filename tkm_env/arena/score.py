"""Scores and their intervals."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

from tkm_env.checks import checked_integer, checked_number
from tkm_env.errors import ConfigError

__all__ = ["Interval", "score_interval"]


class Interval(NamedTuple):
    """A share of points, 0 to 1, with the bounds of its confidence interval."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.1%} ({self.low:.1%} to {self.high:.1%})"


def score_interval(points: float, games: int, confidence: float = 0.95) -> Interval:
    """The score interval of Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).

    A draw is half a point. With draws the interval is wider than necessary, never narrower.

    Args:
        points: 0 to ``games``.
        games: at least 1.
        confidence: above 0 and below 1.

    Raises:
        ConfigError: naming the argument that is out of range.

    >>> print(score_interval(75, 100))
    75.0% (65.7% to 82.5%)
    """
    games = checked_integer("games", games, 1, 2**53)
    if isinstance(points, bool) or not isinstance(points, (int, float)) or not 0 <= points <= games:
        raise ConfigError("points", points, f"it must be a number from 0 to {games}")
    if checked_number("confidence", confidence) >= 1:
        raise ConfigError("confidence", confidence, "it must be a number above 0 and below 1")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = points / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))
