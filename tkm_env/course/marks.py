"""The marks of a submission, question by question, and its grade."""

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

#: The kind of file in which a grade is written.
GRADE: Final = "tkm_env course grade"
#: When students see the mark and feedback of a question.
VISIBILITIES: Final = ("visible", "after_due_date", "after_published", "hidden")


@dataclasses.dataclass(frozen=True)
class Finding:
    """A mistake: what is wrong, and the positions, in text, each with a caption if there are any, or the record of the game in question."""

    words: str
    positions: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    record: Mapping[str, Any] | None = None


@dataclasses.dataclass(frozen=True)
class Mark:
    """The result of a question."""

    question: str  # the question's id, like its title, kind, points and visibility
    title: str
    kind: str
    points: float
    score: float  # the points that the submission got
    words: str  # the reason, in a sentence
    visibility: str
    fault: (
        str | None
    )  # the kind of fault that ended the question, one of `tkm_env.core.record_schema.FAULTS`, or None
    share: float  # the share of correct answers, from 0 to 1; in matches of points
    seconds: float  # how long it took
    findings: tuple[Finding, ...] = ()  # the first few mistakes
    tiers: tuple[
        tuple[float, float], ...
    ] = ()  # shares and the points for them, both rising; empty for points times share
    printed: str = ""  # the end of what the submission's program printed, with tracebacks
    hint: str = ""  # what to look at, in a sentence; not shown after a fault

    @property
    def advice(self) -> list[str]:
        """In sentences, what the next points take, unless they are in proportion to the share, and the hint; empty with all points."""
        if self.score >= self.points:
            return []
        following = [(share, points) for share, points in self.tiers if points > self.score]
        tiers = [
            f"{share:.0%} is worth {points:g} of {self.points:g} points; this is {self.share:.1%}."
            for share, points in following[:1]
        ]
        return tiers + ([self.hint] if self.hint and not self.fault else [])

    @property
    def is_visible(self) -> bool:
        """Whether students may see it right away."""
        return self.visibility == VISIBILITIES[0]


@dataclasses.dataclass(frozen=True)
class Grade:
    """The marks of a submission so far; ``questions`` and ``points`` are those of the whole assignment. Other students see the submission
    under its pseudonym.
    """

    title: str
    game: str
    submission: str
    pseudonym: str
    marks: tuple[Mark, ...]
    questions: int
    points: float

    @property
    def score(self) -> float:
        """The points for the questions that have been graded."""
        return round(sum(mark.score for mark in self.marks), 2)

    @property
    def is_complete(self) -> bool:
        return len(self.marks) == self.questions

    def as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "game": self.game,
            "submission": self.submission,
            "pseudonym": self.pseudonym,
            "score": self.score,
            "points": self.points,
            "complete": self.is_complete,
            "questions": [dataclasses.asdict(mark) for mark in self.marks],
        }
