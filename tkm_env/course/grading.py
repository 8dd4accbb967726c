"""Grading one submission, question by question."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from contextlib import ExitStack

from tkm_env.arena.retries import retried
from tkm_env.course.assignment import Assignment
from tkm_env.course.marks import Grade
from tkm_env.course.pseudonyms import pseudonym
from tkm_env.course.submission import copy_submission
from tkm_env.errors import repr_of
from tkm_env.isolation.program import check_isolation


def grade_submission(path: str | os.PathLike[str], assignment: Assignment, name: str | None = None) -> Iterator[Grade]:
    """The grade of a submission, which is a folder or a single file, after each question, and first of all without any marks. Raises a
    `FileError` if the submission cannot be read, and a `MachineError` if the machine fails again and again, and a `ConfigError` if this
    system cannot run submissions as the assignment says, or too few positions can be sampled under its settings.
    """
    check_isolation(assignment.conditions.limits)
    with ExitStack() as stack:
        submission = retried(
            lambda: stack.enter_context(copy_submission(path, name)), f"copying the submission {repr_of(os.fspath(path))}"
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
            grade = dataclasses.replace(grade, marks=(*grade.marks, question.mark(submission, assignment)))
            yield grade
