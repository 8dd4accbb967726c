"""Marks on disk: a file for each submission, with a line for each mark that it ever got.

A line holds a digest of everything that decides the mark. As long as the digest is the same, the
mark is not given again.
"""

import dataclasses
import hashlib
import inspect
import json
from collections.abc import Collection, Sequence
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkm_env.arena.playing.retries import retried
from tkm_env.course.assignment import Assignment
from tkm_env.course.questions.marks import Finding, Mark, score_of
from tkm_env.course.questions.question import Question
from tkm_env.course.questions.staff_kinds import code_digest
from tkm_env.foundations.errors import FileError, repr_of
from tkm_env.foundations.files import read_file
from tkm_env.foundations.line_file import LineFile

#: The parts of this package that decide marks: the rules, the players, the isolation, the arena,
#: the environments and the questions.
_DECISIVE: Final = (
    *("arena", "compiled", "core", "envs", "evaluation", "foundations", "games", "isolation"),
    *("learn", "players", "course/questions", "course/tkm", "course/terminus", "course/any_game"),
)
#: The fields of a question that do not decide what a submission is asked, nor what is right.
_UNDECISIVE: Final = ("title", "points", "thresholds", "visibility", "hint")

#: The kind of fault that may be that of a busy machine.
_TIMEOUT: Final = "timeout"


class StoredMark(NamedTuple):
    """A mark in a file.

    Attributes:
        key: the digest of what decided it.
        asked: the digest of what decided it besides this package; empty if unknown.
        mark: the mark.
    """

    key: str
    asked: str
    mark: Mark


class MarkKey(NamedTuple):
    """What decides a mark.

    Attributes:
        key: a digest of everything.
        asked: a digest of everything but this package.
    """

    key: str
    asked: str


def key_of(question: Question, assignment: Assignment, submission: str) -> MarkKey:
    """Compute the digests of what decides a mark.

    Where submissions run is part of it, since a program may work in one isolation alone.

    Args:
        question: the question.
        assignment: its assignment.
        submission: the digest of the submission's files.

    Returns:
        The digests. Titles, hints, points and thresholds do not change them.

    Raises:
        FileError: if the staff's own code for the question cannot be read.
    """
    limits = assignment.conditions.limits
    where = [limits.isolation, limits.container]
    *what, package = decisive(question, assignment, _UNDECISIVE)
    what += [assignment.digest, where, submission]
    return MarkKey(digest_of_json([*what, package]), digest_of_json(what))


def counted_mark(given: Sequence[StoredMark], key: MarkKey) -> tuple[StoredMark | None, bool]:
    """Choose the mark that counts for a question.

    It is the newest that was given for what is asked now. If only a timeout lowers it, the earlier
    mark counts that another version of this package gave for the same: that version was faster, or
    the machine less busy.

    Args:
        given: the marks of the question, in the order in which they were given.
        key: what decides the mark now.

    Returns:
        The mark, None for none, and whether an earlier one is kept. If nothing was given for what
            is asked now, it is the newest of all.
    """
    current = [each for each in given if each.key == key.key]
    if not current:
        return (given[-1] if given else None), False
    newest = current[-1]
    before = [each for each in given if each.asked == key.asked and each.key != key.key]
    is_lowered = newest.mark.fault == _TIMEOUT and bool(before)
    if is_lowered and before[-1].mark.fault is None and before[-1].mark.share > newest.mark.share:
        return before[-1], True
    return newest, False


def decisive(question: Question, assignment: Assignment, left_out: Collection[str]) -> list[Any]:
    """Return what decides the answers to a question and how they are judged.

    Args:
        question: the question.
        assignment: its assignment.
        left_out: the keys of the question that decide nothing.

    Returns:
        What JSON can hold, with the code of the question, of the game and of this package.

    Raises:
        FileError: if the staff's own code for the question cannot be read.
    """
    asked = {
        field.name: getattr(question, field.name)
        for field in dataclasses.fields(question)
        if field.name not in left_out
    }
    kinds = [_source(kind) for kind in (type(question), assignment.spec.game_class)]
    staff = code_digest([question], assignment.folder)
    return [question.kind, asked, kinds, staff, package_digest()]


def digest_of_json(what: Any) -> str:
    """Compute a digest of what JSON can hold; other values are taken as text."""
    text = json.dumps(what, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@cache
def package_digest() -> str:
    """Compute a digest of the parts of this package that decide marks."""
    package = Path(str(files("tkm_env")))
    paths = [path for name in _DECISIVE for path in sorted((package / name).rglob("*"))]
    paths += sorted((package / "course").glob("*.py"))
    digest = hashlib.sha256()
    for path in paths:
        if path.is_file() and "__pycache__" not in path.parts:
            content = path.read_bytes()
            name = path.relative_to(package).as_posix()
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


@cache
def _source(kind: type) -> str:
    """Compute a digest of the file of a class; empty for one of this package."""
    path = inspect.getsourcefile(kind)
    if path is None or Path(path).is_relative_to(str(files("tkm_env"))):
        return ""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def under(mark: Mark, question: Question) -> Mark:
    """Give a mark the title and the points that its question has now.

    Args:
        mark: the mark.
        question: the question, which asks the same as the one that the mark was given for.

    Returns:
        The mark.
    """
    is_worth_the_same = (mark.points, mark.tiers) == (question.points, question.thresholds)
    gained = score_of(mark.share, question.points, question.thresholds)
    return dataclasses.replace(
        mark,
        title=question.title,
        points=question.points,
        tiers=question.thresholds,
        visibility=question.visibility,
        hint=question.hint_for(mark.found_hint),
        score=mark.score if is_worth_the_same else gained,
    )


class MarkFile:
    """The marks of a submission.

    Args:
        path: the file, which is created with the first mark.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[StoredMark]:
        """Return all marks, in the order in which they were given.

        Half a line at the end, which a kill leaves, is ignored; so are marks of other versions of
        this package, with other fields.

        Raises:
            FileError: if the file cannot be read, or a line is not a mark.
        """
        if not self._path.exists():
            return []
        content = read_file(self._path)
        found = []
        for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), 1):
            try:
                row = json.loads(line)
                key, mark = row["key"], row["mark"]
                mark.setdefault(_LATER, mark.get("hint"))
                if mark.keys() == _FIELDS:
                    found.append(StoredMark(str(key), str(row.get("asked", "")), _mark_in(mark)))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                raise FileError(self._path, f"line {number} is not a mark") from None
        return found

    def append(self, key: MarkKey, mark: Mark) -> None:
        """Add a mark; half a line at the end is moved to another file.

        Args:
            key: what decides it.
            mark: the mark.

        Raises:
            FileError: if it cannot be saved.
            MachineError: if the machine keeps failing to save it.
        """
        line = json.dumps({**key._asdict(), "mark": dataclasses.asdict(mark)}).encode()
        with LineFile(self._path) as file:
            content = file.read()
            if len(content) > (end := content.rfind(b"\n") + 1):
                file.cut(end)
            retried(partial(file.append_line, line), f"saving a mark in {repr_of(str(self._path))}")


#: The key that files of earlier versions lack; of those, the hint is kept that was shown.
_LATER: Final = "found_hint"
#: The keys of a mark in a file.
_FIELDS: Final = {field.name for field in dataclasses.fields(Mark)}


def _mark_in(content: dict[str, Any]) -> Mark:
    findings = tuple(
        Finding(
            finding["words"],
            tuple(finding["positions"]),
            tuple(finding["captions"]),
            finding["record"],
        )
        for finding in content["findings"]
    )
    tiers = tuple((float(share), float(points)) for share, points in content["tiers"])
    return Mark(**{**content, "findings": findings, "tiers": tiers})
