"""``tkm gif``: a game as an animated GIF."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from tkm_env.cli.record_file import game_of_file, output_of, record_of
from tkm_env.game.records import replay_of
from tkm_env.render.gif import images, write_gif
from tkm_env.render.theme import THEMES


@click.command("gif")
@game_of_file
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write it; FILE.gif by default.")
@click.option("--speed", default=2.0, show_default=True, help="Steps per second.")
@click.option("--size", default=640, show_default=True, help="Its width, in pixels.")
@click.option("--theme", type=click.Choice([*THEMES]), default="light", show_default=True, help="Its colours.")
def command(file: Path, number: int, output: Path | None, speed: float, size: int, theme: str) -> None:
    """Write the game in FILE, a game record, as an animated GIF.

    FILE may also hold many games, one per line. Needs the extra [render].
    """
    record = record_of(file, number)
    replay = replay_of(record)
    target = output_of(file, output, ".gif")
    console = Console(stderr=True)
    pictures = track(
        images(replay, size=size, theme=theme),
        "drawing",
        total=len(replay.frames),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    write_gif(target, pictures, speed=speed)
    click.echo(f"wrote {click.format_filename(target)}")
