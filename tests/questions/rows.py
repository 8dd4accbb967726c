"""Rows of questions that several tests go through: every kind of both games, in few settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tkm_env.core.registry import game_spec
from tkm_env.questions import PlanRow, rows_for

ALL = ("growth", "influence", "memory")
#: Settings and kinds, with difficulties at which positions are found quickly.
SETTINGS: tuple[tuple[str, dict[str, Any], dict[str, Sequence[int]]], ...] = (
    (
        "tkm",
        {},
        {
            "legal": (1, 3),
            "position": (1, 6),
            "win": (6, 8),
            "winning-turn": (1, 2),
            "forced-win": (2, 3),
            "deaths": (2, 5),
            "safety": (5, 7),
            "endgame": (3, 6),
        },
    ),
    (
        "tkm",
        {"chapters": ALL, "powers": ("doorway", "bulldoze")},
        {
            "legal": (2,),
            "position": (4,),
            "win": (7,),
            "winning-turn": (1,),
            "forced-win": (2,),
            "deaths": (4,),
            "safety": (6,),
            "power-actions": (1, 3),
            "power-position": (3,),
        },
    ),
    (
        "terminus",
        {},
        {
            "legal": (1, 2),
            "position": (1, 2),
            "win": (18,),
            "winning-turn": (1,),
            "victories": (1, 3),
        },
    ),
)


def rows(*kinds: str) -> tuple[PlanRow, ...]:
    """The rows of these kinds; of all kinds if none is named."""
    return tuple(
        row
        for game, settings, asked in SETTINGS
        for kind, difficulties in asked.items()
        if not kinds or kind in kinds
        for row in rows_for(game_spec(game), game_spec(game).config(settings), [kind], difficulties)
    )


def named(row: PlanRow) -> str:
    """A short name of a row, for the ids of tests."""
    chapters = "all" if getattr(row.config, "chapters", None) else "plain"
    return f"{row.kind}-{row.game}-{chapters}-{row.difficulty}"
