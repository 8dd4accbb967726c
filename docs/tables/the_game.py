"""What the game is like: ``docs/the_game.json``, which `benchmarks/the_game.py` writes, and ``docs/proofs.json``, by `benchmarks/proofs.py`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table
from tkm_env import POWERS

_FIGURES: dict[str, Any] = json.loads((Path(__file__).parents[1] / "the_game.json").read_text("utf-8"))
_PROOFS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "proofs.json").read_text("utf-8"))


def _share(interval: list[float]) -> str:
    share, low, high = interval
    return f"{share:.0%} ({low:.0%} to {high:.0%})"


def _of(chapters: str) -> dict[str, dict[str, Any]]:
    """The figures of some chapters by player."""
    return {name.partition(" in ")[0]: found for name, found in _FIGURES.items() if name.endswith(f" in {chapters}")}


def _sets() -> list[str]:
    return list(dict.fromkeys(name.partition(" in ")[2] for name in _FIGURES if " in " in name))


def chapters() -> str:
    """Length, choices and games without a winner, by chapters."""
    rows = []
    for name in _sets():
        found = _of(name)["alphabeta:depth=3"]
        short, middle, long = found["turns"]
        rows.append((name, f"{middle:.0f} ({short:.0f} to {long:.0f})", f"{found['choices']:.0f}", f"{found['undecided']:.0%}"))
    return table(("chapters", "turns: median (10% to 90%)", "ways to play a turn", "without a winner"), rows)


def first_move() -> str:
    """White's share by chapters and player."""
    players = list(_of("standard"))
    rows = [(name, *(_share(_of(name)[player]["white"]) for player in players)) for name in _sets()]
    return table(("chapters", *(f"`{player}`" for player in players)), rows)


def handicaps() -> str:
    """White's share where copies are missing from a supply."""
    rows = [("none", _share(_of("standard")["alphabeta:depth=3"]["white"]))]
    for name, found in _FIGURES.items():
        if name.startswith("handicap "):
            white, black = name.removeprefix("handicap ").split("-")
            rows.append((f"{white or 0} of white's" if black == "0" else f"{black} of black's", _share(found["white"])))
    return table(("copies missing", "white's share"), rows)


def powers() -> str:
    """Each power against none, and on average against those of its set and of the others."""
    names = [power.name for power in POWERS]
    sets = {power.name: power.set for power in POWERS}

    def share(one: str, other: str) -> float:
        found = _FIGURES.get(f"powers {one} {other}")
        return float(found[0] if found is not None else 1 - _FIGURES[f"powers {other} {one}"][0])

    def mean(one: str, others: list[str]) -> str:
        return f"{sum(share(one, other) for other in others) / len(others):.0%}"

    rows = []
    for one in sorted(names, key=lambda name: -float(_FIGURES[f"powers {name} None"][0])):
        own = [other for other in names if other != one and sets[other] == sets[one]]
        others = [other for other in names if sets[other] != sets[one]]
        rows.append((f"`{one}`", sets[one], _share(_FIGURES[f"powers {one} None"]), mean(one, own), mean(one, others)))
    return table(("power", "set", "against none", "against its set", "against the other sets"), rows)


def unbalanced() -> str:
    """How many powers score outside 35% to 65% against another one of their set."""
    pairs = [name.split()[1:] for name in _FIGURES if name.startswith("powers ") and not name.endswith(" None")]
    sets = {power.name: power.set for power in POWERS}
    within = [(one, other) for one, other in pairs if sets[one] == sets[other]]
    outside = [pair for pair in within if not 0.35 <= _FIGURES["powers {} {}".format(*pair)][0] <= 0.65]
    return f"{len(outside)} of the {len(within)} pairs"


def games() -> str:
    """How many games each figure of chapters counts."""
    return str(_of("standard")["alphabeta:depth=3"]["games"])


def proofs() -> str:
    """How many turns from the start are without a forced win, by settings."""
    rows = []
    for options, found in _PROOFS.items():
        winner = found["winner"]
        outcome = f"{winner} wins by force" if winner else "neither side can force a win"
        command = f"`tkm prove {options + ' ' if options else ''}--turns {found['turns']} --table-bits {found['table_bits']}`"
        rows.append((command, outcome, f"{found['seconds']:.0f}"))
    return table(("command", "found", "CPU seconds"), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "the game by chapters": chapters,
    "the first move": first_move,
    "handicaps": handicaps,
    "powers by strength": powers,
    "unbalanced powers": unbalanced,
    "games of a figure": games,
    "proofs": proofs,
    "turns without a forced win": lambda: str(_PROOFS[""]["turns"]),
}
