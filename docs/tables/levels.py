"""The levels that people choose from, and what `benchmarks/levels.py` measured of them.

The figures are in ``docs/levels.json``: for each set of chapters, each level against the one below.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from tables.markdown import table
from tkm_env.core.registry import GameSpec
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.players.factory import options_of
from tkm_env.players.roster import ROSTERS, Level

_FIGURES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "levels.json").read_text("utf-8")
)


def _steps(below: Level, above: Level, spec: GameSpec) -> dict[str, dict[str, Any]]:
    """The figures of a step, by set of chapters."""
    step = f": {above.player} over {below.player}"
    found = {
        name.removesuffix(step): figure for name, figure in _FIGURES.items() if name.endswith(step)
    }
    return {
        place: one for place, one in found.items() if (place == TERMINUS.name) == (spec is TERMINUS)
    }


def _share(figure: dict[str, Any]) -> str:
    share, low, high = figure["score"]
    return f"{share:.0%} ({low:.0%} to {high:.0%})"


def levels(spec: GameSpec) -> str:
    """The levels, each with how it does against the one below; as far as that is measured."""
    every = ROSTERS.of(spec).levels
    rows = [(f"1 {every[0].name}", f"`{every[0].player}`", "", "")]
    for number, (below, above) in enumerate(pairwise(every), 2):
        found = _steps(below, above, spec)
        shares = sorted(found, key=lambda place: found[place]["score"][0])
        ends = dict.fromkeys([shares[0], shares[-1]]) if shares else {}
        told = "; ".join(
            _share(found[place]) + ("" if spec is TERMINUS else f" in {place}") for place in ends
        )
        elos = [figure["elo"][0] for figure in found.values()]
        if "seconds" in options_of(above.player)[1]:
            told = "depends on the speed of the machine"
        elo = f"{sum(elos) / len(elos):+.0f}" if elos else ""
        rows.append((f"{number} {above.name}", f"`{above.player}`", told, elo))
    return table(("level", "player", "wins against the level below, least and most", "Elo"), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "levels": lambda: levels(TKM),
    "levels in Terminus": lambda: levels(TERMINUS),
}
