"""``tkm perft``: count lines of play."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from rich.table import Table

from tkm_env.cli.console import PlainConsole
from tkm_env.cli.game_options import GameCommand, pop_game
from tkm_env.errors import ConfigError
from tkm_env.game.registry import load


@click.command("perft", cls=GameCommand)
@click.argument("position", required=False)
@click.option("--depth", type=click.IntRange(1, 64), default=8, show_default=True, help="The length of the longest lines.")
@click.option("--divide", "divided", is_flag=True, help="Count the longest lines by their first action.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For everything the settings leave to chance.")
def command(position: str | None, depth: int, divided: bool, seed: int, **options: Any) -> None:
    """Count the lines of 1, 2, … actions from the start, or from POSITION.

    Their number grows fast: Ctrl-C ends the count and shows the results so far.
    """
    spec, settings = pop_game(options)
    if spec.perft is None:
        raise ConfigError("game", spec.name, "counting lines is not available for this game")
    perft = load(spec.perft)
    game: Any = spec.game_class(spec.config_from_text(settings), seed=seed, position=position)
    table = Table("first action" if divided else "actions", "lines")
    table.columns[1].justify = "right"
    try:
        for what, lines in _count_by_action(perft, game, depth) if divided else _count_by_length(perft, game, depth):
            table.add_row(what, f"{lines:,}")
    finally:
        PlainConsole().print(table)  # the results so far, after Ctrl-C


def _count_by_length(perft: Any, game: Any, depth: int) -> Iterator[tuple[str, int]]:
    """The number of lines of 1, 2, … ``depth`` actions, one by one."""
    for length in range(1, depth + 1):
        yield str(length), perft(game.state, length)[-1]


def _count_by_action(perft: Any, game: Any, depth: int) -> Iterator[tuple[str, int]]:
    """The number of lines of ``depth`` actions by their first action."""
    for name in game.legal_names():
        after = game.copy()
        after.play(name)
        yield name, perft(after.state, depth - 1)[-1] if depth > 1 else 1
