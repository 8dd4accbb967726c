"""How strong the players are, and what their turns cost.

The figures are in ``docs/ladder.json``, which `benchmarks/ladder.py` writes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from tables.markdown import table
from tkm_env.evaluation.score import Elo, Interval, PairResults

_FIGURES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "ladder.json").read_text("utf-8")
)
_GAMES: dict[str, dict[str, Any]] = {
    name.removeprefix("games "): found
    for name, found in _FIGURES.items()
    if name.startswith("games ")
}
_COSTS: list[dict[str, float]] = [
    found for name, found in _FIGURES.items() if name.startswith("costs ")
]
_ELOS: list[dict[str, list[float] | None]] = [found["elo"] for found in _GAMES.values()]

#: What the tables call settings that are not named after their chapters.
CALLED = {"powers": "all chapters, with drafted powers"}


def _strength(player: str) -> tuple[int, float]:
    """In how many settings results bound a player's rating, and the mean there."""
    known = [elo[0] for found in _ELOS if (elo := found[player])]
    return len(known), sum(known) / max(len(known), 1)


#: The players that met, from the weakest to the strongest.
_PLAYERS = sorted(_ELOS[0], key=_strength)


def _results(place: str, one: str, other: str) -> PairResults:
    """The results of one player against another."""
    pairs = _GAMES[place]["pairs"]
    counts = pairs.get(f"{one} over {other}") or pairs[f"{other} over {one}"][::-1]
    return PairResults(tuple(counts))


def _range(values: Iterable[float], form: str) -> str:
    """The least and the greatest of some values."""
    known = sorted(values)
    return " to ".join(dict.fromkeys(format(each, form) for each in (known[0], known[-1])))


def cost(player: str) -> str:
    """The median time of a turn in milliseconds, from the least setting to the greatest."""
    return _range((found[player] for found in _COSTS), ".2g")


def _by_place(rows: Iterable[tuple[str, list[str]]]) -> str:
    """A table of players, with what a turn costs and a cell for each setting."""
    places = (CALLED.get(place, place.replace("+", " + ")) for place in _GAMES)
    head = ("player", "ms a turn", *places)
    return table(head, ((f"`{player}`", cost(player), *cells) for player, cells in rows))


def _rating(elo: list[float] | None) -> str:
    if elo is None:
        return "–"
    rating = Elo(*elo)
    return f"{rating.estimate:.0f}" if rating.low == rating.high else rating.with_margin()


def ratings() -> str:
    """The rating of each player in each setting."""
    return _by_place((player, [_rating(found[player]) for found in _ELOS]) for player in _PLAYERS)


def _share(interval: Interval) -> str:
    share, low, high = interval
    return f"{share:.0%} ({low:.0%} to {high:.0%})"


def scores() -> str:
    """Each player's share of points against `greedy`, without `random`."""
    return _by_place(
        (player, [_share(_results(place, player, "greedy").score) for place in _GAMES])
        for player in _PLAYERS
        if player not in ("random", "greedy")
    )


def shares(one: str, other: str) -> str:
    """A player's share of points against another, from the least setting to the greatest."""
    return _range((_results(place, one, other).score.share for place in _GAMES), ".0%")


def times(one: str, other: str) -> str:
    """How many times longer a turn of a player takes than one of another."""
    return _range((found[one] / found[other] for found in _COSTS), ".1f")


def games() -> str:
    """The number of games of every two players."""
    return str(_results(next(iter(_GAMES)), "net", "greedy").games)


def strongest() -> str:
    """The players with the highest rating, each with the number of settings."""
    first = Counter(
        max((elo[0], player) for player, elo in found.items() if elo)[1] for found in _ELOS
    )
    return " and ".join(
        f"`{player}` in {number}" if len(first) > 1 else f"`{player}` in all {number}"
        for player, number in first.most_common()
    )


BLOCKS: dict[str, Callable[[], str]] = {
    "ladder ratings": ratings,
    "ladder scores": scores,
    "ladder games": games,
    "ladder's strongest": strongest,
    **{
        f"{kind} {one}, {other}": partial(value, one, other)
        for kind, value, one, other in (
            ("score of", shares, "net", "greedy"),
            ("score of", shares, "net", "alphabeta:depth=2,net=None"),
            ("score of", shares, "net:replies=3", "net"),
            ("times of", times, "net:replies=3", "net"),
            ("score of", shares, "net:replies=64", "net:replies=3"),
            ("score of", shares, "net:replies=64", "greedy"),
            ("times of", times, "net:replies=64", "net"),
            ("score of", shares, "alphabeta:depth=2", "net:replies=64"),
            ("times of", times, "alphabeta:depth=2", "net:replies=64"),
            ("score of", shares, "alphabeta:nodes=500", "alphabeta:depth=2"),
            ("times of", times, "alphabeta:nodes=500", "alphabeta:depth=2"),
            ("score of", shares, "gumbel:iterations=32", "alphabeta:nodes=500"),
            ("times of", times, "gumbel:iterations=32", "alphabeta:nodes=500"),
            ("score of", shares, "mcts:iterations=200", "net"),
        )
    },
}
