"""The outcome of a match as a JSON object, for programs to read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from tkm_env.arena.match import Match, Standing
from tkm_env.arena.score import Elo
from tkm_env.arena.sprt import SPRT
from tkm_env.core.settings import changed_settings

__all__ = ["OUTCOME", "elo_as_json", "outcome"]

#: The kind of file in which an outcome is written.
OUTCOME: Final = "tkm_env match outcome"


def outcome(match: Match, rows: Sequence[Standing], sprt: SPRT | None = None) -> dict[str, Any]:
    """What was played and how it ended: scores, pairs, Elo and the verdict of the test, if there was one.

    Shares of points are from 0 to 1, times in seconds. Elo and scores are the player's against the other one, with 95% intervals from
    pairs; a bound of Elo that is infinite is null.
    """
    first = rows[0]
    content: dict[str, Any] = {
        "game": match.game,
        "config": changed_settings(match.config),
        "seed": match.seed,
        "opening_turns": match.opening_turns,
        "games": first.games,
        "games_planned": match.games,
        "turns": first.turns,
        "players": [
            {
                "player": row.player,
                "by_side": {
                    side: dict(zip(("wins", "draws", "losses"), counts, strict=True)) for side, counts in row.by_side.items()
                },
                "pairs": list(row.pairs.counts),
                "single": list(row.pairs.single),
                "score": {"share": row.score.share, "low": row.score.low, "high": row.score.high},
                "elo": elo_as_json(row.pairs.elo),
                "normalized_elo": elo_as_json(row.pairs.normalized_elo),
                "seconds": row.seconds,
            }
            for row in rows
        ],
        "sprt": None,
    }
    if sprt is not None:
        low, high = sprt.bounds
        content["sprt"] = {
            "elo0": sprt.elo0,
            "elo1": sprt.elo1,
            "alpha": sprt.alpha,
            "beta": sprt.beta,
            "llr": sprt.llr(first.pairs),
            "bounds": [low, high],
            "accepted": sprt.accepted(first.pairs),
        }
    return content


def elo_as_json(elo: Elo) -> dict[str, float | None]:
    """Elo with its interval; None for what is not finite, which JSON has no number for."""
    return {name: value if math.isfinite(value) else None for name, value in elo._asdict().items()}
