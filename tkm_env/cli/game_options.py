"""Options for a game and its settings, made from the registry when a command runs."""

from typing import Any, Final

import click

from tkm_env.cli.options import with_options
from tkm_env.core.registry import GameSpec, default_game, game_names, game_spec, registered_games
from tkm_env.core.settings import Setting
from tkm_env.players.roster import ROSTERS

_FORMS: Final[dict[str, dict[str, Any]]] = {
    "number": {"type": int},
    "switch": {"default": None},
    "file": {"type": click.Path(dir_okay=False)},
}


class GameCommand(click.Command):
    """A command with the options for a game and its settings, which `pop_game` reads.

    Args:
        *arguments: positional arguments of `click.Command`.
        with_settings: whether to add an option for each setting of any game, besides ``--game``.
        **options: keywords of `click.Command`.
    """

    def __init__(self, *arguments: Any, with_settings: bool = True, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._with_settings = with_settings

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        games = click.Choice([*registered_games()])
        game_option = click.Option(
            ["--game"],
            type=games,
            default=default_game(),
            show_default=True,
            help="Which game to play.",
        )
        *own, help_option = super().get_params(ctx)
        return [
            *own,
            game_option,
            *map(_option, _settings().values() if self._with_settings else ()),
            help_option,
        ]


class PlayersCommand(GameCommand):
    """A command that also takes players; its help lists the agents of each game."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the agents of each game below the options.

        Args:
            ctx: the context of the command.
            formatter: what the text is written to.
        """
        with formatter.section("Agents"):
            formatter.write_dl(
                [(name, ", ".join(ROSTERS.of(name).agents)) for name in game_names()]
            )


def _option(setting: Setting) -> click.Option:
    name = setting.keyword.replace("_", "-")
    declaration = f"--{name}/--no-{name}" if setting.kind == "switch" else f"--{name}"
    return click.Option([declaration], help=setting.help, **_FORMS.get(setting.kind, {}))


def _settings() -> dict[str, Setting]:
    """The settings of all games, by keyword."""
    return {
        setting.keyword: setting
        for spec in registered_games().values()
        for setting in spec.settings
    }


def pop_game(options: dict[str, Any]) -> tuple[GameSpec, dict[str, Any]]:
    """Remove the game and its settings from a command's options.

    Args:
        options: the command's options.

    Returns:
        The game's row in the registry, and its settings as text, by keyword: None for a setting
            that was not given.
    """
    return game_spec(options.pop("game")), {
        keyword: options.pop(keyword) for keyword in _settings() if keyword in options
    }


#: Gives a command the argument POSITION and the option ``--seed``, for `pop_position`.
position_options: Final = with_options(
    click.argument("position", required=False),
    click.option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="The seed of everything the settings leave to chance.",
    ),
)


def pop_position(options: dict[str, Any]) -> tuple[GameSpec, Any]:
    """Remove a position, a game and its settings from a command's options.

    Args:
        options: the command's options, including those of `position_options`.

    Returns:
        The game's row in the registry, and the game at that position.
    """
    start = {keyword: options.pop(keyword) for keyword in ("position", "seed")}
    spec, settings = pop_game(options)
    return spec, spec.game_class(spec.config_from_text(settings), **start)
