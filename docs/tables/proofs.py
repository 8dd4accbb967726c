"""How far it is proved that neither side can force a win from the start.

The figures are in ``docs/proofs.json``, which `benchmarks/proofs.py` writes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table

_FIGURES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "proofs.json").read_text("utf-8")
)
_SHALLOWER = "shallower"
#: The deepest proof from each start, by the options of ``tkm prove``.
_DEEPEST: dict[str, dict[str, Any]] = {
    options: found for options, found in _FIGURES.items() if not options.startswith(_SHALLOWER)
}


def _row_of_shallower(options: str) -> str:
    """The name of the row with the shallower proofs from a start."""
    return f"{_SHALLOWER} {options}".strip()


def _setting(options: str) -> str:
    return options.removeprefix("--") or "standard"


def _seconds(options: str) -> dict[int, float]:
    """The CPU seconds of the proofs from a start, by the number of turns."""
    deepest = _DEEPEST[options]
    shallower = _FIGURES[_row_of_shallower(options)]
    return {
        **{int(turns): seconds for turns, seconds in shallower.items()},
        deepest["turns"]: deepest["seconds"],
    }


def from_start() -> str:
    """How many turns from the start are without a forced win, each with its command."""
    rows = []
    for options, found in _DEEPEST.items():
        winner = found["winner"]
        outcome = f"{winner} wins by force" if winner else "neither side can force a win"
        limits = f"--turns {found['turns']} --table-bits {found['table_bits']}"
        command = f"`tkm prove {options + ' ' if options else ''}{limits}`"
        rows.append((command, outcome, f"{found['seconds']:.0f}"))
    return table(("command", "found", "CPU seconds"), rows)


def by_setting() -> str:
    """How many turns from the start are without a forced win, by settings."""
    rows = [
        (_setting(options), str(found["turns"]), f"{found['seconds']:.0f}")
        for options, found in _DEEPEST.items()
        if found["winner"] is None
    ]
    return table(("setting", "turns", "CPU seconds"), rows)


def _in_words(seconds: float) -> str:
    """A long time to two digits."""
    for unit, name in ((3600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{float(f'{seconds / unit:.2g}'):g} {name}"
    return f"{seconds:.0f} seconds"


def costs() -> str:
    """The CPU seconds by the number of turns, and what two more than the deepest might take."""
    timed = {
        options: _seconds(options) for options in _DEEPEST if _row_of_shallower(options) in _FIGURES
    }
    depths = sorted({turns for seconds in timed.values() for turns in seconds})
    rows = []
    for options, seconds in timed.items():
        *_, before, last = seconds.values()
        rows.append(
            (
                _setting(options),
                *(f"{seconds[turns]:.1f}" if turns in seconds else "" for turns in depths),
                f"{last / before:.0f}",
                _in_words(last * last / before),
            )
        )
    head = ("setting", *(f"{turns} turns" for turns in depths))
    return table((*head, "last factor", "two more turns, by that factor"), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "proofs": from_start,
    "proofs by setting": by_setting,
    "costs of proofs": costs,
    "turns without a forced win": lambda: str(_DEEPEST[""]["turns"]),
}
