"""What all questions of an assignment have in common: their keys, and how they are marked."""

import dataclasses
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final, NamedTuple

from tkm_env.arena.referee import Conditions
from tkm_env.arena.retries import retried
from tkm_env.core.record_schema import FAULTS
from tkm_env.core.registry import GameSpec
from tkm_env.course.marks import VISIBILITIES, Finding, Mark
from tkm_env.course.position_source import PositionSource
from tkm_env.course.submission import Submission
from tkm_env.foundations.checks import checked_choice, checked_integer, checked_number, is_text
from tkm_env.foundations.errors import ConfigError, PlayerError, repr_of

#: The keys of every question; those without a default are required. ``docs/grading.md`` is
#: generated from it.
KEYS: Final[Mapping[str, str]] = {
    "id": "a short, unique name, such as `q1`; sampled positions depend on it and on the seed",
    "kind": "one of the kinds below",
    "title": "shown to people; by default the id",
    "points": "what it is worth",
    "thresholds": (
        "a list of `{share, points}`: the points of the last row whose share is reached; without "
        "it, points times share"
    ),
    "seconds": (
        "the time a submission has for the whole question, once it has started; by default 60"
    ),
    "hint": (
        "what to look at, a sentence for who gets neither all points nor a fault; by default the "
        "kind's own"
    ),
    "visibility": (
        "when students see mark and feedback: `visible` (the default), `after_due_date`, "
        "`after_published` or `hidden`"
    ),
}
#: How many findings of a question are shown.
_MAX_FINDINGS: Final = 3


@dataclasses.dataclass(frozen=True)
class QuestionContext:
    """What all questions of an assignment depend on.

    Attributes:
        spec: the game's row in the registry.
        config: the settings of the game.
        seed: the assignment's secret number.
        conditions: how submissions run.
    """

    spec: GameSpec
    config: Any
    seed: int
    conditions: Conditions


class Outcome(NamedTuple):
    """The outcome of a question.

    Attributes:
        share: the share of correct answers, from 0 to 1.
        words: the same in a sentence.
    """

    share: float
    words: str


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

    #: Its name in files.
    kind: ClassVar[str]
    #: What all questions of the kind ask, in a sentence without its full stop.
    meaning: ClassVar[str]
    #: The keys of its table besides `KEYS`, with their meaning.
    keys: ClassVar[Mapping[str, str]]
    #: The hint, unless its table has another.
    usual_hint: ClassVar[str]
    #: The least and the most of whole numbers, by key.
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
                raise ConfigError(key, getattr(self, key), "it must be a text")
            object.__setattr__(self, key, getattr(self, key) or default)
        checked_number("points", self.points, 0, 1e6, from_low=True)
        checked_number("seconds", self.seconds, 0, 1e6)
        for key, (least, most) in self.ranges.items():
            checked_integer(key, getattr(self, key), least, most)
        checked_choice("visibility", self.visibility, VISIBILITIES)
        object.__setattr__(self, "thresholds", _check_thresholds(self.thresholds, self.points))

    @property
    def instruction(self) -> str:
        """What this question asks, in a sentence without its full stop."""
        return self.meaning

    @abstractmethod
    def check(self, spec: GameSpec, config: Any) -> None:
        """Raise a `ConfigError` unless it can be asked about this game under these settings."""

    @abstractmethod
    def ask(
        self, submission: Submission, context: QuestionContext, findings: list[Finding]
    ) -> Outcome:
        """Ask a submission.

        Args:
            submission: the submission.
            context: what the questions of the assignment depend on.
            findings: an empty list, to which mistakes are added.

        Returns:
            The outcome.

        Raises:
            PlayerError: naming the fault of the submission that ends the question.
            MachineError: if the machine fails.
        """

    def mark(self, submission: Submission, context: QuestionContext) -> Mark:
        """Ask a submission, whatever it does, and mark its answers.

        Args:
            submission: the submission.
            context: what the questions of the assignment depend on.

        Returns:
            The mark. If the machine fails, the question is asked again from the beginning.

        Raises:
            MachineError: if the machine fails again and again: then there is no mark.
        """
        return retried(
            partial(self._mark, submission, context),
            f"asking {repr_of(submission.name)} the question {self.id}",
        )

    def _mark(self, submission: Submission, context: QuestionContext) -> Mark:
        findings: list[Finding] = []
        began = time.monotonic()
        fault = None
        try:
            outcome = self.ask(submission, context, findings)
        except PlayerError as error:
            fault = error.kind
            seconds = context.conditions.limits.start_seconds if error.starting else self.seconds
            outcome = Outcome(0.0, _describe_fault(error, seconds))
        return Mark(
            self.id,
            self.title,
            self.kind,
            self.points,
            0.0 if fault else self.points_for(outcome.share),
            outcome.words,
            self.visibility,
            fault,
            round(outcome.share, 4),
            round(time.monotonic() - began, 2),
            tuple(findings[:_MAX_FINDINGS]),
            self.thresholds,
            submission.printed(),
            self.hint,
        )

    def points_for(self, share: float) -> float:
        """The points for a share of correct answers."""
        if not self.thresholds:
            return round(self.points * share, 2)
        return max((points for least, points in self.thresholds if share >= least), default=0.0)

    def source(self, context: QuestionContext) -> PositionSource:
        """What its positions depend on."""
        return PositionSource(context.spec.name, context.config, context.seed, self.id)


def _describe_fault(error: PlayerError, seconds: float) -> str:
    """The fault that ended a question, in a sentence; the limit was ``seconds``."""
    meaning = FAULTS[error.kind]
    more = error.reason.removeprefix(meaning).removeprefix("; ")
    limit = f" ({seconds:g} s)" if error.kind == "timeout" else ""
    return (
        f"{meaning}{limit}{', at its start' if error.starting else ''}{f': {more}' if more else ''}"
    )


def _check_thresholds(given: Any, points: float) -> tuple[tuple[float, float], ...]:
    """Pairs of shares and points, both rising, up to the points of the question."""
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
