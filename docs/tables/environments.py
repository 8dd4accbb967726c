"""Tables that both games have: actions, compact observations, `info`, settings, records."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import numpy as np

from tables.markdown import numbered, table
from tkm_env import Game, TerminusGame, compact_layout
from tkm_env.core.action_groups import ActionGroup
from tkm_env.core.game import BaseGame
from tkm_env.core.record_schema import record_fields as fields_of_records
from tkm_env.core.registry import GameSpec
from tkm_env.games.registry import TERMINUS, TKM


def actions(groups: tuple[ActionGroup, ...], most: int) -> str:
    """The groups of actions, with at most ``most`` names in a row."""
    rows = []
    first = 0
    for group in groups:
        names = [f"`{name}`" for name in group.names]
        if len(names) > most:
            names[most - 1 : -1] = ["…"]
        rows.append(
            (
                numbered(first, len(group.names)),
                ", ".join(names),
                group.meaning,
                group.when,
                group.rules,
            )
        )
        first += len(group.names)
    return table(("index", "names", "what it does", "available with", "rules"), rows)


def compact_sizes(spec: GameSpec, sizes: Mapping[str, Mapping[str, object]]) -> str:
    """The sizes of compact observations under some settings."""
    rows = [
        (text, str(sum(row.length for row in compact_layout(spec.name, **settings))))
        for text, settings in sizes.items()
    ]
    return table(("settings", "numbers"), rows)


def compact_example(spec: GameSpec, **settings: object) -> str:
    """The layout of compact observations under these settings."""
    rows = [
        (numbered(row.start, row.length), row.name, row.era or "-", row.meaning, f"0–{row.high}")
        for row in compact_layout(spec.name, **settings)
    ]
    return table(("numbers", "name", "era", "what it shows", "values, before division"), rows)


def info(game: type[BaseGame]) -> str:
    """The keys that a game itself adds to `info`."""
    rows = [
        (
            f"`{field.key}`",
            f"{np.dtype(field.dtype)} {field.shape}",
            f"from {field.low}" if field.high is None else f"{field.low} to {field.high}",
            field.meaning,
            "at the end" if field.at_the_end else "always",
        )
        for field in game.info_fields
    ]
    return table(("key", "array", "numbers", "meaning", "when"), rows)


def settings(spec: GameSpec) -> str:
    """The settings of a game."""
    rows = [
        (f"`{setting.keyword}`", setting.help.replace("|", "\\|"), setting.default)
        for setting in spec.settings
    ]
    return table(("keyword", "what it is", "default"), rows)


def record_fields() -> str:
    """The keys of a record."""
    return table(
        ("key", "required", "meaning"),
        [
            (f"`{field.name}`", "yes" if field.is_required else "no", field.meaning)
            for field in fields_of_records().values()
        ],
    )


def record() -> str:
    """A short record."""
    game = Game(chapters="memory")
    for action in ("choose 1", "move east", "move east"):
        game.play(action)
    written = json.dumps(game.to_record(players={"white": "me", "black": "random"}), indent=2)
    return f"```json\n{written}\n```"


BLOCKS: dict[str, Callable[[], str]] = {
    "info": lambda: info(Game),
    "info of Terminus": lambda: info(TerminusGame),
    "settings": lambda: settings(TKM),
    "settings of Terminus": lambda: settings(TERMINUS),
    "record fields": record_fields,
    "record": record,
}
