"""Grading one submission, question by question."""

import dataclasses
import os
from collections.abc import Iterator
from contextlib import ExitStack

from tkm_env.arena.playing.retries import retried
from tkm_env.course.assignment import Assignment
from tkm_env.course.grading.pseudonyms import pseudonym
from tkm_env.course.questions.marks import Grade
from tkm_env.course.questions.question import QuestionError
from tkm_env.course.submission import copy_submission
from tkm_env.foundations.errors import repr_of
from tkm_env.isolation.program import check_isolation


def grade_submission(
    path: str | os.PathLike[str],
    assignment: Assignment,
    name: str | None = None,
    failed: list[QuestionError] | None = None,
) -> Iterator[Grade]:
    """Grade one submission.

    Args:
        path: the submission, a folder or a single file.
        assignment: what is graded, and how.
        name: the name of the submission; None for the name of the folder or file.
        failed: a list to which the errors of questions that fail themselves are appended; the grade
            has no marks for them. None to raise such an error.

    Yields:
        The grade so far: first without any marks, then after each question.

    Raises:
        FileError: if the submission cannot be read.
        QuestionError: if a question itself fails, such as for too few positions.
        MachineError: if the machine keeps failing.
        ConfigError: if this system cannot run submissions as the assignment says.
    """
    check_isolation(assignment.conditions.limits)
    with ExitStack() as stack:
        submission = retried(
            lambda: stack.enter_context(copy_submission(path, name, assignment.conditions.limits)),
            f"copying the submission {repr_of(os.fspath(path))}",
        )
        grade = Grade(
            assignment.title,
            assignment.spec.name,
            submission.name,
            pseudonym(submission.name, assignment.seed),
            (),
            len(assignment.questions),
            assignment.points,
        )
        yield grade
        for question in assignment.questions:
            try:
                mark = question.mark(submission, assignment)
            except QuestionError as error:
                if failed is None:
                    raise
                failed.append(error)
            else:
                grade = dataclasses.replace(grade, marks=(*grade.marks, mark))
                yield grade
