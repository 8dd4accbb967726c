"""The agents by name, and what `benchmarks/agents.py` measured: ``docs/agents.json``."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.players.roster import ROSTERS

_FIGURES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "agents.json").read_text("utf-8")
)

#: Targets for the depth in whole turns and the rollouts per second.
DEPTH_WANTED = {"standard": 5, "growth+influence+memory": 3}
OTHER_DEPTH_WANTED = 4
PLAYOUTS_WANTED = {"standard": 25_000}


def players() -> str:
    """The agents by name, with their options."""
    rows = []
    for name, load in ROSTERS.of(TKM).agents.items():
        maker = load()
        given = inspect.signature(maker).parameters.values()
        options = ", ".join(
            f"`{option.name}={option.default}`"
            for option in given
            if option.name not in ("seed", "weights")
        )
        how = inspect.cleandoc(maker.__doc__).partition("\n\n")[0].replace("\n", " ")
        # Players do not need to know where a search is implemented.
        rows.append((f"`{name}`", re.sub(r" \(`tkm_env\.[\w.]+`\)", "", how), options or "none"))
    return table(("name", "how it thinks", "options"), rows)


def _unless(reached: bool) -> str:
    return "" if reached else " (below the target)"


def _of(kind: str) -> dict[str, dict[str, Any]]:
    """The figures of one kind, by chapters."""
    return {
        name.removeprefix(kind): found for name, found in _FIGURES.items() if name.startswith(kind)
    }


def depth() -> str:
    """The number of turns that alpha-beta searches, by set of chapters."""
    rows = []
    for chapters, sight in _of("sight ").items():
        wanted = DEPTH_WANTED.get(chapters, OTHER_DEPTH_WANTED)
        depths = sight["depths"]
        median = f"{sight['depth']:g}{_unless(sight['depth'] >= wanted)}"
        rows.append(
            (chapters, median, str(wanted), f"{depths[0]} to {depths[-1]}", str(sight["proved"]))
        )
    return table(("chapters", "median depth", "target", "range", "proved"), rows)


def positions() -> str:
    """The number of positions behind each median depth."""
    sight = _FIGURES["sight standard"]
    return str(len(sight["depths"]) + sight["proved"])


def speed() -> str:
    """The speed of the searches, by set of chapters."""
    rows = []
    for chapters, rates in _of("rates ").items():
        sight = _FIGURES[f"sight {chapters}"]
        playouts, low, high = rates["playouts"]
        shown = f"{playouts:,.0f} ({low:,.0f} to {high:,.0f})"
        rows.append(
            (
                chapters,
                f"{sight['nodes'] / 1e3:,.0f} k",
                f"{sight['steps'] / 1e6:.2f} M",
                f"{rates['engine'][0] / 1e6:.2f} M",
                shown + _unless(playouts >= PLAYOUTS_WANTED.get(chapters, 0)),
            )
        )
    return table(
        ("chapters", "alpha-beta nodes/s", "its actions/s", "engine steps/s", "rollouts/s"), rows
    )


BLOCKS: dict[str, Callable[[], str]] = {
    "agents": players,
    "opponents": lambda: ", ".join(f"`{name}`" for name in ROSTERS.of(TKM).agents),
    "opponents in Terminus": lambda: ", ".join(f"`{name}`" for name in ROSTERS.of(TERMINUS).agents),
    "search depth": depth,
    "search positions": positions,
    "search speed": speed,
}
