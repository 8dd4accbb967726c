"""Grading a class: several submissions at a time, resumed after whatever stopped it, and tables of all."""

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
from tkm_env.course.feedback import FEEDBACK, overview, write_feedback
from tkm_env.course.grading import grades
from tkm_env.course.marks import GRADE, Grade
from tkm_env.course.pseudonyms import pseudonym
from tkm_env.course.questions import Matches
from tkm_env.course.submission import AGENT, PROGRAM, digest_of, handed_in, name_of
from tkm_env.errors import ConfigError, FileError, TKMError
from tkm_env.files import checked_path, failing_as, write_file, write_json
from tkm_env.game.settings import changed_settings
from tkm_env.line_file import LineFile

#: The files in the folder of results: a line for each submission; the tables; the class ladder.
_LINES, _CSV, _HTML, _LADDER = "grades.jsonl", "grades.csv", "class.html", "ladder.toml"
_GRADE: Final = "grade.json"


def submissions_in(folder: str | os.PathLike[str]) -> dict[str, Path]:
    """The submissions in a folder, by name: every folder in it, Python file and program; what begins with a dot or underscore is none.

    Raises:
        FileError: if the folder cannot be read, or two submissions have the same name.
    """
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
    """The grading of all submissions in a folder.

    Each finished one is a line in a file that survives whatever stops the grading. A submission that has changed since, and all of them
    once the assignment has, are graded again.

    Args:
        submissions: the folder.
        assignment: by which they are graded.
        out: the folder for the results; made if it is not there.
        processes: how many to grade at a time, 1 to 1024.

    Attributes:
        names: whose submissions there are.
        done: by name, what is known of those that are finished: ``"grade"``, as `Grade.as_json` has it, or else ``"error"``.

    Raises:
        ConfigError: if there are none, or this system cannot run them as the assignment says.
        FileError: if something cannot be read or written.
    """

    def __init__(
        self, submissions: str | os.PathLike[str], assignment: Assignment, out: str | os.PathLike[str], processes: int = 1
    ) -> None:
        self._paths = submissions_in(submissions)
        if not self._paths:
            raise ConfigError("submissions", os.fspath(submissions), "it must be a folder with submissions in it")
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
            self._read(file)

    def stop(self) -> None:
        """Have `run` finish the submissions that are being graded, and begin no others; from a signal's handler or any thread."""
        self._is_stopping = True

    def _read(self, file: LineFile) -> None:
        """Take over what was graded before and still holds."""
        content = file.read()
        start = content.rfind(b"\n") + 1
        if content[start:]:
            beside = file.cut(start)
            warnings.warn(
                f"{file.path}: its last line was unfinished; it has been moved to the end of {beside}", RuntimeWarning, stacklevel=4
            )
        for number, line in enumerate(content[:start].splitlines(), 1):
            try:
                row = json.loads(line)
                name, marked = row["name"], (row["submission"], row["assignment"])
            except (ValueError, KeyError, TypeError):
                raise FileError(file.path, f"line {number} is no grade") from None
            if marked == (self._digests.get(name), self._assignment.digest) and "grade" in row:
                self.done[name] = row

    def run(self) -> Iterator[str]:
        """Grade what is not graded yet, and yield the names, each once its grade is saved.

        Raises:
            FileError: if a grade cannot be saved; those before it have been.
        """
        with LineFile(self._out / _LINES) as file:
            for name, found in self._graded([name for name in self.names if name not in self.done]):
                row = {"name": name, "submission": self._digests[name], "assignment": self._assignment.digest, **found}
                file.append_line(json.dumps(row).encode())
                self.done[name] = row
                yield name

    def _graded(self, waiting: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The submissions of these names as they are graded: one after the other in this process, or several at a time in others."""
        if self._processes == 1:
            for name in waiting:
                if self._is_stopping:
                    return
                yield name, _graded(self._paths[name], name, self._assignment, self._out / name)
            return
        pool = process_pool(self._processes)
        running: dict[Future[dict[str, Any]], str] = {}
        try:
            while waiting or running:
                while waiting and len(running) < self._processes and not self._is_stopping:
                    name = waiting.pop(0)
                    running[pool.submit(_graded, self._paths[name], name, self._assignment, self._out / name)] = name
                if not running:
                    return
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield running.pop(future), future.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each submission that is finished, by name: what the tables show."""
        found = []
        for name in self.names:
            row = self.done.get(name)
            if row is None:
                continue
            grade = row.get("grade")
            marks = [{"score": mark["score"], "fault": mark["fault"]} for mark in grade["questions"]] if grade else []
            found.append(
                {
                    "name": name,
                    "pseudonym": pseudonym(name, self._assignment.seed),
                    "link": f"{name}/{FEEDBACK}",
                    "score": grade["score"] if grade else 0.0,
                    "points": self._assignment.points,
                    "marks": marks,
                    "error": row.get("error"),
                }
            )
        return found

    def write_tables(self) -> list[Path]:
        """Write the tables, for spreadsheets and for people, and the class ladder as a tournament; returns their paths.

        Raises:
            FileError: if one cannot be written.
        """
        ids = [question.id for question in self._assignment.questions]
        rows = self.rows()
        text = io.StringIO(newline="")
        table = csv.writer(text)
        table.writerow(["submission", "pseudonym", "points", "of", *ids, "faults", "error"])
        for row in rows:
            faults = "; ".join(f"{name}: {mark['fault']}" for name, mark in zip(ids, row["marks"], strict=False) if mark["fault"])
            scores = [mark["score"] for mark in row["marks"]] or [0.0] * len(ids)
            table.writerow([row["name"], row["pseudonym"], row["score"], row["points"], *scores, faults, row["error"] or ""])
        files = {_CSV: text.getvalue(), _HTML: overview(self._assignment.title, ids, rows), _LADDER: self._ladder()}
        for name, content in files.items():
            write_file(self._out / name, content.encode("utf-8", "backslashreplace"))
        return [self._out / name for name in files]

    def _ladder(self) -> str:
        """The class ladder: a tournament of all submissions, under pseudonyms, and the package's players."""
        assignment, limits = self._assignment, self._assignment.conditions.limits
        lines = [
            "# The class ladder, for honour: no mark depends on it. tkm tournament ladder.toml plays, tkm report ladder.jsonl shows it.",
            "pairs = 4",
            f"seed = {assignment.seed % 1000}",
            "",
            "[conditions]",
            f"isolation = {_toml(limits.isolation if not limits.container else 'sandbox')}",
            f"turn_seconds = {assignment.conditions.turn_seconds or 10}",
            "",
            "[[settings]]",
            f"game = {_toml(assignment.spec.name)}",
            *(f"{name} = {_toml(value)}" for name, value in changed_settings(assignment.config).items()),
        ]
        for anchor in assignment.anchors:
            lines += ["", "[[players]]", f"player = {_toml(anchor)}"]
        for name, path in self._paths.items():
            found = handed_in(path)
            line = self._player(found)
            if line is not None:
                readable = [] if found.is_file() else [f"readable = {_toml([os.path.relpath(found, self._out)])}"]
                lines += [
                    "",
                    "[[players]]",
                    f"name = {_toml(pseudonym(name, assignment.seed))}",
                    f"player = {_toml(line)}",
                    *readable,
                ]
        return "\n".join(lines) + "\n"

    def _player(self, found: Path) -> str | None:
        """Who plays for a submission on the ladder; None if nobody does."""
        matches = [question for question in self._assignment.questions if isinstance(question, Matches)]
        if matches and matches[-1].player != "Bot":
            start, name = matches[-1].trained
            line = f"{start}{(found / name).absolute()}"
            try:
                make_agent(line, "player", self._assignment.spec.name, config=self._assignment.config)
            except TKMError:  # one bad file would have the whole tournament refused
                return None
            return line
        agent = next((file for file in (found / AGENT, found) if file.is_file() and file.suffix == ".py"), None)
        if agent is not None:
            return f"{os.path.relpath(agent, self._out)}:Bot"
        program = next((file for file in (found / PROGRAM, found) if file.is_file() and os.access(file, os.X_OK)), None)
        return None if program is None else f"cmd:{shlex.quote(os.path.relpath(program, self._out))}"


def _toml(value: Any) -> str:
    """A text, a number, or a list of them, as TOML has them."""
    return json.dumps(value, ensure_ascii=False)


def _graded(path: Path, name: str, assignment: Assignment, out: Path) -> dict[str, Any]:
    """Grade a submission, in a process of its own, and write what is known after each question; its grade, or why there is none."""
    grade: Grade | None = None
    try:
        with failing_as(out, "written"):
            out.mkdir(exist_ok=True)
        for grade in grades(path, assignment, name):
            write_json(out / _GRADE, GRADE, grade.as_json())
        assert grade is not None
        write_feedback(out, grade, assignment.spec, assignment.config)
    except TKMError as error:
        return {"error": str(error)}
    except Exception as error:  # one submission does not cost the others their grades
        return {"error": f"{type(error).__name__}: {error}"}
    return {"grade": grade.as_json()}
