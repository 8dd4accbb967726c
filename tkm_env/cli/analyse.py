"""``tkm analyse``: the best lines from a position."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from tkm_env.cli.analyst import ANALYST, limits_of
from tkm_env.cli.settings import GameCommand, take_game
from tkm_env.core.registry import load


@click.command("analyse", cls=GameCommand)
@click.argument("position", required=False)
@click.option("--agent", default=f"{ANALYST}:seconds=5", show_default=True, help="Who thinks: alphabeta with depth or seconds.")
@click.option(
    "--lines", type=click.IntRange(1, 100), default=3, show_default=True, help="How many lines, each with a different first turn."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For everything the settings leave to chance.")
def command(position: str | None, agent: str, lines: int, seed: int, **options: Any) -> None:
    """Show the best lines from the start, or from POSITION, turn by turn.

    Forced wins and losses are counted in turns; they are proven, not estimated.
    """
    spec, settings = take_game(options)
    limits = limits_of("agent", agent, spec)
    game: Any = spec.game_class(spec.config_from_text(settings), seed=seed, position=position)
    assert spec.analyse is not None
    console = Console()
    console.print(str(game), highlight=False)
    table = Table("score", "line", show_lines=True)
    for line in load(spec.analyse)(game.state, lines=lines, **limits):
        table.add_row(line.worth.replace(", ", "\n"), "\n".join(", ".join(turn) for turn in line.turns))
    console.print(table if table.row_count else f"the game is over: {game.result}")
