"""The protocol: bots to begin from, and what holds unless a request says otherwise."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

from tables.markdown import table
from tkm_env.arena.bot_templates import LANGUAGES, template_of
from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS
from tkm_env.arena.tournament.tournament_file import KEYS
from tkm_env.core.registry import registered_games


def languages() -> str:
    """The languages of `tkm bot new`, with links to what it writes."""
    rows = []
    for language, row in LANGUAGES.items():
        names = [
            f"[`{name}`](../tkm_env/arena/bots/{language}/{name})" for name in template_of(language)
        ]
        needs = ", ".join(f"`{tool}`" for tool in row.needs)
        rows.append((f"`{language}`", row.title, row.meaning, ", ".join(names), needs))
    return table(("LANGUAGE", "", "what it is", "files", "needs"), rows)


def template(language: str, name: str, marked_as: str) -> str:
    """A file of a template."""
    return f"```{marked_as}\n{template_of(language)[name].decode().strip()}\n```"


def game_defaults() -> str:
    """The settings of all games, with their defaults as JSON, or in words where that is long."""
    rows = []
    for name, spec in registered_games().items():
        config = spec.config({})
        for setting in spec.settings:
            default = json.dumps(getattr(config, setting.keyword))
            words = setting.default if setting.kind == "file" else f"`{default}`"
            rows.append((f"`{name}`", f"`{setting.keyword}`", words, setting.help))
    return table(("game", "key", "default", "meaning"), rows)


def limit_defaults() -> str:
    """The conditions that are numbers, with their defaults."""
    defaults = dataclasses.asdict(DEFAULT_CONDITIONS.limits) | dataclasses.asdict(
        DEFAULT_CONDITIONS
    )
    limits = {
        key: value
        for key, value in defaults.items()
        if key in KEYS["conditions"] and type(value) in (int, float)
    }
    return table(
        ("condition", "default", "meaning"),
        [
            (f"`{key}`", f"{value:g}", KEYS["conditions"][key].partition(";")[0])
            for key, value in limits.items()
        ],
    )


BLOCKS: dict[str, Callable[[], str]] = {
    "bot languages": languages,
    "game defaults": game_defaults,
    "limit defaults": limit_defaults,
    "bot in Python": lambda: template("python-program", "run", "py"),
}
