"""``tkm bot``: a player as a program that speaks the protocol."""

from __future__ import annotations

from typing import Any

import click

from tkm_env.agents.bot_server import main
from tkm_env.cli.game_options import PlayersCommand


@click.command("bot", cls=PlayersCommand, with_settings=False)
@click.argument("player")
def command(player: str, **options: Any) -> None:
    """Play as PLAYER over standard input and output: the other end of cmd:COMMAND, line by line as docs/protocol.md says.

    PLAYER is an agent's name, listed below for each game, FILE.py:NAME or policy:FILE, with options after a colon:
    alphabeta:depth=3. What a player prints goes to standard error.
    """
    main([player, options["game"]])
