"""The marks of a submission, question by question, and its grade.

`score_of` computes the points; `tkm_env.course.questions.question.Question.mark` asks and marks.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

#: The kind of file in which a grade is written.
GRADE: Final = "tkm_env course grade"
#: When students see the mark and feedback of a question.
VISIBILITIES: Final = ("visible", "after_due_date", "after_published", "hidden")


def score_of(share: float, points: float, tiers: Sequence[tuple[float, float]]) -> float:
    """The points for a share of correct answers.

    Args:
        share: the share, from 0 to 1.
        points: the points for all of them.
        tiers: shares and the points for them, both rising; empty for points times share.

    Returns:
        The points, rounded to two places.
    """
    if not tiers:
        return round(points * share, 2)
    return max((gained for least, gained in tiers if share >= least), default=0.0)


def percent(share: float) -> str:
    """Write a share in percent, with at most one decimal.

    >>> percent(0.5), percent(0.045)
    ('50%', '4.5%')
    """
    return f"{round(100 * share, 1):g}%"


@dataclasses.dataclass(frozen=True)
class Finding:
    """A mistake.

    Attributes:
        words: what is wrong.
        positions: the positions in question, in text.
        captions: a caption for each position; empty for none.
        record: the record of the game in question; None for none.
    """

    words: str
    positions: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    record: Mapping[str, Any] | None = None


@dataclasses.dataclass(frozen=True)
class Mark:
    """The result of a question.

    Attributes:
        question: the question's id.
        title: its title.
        kind: its kind.
        points: its points.
        score: the points that the submission got.
        words: the reason, in a sentence.
        visibility: when students see the mark, one of `VISIBILITIES`.
        fault: the kind of the first fault, one of `tkm_env.core.record_schema.FAULTS`; None for
            none.
        share: the share of correct answers, or of the points in a match, from 0 to 1.
        seconds: how long the question took, in seconds.
        findings: the first few mistakes.
        tiers: shares and the points for them, both rising; empty for points times share.
        printed: the end of what the submission's program printed, with tracebacks.
        hint: what to look at, in a sentence; empty for nothing.
        found_hint: the hint that the mistakes gave; None for that of the question, "" for none.
    """

    question: str
    title: str
    kind: str
    points: float
    score: float
    words: str
    visibility: str
    fault: str | None
    share: float
    seconds: float
    findings: tuple[Finding, ...] = ()
    tiers: tuple[tuple[float, float], ...] = ()
    printed: str = ""
    hint: str = ""
    found_hint: str | None = None

    @property
    def advice(self) -> list[str]:
        """How to get more points, one sentence each; empty with all points.

        The first names the next tier, unless points are proportional to the share.
        """
        if self.score >= self.points:
            return []
        following = [(share, points) for share, points in self.tiers if points > self.score]
        tiers = [
            f"{100 * share:g}% earns {points:g} of {self.points:g} points; "
            f"you have {percent(self.share)}."
            for share, points in following[:1]
        ]
        return tiers + ([self.hint] if self.hint else [])

    @property
    def is_visible(self) -> bool:
        """Whether students may see it right away."""
        return self.visibility == VISIBILITIES[0]


@dataclasses.dataclass(frozen=True)
class Grade:
    """The marks of a submission so far.

    Attributes:
        title: the assignment's title.
        game: the name of the game.
        submission: the name of the submission.
        pseudonym: the name under which other students see it.
        marks: the marks of the questions that have been graded.
        questions: the number of questions in the assignment.
        points: the points of the whole assignment.
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
