"""``tkm benchmark``: the results of an agent in fixed tasks, as a table."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from tkm_env.arena.benchmark.endgame_tasks import ENDGAMES, EndgameBenchmark
from tkm_env.arena.benchmark.leaderboard_page import leaderboard_page
from tkm_env.arena.benchmark.question_report import QUESTIONS, QuestionResult
from tkm_env.arena.benchmark.question_tasks import QuestionBenchmark
from tkm_env.arena.benchmark.report import (
    REPORT,
    ReportTable,
    as_json,
    as_markdown,
    read_report,
    tables_of,
)
from tkm_env.arena.benchmark.run import Benchmark, FixedGames
from tkm_env.arena.benchmark.suite import TIERS
from tkm_env.arena.benchmark.suite_report import SuiteResult, have_suite
from tkm_env.arena.benchmark.suite_tasks import SuiteBenchmark
from tkm_env.arena.benchmark.tasks import TASKS, tasks_of
from tkm_env.arena.benchmark.turn_report import TURNS, TurnResult
from tkm_env.arena.benchmark.turn_tasks import TurnBenchmark
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
    help=(
        f"The tasks: matches, joined by commas ({', '.join(TASKS)}), {ENDGAMES}, "
        f"{TURNS}, one in each of many positions, or {QUESTIONS}, which are for language models."
    ),
)
@click.option(
    "--suite",
    "tier",
    type=click.Choice([*TIERS]),
    help=(
        "Instead of --tasks: a tier of the suite for language models, "
        f"{', '.join(f'{tier.answers} answers' for tier in TIERS.values())}."
    ),
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
@click.option(
    "--page",
    "output_page",
    type=OUTPUT,
    help="Write the leaderboard of the suite to this file, as HTML; needs the extra [arena].",
)
@workers_options
@conditions_options
def command(
    agent: str | None,
    tasks: str | None,
    tier: str | None,
    positions: int | None,
    name: str | None,
    save: Path | None,
    beside: tuple[Path, ...],
    **options: Any,
) -> None:
    """Play fixed tasks against fixed opponents, and report one number for each task.

    AGENT is a player as in tkm match. Starts, opponents and random numbers are always the same;
    docs/benchmark.md has the rules for reporting. With --tasks endgames it plays a turn in each of
    many solved positions, and the report says how often it was right. With --tasks turns it plays a
    turn in each of many positions, and gets credit for how good it is. With --tasks questions a
    language model answers questions with one right answer. With --suite it plays such turns in
    several wordings. Ctrl-C finishes the games in progress; a second one stops at once.
    """
    outputs = pop_outputs(options, beside)
    if agent is None and (not beside or name or save or tier or "json" in outputs):
        raise click.UsageError(
            "without an AGENT, only --beside FILE, --markdown FILE and --page FILE can be used"
        )
    if tier is not None and tasks is not None:
        raise click.UsageError("--suite and --tasks exclude each other")
    reports = [read_report(path) for path in beside]
    if "page" in outputs and tier is None and not have_suite(reports):
        raise click.UsageError("--page needs --suite, or --beside a report with a result of it")
    if agent is not None:
        names = [*TASKS] if tasks is None else tasks.split(",")
        for alone in (ENDGAMES, TURNS, QUESTIONS):
            if alone in names and len(names) > 1:
                raise click.UsageError(f"--tasks {alone} stands alone: the other tasks are matches")
        if positions is not None and names != [ENDGAMES]:
            raise click.UsageError(f"--positions needs --tasks {ENDGAMES}")
        conditions = pop_conditions(options)
        if tier is not None:
            results: Sequence[Any] = [_tried(agent, tier, conditions, save, options)]
        elif names == [QUESTIONS]:
            results = [_answered(agent, conditions, save, options)]
        elif names == [TURNS]:
            results = [_turned(agent, conditions, save, options)]
        else:
            benchmark: FixedGames = (
                EndgameBenchmark(agent, positions, conditions)
                if names == [ENDGAMES]
                else Benchmark(agent, tasks_of(names), conditions)
            )
            results = _played(benchmark, save, options)
        reports.append(as_json(name or agent, agent, results))
        outputs.write_json(lambda: reports[-1], REPORT)
    outputs.write_text("markdown", lambda: as_markdown(reports))
    outputs.write_text("page", lambda: leaderboard_page(reports))
    for found in tables_of(reports):
        outputs.console.print(found.caption, soft_wrap=True)
        outputs.console.print(_shown(found))


def _played(benchmark: FixedGames, save: Path | None, options: dict[str, Any]) -> Sequence[Any]:
    """Play all games, and return the results."""
    say_what_is_unprotected(benchmark.conditions.limits)
    workers, answers = pop_workers(options, benchmark.conditions, save, benchmark.games)
    games = benchmark.play(save, workers=workers)
    records = [*with_progress(games, benchmark.agent, benchmark.games, benchmark.stop, answers)]
    if len(records) < benchmark.games:
        exit_stopped(f" after {len(records)} of {benchmark.games} games: {_how_to_go_on(save)}")
    return benchmark.schedule().results(records)


def _answered(
    agent: str, conditions: Conditions, save: Path | None, options: dict[str, Any]
) -> QuestionResult:
    """Ask all questions, and return the result."""
    _, answers = pop_workers(options, conditions, save, 1)
    benchmark = QuestionBenchmark(
        agent, conditions=dataclasses.replace(conditions, budget=answers.budget)
    )
    replies = [*with_progress(benchmark.play(save), agent, None, benchmark.stop, answers)]
    if benchmark.is_stopped:
        exit_stopped(f" after {len(replies)} questions: {_how_to_go_on(save)}")
    return QuestionResult(replies)


def _turned(
    agent: str, conditions: Conditions, save: Path | None, options: dict[str, Any]
) -> TurnResult:
    """Ask for a turn in each position, and return the result."""
    _, answers = pop_workers(options, conditions, save, 1)
    benchmark = TurnBenchmark(agent, dataclasses.replace(conditions, budget=answers.budget))
    total = len(benchmark.positions)
    turns = [*with_progress(benchmark.play(save), agent, total, benchmark.stop, answers)]
    if len(turns) < total:
        exit_stopped(f" after {len(turns)} of {total} positions: {_how_to_go_on(save)}")
    return TurnResult(turns, benchmark.prompt)


def _tried(
    agent: str, tier: str, conditions: Conditions, save: Path | None, options: dict[str, Any]
) -> SuiteResult:
    """Ask for a turn in each position of each trial, and return the result."""
    _, answers = pop_workers(options, conditions, save, 1)
    budget = answers.budget
    suite = SuiteBenchmark(agent, tier, dataclasses.replace(conditions, budget=budget))
    tried = [*with_progress(suite.play(save), agent, suite.answers, suite.stop, answers)]
    if len(tried) < suite.answers:
        exit_stopped(f" after {len(tried)} of {suite.answers} answers: {_how_to_go_on(save)}")
    return SuiteResult(tier, tried, suite.price)


def _how_to_go_on(save: Path | None) -> str:
    return "the same command goes on" if save else "with --save it could be resumed"


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
