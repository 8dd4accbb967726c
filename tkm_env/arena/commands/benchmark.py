"""``tkm benchmark``: the results of an agent in fixed tasks, as a table."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from tkm_env.arena.benchmark.endgame_tasks import ENDGAMES, EndgameBenchmark
from tkm_env.arena.benchmark.report import (
    REPORT,
    ReportTable,
    as_json,
    as_markdown,
    read_report,
    tables_of,
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
from tkm_env.arena.playing.referee import Conditions
from tkm_env.cli.options import INPUT, OUTPUT
from tkm_env.cli.outputs import pop_outputs
from tkm_env.cli.progress import exit_stopped, with_progress


@click.command("benchmark")
@click.argument("agent", required=False)
@click.option(
    "--tasks",
    show_default="all matches",
    help=f"The tasks: matches, joined by commas ({', '.join(TASKS)}), or {ENDGAMES}.",
)
@click.option(
    "--positions",
    type=click.IntRange(1),
    help="With --tasks endgames: the number of positions of each task.  [default: all]",
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
    positions: int | None,
    name: str | None,
    save: Path | None,
    beside: tuple[Path, ...],
    **options: Any,
) -> None:
    """Play fixed tasks against fixed opponents, and report one number for each task.

    AGENT is a player as in tkm match. Starts, opponents and random numbers are always the same;
    docs/benchmark.md has the rules for reporting. With --tasks endgames it plays a turn in each of
    many solved positions, and the report says how often it was right. Ctrl-C finishes the games in
    progress; a second one stops at once.
    """
    outputs = pop_outputs(options)
    if agent is None and (not beside or name or save or "json" in outputs):
        raise click.UsageError(
            "without an AGENT, only --beside FILE and --markdown FILE can be used"
        )
    reports = [read_report(path) for path in beside]
    if agent is not None:
        conditions = pop_conditions(options)
        benchmark = _benchmark_of(agent, tasks, positions, conditions)
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
    for found in tables_of(reports):
        outputs.console.print(found.caption, soft_wrap=True)
        outputs.console.print(_shown(found))


def _benchmark_of(
    agent: str, tasks: str | None, positions: int | None, conditions: Conditions
) -> Benchmark | EndgameBenchmark:
    """Return what these options ask for."""
    names = [*TASKS] if tasks is None else tasks.split(",")
    if names == [ENDGAMES]:
        return EndgameBenchmark(agent, positions, conditions)
    if ENDGAMES in names:
        raise click.UsageError(f"--tasks {ENDGAMES} stands alone: the other tasks are matches")
    if positions is not None:
        raise click.UsageError(f"--positions needs --tasks {ENDGAMES}")
    return Benchmark(agent, tasks_of(names), conditions)


def _shown(found: ReportTable) -> Table:
    """Return a table for the terminal; a wide one is turned round, to fit."""
    if not found.is_wide:
        table = Table(*found.head)
        rows = found.rows
    else:
        table = Table("task", *(row[0] for row in found.rows))
        rows = [[*cells] for cells in zip(found.head, *found.rows, strict=True)][1:]
    for row in rows:
        table.add_row(*row)
    return table
