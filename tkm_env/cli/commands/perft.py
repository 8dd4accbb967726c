"""``tkm perft``: count lines of play."""

from collections.abc import Iterator
from typing import Any

import click
from rich.table import Table

from tkm_env.cli.console import PlainConsole
from tkm_env.cli.game_options import GameCommand, pop_position, position_options
from tkm_env.players.solvers import solver


@click.command("perft", cls=GameCommand)
@click.option(
    "--depth",
    type=click.IntRange(1, 64),
    default=8,
    show_default=True,
    help="The length of the longest lines, in actions.",
)
@click.option(
    "--divide", "divided", is_flag=True, help="Count the longest lines by their first action."
)
@position_options
def command(depth: int, divided: bool, **options: Any) -> None:
    """Count the lines of 1, 2, … actions from the start, or from POSITION.

    Their number grows fast: Ctrl-C ends the count and shows the results so far.
    """
    spec, game = pop_position(options)
    perft = solver(spec.name, "perft", "counting lines is")
    table = Table("first action" if divided else "actions", "lines")
    table.columns[1].justify = "right"
    try:
        by_length = ((str(length), perft(game.state, length)[-1]) for length in range(1, depth + 1))
        for what, lines in _count_by_action(perft, game, depth) if divided else by_length:
            table.add_row(what, f"{lines:,}")
    finally:
        PlainConsole().print(table)  # the results so far, after Ctrl-C


def _count_by_action(perft: Any, game: Any, depth: int) -> Iterator[tuple[str, int]]:
    """The number of lines of ``depth`` actions by their first action."""
    for name in game.legal_names():
        after = game.copy()
        after.play(name)
        yield name, perft(after.state, depth - 1)[-1] if depth > 1 else 1
