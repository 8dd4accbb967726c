"""A match as commands play it: with progress, stopped by Ctrl-C, shown as a table, and with a word on how it goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.table import Table

from tkm_env.arena.match import Match, Standing
from tkm_env.arena.sprt import SPRT
from tkm_env.arena.workers import Workers
from tkm_env.cli.console import PlainConsole, echo
from tkm_env.cli.ctrl_c import INTERRUPTED
from tkm_env.cli.match_options import show_seed
from tkm_env.cli.progress import with_progress
from tkm_env.cli.tables import describe_faults, print_short_names

#: The columns that a table needs besides the names of two players.
_BESIDE_NAMES: Final = 30


def play_match(
    match: Match, save: Path | None, *, resume: bool, workers: Callable[[], Workers], sprt: SPRT | None = None
) -> list[dict[str, Any]]:
    """Play a match, as `Match.play` does, up to its end or Ctrl-C; the records of its games, in order."""
    games = match.play(save, resume=resume, workers=workers, sprt=sprt)
    return [*with_progress(games, f"{match.first} – {match.second}", match.games, match.stop)]


def end_match(match: Match, played: int, save: Path | None, console: Console, *, is_decided: bool = False) -> None:
    """Say which seed plays these games again or, if the match was stopped, how it goes on.

    Raises:
        Exit: if it was stopped.
    """
    if played == match.games or is_decided:
        show_seed(console, match)
        return
    how = "add --resume to the same command to play the rest" if save is not None else "with --save it could be resumed"
    echo(f"stopped after {played} of {match.games} games: {how}", err=True)
    raise click.exceptions.Exit(INTERRUPTED)


def show_standings(console: PlainConsole, rows: tuple[Standing, Standing]) -> None:
    """Print a column for each player: wins, draws and losses by side, score and Elo with their intervals, time; then faults."""
    lines = [row.player for row in rows]
    if lines[0] == lines[1]:
        lines = [f"{line} ({which})" for line, which in zip(lines, ("first", "second"), strict=True)]
    names = print_short_names(console, lines, max(24, (console.width - _BESIDE_NAMES) // 2)).values()
    first = rows[0]
    title = f"{first.games} games, {first.turns:.1f} turns each on average"
    if unfinished := sum(first.pairs.single):
        title += f"; {unfinished} of them without their pair"
    table = Table("", title=title, title_justify="left")
    for name in names:
        table.add_column(name, justify="right")
    counts = [{**row.by_side, "all": tuple(map(sum, zip(*row.by_side.values(), strict=True)))} for row in rows]
    for side in counts[0]:
        table.add_row(side if side == "all" else f"as {side}", *("+{} ={} −{}".format(*each[side]) for each in counts))
    table.add_row("score (95% interval)", *(str(row.score) for row in rows))
    table.add_row("Elo (95% interval)", *(str(row.pairs.elo) for row in rows))
    table.add_row("ms a decision", *(f"{1000 * row.seconds:.3f}" for row in rows))
    console.print(table)
    if first.repeated:
        console.print(
            f"Games that repeat earlier ones, which is no new evidence, are not counted: {first.repeated}.", soft_wrap=True
        )
    for line in filter(None, map(describe_faults, rows)):
        console.print(line, soft_wrap=True)
