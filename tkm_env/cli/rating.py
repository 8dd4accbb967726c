"""``tkm rating``: the strengths of all players from all games."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tkm_env.arena.names import short_names
from tkm_env.arena.outcome import RATINGS, ratings_as_json
from tkm_env.arena.rating import Ratings
from tkm_env.arena.results import Results, name_of_settings
from tkm_env.arena.score import Elo
from tkm_env.cli.anchor import anchored
from tkm_env.cli.output import OUTPUT, console_beside, emit_json
from tkm_env.cli.reading import read_with_progress, show_growing
from tkm_env.errors import FileError

#: What a table needs besides the players' names.
_BESIDE_NAMES = 56


@click.command("rating")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@anchored
@click.option("--csv", "csv_file", type=OUTPUT, help="Write the table to this file; - for standard output.")
@click.option("--json", "json_file", type=OUTPUT, help="Write everything to this file; - for standard output.")
def command(files: tuple[Path, ...], anchor: tuple[str, float] | None, csv_file: Path | None, json_file: Path | None) -> None:
    """Rate all players in FILES of game records, which `tkm match --save` writes, by all their games at once.

    Draws and the advantage of the first move are part of the model; an interval holds the truth nineteen times in twenty. If there are
    games under several settings, each is also rated by itself.
    """
    if csv_file is not None and csv_file == json_file:
        raise click.UsageError(f"--csv and --json cannot both write to {csv_file}")
    results = Results()
    read_with_progress(files, results.read)
    if not results.settings:
        raise FileError(files[-1], "there is no finished game")
    fits = results.ratings(anchor)
    console = console_beside(csv_file, json_file)
    for settings, ratings in fits:
        _show(console, "all settings" if settings is None else name_of_settings(settings), ratings, anchor)
    if results.unfinished:
        games = "game was" if results.unfinished == 1 else "games were"
        console.print(f"{results.unfinished} unfinished {games} left out")
    show_growing(console, results.reader.growing)
    if csv_file is not None:
        _write_csv(csv_file, fits)
    if json_file is not None:
        content = {
            "game": results.game,
            "anchor": None if anchor is None else {"player": anchor[0], "elo": anchor[1]},
            "unfinished": results.unfinished,
            "ratings": [{"config": settings, **ratings_as_json(ratings)} for settings, ratings in fits],
        }
        emit_json(json_file, RATINGS, content)


def _show(console: Console, title: str, ratings: Ratings, anchor: tuple[str, float] | None) -> None:
    """Players from the best to the worst, group by group, and what the games say about the first move and draws."""
    lines = [rating.player for rating in ratings.players]
    short = dict(zip(lines, short_names(lines, max(16, console.width - _BESIDE_NAMES)), strict=True))
    for line, name in short.items():
        if name != line:
            console.print(Text(f"{name} is {line}"), soft_wrap=True)
    anchored = anchor is not None and anchor[0] in lines
    origin = f"{short[anchor[0]]} is {anchor[1]:g}" if anchored and anchor is not None else "the mean is 0"
    table = Table(title=Text(f"{title}: {ratings.games:g} games; {origin}"), title_justify="left", box=SIMPLE_HEAD)
    table.add_column("player")
    for head in ("Elo", "games", "score", "ahead of the next"):
        table.add_column(head, justify="right")
    for group in ratings.groups:
        rows = [rating for rating in ratings.players if rating.player in group]
        for rating, following in zip(rows, [*rows[1:], None], strict=True):
            lead = "" if following is None else _shown(ratings.difference(rating.player, following.player), "+")
            share = f"{rating.points / rating.games:.1%}"
            table.add_row(Text(short[rating.player]), _shown(rating.elo), f"{rating.games:g}", share, lead)
        table.add_section()
    console.print(table)
    console.print(
        f"± is half a 95% interval; first move {_shown(ratings.first_move, '+')} Elo; draws between equals {ratings.draws.share:.1%}"
    )
    if len(ratings.groups) > 1:
        console.print("An empty line divides players whom no games connect: their ratings cannot be compared.")
    if not ratings.converged:
        console.print("The fit did not converge: these ratings are not the most likely ones.")


def _shown(elo: Elo, sign: str = "-") -> str:
    """Elo and half the width of its interval, which is symmetric."""
    return f"{round(elo.estimate):{sign}} ±{elo.high - elo.estimate:.0f}"


def _write_csv(path: Path, fits: list[tuple[dict[str, Any] | None, Ratings]]) -> None:
    with click.open_file(str(path), "w", encoding="utf-8") as target:
        rows = csv.writer(target, lineterminator="\n")
        rows.writerow(("settings", "player", "elo", "low", "high", "games", "points"))
        for settings, ratings in fits:
            name = "all" if settings is None else name_of_settings(settings)
            rows.writerows((name, rating.player, *rating.elo, rating.games, rating.points) for rating in ratings.players)
