"""``tkm course``: assignments, and grading what students hand in."""

import shlex
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table

from tkm_env.arena.commands.match_options import ISOLATION, say_what_is_unprotected
from tkm_env.cli.console import PlainConsole, echo
from tkm_env.cli.ctrl_c import stop_on_ctrl_c
from tkm_env.cli.game_options import GameCommand, pop_game
from tkm_env.cli.options import FILE, FOLDER, INPUT, OUTPUT, processes_option, with_options
from tkm_env.cli.outputs import pop_outputs
from tkm_env.cli.progress import exit_stopped, progress_bar
from tkm_env.course.assignment import Assignment, read_assignment
from tkm_env.course.bundles import BUNDLES, write_bundle
from tkm_env.course.commands.calibrate import calibrate_command
from tkm_env.course.commands.similar import similar_command
from tkm_env.course.commands.term import term_command
from tkm_env.course.grading.appeal import LOG
from tkm_env.course.grading.autograder_formats import gradescope
from tkm_env.course.grading.calibration import calibrated_seed
from tkm_env.course.grading.class_grading import ClassGrading, Selection
from tkm_env.course.grading.class_results import KEPT
from tkm_env.course.grading.class_tables import Written
from tkm_env.course.grading.feedback import FEEDBACK, write_feedback
from tkm_env.course.grading.grading import grade_submission
from tkm_env.course.questions.function_questions import TrainingQuestion
from tkm_env.course.questions.marks import GRADE, Grade
from tkm_env.course.questions.question import QuestionError, plural
from tkm_env.course.scaffold import ASSIGNMENTS, LANGUAGES, write_assignment
from tkm_env.course.submission import copy_submission, remove_leftover_copies
from tkm_env.foundations.cores import cores
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.model_file import write_model

#: The most students whose changes are printed; the history has all of them.
_MOST_CHANGED: Final = 20

#: Gives a command the options for `_pop_assignment`.
_grading_options = with_options(
    click.option("--spec", type=INPUT, required=True, help="The assignment: its grading.toml."),
    click.option(
        "--isolation", type=ISOLATION, help="Where submissions run, instead of what the file says."
    ),
    click.option(
        "--container",
        help="The command that runs a submission in a container; {command} stands for its own.",
    ),
)


@click.group("course")
def command() -> None:
    """For teachers: write an assignment, grade submissions, make archives for autograders.

    See docs/teaching.md.
    """


command.add_command(calibrate_command)
command.add_command(similar_command)
command.add_command(term_command)


@command.command("new", cls=GameCommand)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--assignment",
    type=click.Choice([*ASSIGNMENTS]),
    default="search",
    show_default=True,
    help="The topic of the assignment.",
)
@click.option(
    "--language",
    type=click.Choice([*LANGUAGES]),
    default="python",
    show_default=True,
    help="What students write in; program stands for any other language.",
)
@click.option("--title", help="The title of the assignment.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="The seed of the tests that count; drawn from the system by default.",
)
@click.option(
    "--public-seed",
    type=click.IntRange(0),
    help="The seed of the public tests; drawn from the system by default.",
)
@click.option(
    "--package",
    help=(
        "What students install: a name on an index, an address, or an archive that they get; by "
        "default a clone of the repository."
    ),
)
@click.option(
    "--check/--no-check",
    default=True,
    show_default=True,
    help="First check that the solution passes and guessing fails; takes a minute or two.",
)
def new_command(folder: Path, seed: int | None, check: bool, **options: Any) -> None:
    """Write an assignment to a new FOLDER: students' files, public tests, staff's files.

    Seeds are drawn until the marks are meaningful: the solution gets all points, in matches with a
    margin; the untouched file gets at most a fifth; and a bot that always plays the first legal
    action gets nothing in matches.
    """
    spec, settings = pop_game(options)
    config = spec.config_from_text(settings)

    def write(place: Path, seed: int | None) -> list[Path]:
        return write_assignment(place, spec, config, seed=seed, **options)

    if check:
        with progress_bar() as progress:
            task = progress.add_task("checking", total=None)
            seed = calibrated_seed(
                write, seed, lambda words: progress.update(task, description=words)
            )
        echo(
            "checked: the solution gets all points with a margin; "
            "the untouched file and playing the first legal action get next to none"
        )
    for path in write(folder, seed):
        echo(f"wrote {path}")
    if options["package"] is None:
        readme = folder / "student" / "README.md"
        echo(
            f"{readme} does not say yet where to get the package: "
            "replace ADDRESS there, or use --package"
        )
    echo(f"next: read {folder / 'staff' / 'GUIDE.md'}")


@command.command("grade")
@click.argument("submission", type=click.Path(exists=True, path_type=Path))
@_grading_options
@click.option(
    "--question", "questions", multiple=True, help="Grade only the question of this id; repeatable."
)
@click.option("--name", help="The student's name; by default the name of the folder or file.")
@click.option("--out", type=FOLDER, help="The folder for the page with the feedback.")
@click.option(
    "--everything", is_flag=True, help="Also show on the page what students cannot see yet."
)
@click.option(
    "--json",
    "output_json",
    type=OUTPUT,
    help="Write the grade to this file; - for standard output.",
)
@click.option(
    "--gradescope",
    "output_gradescope",
    type=OUTPUT,
    help="Write the grade to this file, in the format of Gradescope's results.json.",
)
def grade_command(
    submission: Path,
    questions: tuple[str, ...],
    name: str | None,
    out: Path | None,
    everything: bool,
    **options: Any,
) -> None:
    """Grade SUBMISSION, a folder or a Python file.

    The results so far are written after each question.
    """
    outputs, assignment = pop_outputs(options), _pop_assignment(options)
    remove_leftover_copies()
    say_what_is_unprotected(assignment.conditions.limits)
    if questions:
        assignment = assignment.with_questions(questions)
    with progress_bar() as progress:
        task = progress.add_task("grading", total=len(assignment.questions))
        grade, failed = None, list[QuestionError]()
        for grade in grade_submission(submission, assignment, name, failed):
            progress.update(task, completed=len(grade.marks))
            final = grade.is_complete
            outputs.write_json(partial(gradescope, grade), name="gradescope", is_final=final)
            outputs.write_json(grade.as_json, GRADE, is_final=final)
            if out is not None:
                write_feedback(
                    out, grade, assignment.spec, assignment.config, everything=everything
                )
    assert grade is not None
    _show(outputs.console, grade)
    if out is not None:
        shown = "each question" if grade.score == grade.points else "what was wrong"
        outputs.console.print(f"{out / 'feedback.html'} shows {shown}.", soft_wrap=True)
    if failed:
        raise failed[0]


#: Gives a command the arguments and options for `_pop_class`.
_class_options = with_options(
    click.argument("submissions", type=click.Path(exists=True, path_type=Path)),
    _grading_options,
    click.option("--roster", type=INPUT, help="The class as a CSV file, as platforms export it."),
    click.option(
        "--groups", type=INPUT, help="The groups as a CSV file: each student's id and group."
    ),
    click.option(
        "--adjustments",
        type=INPUT,
        help="The staff's decisions as a CSV file: extensions, points with a comment, excuses.",
    ),
    click.option(
        "--out",
        type=FOLDER,
        default="grades",
        show_default=True,
        help="The folder for the results.",
    ),
)


@command.command("grade-all")
@_class_options
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Grade only this submission, or this student's; repeatable.",
)
@click.option(
    "--question", "questions", multiple=True, help="Grade only the question of this id; repeatable."
)
@click.option("--force", is_flag=True, help="Ask again what has not changed, too.")
@click.option(
    "--column", help="The roster's column for the points; by default the one with the title."
)
@processes_option("How many submissions to grade at a time.")
def grade_all_command(
    only: tuple[str, ...],
    questions: tuple[str, ...],
    force: bool,
    column: str | None,
    processes: int | None,
    **options: Any,
) -> None:
    """Grade everything in SUBMISSIONS, a folder or archive from a learning platform.

    If grading is interrupted, the same command resumes it. If something has changed, it asks again
    only the questions whose marks depend on that.
    """
    work = _pop_class(
        options,
        processes=processes or cores(),
        column=column,
        selection=Selection(only, questions, force),
    )
    total = len(work.waiting)
    if total < len(work.names):
        echo(f"{len(work.names) - total} of {len(work.names)} submissions need no grading")
    with progress_bar() as progress:
        task = progress.add_task("grading", total=total)
        with stop_on_ctrl_c(work.stop, progress.console, "finishing the submissions in progress"):
            for name in work.run():
                progress.update(task, completed=total - len(work.waiting), description=name)
    _report(work, work.write_tables())


@command.command("appeal")
@_class_options
@click.option("--of", "who", required=True, help="The student, or the name of the submission.")
def appeal_command(who: str, **options: Any) -> None:
    """Ask a submission all questions again, and write down everything asked and answered.

    No mark changes. To take over what comes out, grade again with --only and --force.
    """
    folder, appeals = _pop_class(options).hear_appeal(who)
    for question, before, now in appeals:
        old = "not graded" if before is None else f"{before.score:g}"
        echo(f"{question}: {old} before, {now.score:g} of {now.points:g} now; {now.words}")
    echo(f"{folder / LOG} has every question and answer, {folder / FEEDBACK} all mistakes")


@command.command("ladder")
@_class_options
def ladder_command(**options: Any) -> None:
    """Enter everything in SUBMISSIONS in the class ladder, a league under pseudonyms.

    SUBMISSIONS is a folder or an archive, as for grade-all.
    """
    ladder = _pop_class(options).enter_ladder()
    echo(f"next: tkm league serve {ladder}; or tkm league play {ladder} --once")


@command.command("train")
@click.argument("submission", type=click.Path(exists=True, path_type=Path))
@_grading_options
@click.option("-o", "--output", required=True, type=FILE, help="The network, for net:file=FILE.")
def train_command(submission: Path, output: Path, **options: Any) -> None:
    """Train with the functions in SUBMISSION, and write the network that they learned.

    Training runs as in the assignment's last question about training.
    """
    spec = options["spec"]
    assignment = _pop_assignment(options)
    questions = [
        question for question in assignment.questions if isinstance(question, TrainingQuestion)
    ]
    if not questions:
        raise ConfigError("spec", str(spec), "none of its questions is about training")
    with copy_submission(submission, limits=assignment.conditions.limits) as copied:
        write_model(output, questions[-1].train(copied, assignment))
    echo(f"wrote {output}")


@command.command("bundle")
@click.argument("kind", type=click.Choice([*BUNDLES]))
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output", type=FILE, show_default="FOLDER-KIND.zip", help="The archive.")
def bundle_command(kind: str, folder: Path, output: Path | None) -> None:
    """Make an archive of the assignment in FOLDER.

    The kind zip holds the students' files; gradescope is an autograder to upload.
    """
    place = folder.resolve()
    target = output or Path(f"{place.name}-{'student' if kind == 'zip' else kind}.zip")
    write_bundle(kind, place, target)
    echo(f"wrote {target}")


def _pop_assignment(options: dict[str, Any]) -> Assignment:
    """Remove the options of `_grading_options` from a command's options.

    Args:
        options: the command's options.

    Returns:
        The assignment, isolated as they say.
    """
    assignment = read_assignment(options.pop("spec"))
    isolation, container = options.pop("isolation"), options.pop("container")
    if container is not None:
        return assignment.with_isolation("container", tuple(shlex.split(container)))
    return assignment if isolation is None else assignment.with_isolation(isolation)


def _pop_class(options: dict[str, Any], **more: Any) -> ClassGrading:
    """Remove the options of `_class_options` from a command's options.

    Args:
        options: the command's options.
        **more: further arguments of `ClassGrading`.

    Returns:
        The class's grading.
    """
    assignment = _pop_assignment(options)
    say_what_is_unprotected(assignment.conditions.limits)
    submissions, out = options.pop("submissions"), options.pop("out")
    return ClassGrading(submissions, assignment, out, **options, **more)


def _report(work: ClassGrading, written: Written) -> None:
    """Print what came of a class, and exit with 1 if somebody could not be graded."""
    results = work.results()
    handed_in = [each for each in results if each.submission]
    failed = [each for each in handed_in if each.error and not each.is_unfinished]
    for each in {each.submission: each for each in failed}.values():
        echo(f"{each.submission} could not be graded: {each.error}", err=True)
    for reason, names in work.failed_questions.items():
        echo(
            f"{reason}; {plural(len(names), 'submission')} without a mark for it, which costs "
            "nobody points: fix it, and run the same command again",
            err=True,
        )
    unknown = [each.submission for each in handed_in if each.lateness.is_unknown]
    outdated = [each.submission for each in handed_in if each.outdated]
    kept = [f"{each.submission} {' '.join(each.kept)}" for each in handed_in if each.kept]
    for words, names in (
        ("no submission from ", [each.student for each in results if not each.submission]),
        ("not on the roster: ", work.roll.strangers),
        ("replaced by newer submissions: ", work.roll.replaced),
        ("left out, since they are no submissions: ", work.roll.left_out),
        ("late by an unknown time, which costs nothing unless the adjustments say more: ", unknown),
        ("with marks from before something changed: ", outdated),
        (f"{KEPT} (--force asks again): ", kept),
    ):
        if names:
            echo(words + ", ".join(dict.fromkeys(names)))
    changed: dict[str, list[str]] = {}
    for change in written.changes:
        words = f"{change.what} {change.before or '-'} -> {change.after or '-'}"
        changed.setdefault(change.student or change.submission, []).append(words)
    for who in [*changed][:_MOST_CHANGED]:
        echo(f"{who}: {', '.join(changed[who])}")
    if len(changed) > _MOST_CHANGED:
        echo(f"and {plural(len(changed) - _MOST_CHANGED, 'more student')}, whom the history has")
    if (most := work.points_elsewhere) is not None:
        echo(
            f"the roster says that the assignment is worth {plural(most, 'point')}, not "
            f"{work.points:g}: correct one of them before you upload points",
            err=True,
        )
    graded = {each.submission for each in results if each.is_graded}
    every = {each.submission for each in handed_in}
    echo(f"{len(graded)} of {len(every)} graded; wrote {', '.join(map(str, written.files))}")
    if work.waiting:
        exit_stopped(": the same command grades the rest")
    if any(each.is_temporary for each in failed):
        echo("run the same command to try again what the machine ended", err=True)
    if failed or work.failed_questions:
        raise click.exceptions.Exit(1)


def _show(console: PlainConsole, grade: Grade) -> None:
    """Print a row for each question, and the total."""
    table = Table("question", "points", "of", "", title=grade.title, title_justify="left")
    for column in table.columns[1:3]:
        column.justify = "right"
    for mark in grade.marks:
        table.add_row(
            f"{mark.question}  {mark.title}", f"{mark.score:g}", f"{mark.points:g}", mark.words
        )
        for sentence in mark.advice:
            table.add_row("", "", "", sentence)
    table.add_section()
    table.add_row("total", f"{grade.score:g}", f"{grade.points:g}", "")
    console.print(table)
    for mark in grade.marks:
        if mark.printed and mark.is_visible:
            for line in (f"{mark.question} printed:", *mark.printed.splitlines()):
                console.print(line, soft_wrap=True)
