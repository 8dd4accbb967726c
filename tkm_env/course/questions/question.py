"""The common part of an assignment's questions: their keys, and how they are marked."""

import ast
import dataclasses
import inspect
import re
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.retries import machine_fault, retried
from tkm_env.core.record_schema import FAULTS
from tkm_env.core.registry import GameSpec
from tkm_env.course.questions.marks import VISIBILITIES, Finding, Mark, score_of
from tkm_env.course.questions.position_source import PositionSource
from tkm_env.course.submission import Submission
from tkm_env.course.submission_client import SubmissionClient
from tkm_env.foundations.checks import checked_choice, checked_integer, checked_number, is_text
from tkm_env.foundations.errors import ConfigError, PlayerError, TKMError, repr_of, shorten

#: The keys of every question; those without a default are required. ``docs/grading.md`` is
#: generated from it.
KEYS: Final[Mapping[str, str]] = {
    "id": "a short, unique name, such as `q1`; sampled positions depend on it and on the seed",
    "kind": "one of the kinds below",
    "title": "shown to people; by default the id",
    "points": "the maximum points",
    "thresholds": (
        "a list of `{share, points}`: the points of the last row whose share is reached; by "
        "default, points times share"
    ),
    "seconds": (
        "the time that a submission has for the whole question once it has started, in seconds; "
        "by default 60"
    ),
    "hint": (
        "what to look at, a sentence shown to those who lose points without a fault; by default "
        "the usual hint of the kind"
    ),
    "visibility": (
        "when students see the mark and the feedback: `visible` (the default), `after_due_date`, "
        "`after_published` or `hidden`"
    ),
}
#: How marks describe each kind of fault.
_FAULT_WORDS: Final[Mapping[str, str]] = {
    "illegal": "illegal action",
    "timeout": "no answer in time",
    "crash": "it crashed",
    "protocol": "unexpected line",
    "memory": "too much memory, or too many processes",
    "output": "too much output",
}
#: How a program's end is described if an exception in a student's Python file ended it.
_EXCEPTION: Final = re.compile(
    r"it ended with the exit code 1: ((['\"]).*\.py(?:, line \d+)?: .*\2)"
)
#: The most findings of a question that are shown.
_MAX_FINDINGS: Final = 3
#: After this many faults in a row, a submission is asked no more.
MAX_FAULTS: Final = 3


class QuestionError(TKMError):
    """A question failed, not the submission: the staff's code for it raised an error, say.

    Args:
        question: the id of the question.
        reason: what failed, in a sentence, with the file and the line if they are known.
    """

    def __init__(self, question: str, reason: str) -> None:
        super().__init__(question, reason)
        self._message = f"question {question} failed, not the submission: {reason}"


@dataclasses.dataclass(frozen=True)
class QuestionContext:
    """What all questions of an assignment depend on.

    Attributes:
        spec: the game's row in the registry.
        config: the settings of the game.
        seed: the assignment's secret number.
        conditions: how submissions run.
        folder: the folder to which the paths in the assignment are relative.
    """

    spec: GameSpec
    config: Any
    seed: int
    conditions: Conditions
    folder: str


class QuestionOutcome(NamedTuple):
    """The outcome of a question.

    Attributes:
        share: the share of correct answers, or of the points in a match, from 0 to 1.
        words: a sentence that says so.
        fault: the kind of the submission's first fault, one of
            `tkm_env.core.record_schema.FAULTS`; None for none.
        hint: what to look at, in a sentence, if something is known about the mistakes; None for the
            hint of the question, "" for none.
    """

    share: float
    words: str
    fault: str | None = None
    hint: str | None = None


class Answered:
    """How a submission does in a question about several items, asked one after the other.

    A fault costs the item about which the submission was asked. It is asked no more after three
    faults in a row, nor once its time is up; what it has not been asked counts as wrong.

    Args:
        count: the number of items.
        noun: what an item is called, such as ``"position"``.
        findings: the list to which mistakes are appended.
        seconds: the time for all of them together, in seconds.
    """

    def __init__(self, count: int, noun: str, findings: list[Finding], seconds: float) -> None:
        self._count = count
        self._noun = noun
        self._seconds = seconds
        self._findings = findings
        self._shares: list[float] = []
        self._faults: list[PlayerError] = []
        self._faults_in_a_row = 0
        self._hints: dict[str, None] = {}

    @property
    def is_over(self) -> bool:
        """Whether the submission is asked no more."""
        is_late = bool(self._faults) and self._faults[-1].kind == "timeout"
        return self._faults_in_a_row >= MAX_FAULTS or is_late

    def add(self, share: float, finding: Finding | None, hint: str = "") -> None:
        """Add an answer.

        Args:
            share: how right it is, from 0 to 1.
            finding: what is wrong with it; None for nothing.
            hint: what to look at, in a sentence; empty for the hint of the question.
        """
        self._shares.append(share)
        self._faults_in_a_row = 0
        if finding is not None:
            self._findings.append(finding)
            self._hints[hint] = None

    def add_fault(self, error: PlayerError, finding: Finding) -> None:
        """Add a fault instead of an answer.

        Args:
            error: the fault.
            finding: shows the item about which the submission was asked.

        Raises:
            PlayerError: the error, if the submission has never started.
        """
        if error.starting and not self._shares:
            raise error
        self._shares.append(0.0)
        self._faults.append(error)
        self._faults_in_a_row += 1
        words = describe_fault(error, self._seconds)
        words += f"; {finding.words}" if finding.words else ""
        self._findings.insert(len(self._faults) - 1, dataclasses.replace(finding, words=words))

    def outcome(self) -> QuestionOutcome:
        """Return the outcome of the question."""
        right = sum(self._shares)
        words = f"{right:g} of {plural(self._count, self._noun)} right"
        if self._faults:
            words += f"; {describe_fault(self._faults[0], self._seconds)}"
            if others := len(self._faults) - 1:
                words += f", and {plural(others, 'more fault')}"
            if len(self._shares) < self._count:
                left = self._count - len(self._shares)
                words += f"; {plural(left, self._noun)} not asked any more"
        hints = [hint for hint in self._hints if hint]
        hint = " ".join(hints) if hints else None if self._hints else ""
        fault = self._faults[0].kind if self._faults else None
        return QuestionOutcome(right / self._count, words, fault, hint)


def plural(count: float, noun: str) -> str:
    """Write a number of things.

    Args:
        count: the number.
        noun: what one of them is called.

    Returns:
        The number, and the noun in the singular or plural.

    >>> plural(1, "game"), plural(2, "game"), plural(1.0, "point")
    ('1 game', '2 games', '1 point')
    """
    number = f"{count:,}" if isinstance(count, int) else f"{count:g}"
    return f"{number} {noun}{'' if count == 1 else 's'}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Question(ABC):
    """A question of an assignment.

    Its fields are the keys of its table; a `ConfigError` names the one that is invalid.
    """

    id: str
    title: str = ""
    points: float
    thresholds: tuple[tuple[float, float], ...] = ()
    seconds: float = 60.0
    visibility: str = VISIBILITIES[0]
    hint: str = ""

    #: The name of the kind in files.
    kind: ClassVar[str]
    #: What all questions of the kind ask, as a sentence without its full stop.
    meaning: ClassVar[str]
    #: The keys of its table besides `KEYS`, with their meaning.
    keys: ClassVar[Mapping[str, str]]
    #: The hint, unless its table has another.
    usual_hint: ClassVar[str]
    #: The minimum and maximum of integers, by key.
    ranges: ClassVar[Mapping[str, tuple[int, int]]] = {}

    def __post_init__(self) -> None:
        if (
            not is_text(self.id)
            or not 1 <= len(self.id) <= 40
            or not self.id.replace("-", "").replace("_", "").isalnum()
        ):
            raise ConfigError(
                "id", self.id, "it must be 1 to 40 letters, digits, hyphens and underscores"
            )
        for key, default in (("title", self.id), ("hint", self.usual_hint)):
            if not is_text(getattr(self, key)):
                raise ConfigError(key, getattr(self, key), "it must be text")
            object.__setattr__(self, key, getattr(self, key) or default)
        checked_number("points", self.points, 0, 1e6, from_low=True)
        checked_number("seconds", self.seconds, 0, 1e6)
        for key, (least, most) in self.ranges.items():
            checked_integer(key, getattr(self, key), least, most)
        checked_choice("visibility", self.visibility, VISIBILITIES)
        object.__setattr__(self, "thresholds", _check_thresholds(self.thresholds, self.points))

    @property
    def instruction(self) -> str:
        """What this question asks, as a sentence without its full stop."""
        return self.meaning

    @abstractmethod
    def check(self, context: QuestionContext) -> None:
        """Check that the question can be asked about the game of an assignment.

        Args:
            context: what the questions of the assignment depend on.

        Raises:
            ConfigError: if it cannot be asked about this game under these settings.
        """

    @abstractmethod
    def ask(
        self, submission: Submission, context: QuestionContext, findings: list[Finding]
    ) -> QuestionOutcome:
        """Ask a submission.

        Args:
            submission: the submission.
            context: what the questions of the assignment depend on.
            findings: an empty list, to which mistakes are appended.

        Returns:
            The outcome.

        Raises:
            PlayerError: naming the submission's fault, which ends the question.
            MachineError: if the machine fails.
        """

    def mark(
        self, submission: Submission, context: QuestionContext, most_findings: int = _MAX_FINDINGS
    ) -> Mark:
        """Ask a submission, and mark its answers or its fault.

        If the machine fails, the question is asked again from the beginning.

        Args:
            submission: the submission.
            context: what the questions of the assignment depend on.
            most_findings: the most mistakes that the mark shows.

        Returns:
            The mark.

        Raises:
            TKMError: if the question itself fails, not the submission.
            MachineError: if the machine keeps failing.
        """
        return retried(
            partial(self._mark, submission, context, most_findings),
            f"asking {repr_of(submission.name)} the question {self.id}",
        )

    def _mark(self, submission: Submission, context: QuestionContext, most_findings: int) -> Mark:
        findings: list[Finding] = []
        began = time.monotonic()
        try:
            outcome = self.ask(submission, context, findings)
        except PlayerError as error:
            seconds = context.conditions.limits.start_seconds if error.starting else self.seconds
            outcome = QuestionOutcome(0.0, describe_fault(error, seconds), error.kind, "")
        except Exception as error:
            if machine_fault(error) is not None:
                raise
            raise QuestionError(self.id, _located(error, type(self))) from error
        return Mark(
            self.id,
            self.title,
            self.kind,
            self.points,
            score_of(outcome.share, self.points, self.thresholds),
            outcome.words,
            self.visibility,
            outcome.fault,
            outcome.share,
            round(time.monotonic() - began, 2),
            tuple(findings[:most_findings]),
            self.thresholds,
            submission.printed(),
            self.hint_for(outcome.hint),
            outcome.hint,
        )

    def hint_for(self, found: str | None) -> str:
        """Return the hint to show: the table's own, if it has one, or else what mistakes gave.

        Args:
            found: the hint that the mistakes gave; None for that of the question, "" for none.

        Returns:
            The hint; empty for none.
        """
        if found is None or (found and self.hint != self.usual_hint):
            return self.hint
        return found

    def client(self, submission: Submission, context: QuestionContext) -> SubmissionClient:
        """Return what asks a submission about the positions of this question.

        Args:
            submission: the submission.
            context: what the questions of the assignment depend on.

        Returns:
            The client, which is to be closed.

        Raises:
            PlayerError: if the submission holds neither a Python file nor a program.
        """
        limits = context.conditions.reading([str(submission.folder)]).limits
        generator = self.source(context).submission_generator()
        return submission.client(limits, self.seconds, generator)

    def source(self, context: QuestionContext) -> PositionSource:
        """Return what the question's positions depend on."""
        return PositionSource(context.spec.name, context.config, context.seed, self.id)


def _located(error: Exception, kind: type) -> str:
    """Describe an error, with the last line that led to it of the files beside a class."""
    if isinstance(error, ConfigError):
        return str(error)
    folder = Path(inspect.getfile(kind)).parent
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(folder)
    ]
    where = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}: " if frames else ""
    what = " ".join(traceback.format_exception_only(error)[-1].split())
    return f"{where}{shorten(what)}"


def describe_fault(error: PlayerError, seconds: float | None) -> str:
    """Describe a fault of a submission, in a sentence without its full stop.

    Args:
        error: the fault.
        seconds: the time that it had, in seconds; None if it does not matter.

    Returns:
        The sentence, with the place in the student's file if there is one.
    """
    more = error.reason.removeprefix(FAULTS[error.kind]).removeprefix("; ")
    if found := _EXCEPTION.fullmatch(more):
        more = ast.literal_eval(found[1])
    limit = f" ({seconds:g} s)" if error.kind == "timeout" and seconds is not None else ""
    start = " at start" if error.starting else ""
    return f"{_FAULT_WORDS[error.kind]}{limit}{start}{f': {more}' if more else ''}"


def _check_thresholds(given: Any, points: float) -> tuple[tuple[float, float], ...]:
    """Check pairs of shares and points: both rise, up to the points of the question."""
    refusal = ConfigError(
        "thresholds",
        given,
        "it must be a list of {share, points}, both rising, shares from 0 to 1, "
        f"the last points {points:g}",
    )
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise refusal
    rows = []
    for row in given:
        pair = (
            (row["share"], row["points"])
            if isinstance(row, Mapping) and set(row) == {"share", "points"}
            else row
        )
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise refusal
        share = checked_number("share", pair[0], 0, 1, from_low=True)
        rows.append((share, checked_number("points", pair[1], 0, points, from_low=True)))
    steps = [gained for _, gained in rows]
    if rows and (rows != sorted(rows) or steps != sorted(steps) or steps[-1] != points):
        raise refusal
    return tuple(rows)
