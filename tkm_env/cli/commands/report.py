"""``tkm report``: the results of a tournament as one page."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import click

from tkm_env.arena.json_report import REPORT, report_as_json
from tkm_env.arena.report import Report, ReportBuilder
from tkm_env.arena.report_page import Replays, page, select_games
from tkm_env.arena.report_tables import report_as_csv, report_as_markdown
from tkm_env.cli.options import INPUT, anchor_option
from tkm_env.cli.output_files import OUTPUT, console_beside, emit_json, emit_text
from tkm_env.cli.progress import progress_bar, read_with_progress
from tkm_env.cli.tables import print_growing
from tkm_env.errors import FileError
from tkm_env.files import check_writable, write_file
from tkm_env.game.records import replay_of
from tkm_env.render.replay import replay_page

_PAGE = Path("report.html")


@click.command("report")
@click.argument("results", nargs=-1, required=True, type=INPUT)
@click.option(
    "--html",
    "html_file",
    type=OUTPUT,
    help="Write the page to this file.  [default: report.html, unless another output is asked for]",
)
@click.option("--csv", "csv_file", type=OUTPUT, help="Write a row for each player and settings to this file, for spreadsheets.")
@click.option("--json", "json_file", type=OUTPUT, help="Write everything to this file, for programs.")
@click.option("--markdown", "markdown_file", type=OUTPUT, help="Write the tables to this file, for a README or an issue.")
@anchor_option
@click.option("--title", default="Results", show_default=True, help="The title.")
@click.option("--max-replays", default=1000, type=click.IntRange(0), show_default=True, help="How many replays the page may hold.")
@click.option(
    "--replays",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write each game's replay to this folder, and none into the page.",
)
def command(
    results: tuple[Path, ...],
    html_file: Path | None,
    csv_file: Path | None,
    json_file: Path | None,
    markdown_file: Path | None,
    anchor: tuple[str, float] | None,
    title: str,
    max_replays: int,
    replays: Path | None,
) -> None:
    """Report on the games in RESULTS, files of game records: ratings, pairwise scores, faults, times, and every game as a replay.

    The page is a single file that needs no network. - writes to standard output. Games may still be being added to the files.
    """
    if not any((html_file, csv_file, json_file, markdown_file)):
        html_file = _PAGE
    outputs = [path for path in (html_file, csv_file, json_file, markdown_file) if path is not None]
    _check(outputs, results)
    if replays is not None and html_file is None:
        raise click.UsageError("--replays is for the games of a page: add --html")
    if replays is not None:
        replays.mkdir(parents=True, exist_ok=True)
    report = _read(results, anchor)
    if html_file is not None:
        emit_text(html_file, _page(report, title, html_file, max_replays, replays))
    if csv_file is not None:
        emit_text(csv_file, report_as_csv(report))
    if json_file is not None:
        emit_json(json_file, REPORT, report_as_json(report))
    if markdown_file is not None:
        emit_text(markdown_file, report_as_markdown(report, title))
    console = console_beside(*outputs)
    for path in outputs:
        if path.name != "-":
            console.print(f"wrote {path}", soft_wrap=True)
    print_growing(console, report.growing)


def _check(outputs: list[Path], results: tuple[Path, ...]) -> None:
    """Check before the work begins that all outputs can be written, each to a file of its own and none over the results."""
    (path, count), *_ = Counter(outputs).most_common()
    if count > 1:
        raise click.UsageError(f"two outputs cannot both be written to {path}")
    for path in outputs:
        if path.name != "-":
            if path.exists() and any(path.samefile(result) for result in results):
                raise FileError(path, "it holds results: write to another file")
            check_writable(path)


def _read(results: tuple[Path, ...], anchor: tuple[str, float] | None) -> Report:
    builder = ReportBuilder()
    read_with_progress(results, builder.read)
    if not builder.games:
        raise FileError(results[-1], "there is no finished game")
    return builder.report(anchor)


def _page(report: Report, title: str, path: Path, most: int, folder: Path | None) -> str:
    """The page; if the games go to a folder, their pages are written there first."""
    games = select_games(report, most) if folder is None else report.games
    held = Replays()
    with progress_bar() as progress:
        for game in progress.track(games, description="replays"):
            if folder is None:
                held.add(game)
            else:
                write_file(folder / f"{game.number}.html", replay_page(replay_of(game.record)).encode("utf-8"))
    if folder is None:
        return page(report, title, held)
    return page(report, title, folder=quote(Path(os.path.relpath(folder, path.parent)).as_posix()))
