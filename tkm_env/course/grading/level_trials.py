"""Trials of an assignment with what students of each level hand in, under many seeds.

Levels are Python files in the staff's folder ``levels``, named ``NUMBER-NAME.py``: those with the
number 0 know nothing, and each further number knows more. The staff's solution is above them all.
Each level is tried as it is, and once more with a rare fault. All of them are trusted, and run in
this process.
"""

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tkm_env.core.settings import changed_settings
from tkm_env.course.assignment import Assignment
from tkm_env.course.grading.local_submission import LocalSubmission, RareFaults
from tkm_env.course.grading.mark_files import decisive, digest_of_json
from tkm_env.course.questions.question import Question
from tkm_env.course.submission import AGENT
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import failing_as
from tkm_env.foundations.line_file import LineFile
from tkm_env.foundations.seeds import derived

#: The folder of the levels, and of the solution, beside the file that says what is graded.
_LEVELS, _SOLUTION = "levels", "solution"
#: The name of the highest level.
_BEST: Final = "the solution"
_NAME: Final = re.compile(r"(\d+)-(.+)")
#: A submission with a rare fault fails in one of this many questions, and of this many actions.
RARE_CALL, RARE_ACTION = 50, 250
#: The keys of a question that decide what a share is worth, or nothing at all. Levels have all the
#: time that they need, so that shares do not depend on what else the machine does.
_WORTH: Final = ("points", "thresholds", "title", "hint", "visibility", "seconds")
_NO_LIMIT: Final = 1e6
#: Under one of this many seeds, levels are also tried with a rare fault.
_FAULTS_EVERY: Final = 5


class Level(NamedTuple):
    """What students of a level hand in.

    Attributes:
        rank: 0 if it knows nothing; the more it knows, the higher.
        name: its name.
        file: its Python file.
    """

    rank: int
    name: str
    file: Path


class Trial(NamedTuple):
    """How a level did in a question under a seed.

    Attributes:
        seed: the number of the seed, from 1.
        level: the name of the level.
        is_faulty: whether it had a rare fault.
        question: the id of the question.
        share: the share of right answers, or of the points in a match.
    """

    seed: int
    level: str
    is_faulty: bool
    question: str
    share: float


def has_faults(seed: int) -> bool:
    """Whether levels are also tried with a rare fault under the seed of this number."""
    return seed % _FAULTS_EVERY == 1


def levels_in(folder: Path) -> list[Level]:
    """Find the levels of an assignment, from those that know nothing to the solution.

    Args:
        folder: the folder of the staff's files.

    Returns:
        The levels.

    Raises:
        ConfigError: if there are none, a file has another name, or two levels have the same.
        FileError: if the solution is missing.
    """
    place, solution = folder / _LEVELS, folder / _SOLUTION / AGENT
    files = sorted(place.glob("*.py"))
    if not files:
        raise ConfigError("levels", str(place), "it must hold files such as 1-counting.py")
    found: list[Level] = []
    for file in files:
        named = _NAME.fullmatch(file.stem)
        if named is None:
            raise ConfigError(
                "levels",
                file.name,
                "it must be named NUMBER-NAME.py; 0 for those that know nothing",
            )
        name = named[2].replace("-", " ")
        if name in (_BEST, *(level.name for level in found)):
            reason = f"another level is called {name!r}; results are kept by name"
            raise ConfigError("levels", file.name, reason)
        found.append(Level(int(named[1]), name, file))
    if not solution.is_file():
        raise FileError(solution, "the solution is missing, which is the highest level")
    found.append(Level(1 + max(level.rank for level in found), _BEST, solution))
    return sorted(found)


class LevelTrials:
    """Tries all levels under many seeds, and keeps each result, so that it can be resumed.

    A result is used as long as neither the level nor the question has changed. The points for a
    share may change, since only shares are kept.

    Args:
        assignment: the assignment, whose seed is replaced.
        levels: the levels.
        place: the file that keeps results.
        seeds: the number of seeds, from 1. Under the first of every five, levels are also tried
            with a rare fault.

    Attributes:
        done: the trials so far.
        missing: the number of trials that are still to be made.
    """

    def __init__(
        self, assignment: Assignment, levels: Sequence[Level], place: Path, seeds: int
    ) -> None:
        self._assignment = assignment
        self._place = place
        self._digests = {
            (level.name, question.id): _digest(level, question, assignment)
            for level in levels
            for question in assignment.questions
        }
        self._wanted = [
            (seed, level, question, is_faulty)
            for seed in range(1, seeds + 1)
            for level in levels
            for is_faulty in ((False, True) if has_faults(seed) else (False,))
            for question in assignment.questions
        ]
        self._known: dict[tuple[int, str, bool, str], Trial] = {}
        if place.exists():
            with failing_as(place, "read"):
                lines = place.read_text("utf-8").splitlines()
            for line in lines:
                self._resume(line)

    def _resume(self, line: str) -> None:
        """Take over an earlier result if it is still valid."""
        try:
            row = json.loads(line)
            digest = row.pop("digest")
            trial = Trial(**row)
        except (ValueError, KeyError, TypeError, AttributeError):
            return  # an interruption has left a part of it
        if self._digests.get((trial.level, trial.question)) == digest:
            self._known[trial[:4]] = trial

    @property
    def done(self) -> list[Trial]:
        return [
            self._known[key]
            for seed, level, question, is_faulty in self._wanted
            if (key := (seed, level.name, is_faulty, question.id)) in self._known
        ]

    @property
    def missing(self) -> int:
        return len(self._wanted) - len(self.done)

    def run(self) -> Iterator[Trial]:
        """Make the trials that are missing, one after the other.

        Yields:
            Each trial, as soon as it is kept.

        Raises:
            FileError: if a result cannot be kept.
            ConfigError: if too few positions can be sampled.
        """
        with failing_as(self._place, "written"):
            self._place.parent.mkdir(parents=True, exist_ok=True)
        with LineFile(self._place) as file:
            for seed, level, question, is_faulty in self._wanted:
                key = (seed, level.name, is_faulty, question.id)
                if key in self._known:
                    continue
                share = self._share(seed, level, question, is_faulty=is_faulty)
                trial = self._known[key] = Trial(*key, share)
                row = {"digest": self._digests[level.name, question.id], **trial._asdict()}
                file.append_line(json.dumps(row).encode())
                yield trial

    def _share(self, seed: int, level: Level, question: Question, *, is_faulty: bool) -> float:
        secret = derived(0, "calibration", seed)
        own = derived(secret, level.name, question.id) % 2**32
        faults = RareFaults(1 / RARE_CALL, 1 / RARE_ACTION, own) if is_faulty else None
        conditions = dataclasses.replace(self._assignment.conditions, turn_seconds=None)
        context = dataclasses.replace(self._assignment, seed=secret, conditions=conditions)
        asked = dataclasses.replace(question, seconds=_NO_LIMIT)
        return asked.mark(LocalSubmission(level.file, own, faults), context).share


def _digest(level: Level, question: Question, assignment: Assignment) -> str:
    """Compute a digest of what decides the shares of a level in a question."""
    with failing_as(level.file, "read"):
        source = level.file.read_bytes()
    game = [assignment.spec.name, changed_settings(assignment.config)]
    code = hashlib.sha256(source).hexdigest()
    return digest_of_json([*decisive(question, assignment, _WORTH), game, code])
