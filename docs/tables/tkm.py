"""Actions, observations, positions, events, feats and powers of *That Time You Killed Me*."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from tables.environments import actions, compact_example, compact_sizes
from tables.markdown import table
from tkm_env import Game
from tkm_env.games.registry import TKM
from tkm_env.games.tkm.achievements import ACHIEVEMENTS
from tkm_env.games.tkm.engine.actions import ACTIONS, GROUPS
from tkm_env.games.tkm.engine.planes import PLANES, PLANES_PER_ERA
from tkm_env.games.tkm.engine.powers import POWERS, SECOND_EFFECTS
from tkm_env.games.tkm.engine.state import EMPTY, GROWTH, INFLUENCE, MEMORY, PIECES
from tkm_env.games.tkm.events import EVENT_CLASSES
from tkm_env.games.tkm.notation import CELLS, FIELDS

#: Settings for which the page shows the size of compact observations, as text and as keywords.
COMPACT_SIZES: dict[str, dict[str, object]] = {
    "the standard game": {},
    **{
        f'`chapters="{name}"`': {"chapters": name}
        for name in ("growth", "influence", "memory", "convergence")
    },
    "all three chapters": {"chapters": ("growth", "influence", "memory")},
    '`timeline="draft_powers"`': {"timeline": "draft_powers"},
}
ICONS = {GROWTH: "Growth", INFLUENCE: "Influence", MEMORY: "Memory"}
MIDDLE = (
    "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2 NF N1 2/3 b -w-/--b -/- 12"
)


def planes(of_eras: bool) -> str:
    """The planes of each era, or those of the whole game."""
    rows = []
    for number, plane in enumerate(PLANES):
        if (number < PLANES_PER_ERA) if of_eras else plane.era is None:
            numbers = ", ".join(
                str(number + era * PLANES_PER_ERA) for era in range(3 if of_eras else 1)
            )
            rows.append(
                (numbers, plane.name, plane.meaning, f"0–{plane.high}", plane.layout, plane.varies)
            )
    return table(("plane", "name", "what it shows", "values", "layout", "varies with"), rows)


def cells() -> str:
    """The letters of cells in a position's text."""
    contents = {
        letter: ("a seed" if piece == EMPTY else f"{PIECES[piece]} on a seed")
        if seed
        else PIECES[piece]
        for letter, (piece, seed) in CELLS.items()
    }
    return table(
        ("cell", "contents"), [(f"`{letter}`", content) for letter, content in contents.items()]
    )


def events() -> str:
    """The classes of events."""
    rows = [
        (
            f"`{event.__name__}`",
            ", ".join(f"`{field.name}`" for field in dataclasses.fields(event)),
            " ".join((event.__doc__ or "").replace("``", "`").split()),
            ", ".join(f"`{kind}`" for kind in event.kinds),
        )
        for event in EVENT_CLASSES
    ]
    return table(("event", "fields", "meaning", "kinds in the totals"), rows)


def feats() -> str:
    """The feats of a campaign."""
    rows = [
        (f"`{feat.name}`", feat.description, f"`{feat.unlocks}`" if feat.unlocks else "-")
        for feat in ACHIEVEMENTS
    ]
    return table(("feat", "what it takes", "unlocks"), rows)


def powers() -> str:
    """The powers and the chapters that they require."""
    rows = [
        (
            power.set,
            f"`{power.name}`",
            ", ".join(name for bit, name in ICONS.items() if power.requires & bit) or "-",
            power.effect,
        )
        for power in POWERS
    ]
    return table(("set", "power", "requires", "effect"), rows)


def second_effects() -> str:
    """The powers whose texts differ under ``power_texts=2``."""
    return table(
        ("power", "second text"), [(f"`{name}`", effect) for name, effect in SECOND_EFFECTS.items()]
    )


def power_modules() -> str:
    """The modules that implement the powers' effects."""
    modules: dict[str, list[str]] = {}
    for power in POWERS:
        modules.setdefault(power.module, []).append(f"`{power.name}`")
    return table(
        ("file", "powers"),
        [(f"`{module}.py`", ", ".join(names)) for module, names in modules.items()],
    )


BLOCKS: dict[str, Callable[[], str]] = {
    "actions": lambda: actions(GROUPS, len(ACTIONS)),
    "number of actions": lambda: str(len(ACTIONS)),
    "shape of planes": lambda: str(Game.observation_shape),
    "planes by era": lambda: (
        f"`observation[:{3 * PLANES_PER_ERA}].reshape(3, {PLANES_PER_ERA}, 4, 4)`"
    ),
    "planes of eras": lambda: planes(True),
    "planes of the game": lambda: planes(False),
    "compact sizes": lambda: compact_sizes(TKM, COMPACT_SIZES),
    "compact example": lambda: compact_example(TKM, chapters="influence", powers=("express", None)),
    "start position": lambda: f"    {Game().position}",
    "middle position": lambda: f"    {Game(position=MIDDLE).position}",
    "cells": cells,
    "position fields": lambda: table(("field", "meaning"), [*FIELDS.items()]),
    "events": events,
    "feats": feats,
    "powers": powers,
    "second effects": second_effects,
    "power numbers": lambda: ", ".join(
        f"{number} `{power.name}`" for number, power in enumerate(POWERS)
    ),
    "power modules": power_modules,
}
