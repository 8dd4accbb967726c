"""Grading one submission, question by question."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator

from tkm_env.course.assignment import Assignment
from tkm_env.course.marks import Grade
from tkm_env.course.pseudonyms import pseudonym
from tkm_env.course.questions import Examination
from tkm_env.course.submission import copied


def grades(path: str | os.PathLike[str], assignment: Assignment, name: str | None = None) -> Iterator[Grade]:
    """The grade of a submission after each question; before the first one, without any marks.

    Args:
        path: the submission: a folder, or a Python file.
        assignment: by which it is graded.
        name: whose it is; None for the name of the folder or file.

    Raises:
        FileError: if the submission cannot be read.
        ConfigError: if this system cannot run submissions as the assignment says, or the settings leave too few positions to draw.
    """
    assignment.conditions.limits.check_system()
    with copied(path, name) as submission:
        to = Examination(submission, assignment.spec, assignment.config, assignment.seed, assignment.conditions, assignment.refused)
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
            grade = dataclasses.replace(grade, marks=(*grade.marks, question.mark(to)))
            yield grade
