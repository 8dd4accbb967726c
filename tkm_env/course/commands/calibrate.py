"""``tkm course calibrate``: what the marks of an assignment measure."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from tkm_env.cli.options import OUTPUT
from tkm_env.cli.outputs import pop_outputs
from tkm_env.cli.progress import progress_bar
from tkm_env.course.assignment import read_assignment
from tkm_env.course.grading.level_report import TRIES, report_of
from tkm_env.course.grading.level_trials import LevelTrials, levels_in
from tkm_env.course.scaffold import SPEC, STAFF

#: The file in which trials are kept, in the folder of the assignment.
_TRIALS = "calibration.jsonl"


@click.command("calibrate")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--seeds", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many seeds."
)
@click.option("--question", "questions", multiple=True, help="Only this question; repeatable.")
@click.option(
    "--json",
    "output_json",
    type=OUTPUT,
    help="Write the report to this file; - for standard output.",
)
def calibrate_command(folder: Path, seeds: int, questions: tuple[str, ...], **options: Any) -> None:
    """Try what students of each level hand in on the assignment in FOLDER, under many seeds.

    The levels are in the folder staff/levels; add your own. They run in this process, without a
    sandbox. Trials are kept in FOLDER/staff/calibration.jsonl: the same command resumes after an
    interruption, and repeats only what has changed. The exit code is 1 if a promise does not hold.
    """
    outputs = pop_outputs(options)
    assignment = read_assignment(folder / STAFF / SPEC).with_isolation("process")
    if questions:
        assignment = assignment.with_questions(questions)
    levels = levels_in(folder / STAFF)
    work = LevelTrials(assignment, levels, folder / STAFF / _TRIALS, seeds)
    with progress_bar() as progress:
        task = progress.add_task("trying levels", total=work.missing)
        for trial in work.run():
            words = f"{trial.level}, {trial.question}, seed {trial.seed}"
            progress.update(task, advance=1, description=words)
    report = report_of(assignment, levels, work.done)
    outputs.write_json(lambda: report, "tkm_env course calibration")
    _show(outputs.console, report)
    raise click.exceptions.Exit(bool(report["broken"]))


def _show(console: Any, report: dict[str, Any]) -> None:
    """Print the points of each level, and what is promised."""
    ids = [question["id"] for question in report["questions"]]
    table = Table("level", *ids, "total", "cost of a rare fault", title=report["title"])
    for row in report["levels"]:
        table.add_row(
            row["level"],
            *(_span(row["scores"][name]) for name in ids),
            _span(row["total"]),
            f"{row['fault']['mean']:g} on average, at most {row['fault']['most']:g}",
        )
    console.print(table)
    for row in report["luck"]:
        console.print(
            f"{row['question']}: those who know nothing get points with probability "
            f"{row['chance']:g}, in one of {TRIES} tries with probability {row['tries']:g}",
            soft_wrap=True,
        )
    for row in report["apart"]:
        console.print(
            f"{row['above']} gets more points than {row['below']} under {row['share']:.0%} of "
            f"{report['seeds']} seeds",
            soft_wrap=True,
        )
    for words in report["broken"]:
        console.print(f"broken: {words}", soft_wrap=True)


def _span(ends: list[float]) -> str:
    low, high = ends
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
