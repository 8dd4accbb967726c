"""The options by which commands take a game's settings: those of `tkm_env.settings`. Imports it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from tkm_env.settings import SETTINGS, Setting, config_of

__all__ = ["config_of", "game_settings"]

Command = TypeVar("Command", bound=Callable[..., Any])

_FORMS: Final[dict[str, dict[str, Any]]] = {"number": {"type": int}, "switch": {"is_flag": True, "default": None}}


def game_settings(command: Command) -> Command:
    """Give a command the options of a game's settings; `config_of` takes them up."""
    for setting in reversed(SETTINGS):
        command = _option(setting)(command)
    return command


def _option(setting: Setting) -> Callable[[Command], Command]:
    return click.option(f"--{setting.keyword.replace('_', '-')}", help=setting.help, **_FORMS.get(setting.kind, {}))
