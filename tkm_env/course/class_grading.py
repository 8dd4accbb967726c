"""Grading a class: several submissions at a time, in a way that survives being stopped, with tables of the results."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import warnings
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Any, Final

from tkm_env.agents.specs import make_agent
from tkm_env.arena.workers import process_pool
from tkm_env.checks import checked_integer
from tkm_env.course.assignment import Assignment
from tkm_env.course.feedback import class_page, write_feedback
from tkm_env.course.grading import grade_submission
from tkm_env.course.marks import GRADE, Grade
from tkm_env.course.match_question import MatchQuestion
from tkm_env.course.pseudonyms import pseudonym
from tkm_env.course.submission import AGENT, PROGRAM, digest_of, name_of, submitted_path
from tkm_env.errors import ConfigError, FileError, TKMError
from tkm_env.files import checked_path, failing_as, write_file, write_json
from tkm_env.game.settings import changed_settings
from tkm_env.line_file import LineFile
from tkm_env.seeds import derived

#: The files in the folder of results: a line for each submission, the tables, and the class ladder.
_LINES, _CSV, _HTML, _LADDER = "grades.jsonl", "grades.csv", "class.html", "ladder.toml"
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

    Each result is a line in a file that survives whatever stops the grading. A submission that has changed since is graded again; if the
    assignment has changed, all of them are. The folder for the results, ``out``, is created if necessary; 1 to 1024 processes grade.

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
        assignment.conditions.limits.check_system()
        self._assignment = assignment
        self._processes = checked_integer("processes", processes, 1, 1024)
        self._out = checked_path(out)
        with failing_as(out, "written"):
            self._out.mkdir(parents=True, exist_ok=True)
        self._digests = {name: digest_of(path) for name, path in self._paths.items()}
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
        """Grade the remaining submissions, and yield their names, each as soon as its grade is saved."""
        with LineFile(self._out / _LINES) as file:
            for name, result in self._grade_all([name for name in self.names if name not in self.done]):
                row = {"name": name, "submission": self._digests[name], "assignment": self._assignment.digest, **result}
                file.append_line(json.dumps(row).encode())
                self.done[name] = row
                yield name

    def _grade_all(self, waiting: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The results of these submissions as they are ready: graded in this process one by one, or several at a time in others."""
        jobs = {name: (self._paths[name], name, self._assignment, self._out / name) for name in waiting}
        if self._processes == 1:
            for name, job in jobs.items():
                if self._is_stopping:
                    return
                yield name, _grade(*job)
            return
        pool = process_pool(self._processes)
        running: dict[Future[dict[str, Any]], str] = {}
        try:
            while waiting or running:
                while waiting and len(running) < self._processes and not self._is_stopping:
                    name = waiting.pop(0)
                    running[pool.submit(_grade, *jobs[name])] = name
                if not running:
                    return
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield running.pop(future), future.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def rows(self) -> list[dict[str, Any]]:
        """A row of the tables for each graded submission, by name."""
        found = []
        for name in (name for name in self.names if name in self.done):
            grade = self.done[name].get("grade") or {"score": 0.0, "questions": []}
            found.append(
                {
                    "name": name,
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
        text = io.StringIO(newline="")
        table = csv.writer(text)
        table.writerow(["submission", "pseudonym", "points", "of", *ids, "faults", "error"])
        for row in rows:
            faults = "; ".join(f"{name}: {mark['fault']}" for name, mark in zip(ids, row["marks"], strict=False) if mark["fault"])
            scores = [mark["score"] for mark in row["marks"]] or [0.0] * len(ids)
            head = row["name"], row["pseudonym"], row["score"], self._assignment.points
            table.writerow([*head, *scores, faults, row["error"] or ""])
        files = {_CSV: text.getvalue(), _HTML: class_page(self._assignment.title, ids, rows), _LADDER: self._ladder()}
        for name, content in files.items():
            write_file(self._out / name, content.encode("utf-8", "backslashreplace"))
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
            # JSON writes texts, numbers and lists of them as TOML does.
            lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
        return "\n".join(lines) + "\n"

    def _player_line(self, found: Path) -> str | None:
        """The player of a submission on the ladder; None if it has none."""
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
            return f"{os.path.relpath(agent, self._out)}:Bot"
        program = next((file for file in (found / PROGRAM, found) if file.is_file() and os.access(file, os.X_OK)), None)
        return None if program is None else f"cmd:{shlex.quote(os.path.relpath(program, self._out))}"


def _grade(path: Path, name: str, assignment: Assignment, out: Path) -> dict[str, Any]:
    """Grade a submission, in any process, writing the grade after each question; returns its grade, or why there is none."""
    grade: Grade | None = None
    try:
        with failing_as(out, "written"):
            out.mkdir(exist_ok=True)
        for grade in grade_submission(path, assignment, name):
            write_json(out / _GRADE, GRADE, grade.as_json())
        assert grade is not None
        write_feedback(out, grade, assignment.spec, assignment.config)
    except Exception as error:  # one submission must not cost the others their grades
        return {"error": str(error) if isinstance(error, TKMError) else f"{type(error).__name__}: {error}"}
    return {"grade": grade.as_json()}
