"""The options by which commands take a game's settings: those of `GameConfig`. Imports `config`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tkm_env.config import GameConfig

__all__ = ["config_of", "game_settings"]

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--chapters", help="standard, growth, influence, memory, convergence, 0 to 4, or several joined by +."),
    click.option("--edition", help="2021, or 2022: the revised rules."),
    click.option("--first-player", help="white or black."),
    click.option("--handicap", help="Copies missing from white's and black's supply, such as 0,2."),
    click.option("--powers", help="White's and black's power, such as doorway,none."),
    click.option("--timeline", help="draft_powers or power_share."),
    click.option("--power-set", help="With a timeline: a set, four powers joined by commas, or random."),
    click.option("--max-turns", type=int, help="Turns after which a game is cut off."),
    click.option("--concede", is_flag=True, default=None, help="Conceding is an action."),
    click.option("--draws", is_flag=True, default=None, help="Draws may be offered."),
)


def game_settings(command: Command) -> Command:
    """Give a command the options of a game's settings; `config_of` takes them up."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def config_of(given: dict[str, Any]) -> GameConfig:
    """The settings that were given as options; the others are the defaults.

    Raises:
        ConfigError: naming the keyword that cannot be.

    >>> config_of({"chapters": "growth+memory", "handicap": "0,1", "edition": None})
    GameConfig(chapters=('growth', 'memory'), edition='2021', first_player='white', handicap=(0, 1), powers=None, timeline=None, \
power_set=None, max_turns=200, concede=False, draws=False)
    """
    settings = {name: value for name, value in given.items() if value is not None}
    for name, read in _READERS.items():
        if name in settings:
            settings[name] = read(settings[name])
    return GameConfig(**settings)


def _chapters(text: str) -> Any:
    return int(text) if text.isdigit() else text.split("+") if "+" in text else text


def _numbers(text: str) -> Any:
    parts = text.split(",")
    return tuple(map(int, parts)) if all(part.isdigit() for part in parts) else text


def _powers(text: str) -> Any:
    return tuple(None if name in ("", "none", "-") else name for name in text.split(","))


def _power_set(text: str) -> Any:
    return tuple(text.split(",")) if "," in text else text


#: How the text of an option becomes what `GameConfig` takes.
_READERS: dict[str, Callable[[str], Any]] = {
    "chapters": _chapters,
    "handicap": _numbers,
    "powers": _powers,
    "power_set": _power_set,
}
