"""What `benchmarks/tune_turn_ppo.py` found; the figures are in ``docs/turn_ppo_tuning.json``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table

_FOUND: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "turn_ppo_tuning.json").read_text("utf-8")
)
#: The settings with the best scores are shown, and the first one, which was there before.
_SHOWN = 6


def _last(found: dict[str, Any]) -> tuple[float, float]:
    """The minutes and the score of a setting's longest training."""
    minutes = max(found["scores"], key=float)
    return float(minutes), found["scores"][minutes]


def settings() -> str:
    """The settings that went furthest, the best first."""
    every = [*enumerate(_FOUND["settings"])]
    ranked = sorted(every, key=lambda pair: (pair[0] == _FOUND["best"], *_last(pair[1])))[::-1]
    chosen = ranked[:_SHOWN] + [pair for pair in ranked[_SHOWN:] if pair[0] == 0]
    minutes = sorted({key for _, found in every for key in found["scores"]}, key=float)
    names = [*_FOUND["settings"][0]["setting"]]
    rows = [
        (
            "before" if number == 0 else f"{number}",
            *(f"{found['setting'][name]:g}" for name in names),
            *(f"{found['scores'][key]:.1%}" if key in found["scores"] else "" for key in minutes),
        )
        for number, found in chosen
    ]
    return table(("setting", *names, *(f"{key} min" for key in minutes)), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "search of settings": settings,
    "settings searched": lambda: str(len(_FOUND["settings"])),
    "minutes of the search": lambda: f"{_FOUND['cpu_minutes']:g}",
}
