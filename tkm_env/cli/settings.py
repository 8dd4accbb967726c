"""The options by which commands take a game and its settings, made from the registry when a command is run."""

from __future__ import annotations

from typing import Any, Final

import click

from tkm_env.core.registry import GameSpec, default_game, game_spec, registered_games
from tkm_env.core.settings import Setting

__all__ = ["GameCommand", "take_game"]

_FORMS: Final[dict[str, dict[str, Any]]] = {
    "number": {"type": int},
    "switch": {"is_flag": True, "default": None},
    "file": {"type": click.Path(dir_okay=False)},
}


class GameCommand(click.Command):
    """A command with the option ``--game`` and those of the settings of all games; `take_game` takes them up."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        games = registered_games()
        which = click.Option(
            ["--game"], type=click.Choice([*games]), default=default_game(), show_default=True, help="Which game is played."
        )
        settings = {setting.keyword: setting for spec in games.values() for setting in spec.settings}
        *own, help_option = super().get_params(ctx)
        return [*own, which, *map(_option, settings.values()), help_option]


def _option(setting: Setting) -> click.Option:
    return click.Option([f"--{setting.keyword.replace('_', '-')}"], help=setting.help, **_FORMS.get(setting.kind, {}))


def take_game(options: dict[str, Any]) -> tuple[GameSpec, dict[str, Any]]:
    """The game and its settings, as text, out of a command's options; None stands for what was not given."""
    settings = dict(options)
    return game_spec(settings.pop("game")), settings
