"""``tkm analyse``: the best lines of a position. Imports `search.analysis`, `agents`, `game`, `settings`."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from tkm_env.agents.specs import options_of
from tkm_env.cli.settings import config_of, game_settings
from tkm_env.errors import ConfigError
from tkm_env.game import Game
from tkm_env.search.analysis import analyse

_ANALYST = "alphabeta"


@click.command("analyse")
@click.argument("position", required=False)
@click.option("--agent", default=f"{_ANALYST}:seconds=5", show_default=True, help="Who thinks: alphabeta with depth or seconds.")
@click.option(
    "--lines", type=click.IntRange(1, 100), default=3, show_default=True, help="How many lines, each with another first turn."
)
@click.option("--seed", default=0, show_default=True, help="For what the settings leave to chance.")
@game_settings
def command(position: str | None, agent: str, lines: int, seed: int, **settings: Any) -> None:
    """Show the best lines from the start, or from POSITION, turn by turn.

    Forced wins and losses that were found are told in turns; they are proved, not guessed.
    """
    name, options = options_of(agent)
    if name != _ANALYST or not set(options) <= {"depth", "seconds"}:
        raise ConfigError("agent", agent, f"lines are shown by {_ANALYST}, with the options depth and seconds")
    game = Game(config_of(settings), seed=seed, position=position)
    console = Console()
    console.print(str(game), highlight=False)
    table = Table("score", "line", show_lines=True)
    for line in analyse(game.state, lines=lines, **options):
        table.add_row(line.worth.replace(", ", "\n"), "\n".join(", ".join(turn) for turn in line.turns))
    console.print(table if table.row_count else f"the game is over: {game.result}")
