"""``tkm rating``: the ratings of all players from their games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tkm_env.arena.head_to_head import summarize
from tkm_env.arena.json_report import RATINGS, ratings_as_json
from tkm_env.arena.rating import Ratings
from tkm_env.arena.record_results import Results, name_of_settings
from tkm_env.cli.options import INPUT, anchor_option, options_for, pop_outputs
from tkm_env.cli.progress import read_with_progress
from tkm_env.cli.tables import print_growing, print_ratings
from tkm_env.errors import FileError
from tkm_env.untrusted_text import csv_of


@click.command("rating")
@click.argument("files", nargs=-1, required=True, type=INPUT)
@anchor_option
@options_for("rating")
def command(files: tuple[Path, ...], anchor: tuple[str, float] | None, **options: Any) -> None:
    """Rate all players in FILES of game records, which `tkm match --save` writes, by all their games at once.

    Draws and the advantage of the first move are part of the model; intervals are at 95%. If there are games under several settings,
    each of these is also rated by itself.
    """
    outputs = pop_outputs(options)
    results = Results()
    read_with_progress(files, results.read)
    if not results.settings:
        raise FileError(files[-1], "there is no finished game")
    fits = results.ratings(anchor)
    summaries = [summarize(results.games(settings), ratings) for settings, ratings in fits]
    console = outputs.console
    for (settings, ratings), summary in zip(fits, summaries, strict=True):
        print_ratings(console, "all settings" if settings is None else name_of_settings(settings), ratings, anchor)
        for sentence in summary.sentences if summary else ():
            console.print(sentence, soft_wrap=True)
    if results.unfinished:
        games = "game was" if results.unfinished == 1 else "games were"
        console.print(f"{results.unfinished} unfinished {games} skipped")
    if results.reader.repeated:
        console.print(f"games that repeat others, which is no new evidence, were skipped: {results.reader.repeated}")
    print_growing(console, results.reader.growing)
    outputs.write_text("csv", lambda: _as_csv(fits))
    outputs.write_json(
        lambda: {
            "game": results.game,
            "anchor": None if anchor is None else {"player": anchor[0], "elo": anchor[1]},
            "unfinished": results.unfinished,
            "repeated": results.reader.repeated,
            "ratings": [
                {"config": settings, **ratings_as_json(ratings), "head_to_head": summary and summary.as_json()}
                for (settings, ratings), summary in zip(fits, summaries, strict=True)
            ],
        },
        RATINGS,
    )


def _as_csv(fits: list[tuple[dict[str, Any] | None, Ratings]]) -> str:
    rows: list[tuple[object, ...]] = [("settings", "player", "elo", "low", "high", "games", "points")]
    for settings, ratings in fits:
        name = "all" if settings is None else name_of_settings(settings)
        rows += [(name, rating.player, *rating.elo, rating.games, rating.points) for rating in ratings.players]
    return csv_of(rows)
