"""How value networks learn by default, and what `benchmarks/learning.py` measured.

The figures are in ``docs/learning.json``.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tables.ladder import CALLED
from tables.markdown import percentages, table
from tkm_env.learn.value_training import TrainingPlan
from tkm_env.players.tkm.evaluators import learned_games, shipped_networks
from tkm_env.players.tkm.search.network_inputs import GROUPS, MAX_INPUTS, NUM_INPUTS

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.learning import DEEP, MANY, REPLIES, SHALLOW, command_of, network_for

_FIGURES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "learning.json").read_text("utf-8")
)
_CURVES: dict[str, list[dict[str, Any]]] = {
    name.removeprefix("curve "): found["curve"]
    for name, found in _FIGURES.items()
    if name.startswith("curve ")
}


def defaults() -> str:
    """The fields of a plan, and of how it plays games, with their defaults."""
    plan = TrainingPlan()
    fields = {
        **{field.name: getattr(plan, field.name) for field in dataclasses.fields(plan)},
        **plan.self_play._asdict(),
    }
    rows = [
        (f"`{name}`", f"{value:,}" if isinstance(value, int) else f"{value:g}")
        for name, value in fields.items()
        if name != "self_play"
    ]
    return table(("field", "default"), rows)


def curves() -> str:
    """A row for each time that a network in training was rated."""
    anchors = [f"against `{rating['opponent']}`" for rating in _CURVES["standard"][0]["ratings"]]
    rows = [
        (
            f"`{name}.npz`",
            f"{point['games']:,}",
            f"{point['seconds'] / 60:.1f}",
            *(
                percentages(rating["score"], rating["low"], rating["high"])
                for rating in point["ratings"]
            ),
        )
        for name, curve in _CURVES.items()
        for point in curve
    ]
    return table(("network", "games", "CPU minutes", *anchors), rows)


def matches() -> str:
    """The matches of the networks that come with the package."""
    rows = []
    for name, found in _FIGURES.items():
        if name.startswith("match "):
            chapters, _, pair = name.removeprefix("match ").partition(": ")
            first, second = pair.split(" against ")
            counts = "/".join(map(str, found["counts"]))
            score = percentages(*found["score"])
            rows.append(
                (
                    f"`{first}`",
                    f"`{second}`",
                    chapters,
                    f"{found['games']}",
                    score,
                    counts,
                    f"{found['turns']:.0f}",
                )
            )
    return table(
        ("player", "against", "chapters", "games", "score", "won/drawn/lost", "turns"), rows
    )


def in_all_settings(kind: str, player: str) -> str:
    """The matches of a player with a network, a row for the settings of each.

    Args:
        kind: the first word of the figures' names.
        player: the player whose score is shown.
    """
    rows = [
        (
            CALLED.get(place, place),
            f"`{network_for(place)}.npz`",
            percentages(*match["score"]),
            "/".join(map(str, match["counts"])),
        )
        for name, match in _FIGURES.items()
        for first, _, place in [name.partition(" ")]
        if first == kind
    ]
    return table(("chapters", "network", f"score of `{player}`", "won/drawn/lost"), rows)


def _least_with_replies() -> str:
    """A percentage below which no interval of the player that looks at replies reaches."""
    ends = (found["score"][1] for name, found in _FIGURES.items() if name.startswith("replies "))
    return f"{math.floor(100 * min(ends))}%"


def _minutes() -> str:
    """The CPU minutes of the longest training of a network that comes with the package."""
    return f"{max(network.card.minutes for _, network in shipped_networks()):.0f}"


def _all_sets(learned: NDArray[np.bool_]) -> str:
    """What a network has learned that knows all sets of chapters."""
    return "all sets of chapters, " + (
        "with and without powers" if learned.all() else "with powers"
    )


def networks() -> str:
    """The networks that come with the package."""
    rows = []
    for name, network in shipped_networks():
        card = network.card
        shape = f"{len(network.network.first_bias)}, {len(network.network.second_bias)}"
        learned = re.sub(r", (?=\S+ with powers)", ", ", learned_games(network.learned))
        games = learned if len(learned) < 100 else _all_sets(network.learned)
        rows.append(
            (
                f"`{name}`",
                games,
                shape,
                f"{card.games:,}",
                f"{card.minutes:.0f}",
                f"`{command_of(name.removesuffix('.npz'))}`",
            )
        )
    return table(
        ("file", "games it knows", "hidden layers", "games played", "CPU minutes", "command"), rows
    )


BLOCKS: dict[str, Callable[[], str]] = {
    "network inputs": lambda: table(
        ("inputs", "how many", "numbered by"),
        [(group.name, str(group.size), group.meaning) for group in GROUPS],
    ),
    "number of inputs": lambda: f"{NUM_INPUTS:,}",
    "most inputs": lambda: str(MAX_INPUTS),
    "training defaults": defaults,
    "games of a rating": lambda: str(_CURVES["standard"][0]["ratings"][0]["games"]),
    "training curves": curves,
    "networks": networks,
    "matches of networks": matches,
    "replies": lambda: in_all_settings("replies", REPLIES),
    "games with replies": lambda: f"{MANY:,}",
    "least with replies": _least_with_replies,
    "depths": lambda: in_all_settings("depths", SHALLOW),
    "deep": lambda: f"`{DEEP}`",
    "longest training": _minutes,
}
