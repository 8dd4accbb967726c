"""``tkm benchmark``: the results of an agent in fixed tasks, as one table."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from tkm_env.arena.benchmark.report import (
    REPORT,
    as_json,
    as_markdown,
    caption,
    read_report,
    rows_of,
)
from tkm_env.arena.benchmark.run import Benchmark
from tkm_env.arena.benchmark.tasks import TASKS, tasks_of
from tkm_env.arena.commands.match_options import (
    conditions_options,
    pop_conditions,
    pop_workers,
    say_what_is_unprotected,
    workers_options,
)
from tkm_env.cli.options import INPUT, OUTPUT
from tkm_env.cli.outputs import pop_outputs
from tkm_env.cli.progress import exit_stopped, with_progress


@click.command("benchmark")
@click.argument("agent", required=False)
@click.option(
    "--tasks", show_default="all", help=f"The tasks, joined by commas: {', '.join(TASKS)}."
)
@click.option("--name", help="The agent's name in the table.  [default: AGENT]")
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    help="A file for the games, from which the same command resumes.",
)
@click.option(
    "--beside",
    type=INPUT,
    multiple=True,
    help="A report written by --json, to show in the same table; repeatable, AGENT optional.",
)
@click.option(
    "--json",
    "output_json",
    type=OUTPUT,
    help="Write the report to this file; - for standard output.",
)
@click.option(
    "--markdown",
    "output_markdown",
    type=OUTPUT,
    help="Write the table to this file; - for standard output.",
)
@workers_options
@conditions_options
def command(
    agent: str | None,
    tasks: str | None,
    name: str | None,
    save: Path | None,
    beside: tuple[Path, ...],
    **options: Any,
) -> None:
    """Play fixed tasks against fixed opponents, and report one number for each task.

    AGENT is a player as in tkm match. Starts, opponents and random numbers are always the same;
    docs/benchmark.md has the rules for reporting. Ctrl-C finishes the games in progress; a second
    one stops at once.
    """
    outputs = pop_outputs(options)
    if agent is None and (not beside or name or save or "json" in outputs):
        raise click.UsageError(
            "without an AGENT, only --beside FILE and --markdown FILE can be used"
        )
    reports = [read_report(path) for path in beside]
    if agent is not None:
        conditions = pop_conditions(options)
        benchmark = Benchmark(
            agent, tasks_of([*TASKS] if tasks is None else tasks.split(",")), conditions
        )
        say_what_is_unprotected(conditions.limits)
        workers, answers = pop_workers(options, conditions, save, benchmark.games)
        games = benchmark.play(save, workers=workers)
        records = [*with_progress(games, agent, benchmark.games, benchmark.stop, answers)]
        if len(records) < benchmark.games:
            how = (
                "the same command plays the rest"
                if save is not None
                else "with --save it could be resumed"
            )
            exit_stopped(f" after {len(records)} of {benchmark.games} games: {how}")
        reports.append(as_json(name or agent, agent, benchmark.schedule().results(records)))
        outputs.write_json(lambda: reports[-1], REPORT)
    outputs.write_text("markdown", lambda: as_markdown(reports))
    head, rows = rows_of(reports)
    table = Table("task", *(row[0] for row in rows))
    for cells in list(zip(head, *rows, strict=True))[1:]:  # transposed, to fit into a terminal
        table.add_row(*cells)
    outputs.console.print(caption(), soft_wrap=True)
    outputs.console.print(table)
