"""``tkm match``: two players, many games, a table."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tkm_env.arena.match import Match, Standing, standings
from tkm_env.cli.conditions import take_conditions, under_conditions
from tkm_env.cli.settings import PlayersCommand, take_game


@click.command("match", cls=PlayersCommand)
@click.argument("first")
@click.argument("second")
@click.option("--games", default=100, show_default=True, help="How many; an odd number is rounded up to an even one.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same games.")
@click.option("--opening-turns", default=2, show_default=True, help="Turns played at random before the players take over.")
@click.option("--processes", default=os.cpu_count() or 1, show_default="one per core", help="How many games to play at a time.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="A file to which each game's record is added.")
@click.option("--resume", is_flag=True, help="Continue with the games in that file.")
@under_conditions
def command(
    first: str,
    second: str,
    games: int,
    seed: int,
    opening_turns: int,
    processes: int,
    save: Path | None,
    resume: bool,
    **options: Any,
) -> None:
    """Play games between two players, each start from both sides.

    A player is an agent's name, listed below for each game, or FILE.py:NAME, with options after a colon: alphabeta:depth=3,
    mcts:seconds=0.5; or cmd:COMMAND, a program that speaks the protocol of docs/protocol.md. The first fault loses a game: an illegal
    action, no answer in time, a crash. Ctrl-C finishes the games that are being played; a second one does not.
    """
    conditions = take_conditions(options)
    spec, settings = take_game(options)
    match = Match(first, second, games, spec.config_from_text(settings), seed, opening_turns, spec.name, conditions)
    played: list[dict[str, Any]] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"{first} – {second}", total=match.games)
        with _stopped_by_interrupts(match, progress.console):
            for record in match.play(save, resume=resume, processes=processes):
                played.append(record)
                progress.advance(task)
    if played:
        rows = standings(played, match)
        Console().print(_table(rows, len(played)))
        for line in filter(None, map(_faults, rows)):
            Console().print(line, highlight=False, markup=False, soft_wrap=True)
    if len(played) < match.games:
        how = "add --resume to the same command to play the others" if save is not None else "with --save it could be resumed"
        click.echo(f"stopped after {len(played)} of {match.games} games: {how}", err=True)
        raise click.exceptions.Exit(130)


@contextmanager
def _stopped_by_interrupts(match: Match, console: Console) -> Iterator[None]:
    """The first Ctrl-C lets the games that are being played come to their end, a second one does not."""

    def stop(number: int, frame: object) -> None:
        match.stop()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        console.print("finishing the games that are being played; Ctrl-C again to stop at once")

    if threading.current_thread() is not threading.main_thread():  # only that one has handlers
        yield
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _faults(row: Standing) -> str:
    """A sentence on a player's faults; empty if there are none."""
    parts = [f"{count} by {kind}" for kind, count in sorted(row.faults.items())]
    if row.failed_starts:
        parts.append(f"{row.failed_starts} without having started")
    return f"{row.player} lost {', '.join(parts)}" if parts else ""


def _table(rows: tuple[Standing, Standing], games: int) -> Table:
    """Wins, draws and losses by side, the score with its interval, the lengths."""
    table = Table(title=f"{games} games, {rows[0].turns:.1f} turns each on average", title_justify="left")
    table.add_column("player")
    sides = tuple(rows[0].by_side)
    for side in sides:
        table.add_column(f"as {side}\n+ = −", justify="right")
    table.add_column("all\n+ = −", justify="right")
    table.add_column("score (95% interval)", justify="right", no_wrap=True)
    table.add_column("ms a decision", justify="right")
    for row in rows:
        counts = [row.by_side[side] for side in sides]
        total = tuple(map(sum, zip(*counts, strict=True)))
        cells = [" ".join(map(str, count)) for count in (*counts, total)]
        table.add_row(row.player, *cells, str(row.score), f"{1000 * row.seconds:.3f}")
    return table
