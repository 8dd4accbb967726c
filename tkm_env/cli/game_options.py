"""Options for a game and its settings, made from the registry when a command runs."""

from __future__ import annotations

from typing import Any, Final

import click

from tkm_env.game.registry import GameSpec, default_game, game_spec, registered_games
from tkm_env.game.settings import Setting

_FORMS: Final[dict[str, dict[str, Any]]] = {
    "number": {"type": int},
    "switch": {"default": None},
    "file": {"type": click.Path(dir_okay=False)},
}


class GameCommand(click.Command):
    """A command with the option ``--game`` and, if ``with_settings``, those for the settings of all games, for `pop_game`."""

    def __init__(self, *arguments: Any, with_settings: bool = True, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._with_settings = with_settings

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        games = registered_games()
        game_option = click.Option(
            ["--game"], type=click.Choice([*games]), default=default_game(), show_default=True, help="Which game to play."
        )
        settings = {setting.keyword: setting for spec in games.values() for setting in spec.settings if self._with_settings}
        *own, help_option = super().get_params(ctx)
        return [*own, game_option, *map(_option, settings.values()), help_option]


class PlayersCommand(GameCommand):
    """A command that also takes players; its help lists the agents of each game."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Agents"):
            formatter.write_dl([(name, ", ".join(spec.agents)) for name, spec in registered_games().items()])


def _option(setting: Setting) -> click.Option:
    name = setting.keyword.replace("_", "-")
    declaration = f"--{name}/--no-{name}" if setting.kind == "switch" else f"--{name}"
    return click.Option([declaration], help=setting.help, **_FORMS.get(setting.kind, {}))


def pop_game(options: dict[str, Any]) -> tuple[GameSpec, dict[str, Any]]:
    """The game and its settings, as text, from a command's options; None for a setting that was not given."""
    settings = dict(options)
    return game_spec(settings.pop("game")), settings
