"""What `benchmarks/league_scale.py` measured of long seasons, from ``docs/league_scale.json``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table

_SEASONS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "league_scale.json").read_text("utf-8")
)


def seasons() -> str:
    """A row for each season."""
    rows = []
    for season in _SEASONS:
        slowest = max(season["pages"], key=lambda page: season["pages"][page][1])
        rows.append(
            (
                f"{season['games']:,}",
                f"{season['bytes'] * season['games'] / 1e6:,.0f} MB",
                f"{season['mebibytes']:,} MiB",
                f"{season['read']:,.0f} s",
                f"{season['made']:.1f} s",
                f"{max(middle for middle, _ in season['pages'].values()):.0f} ms",
                f"{season['pages'][slowest][1]:.0f} ms ({slowest})",
            )
        )
    head = (
        "games",
        "disk",
        "memory",
        "reading all, CPU",
        "after one more game, CPU",
        "slowest page, median",
        "slowest page, 99th percentile",
    )
    return table(head, rows)


def load() -> str:
    """How busy the machine was."""
    loads = [season["load"][0] for season in _SEASONS]
    cores = _SEASONS[0]["load"][1]
    return f"{cores} cores, load {min(loads):g} to {max(loads):g}"


BLOCKS: dict[str, Callable[[], str]] = {"long seasons": seasons, "load of long seasons": load}
