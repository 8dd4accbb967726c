"""``tkm replay``: a game as one page."""

from pathlib import Path
from typing import Any

import click

from tkm_env.cli.commands.analyse import ANALYST, analysis_of
from tkm_env.cli.console import echo
from tkm_env.cli.progress import progress_bar
from tkm_env.cli.record_file import output_of, record_of, record_options
from tkm_env.core.record_files import from_record
from tkm_env.core.registry import game_spec
from tkm_env.foundations.files import write_file
from tkm_env.play.adapter import ADAPTERS, PlayAdapter
from tkm_env.play.reviews import point_of, turns_of
from tkm_env.render.evaluation_graph import GraphPoint
from tkm_env.render.replay import replay_page
from tkm_env.text.conversation import replay_with_conversations


@click.command("replay")
@record_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Where to write it; FILE.html by default.",
)
@click.option(
    "--analyse",
    metavar="AGENT",
    help=f"Also draw a graph of evaluations by this agent: {ANALYST} with depth or seconds.",
)
def command(file: Path, number: int, output: Path | None, analyse: str | None) -> None:
    """Write a page to step through the game in FILE, a game record.

    The page is a single file that needs no network; any browser opens it. FILE may also hold many
    games, one per line.
    """
    record = record_of(file, number)
    target = output_of(file, output, ".html")
    replay = replay_with_conversations(record)
    if analyse is not None:
        replay = replay._replace(points=_points(from_record(record), analyse))
    write_file(target, replay_page(replay).encode("utf-8"))
    echo(f"wrote {target}")


def _points(game: Any, agent: str) -> list[GraphPoint]:
    """The values of the game's positions, turn by turn."""
    spec = game_spec(game.name)
    _, limits = analysis_of("analyse", agent, spec)
    adapter: PlayAdapter[Any] = ADAPTERS.of(spec)
    points = []
    with progress_bar() as progress:
        for ply in progress.track(turns_of(adapter, game), description="analysing"):
            then = game.at(ply)
            if (found := adapter.evaluation(then, **limits)) is not None:
                points.append(point_of(then, ply, found))
    return points
