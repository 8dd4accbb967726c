"""``tkm gif``: a game as an animated GIF or SVG."""

from pathlib import Path

import click

from tkm_env.cli.console import echo
from tkm_env.cli.progress import progress_bar
from tkm_env.cli.record_file import output_of, record_of, record_options
from tkm_env.core.record_files import replay_of
from tkm_env.foundations.files import write_file
from tkm_env.render.animated_svg import animated_svg
from tkm_env.render.canvas import THEMES
from tkm_env.render.gif import images, write_gif


@click.command("gif")
@record_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file to write, .gif or .svg; FILE.gif by default.",
)
@click.option("--speed", default=2.0, show_default=True, help="Steps per second.")
@click.option("--size", default=640, show_default=True, help="The width, in pixels.")
@click.option(
    "--theme", type=click.Choice([*THEMES]), default="light", show_default=True, help="The colours."
)
def command(
    file: Path, number: int, output: Path | None, speed: float, size: int, theme: str
) -> None:
    """Write the game recorded in FILE as an animated GIF or SVG.

    A GIF needs the extra [render]. FILE may also hold many games, one per line.
    """
    record = record_of(file, number)
    replay = replay_of(record)
    target = output_of(file, output, ".gif")
    if target.suffix.lower() == ".svg":
        write_file(
            target, animated_svg(replay, size=size, theme=theme, speed=speed).encode("utf-8")
        )
    else:
        with progress_bar() as progress:
            pictures = progress.track(
                images(replay, size=size, theme=theme),
                total=len(replay.frames),
                description="drawing",
            )
            write_gif(target, pictures, speed=speed)
    echo(f"wrote {target}")
