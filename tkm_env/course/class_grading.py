"""Grading a class: several submissions at a time, in a way that survives being stopped, with tables of the results."""

from __future__ import annotations

import json
import os
import shlex
import warnings
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

from tkm_env.agents.specs import make_agent
from tkm_env.arena.process_pool import ProcessPool
from tkm_env.arena.retries import Retries, machine_fault, retried
from tkm_env.checks import checked_integer
from tkm_env.course.assignment import Assignment
from tkm_env.course.feedback import FEEDBACK, class_page, write_feedback
from tkm_env.course.grading import grade_submission
from tkm_env.course.marks import GRADE, Grade
from tkm_env.course.match_question import MatchQuestion
from tkm_env.course.pseudonyms import pseudonym
from tkm_env.course.submission import AGENT, PROGRAM, digest_of, name_of, submitted_path
from tkm_env.errors import ConfigError, FileError, TKMError, repr_of
from tkm_env.files import checked_path, failing_as, write_file, write_json
from tkm_env.game.settings import changed_settings
from tkm_env.isolation.program import check_isolation
from tkm_env.line_file import LineFile
from tkm_env.seeds import derived
from tkm_env.untrusted_text import csv_of, file_name, toml_of

#: The files in the folder of results: a line for each submission, the tables, and the class ladder.
_LINES, _CSV, _HTML, _LADDER = "grades.jsonl", "grades.csv", "class.html", "ladder.toml"
#: The folder in it that holds one for each submission, so that none of these names can be a submission's.
_PAGES: Final = "feedback"
_GRADE: Final = "grade.json"


def submissions_in(folder: str | os.PathLike[str]) -> dict[str, Path]:
    """The submissions in a folder by name: folders, Python files and programs whose names do not begin with a dot or underscore."""
    place = checked_path(folder)
    with failing_as(folder, "read"):
        paths = sorted(path for path in place.iterdir() if not path.name.startswith((".", "_")) and not path.is_symlink())
    found: dict[str, Path] = {}
    for path in paths:
        if path.is_dir() or path.suffix == ".py" or os.access(path, os.X_OK):
            if name_of(path) in found:
                raise FileError(path, f"{found[name_of(path)].name} has the same name")
            found[name_of(path)] = path
    return found


class ClassGrading:
    """Grades all submissions in a folder.

    Each result is a line in a file that survives whatever stops the grading. A submission that has changed since, or could not be graded,
    is graded again; if the assignment has changed, all of them are. The folder for the results, ``out``, is created if necessary; 1 to
    1024 processes grade.

    Attributes:
        done: the results so far, by name: ``"grade"``, as `Grade.as_json` returns it, or else ``"error"``.

    Raises:
        ConfigError: if there are no submissions, or this system cannot run them as the assignment says.
        FileError: if something cannot be read or written.
    """

    def __init__(
        self, submissions: str | os.PathLike[str], assignment: Assignment, out: str | os.PathLike[str], processes: int = 1
    ) -> None:
        self._paths = submissions_in(submissions)
        if not self._paths:
            raise ConfigError("submissions", os.fspath(submissions), "it must be a folder that holds submissions")
        check_isolation(assignment.conditions.limits)
        self._assignment = assignment
        self._processes = checked_integer("processes", processes, 1, 1024)
        self._out = checked_path(out)
        with failing_as(out, "written"):
            self._out.mkdir(parents=True, exist_ok=True)
        self._digests = {name: _digest(path) for name, path in self._paths.items()}
        self.names = (*self._paths,)
        self.done: dict[str, dict[str, Any]] = {}
        self._is_stopping = False
        with LineFile(self._out / _LINES) as file:
            self._resume(file)

    def stop(self) -> None:
        """Let `run` finish the submissions that are being graded and begin no others; may be called from a signal handler or any thread."""
        self._is_stopping = True

    def _resume(self, file: LineFile) -> None:
        """Take over the earlier results that still hold."""
        content = file.read()
        start = content.rfind(b"\n") + 1
        if content[start:]:
            beside = file.cut(start)
            message = f"{file.path}: its last line was unfinished; it has been moved to the end of {beside}"
            warnings.warn(message, RuntimeWarning, stacklevel=4)
        for number, line in enumerate(content[:start].splitlines(), 1):
            try:
                row = json.loads(line)
                name, marked = row["name"], (row["submission"], row["assignment"])
            except (ValueError, KeyError, TypeError):
                raise FileError(file.path, f"line {number} is not a grade") from None
            if marked == (self._digests.get(name), self._assignment.digest) and "grade" in row:
                self.done[name] = row

    def run(self) -> Iterator[str]:
        """Grade the remaining submissions, and yield their names, each as soon as its grade is saved.

        Raises:
            FileError: if one cannot be saved; those before it have been.
            MachineError: likewise, if the machine fails again and again at saving it.
        """
        with LineFile(self._out / _LINES) as file:
            for name, result in self._grade_all([name for name in self.names if name not in self.done]):
                row = {"name": name, "submission": self._digests[name], "assignment": self._assignment.digest, **result}
                retried(partial(file.append_line, json.dumps(row).encode()), f"saving the grade of {repr_of(name)}")
                self.done[name] = row
                yield name

    def _grade_all(self, waiting: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The results of these submissions as they are ready: graded in this process one by one, or several at a time in others."""
        jobs = {name: (self._paths[name], name, self._assignment, self._out / _PAGES / file_name(name)) for name in waiting}
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
        """A row of the tables for each graded submission, by name; one that could not be graded has no points, not even 0."""
        found = []
        for name in (name for name in self.names if name in self.done):
            grade = self.done[name].get("grade") or {"score": None, "questions": []}
            found.append(
                {
                    "name": name,
                    "page": f"{_PAGES}/{file_name(name)}/{FEEDBACK}",
                    "pseudonym": pseudonym(name, self._assignment.seed),
                    "score": grade["score"],
                    "marks": grade["questions"],
                    "error": self.done[name].get("error"),
                }
            )
        return found

    def write_tables(self) -> list[Path]:
        """Write the tables, for spreadsheets and for people, and the class ladder, a tournament; returns their paths."""
        ids = [question.id for question in self._assignment.questions]
        rows = self.rows()
        table: list[list[Any]] = [["submission", "pseudonym", "points", "of", *ids, "faults", "error"]]
        for row in rows:
            faults = "; ".join(f"{name}: {mark['fault']}" for name, mark in zip(ids, row["marks"], strict=False) if mark["fault"])
            scores = [mark["score"] for mark in row["marks"]] or [None] * len(ids)
            head = row["name"], row["pseudonym"], row["score"], self._assignment.points
            table.append([*head, *scores, faults, row["error"] or ""])
        files = {_CSV: csv_of(table), _HTML: class_page(self._assignment.title, ids, rows), _LADDER: self._ladder()}
        for name, content in files.items():
            write_file(self._out / name, content.encode())
        return [self._out / name for name in files]

    def _ladder(self) -> str:
        """The class ladder: a tournament of all submissions, under pseudonyms, and the package's players."""
        assignment, limits = self._assignment, self._assignment.conditions.limits
        isolation = "sandbox" if limits.container else limits.isolation
        tables: list[tuple[str, dict[str, Any]]] = [
            ("", {"pairs": 4, "seed": derived(assignment.seed, "ladder")}),
            ("[conditions]", {"isolation": isolation, "turn_seconds": assignment.conditions.turn_seconds or 10}),
            ("[[settings]]", {"game": assignment.spec.name, **changed_settings(assignment.config)}),
            *(("[[players]]", {"player": anchor}) for anchor in assignment.anchors),
        ]
        for name, path in self._paths.items():
            found = submitted_path(path)
            line = self._player_line(found)
            if line is not None:
                readable = {} if found.is_file() else {"readable": [os.path.relpath(found, self._out)]}
                tables.append(("[[players]]", {"name": pseudonym(name, assignment.seed), "player": line, **readable}))
        lines = [
            "# The class ladder: no mark depends on it. To play: tkm tournament ladder.toml; to see it: tkm report ladder.jsonl."
        ]
        for head, table in tables:
            lines += ["", head] if head else []
            lines += [f"{key} = {toml_of(value)}" for key, value in table.items()]
        return "\n".join(lines) + "\n"

    def _player_line(self, found: Path) -> str | None:
        """The player of a submission on the ladder; None if it has none, or is where the ladder's file cannot say."""
        try:
            os.path.abspath(found).encode()
        except UnicodeEncodeError:  # TOML holds no such name
            return None
        matches = [question for question in self._assignment.questions if isinstance(question, MatchQuestion)]
        if matches and matches[-1].player != "Bot":
            prefix, name = matches[-1].trained
            line = f"{prefix}{(found / name).absolute()}"
            try:
                make_agent(line, "player", self._assignment.spec.name, config=self._assignment.config)
            except TKMError:  # a single bad file would make the whole tournament invalid
                return None
            return line
        agent = next((file for file in (found / AGENT, found) if file.is_file() and file.suffix == ".py"), None)
        if agent is not None:
            file = os.path.relpath(agent, self._out)
            return None if ":" in file else f"{file}:Bot"
        program = next((file for file in (found / PROGRAM, found) if file.is_file() and os.access(file, os.X_OK)), None)
        return None if program is None else f"cmd:{shlex.quote(os.path.relpath(program, self._out))}"


def _grade(path: Path, name: str, assignment: Assignment, out: Path) -> dict[str, Any]:
    """Grade a submission, in any process, writing the grade after each question; returns its grade, or why there is none."""
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
        return {"error": f"not graded, since the machine failed: {error}"}
    return {"error": str(error) if isinstance(error, TKMError) else f"{type(error).__name__}: {error}"}


def _digest(path: Path) -> str | None:
    """A submission's digest; None if it cannot be read, which will be reported when it is graded."""
    try:
        return digest_of(path)
    except FileError:
        return None
