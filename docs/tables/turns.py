"""How many turns there are, and how fast they are listed."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tables.markdown import table
from tkm_env import Batch
from tkm_env.games.tkm.engine.state import CHAPTERS

_FIGURES = Path(__file__).parents[1] / "performance.json"
_SETTINGS: dict[str, dict[str, object]] = {
    "the standard game": {},
    **{f'`chapters="{name}"`': {"chapters": name} for name in CHAPTERS},
    "all three chapters": {"chapters": CHAPTERS},
    "all three chapters, `overtime`": {"chapters": CHAPTERS, "powers": ("overtime", "overtime")},
    "all three chapters, `green-thumb`": {
        "chapters": CHAPTERS,
        "powers": ("green-thumb", "green-thumb"),
    },
}
_GAMES, _TURNS = 256, 40


def numbers() -> str:
    """How many turns there are in the positions of random play, by settings."""
    rows = []
    for what, settings in _SETTINGS.items():
        batch = Batch(_GAMES, **settings)  # type: ignore[arg-type]
        batch.reset(seed=1)
        generator, found = np.random.default_rng(1), []
        for _ in range(_TURNS):
            turns = batch.turns()
            found.append(turns.counts)
            batch.play_turns(
                turns,
                turns.offsets[:-1] + (generator.random(_GAMES) * turns.counts).astype(np.int64),
            )
            batch.begin(batch.over)
        counts = np.sort(np.concatenate(found))
        rows.append(
            (what, *(str(counts[int(share * (len(counts) - 1))]) for share in (0.5, 0.9, 0.99, 1)))
        )
    return table(("settings", "half have at most", "90%", "99%", f"all {_GAMES * _TURNS:,}"), rows)


def speed() -> str:
    """Turns per second, and the share of the bound."""
    rows = json.loads(_FIGURES.read_text("utf-8"))["rows"]
    medians = {
        row["name"]: statistics.median(row["rounds"]) for row in rows if row["group"] == "turns"
    }
    listed, seen, bound = (
        medians[name] for name in ("turns/standard", "turns/standard/observed", "bound/turns/1024")
    )
    share = f"{listed / bound:.1%} of what a loop that only writes the rows reaches"
    rates = f"{listed / 1e6:.1f} million turns a second ({share})"
    return f"{rates}, and {seen / 1e6:.1f} million with compact observations"


BLOCKS: dict[str, Callable[[], str]] = {"numbers of turns": numbers, "speed of turns": speed}
