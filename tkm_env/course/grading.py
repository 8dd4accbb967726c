"""Grading one submission, question by question."""

import dataclasses
import itertools
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack

from tkm_env.arena.retries import retried
from tkm_env.course.assignment import Assignment
from tkm_env.course.marks import Grade
from tkm_env.course.question import TEXTS
from tkm_env.course.submission import copy_submission
from tkm_env.foundations.errors import repr_of
from tkm_env.foundations.seeds import derived
from tkm_env.isolation.program import check_isolation


def pseudonym(name: str, seed: int) -> str:
    """A colour, an animal and a number, determined by the submission's name and the assignment's seed, which students do not know."""
    digest = derived(seed, "pseudonym", name).to_bytes(16, "big")
    colours, animals = TEXTS["pseudonyms"].values()
    number = int.from_bytes(digest[2:4], "big") % 1000
    return f"{colours[digest[0] % len(colours)]} {animals[digest[1] % len(animals)]} {number}"


def pseudonyms(names: Iterable[str], seed: int) -> dict[str, str]:
    """The pseudonyms of a class by name: where two would have the same, the later one has a number behind it."""
    found: dict[str, str] = {}
    for name in sorted(names):
        called = drawn = pseudonym(name, seed)
        for number in itertools.count(2):
            if called not in found.values():
                break
            called = f"{drawn} {number}"
        found[name] = called
    return found


def grade_submission(
    path: str | os.PathLike[str], assignment: Assignment, name: str | None = None
) -> Iterator[Grade]:
    """The grade of a submission, which is a folder or a single file, after each question, and first of all without any marks. Raises a
    `FileError` if the submission cannot be read, and a `MachineError` if the machine fails again and again, and a `ConfigError` if this
    system cannot run submissions as the assignment says, or too few positions can be sampled under its settings.
    """
    check_isolation(assignment.conditions.limits)
    with ExitStack() as stack:
        submission = retried(
            lambda: stack.enter_context(copy_submission(path, name)),
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
            grade = dataclasses.replace(
                grade, marks=(*grade.marks, question.mark(submission, assignment))
            )
            yield grade
