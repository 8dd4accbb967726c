"""Appeals: a submission is asked everything again, and all that is said is written down."""

from pathlib import Path
from typing import Final, NamedTuple

from tkm_env.course.assignment import Assignment
from tkm_env.course.grading.feedback import write_feedback
from tkm_env.course.grading.pseudonyms import pseudonym
from tkm_env.course.questions.marks import GRADE, Grade, Mark
from tkm_env.course.submission import copy_submission
from tkm_env.foundations.files import failing_as, write_file, write_json
from tkm_env.foundations.untrusted_text import visible

#: More mistakes than any question has.
_ALL: Final = 1_000_000
#: What a program asks about a game tree, and is told; there may be hundreds of thousands of these.
_LOOKS: Final = ("children", "value", "position")
LOG: Final = "log.txt"


class Appeal(NamedTuple):
    """The mark of a question, before and when it was asked again.

    Attributes:
        question: the question's id.
        before: the mark before; None if it had none.
        now: the mark now, with all mistakes.
    """

    question: str
    before: Mark | None
    now: Mark


def hear(
    path: Path, name: str, assignment: Assignment, marks: list[Mark | None], out: Path
) -> list[Appeal]:
    """Ask a submission all questions again, and write down what is asked and answered.

    Args:
        path: the submission.
        name: its name.
        assignment: what is graded, and how.
        marks: its marks so far, in the order of the questions; they do not change.
        out: the folder for the log, the grade, and a page with all mistakes, also of questions that
            students cannot see.

    Returns:
        The marks of each question.

    Raises:
        FileError: if the submission cannot be read, or something cannot be written.
        MachineError: if the machine keeps failing.
    """
    with failing_as(out, "written"):
        out.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    appeals = []
    with copy_submission(path, name, assignment.conditions.limits) as submission:
        submission.transcript = lines.append
        for question, before in zip(assignment.questions, marks, strict=True):
            lines.append(f"# {question.id}: {question.title}")
            now = question.mark(submission, assignment, most_findings=_ALL)
            lines.append(f"# {question.id}: {now.score:g} of {now.points:g} points; {now.words}")
            appeals.append(Appeal(question.id, before, now))
    grade = Grade(
        assignment.title,
        assignment.spec.name,
        name,
        pseudonym(name, assignment.seed),
        tuple(appeal.now for appeal in appeals),
        len(assignment.questions),
        assignment.points,
    )
    log = "".join(f"{visible(line)}\n" for line in _without_looks(lines))
    write_file(out / LOG, log.encode("utf-8", "backslashreplace"))
    write_json(out / "grade.json", GRADE, grade.as_json())
    write_feedback(out, grade, assignment.spec, assignment.config, everything=True)
    return appeals


def _without_looks(lines: list[str]) -> list[str]:
    """Replace lines about nodes of game trees by their number."""
    kept: list[str] = []
    looks = 0
    for line in [*lines, ""]:
        if line[2:].partition(" ")[0] in _LOOKS:
            looks += line.startswith("<")
            continue
        if looks:
            kept.append(f"  ({looks} looks at the game tree)")
        looks = 0
        kept.append(line)
    return kept[:-1]
