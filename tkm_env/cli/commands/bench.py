"""``tkm bench``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tkm_env.bench.report import HEAD, cells, grouped, machine_line, markdown, memory_rows
from tkm_env.bench.running import measure, read_outcome, write_outcome
from tkm_env.bench.table import Measurement, chosen
from tkm_env.cli.progress import progress_bar
from tkm_env.files import check_writable, write_file

_QUICK_GAMES = 4
_QUICK_SECONDS = 0.001
#: The width of tables when the output is not a terminal.
_WIDTH = 160


_FILE = click.Path(path_type=Path)


@click.command("bench")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(min=1), help="How often everything is measured.")
@click.option(
    "--seconds",
    default=0.5,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="Roughly how long each is measured.",
)
@click.option(
    "--only", multiple=True, metavar="PATTERN", help="Only rows whose names contain this; * matches anything. Can be repeated."
)
@click.option("--json", "json_file", type=_FILE, help="Write the figures of each round to this file.")
@click.option("--markdown", "markdown_file", type=_FILE, help="Write a report to this file.")
@click.option(
    "--read",
    "read_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Measure nothing; report what an earlier run wrote with --json.",
)
@click.option(
    "--quick", is_flag=True, help="Check that everything runs: one short round with few games. Its figures are meaningless."
)
@click.option("--list", "only_list", is_flag=True, help="List the rows and measure nothing.")
def command(
    rounds: int,
    seconds: float,
    only: tuple[str, ...],
    json_file: Path | None,
    markdown_file: Path | None,
    read_file: Path | None,
    quick: bool,
    only_list: bool,
) -> None:
    """Measure how fast everything is, next to those peers that are installed.

    Everything is measured in turn, for several rounds; the report shows medians, and ratios within the rounds. Leave the machine idle
    meanwhile.
    """
    measurements = chosen(only)
    if only_list:
        _show_list(measurements)
        return
    for path in filter(None, (json_file, markdown_file)):
        check_writable(path)
    if read_file is not None:
        outcome = read_outcome(read_file)
    elif quick:
        outcome = _measured(measurements, 1, _QUICK_SECONDS, _QUICK_GAMES)
    else:
        outcome = _measured(measurements, rounds, seconds, None)
    _show(outcome)  # first of all: should the disk be full by now, the figures are at least seen
    if json_file is not None:
        write_outcome(json_file, outcome)
    if markdown_file is not None:
        write_file(markdown_file, markdown(outcome).encode("utf-8"))


def _console() -> Console:
    console = Console(highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def _show_list(measurements: list[Measurement]) -> None:
    table = Table("name", "what", "needs", box=SIMPLE_HEAD)
    for measurement in measurements:
        needs = ", ".join(f"{module} (missing)" if module in measurement.missing else module for module in measurement.needs)
        table.add_row(measurement.name, measurement.what, needs)
    _console().print(table)


def _measured(measurements: list[Measurement], rounds: int, seconds: float, most_games: int | None) -> dict[str, Any]:
    """Measure, with a progress bar on a terminal."""
    with progress_bar() as progress:
        task = progress.add_task("", total=len(measurements) * (1 + rounds), completed=-1)
        return measure(
            measurements,
            rounds=rounds,
            seconds=seconds,
            most_games=most_games,
            progress=lambda name: progress.update(task, description=f"{name:32}", advance=1),
        )


def _show(outcome: dict[str, Any]) -> None:
    console = _console()
    console.print(escape(machine_line(outcome)))
    for group, rows in grouped(outcome):
        table = Table(*HEAD, title=f"[bold]{group.title}[/bold]", title_justify="left", box=SIMPLE_HEAD)
        table.columns[HEAD.index("figure")].no_wrap = True
        for row in rows:
            figure, beside, targets = cells(row)
            name, what, others, reached = map(escape, (row["name"], row["what"], "\n".join(beside), "\n".join(targets)))
            table.add_row(f"{name}\n[dim]{what}[/dim]", figure, others, reached)
        console.print(table)
    table = Table("what", "bytes", title="[bold]Memory for each game of a Batch[/bold]", title_justify="left", box=SIMPLE_HEAD)
    for name, size in memory_rows(outcome):
        table.add_row(escape(name), size)
    console.print(table)
    for name, reason in outcome["missing"].items():
        console.print(escape(f"{name}: {reason}"))
