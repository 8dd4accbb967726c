"""What the game is like.

The figures are in ``docs/the_game.json``, which `benchmarks/the_game.py` writes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

from tables.markdown import table
from tkm_env import POWERS
from tkm_env.games.tkm.engine.powers import SECOND_EFFECTS

_FIGURES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "the_game.json").read_text("utf-8")
)


def _share(interval: list[float]) -> str:
    share, low, high = interval
    return f"{share:.0%} ({low:.0%} to {high:.0%})"


def _of(chapters: str) -> dict[str, dict[str, Any]]:
    """The figures of some chapters by player."""
    return {
        name.partition(" in ")[0]: found
        for name, found in _FIGURES.items()
        if name.endswith(f" in {chapters}")
    }


def _sets() -> list[str]:
    return list(dict.fromkeys(name.partition(" in ")[2] for name in _FIGURES if " in " in name))


def chapter_figures() -> dict[str, dict[str, Any]]:
    """What games of `alphabeta:depth=3` are like, by chapters."""
    return {name: _of(name)["alphabeta:depth=3"] for name in _sets()}


def chapters() -> str:
    """Length, choices and games without a winner, by chapters."""
    rows = []
    for name, found in chapter_figures().items():
        short, middle, long = found["turns"]
        rows.append(
            (
                name,
                f"{middle:.0f} ({short:.0f} to {long:.0f})",
                f"{found['choices']:.0f}",
                f"{found['undecided']:.0%}",
            )
        )
    return table(
        ("chapters", "turns: median (10% to 90%)", "ways to play a turn", "without a winner"), rows
    )


def share_of_white(question: str) -> str:
    """White's share in the games that were played for a question, with its interval."""
    return _share(_FIGURES[question]["white"])


def first_move() -> str:
    """White's share by chapters and player."""
    players = list(_of("standard"))
    rows = [(name, *(_share(_of(name)[player]["white"]) for player in players)) for name in _sets()]
    return table(("chapters", *(f"`{player}`" for player in players)), rows)


def handicaps() -> str:
    """White's share where copies are missing from a supply."""
    rows = [("none", _share(_of("standard")["alphabeta:depth=3"]["white"]))]
    for name in _FIGURES:
        if name.startswith("handicap "):
            white, black = name.removeprefix("handicap ").split("-")
            rows.append(
                (
                    f"{white or 0} of white's" if black == "0" else f"{black} of black's",
                    share_of_white(name),
                )
            )
    return table(("copies missing", "white's share"), rows)


_CIRCLES = {
    name.removeprefix("circles "): found
    for name, found in _FIGURES.items()
    if name.startswith("circles ")
}
_REPETITION = "repetition"


def circles() -> str:
    """Games without a winner, and the mean number of turns, by several rules against circling."""
    rules = list(next(iter(_CIRCLES.values()))["rules"])
    rows = []
    for rule in rules:
        cells = []
        for found in _CIRCLES.values():
            row = found["rules"][rule]
            cells.append(f"{row['undecided']:.0%}, {row['turns']:.0f} turns")
        called = "a third occurrence loses" if rule == _REPETITION else f"at most {rule} turns"
        rows.append((called, *cells))
    return table(("rule", *(f"`{player}`" for player in _CIRCLES)), rows)


def repeated() -> str:
    """In how many games a position occurred for the third time, over all players."""
    games = sum(found["games"] for found in _CIRCLES.values())
    count = sum(round(found["repeated"] * found["games"]) for found in _CIRCLES.values())
    return f"{count} of {games:,}"


_NAMES = [power.name for power in POWERS]
_SETS = {power.name: power.set for power in POWERS}


def _share_of(one: str, other: str, power_texts: int = 1) -> float:
    """What a power scores against another one."""
    for question in ["second texts"] * (power_texts == 2) + ["powers"]:
        if found := _FIGURES.get(f"{question} {one} {other}"):
            return float(found[0])
        if found := _FIGURES.get(f"{question} {other} {one}"):
            return 1 - float(found[0])
    raise KeyError(one, other)


def _others_of_its_set(one: str) -> list[str]:
    return [other for other in _NAMES if other != one and _SETS[other] == _SETS[one]]


def _mean(one: str, others: list[str], power_texts: int = 1) -> str:
    return f"{sum(_share_of(one, other, power_texts) for other in others) / len(others):.0%}"


def powers() -> str:
    """Each power against none, and on average against its set and the other sets."""
    rows = []
    for one in sorted(_NAMES, key=lambda name: -float(_FIGURES[f"powers {name} None"][0])):
        others = [other for other in _NAMES if _SETS[other] != _SETS[one]]
        own = _mean(one, _others_of_its_set(one))
        rows.append(
            (
                f"`{one}`",
                _SETS[one],
                _share(_FIGURES[f"powers {one} None"]),
                own,
                _mean(one, others),
            )
        )
    return table(
        ("power", "set", "against none", "against its set", "against the other sets"), rows
    )


def _unbalanced(power_texts: int) -> str:
    pairs = [(one, other) for one, other in combinations(_NAMES, 2) if _SETS[one] == _SETS[other]]
    outside = [pair for pair in pairs if not 0.35 <= _share_of(*pair, power_texts) <= 0.65]
    verb = "is" if len(outside) == 1 else "are"
    return f"{len(outside)} of the {len(pairs)} pairs {verb} not even"


def second_texts() -> str:
    """Each power against its set, by the first texts and by the second."""
    rows = []
    for one in _NAMES:
        own = _others_of_its_set(one)
        against = ", ".join(f"{_share_of(one, other, 2):.0%} `{other}`" for other in own)
        rows.append(
            (f"`{one}`", SECOND_EFFECTS.get(one, "-"), _mean(one, own), _mean(one, own, 2), against)
        )
    return table(
        (
            "power",
            "second text",
            "against its set, first texts",
            "against its set, second texts",
            "against each power of its set, second texts",
        ),
        rows,
    )


def _endgames(first: int) -> str:
    """The share of solved endgames whose number of turns to the end is this, or even more by twos.

    An odd number of turns is a win of the side to act, an even one a loss; 0 stands for circles.
    """
    turns = _FIGURES["endgames"]["turns"]
    return f"{sum(turns[first::2] if first else turns[:1]) / sum(turns):.0%}"


def _longest_win() -> int:
    turns = _FIGURES["endgames"]["turns"]
    return max(number for number in range(1, len(turns), 2) if turns[number])


def _white_with(chapter: str) -> str:
    """White's lowest and highest share in all sets with a chapter, of all players."""
    shares = [
        found["white"][0]
        for name in _sets()
        if chapter in name.split("+")
        for found in _of(name).values()
    ]
    return f"{min(shares):.0%} to {max(shares):.0%}"


def games() -> str:
    """How many games each figure of chapters counts."""
    return str(_of("standard")["alphabeta:depth=3"]["games"])


BLOCKS: dict[str, Callable[[], str]] = {
    "the game by chapters": chapters,
    "the first move": first_move,
    "handicaps": handicaps,
    "rules against circling": circles,
    "games with a repetition": repeated,
    "powers by strength": powers,
    "unbalanced powers": lambda: _unbalanced(1),
    "powers by their second texts": second_texts,
    "unbalanced powers by their second texts": lambda: _unbalanced(2),
    "games of a figure": games,
    "solved endgames won": lambda: _endgames(1),
    "solved endgames lost": lambda: _endgames(2),
    "solved endgames in circles": lambda: _endgames(0),
    "longest win of the solved endgames": lambda: str(_longest_win()),
    "white's share with Influence": lambda: _white_with("influence"),
}
