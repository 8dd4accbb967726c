"""Grading a class, several submissions at a time, so that it can be stopped and resumed."""

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

from tkm_env.arena.playing.process_pool import ProcessPool
from tkm_env.arena.playing.retries import Retries, machine_fault, retried
from tkm_env.course.assignment import Assignment
from tkm_env.course.grading.class_list import ClassList
from tkm_env.course.grading.feedback import FEEDBACK, class_page, write_feedback
from tkm_env.course.grading.grading import grade_submission
from tkm_env.course.grading.handed_in import handed_in
from tkm_env.course.grading.pseudonyms import pseudonym, pseudonyms
from tkm_env.course.questions.marks import GRADE, Grade
from tkm_env.course.submission import digest_of
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, FileError, TKMError, extra, repr_of
from tkm_env.foundations.files import checked_path, failing_as, write_file, write_json
from tkm_env.foundations.line_file import LineFile
from tkm_env.foundations.untrusted_text import csv_of, file_name
from tkm_env.isolation.program import check_isolation

#: The files in the folder of results: a line for each submission, and the tables.
_LINES, _CSV, _HTML = "grades.jsonl", "grades.csv", "class.html"
#: The folder in it with a folder for each submission, separate so that no submission's name clashes
#: with the other files; and the folder of what was unpacked.
_PAGES, _UNPACKED = "feedback", "handed-in"
#: The folder of the class's league.
_LADDER: Final = "ladder"
#: The page that ``compare50`` writes, if it is run as the guide says.
_ALIKE: Final = "alike/index.html"
_NOTHING: Final = "nothing was handed in"
_GRADE: Final = "grade.json"


class ClassGrading:
    """Grades all submissions of a class.

    Each result is saved at once, as a line of a file, so that grading can resume after any
    interruption. A submission that has changed since, or could not be graded, is graded again; if
    the assignment has changed, all of them are.

    Args:
        submissions: a folder, or an archive of one, as learning platforms export them.
        assignment: what is graded, and how.
        out: the folder for the results, which is created if necessary.
        processes: the number of submissions to grade at a time, from 1 to 1024.
        roster: a CSV table of the students in the class; None for none.

    Attributes:
        names: the names of the submissions that can be graded.
        done: the results so far, by name: each has ``"grade"``, as `Grade.as_json` returns it, or
            else ``"error"``.

    Raises:
        ConfigError: if there are no submissions, results would replace them, or this system cannot
            run them as the assignment says.
        FileError: if something cannot be read or written.
    """

    def __init__(
        self,
        submissions: str | os.PathLike[str],
        assignment: Assignment,
        out: str | os.PathLike[str],
        processes: int = 1,
        roster: str | os.PathLike[str] | None = None,
    ) -> None:
        self._roster = None if roster is None else ClassList(roster)
        check_isolation(assignment.conditions.limits)
        self._assignment = assignment
        self._processes = checked_integer("processes", processes, 1, 1024)
        self._out = checked_path(out)
        folder, results = (
            Path(os.path.realpath(path)) for path in (checked_path(submissions), self._out)
        )
        if folder == results or folder.is_relative_to(
            results / _UNPACKED
        ):  # what was unpacked there before is removed
            raise ConfigError(
                "out",
                os.fspath(out),
                "it must be a folder for results alone, but it would contain the submissions",
            )
        with failing_as(out, "written"):
            self._out.mkdir(parents=True, exist_ok=True)
        found = handed_in(submissions, self._out / _UNPACKED)
        if not found:
            raise ConfigError(
                "submissions", os.fspath(submissions), "it must be a folder that holds submissions"
            )
        self._paths = {name: entry.path for name, entry in found.items() if entry.path is not None}
        self._problems = {
            name: entry.problem for name, entry in found.items() if entry.path is None
        }
        self._matched = (
            self._roster.match({name: (*entry.keys, name) for name, entry in found.items()})
            if self._roster
            else {}
        )
        self._digests = {name: _digest(path) for name, path in self._paths.items()}
        self.names = (*self._paths,)
        self.done: dict[str, dict[str, Any]] = {}
        self._is_stopping = False
        with LineFile(self._out / _LINES) as file:
            self._resume(file)

    def stop(self) -> None:
        """Let `run` finish the submissions in progress and begin no others.

        It may be called from a signal handler or any thread.
        """
        self._is_stopping = True

    def _resume(self, file: LineFile) -> None:
        """Take over the earlier results that are still valid."""
        content = file.read()
        start = content.rfind(b"\n") + 1
        if content[start:]:
            beside = file.cut(start)
            message = (
                f"{file.path}: its last line was incomplete; "
                f"it has been moved to the end of {beside}"
            )
            warnings.warn(message, RuntimeWarning, stacklevel=4)
        for number, line in enumerate(content[:start].splitlines(), 1):
            try:
                row = json.loads(line)
                name, marked = row["name"], (row["submission"], row["assignment"])
                is_graded = "grade" in row and bool({"score", "questions"} <= row["grade"].keys())
                holds = marked == (self._digests.get(name), self._assignment.digest)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                raise FileError(file.path, f"line {number} is not a grade") from None
            if holds and is_graded:
                self.done[name] = row

    def run(self) -> Iterator[str]:
        """Grade the remaining submissions.

        Yields:
            The name of each submission, as soon as its result is saved.

        Raises:
            FileError: if a result cannot be saved.
            MachineError: if the machine keeps failing to save one.
        """
        with LineFile(self._out / _LINES) as file:
            for name, result in self._grade_all(
                [name for name in self.names if name not in self.done]
            ):
                row = {
                    "name": name,
                    "submission": self._digests[name],
                    "assignment": self._assignment.digest,
                    **result,
                }
                retried(
                    partial(file.append_line, json.dumps(row).encode()),
                    f"saving the grade of {repr_of(name)}",
                )
                self.done[name] = row
                yield name

    def _grade_all(self, waiting: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name and result of each submission when it is ready.

        With ``processes`` 1, this process grades them one by one; otherwise a pool grades them in
        parallel.
        """
        jobs = {
            name: (self._paths[name], name, self._assignment, self._out / _PAGES / file_name(name))
            for name in waiting
        }
        if self._processes == 1:
            for name, job in jobs.items():
                if self._is_stopping:
                    return
                yield name, _grade(*job)
            return
        running, retries = 0, Retries()
        with closing(ProcessPool(self._processes, _grade)) as pool:
            while waiting or running:
                while waiting and running < self._processes and not self._is_stopping:
                    name = waiting.pop(0)
                    pool.submit(name, *jobs[name])
                    running += 1
                if not running:
                    return
                for name, outcome in pool.wait():
                    if isinstance(outcome, Exception):  # its process was killed
                        try:
                            retries.pause(f"grading {repr_of(name)}", outcome)
                        except TKMError as error:
                            outcome = _without_grade(error)
                        else:
                            pool.submit(name, *jobs[name])
                            continue
                    running -= 1
                    yield name, outcome

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the tables and of the page of the class.

        There is a row for each submission that was graded or could not be; in the latter case it
        has no points, not even 0. With a roster, rows name the students, and rows for students who
        handed in nothing follow.
        """
        students = {name: number for number, name in self._matched.items()}
        credit, called_of = self._credit(), pseudonyms(self._paths, self._assignment.seed)
        found: list[dict[str, Any]] = []
        for name in (*(name for name in self.names if name in self.done), *self._problems):
            done = self.done.get(name) or {"error": self._problems[name]}
            grade = done.get("grade") or {"score": None, "questions": []}
            called = called_of.get(name) or pseudonym(name, self._assignment.seed)
            found.append(
                {
                    "name": name,
                    "student": self._roster.names[students[name]]
                    if self._roster and name in students
                    else "",
                    "page": f"{_PAGES}/{file_name(name)}/{FEEDBACK}" if "grade" in done else None,
                    "pseudonym": called,
                    "score": grade["score"],
                    "extra": credit.get(called, 0.0),
                    "marks": grade["questions"],
                    "error": done.get("error"),
                }
            )
        for number, student in enumerate(self._roster.names if self._roster else ()):
            if number not in self._matched:
                row: dict[str, Any] = {
                    "name": "",
                    "student": student,
                    "page": None,
                    "pseudonym": "",
                    "score": None,
                }
                found.append(row | {"extra": 0.0, "marks": [], "error": _NOTHING})
        return found

    def write_tables(self) -> list[Path]:
        """Write the tables: for spreadsheets, for people and for the roster's platform.

        Returns:
            The files.
        """
        points_of = {question.id: question.points for question in self._assignment.questions}
        ids = [*points_of]
        rows = self.rows()
        table: list[list[Any]] = [
            ["submission", "student", "pseudonym", "points", "extra", "of", *ids, "faults", "error"]
        ]
        for row in rows:
            faults = "; ".join(
                f"{name}: {mark['fault']}"
                for name, mark in zip(ids, row["marks"], strict=False)
                if mark["fault"]
            )
            scores = [mark["score"] for mark in row["marks"]] or [None] * len(ids)
            head = (
                row["name"],
                row["student"],
                row["pseudonym"],
                row["score"],
                row["extra"],
                self._assignment.points,
            )
            table.append([*head, *scores, faults, row["error"] or ""])
        alike = _ALIKE if (self._out / _ALIKE).exists() else None
        files = {
            _CSV: csv_of(table),
            _HTML: class_page(self._assignment.title, points_of, rows, alike),
        }
        if self._roster is not None:
            points = {
                row["name"]: None if row["score"] is None else row["score"] + row["extra"]
                for row in rows
            }
            gained = [
                points.get(self._matched.get(number, ""))
                for number in range(len(self._roster.names))
            ]
            name, content = self._roster.table(
                self._assignment.title, gained, self._assignment.points
            )
            files[name] = content
        for name, content in files.items():
            write_file(self._out / name, content.encode())
        return [self._out / name for name in files]

    def enter_ladder(self) -> Path:
        """Enter all submissions in the class ladder, a league, and return its folder.

        Raises:
            FileError: if something cannot be written.
            MissingExtraError: without the extra ``[league]``.
        """
        with extra("league"):
            from tkm_env.course.grading.ladder import enter_ladder
        enter_ladder(self._out / _LADDER, self._assignment, self._paths)
        return self._out / _LADDER

    def _credit(self) -> dict[str, float]:
        if not self._assignment.credit or not (self._out / _LADDER).exists():
            return {}
        with extra("league"):
            from tkm_env.course.grading.ladder import extra_credit
        return extra_credit(self._out / _LADDER, self._assignment)


def _grade(path: Path, name: str, assignment: Assignment, out: Path) -> dict[str, Any]:
    """Grade a submission, in any process, and write the grade after each question."""
    grade: Grade | None = None
    try:
        with failing_as(out, "written"):
            out.mkdir(parents=True, exist_ok=True)
        for grade in grade_submission(path, assignment, name):
            write_json(out / _GRADE, GRADE, grade.as_json())
        assert grade is not None
        write_feedback(out, grade, assignment.spec, assignment.config)
    except Exception as error:  # one submission must not cost the others their grades
        return _without_grade(error)
    return {"grade": grade.as_json()}


def _without_grade(error: Exception) -> dict[str, Any]:
    """The result of a submission that cannot be graded."""
    if machine_fault(error) is not None:
        return {"error": f"not graded, because the machine failed: {error}"}
    return {
        "error": str(error) if isinstance(error, TKMError) else f"{type(error).__name__}: {error}"
    }


def _digest(path: Path) -> str | None:
    """Return a submission's digest; None if it cannot be read, which grading reports later."""
    try:
        return digest_of(path)
    except FileError:
        return None
