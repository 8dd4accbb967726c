"""``tkm course term``: the material of a whole term."""

from pathlib import Path

import click

from tkm_env.cli.console import echo
from tkm_env.course.term import WEEKS, write_term


@click.command("term")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="The seed of the assignments and quizzes; drawn from the system by default.",
)
def term_command(folder: Path, seed: int | None) -> None:
    """Write a term to a new FOLDER: a plan, three assignments, and a quiz for each week.

    TERM.md has the lessons week by week. The quizzes in exams have one right answer to each
    question, which is in the file beside them. Seeds of the assignments are not checked: see
    ``tkm course calibrate``.
    """
    written = write_term(folder, seed)
    echo(f"wrote {len(written)} files: {len(WEEKS)} weeks")
    echo(f"next: read {folder / 'TERM.md'}")
