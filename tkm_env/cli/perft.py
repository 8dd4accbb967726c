"""``tkm perft``: how many lines of play there are. Imports `search.perft`, `game`, `settings`."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from tkm_env.cli.settings import config_of, game_settings
from tkm_env.game import Game
from tkm_env.search.perft import divide, perft


@click.command("perft")
@click.argument("position", required=False)
@click.option("--depth", type=click.IntRange(1, 64), default=8, show_default=True, help="How long the longest lines are.")
@click.option("--divide", "divided", is_flag=True, help="Count the longest lines by their first action.")
@click.option("--seed", default=0, show_default=True, help="For what the settings leave to chance.")
@game_settings
def command(position: str | None, depth: int, divided: bool, seed: int, **settings: Any) -> None:
    """Count the lines of 1, 2, … actions from the start, or from POSITION."""
    state = Game(config_of(settings), seed=seed, position=position).state
    table = Table("first action" if divided else "actions", "lines")
    table.columns[1].justify = "right"
    if divided:
        for name, lines in divide(state, depth):
            table.add_row(name, f"{lines:,}")
    else:
        for length, lines in enumerate(perft(state, depth), 1):
            table.add_row(str(length), f"{lines:,}")
    Console().print(table)
