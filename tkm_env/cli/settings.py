"""The options by which commands take a game's settings: those of `tkm_env.settings`. Imports it and `games`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import click

from tkm_env.games import GAMES, TKM
from tkm_env.settings import SETTINGS, TERMINUS_SETTINGS, Setting, config_of

__all__ = ["config_of", "game_settings", "settings_of_any_game"]

Command = TypeVar("Command", bound=Callable[..., Any])

_FORMS: Final[dict[str, dict[str, Any]]] = {
    "number": {"type": int},
    "switch": {"is_flag": True, "default": None},
    "file": {"type": click.Path(dir_okay=False)},
}


def game_settings(command: Command) -> Command:
    """Give a command the options of a game's settings; `config_of` takes them up."""
    return _with_options(command, SETTINGS)


def settings_of_any_game(command: Command) -> Command:
    """Give a command the option ``--game``, and those of the settings of all games; `config_of` refuses those of another game."""
    command = _with_options(command, (*SETTINGS, *TERMINUS_SETTINGS))
    return click.option("--game", type=click.Choice(GAMES), default=TKM, show_default=True, help="Which game.")(command)


def _with_options(command: Command, settings: Sequence[Setting]) -> Command:
    for setting in reversed(settings):
        command = _option(setting)(command)
    return command


def _option(setting: Setting) -> Callable[[Command], Command]:
    return click.option(f"--{setting.keyword.replace('_', '-')}", help=setting.help, **_FORMS.get(setting.kind, {}))
