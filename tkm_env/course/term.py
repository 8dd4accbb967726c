"""A whole term: a plan of twelve weeks, the assignments, and exams with answers."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tkm_env.core.registry import default_game, game_spec
from tkm_env.course.assignment import read_assignment
from tkm_env.course.scaffold import ASSIGNMENTS, SPEC, STAFF, write_assignment
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import checked_path, failing_as, write_file
from tkm_env.foundations.seeds import checked_secret, derived
from tkm_env.questions import Question, make_question
from tkm_env.questions.generator import MOST_SEEDS
from tkm_env.render.html import templates

#: The game of the weeks about chance.
_DRAWS: Final = "terminus"
_EXAMS: Final = "exams"


class ExamPart(NamedTuple):
    """Questions of one kind in an exam.

    Attributes:
        kind: the kind, see `tkm_env.questions.kinds_of`.
        difficulty: the difficulty, as the kind measures it.
        number: the number of questions.
        game: the name of the game; None for the first in the registry.
    """

    kind: str
    difficulty: int
    number: int = 1
    game: str | None = None


class Week(NamedTuple):
    """A week of the term.

    Attributes:
        number: its number, from 1.
        topic: what it is about.
        homework: what students do.
        points: what that is worth.
        exam: the questions of its quiz.
    """

    number: int
    topic: str
    homework: str
    points: str
    exam: tuple[ExamPart, ...]


#: The weeks. The plan of lessons for each is in the template of the same numbers.
WEEKS: Final = tuple(
    Week(number, *rest)
    for number, rest in enumerate(
        (
            ("rules, positions", "play", "0", (ExamPart("legal", 1, 2), ExamPart("position", 1))),
            ("trees", "*search*: q1", "2", (ExamPart("legal", 2, 2), ExamPart("position", 2))),
            ("minimax", "*search*: q3", "4", (ExamPart("win", 5, 2), ExamPart("position", 4))),
            ("pruning", "*search*: q4", "5", (ExamPart("win", 7, 2), ExamPart("winning-turn", 1))),
            (
                "evaluation, play",
                "*search*: q2, q5 to q7",
                "14",
                (ExamPart("safety", 5, 2), ExamPart("deaths", 2)),
            ),
            (
                "chance",
                "*chance*: q1",
                "2",
                (ExamPart("legal", 1, 1, _DRAWS), ExamPart("victories", 1, 2, _DRAWS)),
            ),
            (
                "expectation, samples",
                "*chance*: q2 to q4",
                "13",
                (ExamPart("victories", 2, 2, _DRAWS), ExamPart("position", 1, 1, _DRAWS)),
            ),
            (
                "values from games",
                "*learning*: q1, q2",
                "4",
                (ExamPart("win", 9, 2), ExamPart("winning-turn", 1)),
            ),
            (
                "self-play",
                "*learning*: q3 to q6",
                "11",
                (ExamPart("safety", 7, 2), ExamPart("forced-win", 2)),
            ),
            ("the league", "the project", "20", (ExamPart("forced-win", 2, 3),)),
            (
                "where bots fail",
                "the project, again",
                "20",
                (ExamPart("winning-turn", 1, 2), ExamPart("safety", 9)),
            ),
            (
                "the report",
                "the report",
                "10",
                (
                    ExamPart("legal", 2),
                    ExamPart("position", 2, 2),
                    ExamPart("win", 7, 2),
                    ExamPart("safety", 7, 2),
                    ExamPart("victories", 2, 2, _DRAWS),
                    ExamPart("forced-win", 2),
                ),
            ),
        ),
        1,
    )
)


def exam_questions(parts: Sequence[ExamPart], seed: int) -> Iterator[Question]:
    """Make the questions of an exam.

    Args:
        parts: what it consists of.
        seed: a secret number; the same one gives the same questions.

    Yields:
        The questions, each with one right answer or a way to check it.

    Raises:
        ConfigError: if there is no such kind, or no position for it is found.
    """
    for row, part in enumerate(parts):
        for index in range(part.number):
            drawn = derived(seed, "exam", row, index) % MOST_SEEDS
            yield make_question(part.kind, part.difficulty, drawn, game=part.game)


def exam_sheets(title: str, questions: Sequence[Question]) -> tuple[str, str]:
    """Write an exam as Markdown.

    Args:
        title: its heading.
        questions: its questions.

    Returns:
        What students get, and the same with the answers.
    """
    sheets = []
    for is_answered in (False, True):
        lines = [f"# {title}{': answers' if is_answered else ''}", ""]
        for number, question in enumerate(questions, 1):
            lines += [f"## {number}", "", "```text", question.prompt.user.strip(), "```", ""]
            if is_answered:
                lines += [f"**Answer:** `{question.answer}`", ""]
        sheets.append("\n".join(lines))
    return sheets[0], sheets[1]


def write_term(folder: str | os.PathLike[str], seed: int | None = None) -> list[Path]:
    """Write the material of a term into a folder.

    Args:
        folder: the folder, which is created if necessary, and must be empty.
        seed: the seed of the assignments and exams; None draws one from the system.

    Returns:
        The paths of the files written.

    Raises:
        FileError: if the folder is not empty, or cannot be written.
        MissingExtraError: without the extra ``[arena]``.
    """
    target, secret = checked_path(folder), checked_secret(seed)
    with failing_as(folder, "written"):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise FileError(folder, "it already exists: choose a new folder")
    written: list[Path] = []
    points = 0.0
    for name in ASSIGNMENTS:
        spec = game_spec(_DRAWS if name == "chance" else default_game())
        config = spec.config_from_text({})
        own = derived(secret, "assignment", name)
        written += write_assignment(target / name, spec, config, assignment=name, seed=own)
        points += read_assignment(target / name / STAFF / SPEC).points
    texts = {}
    for week in WEEKS:
        asked = [*exam_questions(week.exam, derived(secret, "week", week.number))]
        sheet, answers = exam_sheets(f"Week {week.number}: {week.topic}", asked)
        texts[f"{_EXAMS}/week-{week.number:02}.md"] = sheet
        texts[f"{_EXAMS}/week-{week.number:02}-answers.md"] = answers
    environment = templates(
        "tkm_env.course", "templates", keep_trailing_newline=True, autoescape=False, finalize=None
    )
    texts["TERM.md"] = environment.get_template("term/TERM.md.jinja").render(
        weeks=WEEKS, points=points, chance_title=game_spec(_DRAWS).title
    )
    for name, text in texts.items():
        path = target / name
        with failing_as(path, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text.encode("utf-8"))
        written.append(path)
    return written
