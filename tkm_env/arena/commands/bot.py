"""``tkm bot``: starter bots, and players as programs that speak the protocol."""

import os
import shlex
from pathlib import Path
from typing import Any

import click

from tkm_env.arena.bot_templates import BUILD, LANGUAGES, write_bot
from tkm_env.cli.console import echo
from tkm_env.cli.game_options import PlayersCommand
from tkm_env.cli.options import FOLDER
from tkm_env.players.bot_server import main


class _BotCommands(click.Group):
    """Treats any other first word as a player to serve: ``tkm bot greedy``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        known = (*self.commands, *ctx.help_option_names)
        return super().parse_args(ctx, args if not args or args[0] in known else ["serve", *args])


@click.group("bot", cls=_BotCommands)
def command() -> None:
    """Start a new bot in your language, or run a player of this package as a program.

    tkm bot PLAYER is short for tkm bot serve PLAYER.
    """


@command.command("serve", cls=PlayersCommand, with_settings=False)
@click.argument("player")
def serve_command(player: str, **options: Any) -> None:
    """Play as PLAYER over standard input and output, by the protocol of docs/protocol.md.

    This is the other end of cmd:COMMAND. PLAYER is the name of an agent, listed below for each
    game, FILE.py:NAME or policy:FILE, with options after a colon: alphabeta:depth=3. What a player
    prints goes to standard error.
    """
    main([player, options["game"]])


@command.command("new")
@click.argument("language", type=click.Choice([*LANGUAGES]))
@click.argument("folder", type=FOLDER, default="mybot")
def new_command(language: str, folder: Path) -> None:
    """Write a starter bot to a new FOLDER, by default mybot.

    It plays at random, and passes tkm arena check.
    """
    paths = write_bot(language, folder)
    for path in paths:
        echo(f"wrote {path}")
    if needs := LANGUAGES[language].needs:
        echo(f"it needs {' and '.join(needs)}")
    build = [[str(folder / BUILD)]] if folder / BUILD in paths else []
    player = (
        f"{folder / 'bot.py'}:Bot"
        if folder / "bot.py" in paths
        else f"cmd:{shlex.quote(os.path.join('.', folder, 'run'))}"
    )
    for words in (
        *build,
        ["tkm", "arena", "check", str(folder)],
        ["tkm", "match", player, "greedy"],
    ):
        echo(f"  {shlex.join(words)}")
