"""``tkm rating``: the ratings of players by their games."""

from pathlib import Path

import click

from tkm_env.arena.commands.match_options import anchor_option
from tkm_env.arena.commands.rating_tables import print_growing, print_ratings
from tkm_env.arena.record_results import Results, name_of_settings
from tkm_env.arena.report.head_to_head import summarize
from tkm_env.cli.console import PlainConsole
from tkm_env.cli.options import INPUT
from tkm_env.cli.progress import read_with_progress
from tkm_env.foundations.errors import FileError


@click.command("rating")
@click.argument("files", nargs=-1, required=True, type=INPUT)
@anchor_option
def command(files: tuple[Path, ...], anchor: tuple[str, float] | None) -> None:
    """Rate all players in FILES of game records by all their games at once.

    `tkm match --save` writes such files. Draws and the advantage of the first move are part of the
    model; intervals are at 95%. If there are games under several settings, each of these is also
    rated separately. `tkm report --csv` and `--json` write the same for other programs.
    """
    results = Results()
    read_with_progress(files, results.read)
    if not results.settings:
        raise FileError(files[-1], "there is no finished game")
    console = PlainConsole()
    for settings, ratings in results.ratings(anchor):
        summary = summarize(results.games(settings), ratings)
        print_ratings(
            console,
            "all settings" if settings is None else name_of_settings(settings),
            ratings,
            anchor,
        )
        for sentence in summary.sentences if summary else ():
            console.print(sentence, soft_wrap=True)
    if results.unfinished:
        games = "game was" if results.unfinished == 1 else "games were"
        console.print(f"{results.unfinished} unfinished {games} skipped")
    if results.reader.repeated:
        console.print(
            "games that repeat others, and so are no new evidence, were skipped: "
            f"{results.reader.repeated}"
        )
    print_growing(console, results.reader.growing)
