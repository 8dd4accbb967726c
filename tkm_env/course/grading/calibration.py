"""Checks that an assignment measures what it should: the solution passes, guessing fails."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tkm_env.course.assignment import read_assignment
from tkm_env.course.grading.grading import grade_submission
from tkm_env.course.questions.marks import Grade
from tkm_env.course.questions.match_question import MatchQuestion
from tkm_env.course.submission import AGENT, STUDENT
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.seeds import checked_secret

#: The margin by which the solution's share of a match's points must exceed the last tier. It is at
#: most a third of the distance from that tier to all points.
_MARGIN: Final = 0.04
#: The largest share of all points that the unedited file may get.
_UNTOUCHED: Final = 0.2
#: A bot that always plays the first legal action.
_FIRST_LEGAL: Final = (
    "class Bot:\n    def act(self, game):\n        return game.legal_actions()[0]\n"
)
#: The most seeds to draw.
_DRAWS: Final = 5


def calibrated_seed(
    write: Callable[[Path, int], object],
    seed: int | None = None,
    on_question: Callable[[str], object] = lambda words: None,
) -> int:
    """Find a seed with which an assignment has no `flaws`.

    Args:
        write: writes the assignment of a seed to a new folder.
        seed: the seed to try; None to try up to five seeds drawn from the system.
        on_question: called after each question, with a description of the points so far.

    Returns:
        The seed.

    Raises:
        ConfigError: naming the flaws of the last seed.
    """
    for _ in range(_DRAWS if seed is None else 1):
        drawn = checked_secret(seed)
        with TemporaryDirectory() as place:
            folder = Path(place) / "assignment"
            write(folder, drawn)
            found = flaws(folder, on_question)
        if not found:
            return drawn
    raise ConfigError("seed", drawn, f"marks would mean little: {'; '.join(found)}")


def flaws(folder: Path, on_question: Callable[[str], object] = lambda words: None) -> list[str]:
    """Find out what is wrong with the marks of an assignment.

    The staff's solution must get all points, in matches with a margin. The untouched file must get
    at most a fifth of them, and a bot that always plays the first legal action must get none in any
    match. All three run in separate processes, without a sandbox.

    Args:
        folder: the folder of the assignment.
        on_question: called after each question, with a description of the points so far.

    Returns:
        The flaws, one sentence each; empty if the assignment measures what it should.
    """
    assignment = read_assignment(folder / "staff" / "grading.toml").with_isolation("process")

    def graded(path: Path, who: str, *, matches_only: bool = False) -> Grade:
        asked = tuple(
            question
            for question in assignment.questions
            if not matches_only or isinstance(question, MatchQuestion)
        )
        grade = None
        for grade in grade_submission(path, dataclasses.replace(assignment, questions=asked)):
            on_question(f"{who}: {grade.score:g} points so far")
        assert grade is not None
        return grade

    found = []
    solution = graded(folder / "staff" / "solution", "the solution")
    for question, mark in zip(assignment.questions, solution.marks, strict=True):
        needed = question.thresholds[-1][0] if question.thresholds else 1.0
        margin = min(_MARGIN, (1 - needed) / 3) if isinstance(question, MatchQuestion) else 0
        if mark.score < mark.points or mark.share < needed + margin:
            found.append(
                f"{question.id}: the solution gets {mark.score:g} of {mark.points:g} points; "
                f"{mark.words}"
            )
    with TemporaryDirectory() as place:
        (Path(place) / AGENT).write_text(_FIRST_LEGAL, "utf-8")
        first = graded(Path(place), "the first legal action", matches_only=True)
    found += [
        f"{mark.question}: always playing the first legal action gets {mark.score:g} points"
        for mark in first.marks
        if mark.score
    ]
    untouched = graded(folder / STUDENT, "the untouched file")
    if untouched.score > _UNTOUCHED * assignment.points:
        found.append(f"the untouched file gets {untouched.score:g} of {assignment.points:g} points")
    return found
