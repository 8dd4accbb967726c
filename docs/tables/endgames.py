"""The solved endgames, and what it is worth to know them: ``docs/endgames.json``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from tables.markdown import table

_FIGURES = Path(__file__).parents[1] / "endgames.json"
#: The tables, by the most copies of a side.
_TABLES = {"2": "two copies", "3": "three copies"}
#: Wins that take more turns than the longest with two copies a side.
_LONG = 28


@cache
def _figures() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_FIGURES.read_text("utf-8"))
    return {copies: found[copies] for copies in _TABLES if copies in found}


def counts() -> str:
    """How many positions each table has, and how they end."""
    tables = {
        copies: {int(turns): count for turns, count in found["counts"].items()}
        for copies, found in _figures().items()
    }

    def share(counted: dict[int, int], turns: Iterable[int]) -> str:
        return f"{100 * sum(counted[each] for each in turns) / sum(counted.values()):.2f}%"

    rows: dict[str, Callable[[dict[int, int]], str]] = {
        "positions": lambda counted: f"{sum(counted.values()):,}",
        "the side to act wins": lambda counted: share(counted, [n for n in counted if n % 2]),
        "the side to act loses": lambda counted: share(
            counted, [n for n in counted if n and n % 2 == 0]
        ),
        "neither can win": lambda counted: share(counted, [0]),
        "the longest win, in turns": lambda counted: str(max(n for n in counted if n % 2)),
        f"decided in more than {_LONG} turns": lambda counted: share(
            counted, [n for n in counted if n > _LONG]
        ),
    }
    head = ["at most, a side", *(_TABLES[copies] for copies in tables)]
    return table(head, [(name, *map(count, tables.values())) for name, count in rows.items()])


def missed() -> str:
    """The won positions that alpha-beta wins without a table and with it."""
    rows = [
        (
            _TABLES[copies],
            f"{row['from']} to {row['to']} turns",
            *(str(row[key]) for key in ("positions", "without", "with")),
        )
        for copies, found in _figures().items()
        for row in found["missed"]
    ]
    return table(("at most, a side", "win in", "positions", "without the table", "with it"), rows)


def matches() -> str:
    """What players with a table score against themselves without it."""
    rows = []
    for copies, found in _figures().items():
        for row in found["matches"]:
            score, elo = ([*map(float, row[key])] for key in ("score", "elo"))
            rows.append(
                (
                    f"`{row['player']}`",
                    row["start"],
                    _TABLES[copies],
                    f"{row['games']}",
                    "{:.1%} ({:.1%} to {:.1%})".format(*score),
                    "{:+.0f} ({:+.0f} to {:+.0f})".format(*elo),
                )
            )
    head = ("player", "games begin with", "its table", "games", "score", "Elo")
    return table(head, sorted(rows, key=lambda row: row[:2]))


BLOCKS: dict[str, Callable[[], str]] = {
    "endgame counts": counts,
    "endgames missed": missed,
    "endgame matches": matches,
}
