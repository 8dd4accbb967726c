"""``tkm questions``: data sets of questions with one right answer, for language models."""

from pathlib import Path
from typing import Any, Final

import click

from tkm_env.cli.console import PlainConsole, echo
from tkm_env.cli.ctrl_c import stop_on_ctrl_c
from tkm_env.cli.game_options import GameCommand, pop_game
from tkm_env.cli.options import FILE, processes_option
from tkm_env.cli.progress import exit_stopped, progress_bar
from tkm_env.foundations.cores import cores
from tkm_env.questions.data_set import card_of, check_questions, write_questions
from tkm_env.questions.plan import QuestionPlan, rows_for, usual_rows
from tkm_env.text.options import ENGLISH, STYLES, TextOptions

#: The most flaws that are shown.
_SHOWN: Final = 20


@click.command("questions", cls=GameCommand)
@click.argument("file", type=FILE)
@click.option(
    "--count",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="The number of questions, rounded up until all answers of a kind are equally frequent.",
)
@click.option(
    "--number",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="The number of the data set; sets of different numbers share no seeds.",
)
@click.option("--kind", "kinds", multiple=True, help="A kind; repeatable. By default all that fit.")
@click.option(
    "--difficulty",
    "difficulties",
    multiple=True,
    type=click.IntRange(1),
    help="A difficulty, as the kind measures it; repeatable. By default the usual ones.",
)
@click.option("--everything", is_flag=True, help="Every game, under the usual settings of each.")
@click.option(
    "--style",
    type=click.Choice(STYLES),
    default=ENGLISH,
    show_default=True,
    help="The style of the rules and the position.",
)
@click.option(
    "--rename", type=click.IntRange(0, 2**32 - 1), help="The seed of invented words and letters."
)
@click.option(
    "--check",
    "is_check",
    is_flag=True,
    help="Instead, check every answer of FILE by a second path.",
)
@processes_option("How many processes make or check questions.")
def command(
    file: Path,
    count: int,
    number: int,
    kinds: tuple[str, ...],
    difficulties: tuple[int, ...],
    everything: bool,
    style: str,
    rename: int | None,
    is_check: bool,
    processes: int | None,
    **options: Any,
) -> None:
    """Write questions about positions, each with one right answer, to FILE, as JSON lines.

    The engine or a proof gives the answers. A card beside the file says how it was made. If the
    work is interrupted, the same command resumes it; the file is the same for any number of
    processes.
    """
    spec, settings = pop_game(options)
    workers = processes or cores()
    if is_check:
        _check(file, workers)
        return
    if everything:
        if difficulties or any(value is not None for value in settings.values()):
            raise click.UsageError("--everything takes no difficulties and no settings")
        rows = usual_rows((), kinds)
    else:
        rows = rows_for(spec, spec.config_from_text(settings), kinds, difficulties)
    plan = QuestionPlan(rows, count, number, TextOptions(style=style, rename=rename))
    stopped: list[bool] = []
    with progress_bar() as progress:
        total = sum(unit.number for unit in plan.units())
        task = progress.add_task("questions", total=total)
        with stop_on_ctrl_c(
            lambda: stopped.append(True), progress.console, "finishing the questions in progress"
        ):
            card = write_questions(
                plan,
                file,
                processes=workers,
                on_progress=lambda done: progress.update(task, completed=done),
                is_stopped=lambda: bool(stopped),
            )
    if card is None:
        exit_stopped("; the same command resumes")
    echo(f"wrote {card['count']:,} questions to {file}, and {card_of(file)}")


def _check(file: Path, processes: int) -> None:
    stopped: list[bool] = []
    flaws = done = 0
    with progress_bar() as progress:
        task = progress.add_task("questions", total=None)

        def advance(number: int) -> None:
            nonlocal done
            done = number
            progress.update(task, completed=done)

        with stop_on_ctrl_c(
            lambda: stopped.append(True), progress.console, "finishing the questions in progress"
        ):
            for flaw in check_questions(
                file, processes=processes, on_progress=advance, is_stopped=lambda: bool(stopped)
            ):
                flaws += 1
                if flaws <= _SHOWN:
                    echo(f"line {flaw.line}: {flaw.reason}")
    if stopped:
        exit_stopped(f" after {done:,} questions")
    if flaws:
        raise click.ClickException(f"{flaws:,} flaws in {done:,} questions")
    PlainConsole().print(f"{done:,} questions: both paths agree on every answer")
