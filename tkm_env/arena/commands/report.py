"""``tkm report``: the results of a tournament as one page."""

import dataclasses
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from tkm_env.arena.commands.match_options import anchor_option
from tkm_env.arena.commands.rating_tables import print_growing
from tkm_env.arena.event_table import EventTable
from tkm_env.arena.playing.ledger import with_kept_seed
from tkm_env.arena.report.game_replay import replay_with_reports
from tkm_env.arena.report.json_report import REPORT, report_as_json
from tkm_env.arena.report.report import Report
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.arena.report.report_page import Replays, page, select_games
from tkm_env.arena.report.report_tables import report_as_csv, report_as_markdown
from tkm_env.arena.tournament.tournament_file import read_tournament
from tkm_env.cli.options import FOLDER, INPUT, OUTPUT
from tkm_env.cli.outputs import pop_outputs
from tkm_env.cli.progress import progress_bar, read_with_progress
from tkm_env.core.growing_records import RecordFile
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import content_of, write_file
from tkm_env.render.replay import replay_page

_PAGE = Path("report.html")


@click.command("report")
@click.argument("results", nargs=-1, required=True, type=INPUT)
@click.option(
    "-o",
    "--output",
    "--html",
    "output_html",
    type=OUTPUT,
    help="Write the page to this file.  [default: report.html, unless there is another output]",
)
@click.option(
    "--csv",
    "output_csv",
    type=OUTPUT,
    help="Write a row for each player and settings to this file, for spreadsheets.",
)
@click.option("--json", "output_json", type=OUTPUT, help="Write everything to this file as JSON.")
@click.option(
    "--markdown", "output_markdown", type=OUTPUT, help="Write the tables to this file as Markdown."
)
@click.option("--title", default="Results", show_default=True, help="The title of the page.")
@click.option(
    "--max-replays",
    type=click.IntRange(0),
    default=1000,
    show_default=True,
    help="The most replays that the page may hold.",
)
@click.option(
    "--replays", type=FOLDER, help="Write the replays to this folder instead of into the page."
)
@click.option(
    "--tournament",
    "plan",
    type=INPUT,
    help="Begin with the table of the tournament in this TOML file, a Swiss one or a knockout.",
)
@anchor_option
def command(
    results: tuple[Path, ...],
    anchor: tuple[str, float] | None,
    title: str,
    max_replays: int,
    replays: Path | None,
    plan: Path | None,
    **options: Any,
) -> None:
    """Report on the games in RESULTS, files of game records, as a page with replays.

    It shows ratings, pairwise scores, faults, times, and every game as a replay. The page is a
    single file that works offline. - writes to standard output. Games may still be added to the
    files meanwhile.
    """
    outputs = pop_outputs(options, results, html=_PAGE)
    if replays is not None:
        if "html" not in outputs:
            raise click.UsageError("--replays needs a page: add --html")
        replays.mkdir(parents=True, exist_ok=True)
    builder = ReportBuilder()
    read_with_progress(results, builder.read)
    if not builder.games:
        raise FileError(results[-1], "there is no finished game")
    report = builder.report(anchor)
    if plan is not None:
        report = dataclasses.replace(report, event=_event(plan, results))
    outputs.write_text("html", lambda: _page(report, title, outputs["html"], max_replays, replays))
    outputs.write_text("csv", lambda: report_as_csv(report))
    outputs.write_json(lambda: report_as_json(report), REPORT)
    outputs.write_text("markdown", lambda: report_as_markdown(report, title))
    for path in outputs.values():
        if path.name != "-":
            outputs.console.print(f"wrote {path}", soft_wrap=True)
    print_growing(outputs.console, report.growing)


def _event(plan: Path, results: tuple[Path, ...]) -> EventTable:
    """Return the table of the tournament in a file, by the only file of results."""
    if len(results) > 1:
        raise click.UsageError("--tournament needs a single file, that of the tournament's games")
    tournament = with_kept_seed(read_tournament(plan), results[0])
    records = [line.record for line in RecordFile(results[0]).read()]
    with content_of(results[0]):
        table = tournament.event_table(records)
    if table is None:
        raise FileError(plan, "this tournament has no table besides the ratings")
    return table


def _page(report: Report, title: str, path: Path, most: int, folder: Path | None) -> str:
    """Make the page; if there is a folder, write the pages of the games there first."""
    games = select_games(report, most) if folder is None else report.games
    held = Replays()
    with progress_bar() as progress:
        for game in progress.track(games, description="replays"):
            if folder is None:
                held.add(game)
            else:
                write_file(
                    folder / f"{game.number}.html",
                    replay_page(replay_with_reports(game.record)).encode("utf-8"),
                )
    if folder is None:
        return page(report, title, held)
    return page(report, title, folder=quote(Path(os.path.relpath(folder, path.parent)).as_posix()))
