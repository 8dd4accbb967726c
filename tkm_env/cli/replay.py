"""``tkm replay``: a game as one page."""

from __future__ import annotations

from pathlib import Path

import click

from tkm_env.cli.record_file import game_of_file, output_of, record_of
from tkm_env.core.records import replay_of
from tkm_env.files import write_file
from tkm_env.render.replay_page import page


@click.command("replay")
@game_of_file
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write it; FILE.html by default.")
def command(file: Path, number: int, output: Path | None) -> None:
    """Write a page for following the game in FILE, a game record, step by step.

    The page is a single file that needs no network; any browser opens it. FILE may also hold many games, one per line.
    """
    record = record_of(file, number)
    target = output_of(file, output, ".html")
    write_file(target, page(replay_of(record)).encode("utf-8"))
    click.echo(f"wrote {click.format_filename(target)}")
