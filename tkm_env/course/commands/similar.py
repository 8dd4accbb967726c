"""``tkm course similar``: similar submissions of a class."""

from pathlib import Path

import click

from tkm_env.cli.console import echo
from tkm_env.cli.options import FOLDER
from tkm_env.course.grading.similarity import compare_submissions, similarity_command


@click.command("similar")
@click.argument("submissions", type=click.Path(exists=True, path_type=Path))
@click.argument("assignment", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out",
    type=FOLDER,
    default="grades",
    show_default=True,
    help="The folder for the results, the same as for grade-all.",
)
def similar_command(submissions: Path, assignment: Path, out: Path) -> None:
    """Find similar SUBMISSIONS to the assignment in the folder ASSIGNMENT, with compare50.

    Submissions are compared with each other and with the solution; what was handed out does not
    count. The next grade-all links the report from the page of the class. It names pairs to look
    at, and proves nothing.
    """
    page, problems = compare_submissions(submissions, assignment, out, similarity_command())
    for name, problem in problems.items():
        echo(f"{name} was not compared: {problem}", err=True)
    echo(f"wrote {page}")
