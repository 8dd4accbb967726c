"""What a submission got for each question, and all together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

#: The kind of file in which a grade is written.
GRADE: Final = "tkm_env course grade"
#: Who sees a question's mark and feedback, and when.
VISIBILITIES: Final = ("visible", "after_due_date", "after_published", "hidden")


@dataclasses.dataclass(frozen=True)
class Finding:
    """Something that went wrong, to be shown.

    Attributes:
        words: what.
        positions: the texts of the positions that it is about.
        record: the record of the game that it is about, or None.
    """

    words: str
    positions: tuple[str, ...] = ()
    record: Mapping[str, Any] | None = None


@dataclasses.dataclass(frozen=True)
class Mark:
    """What a submission got for a question.

    Attributes:
        question: the question's id.
        title: its title.
        kind: its kind.
        points: the points that it is worth.
        score: those that the submission got.
        words: why, in a sentence.
        visibility: one of `VISIBILITIES`.
        fault: the kind of the fault that ended the question, one of `tkm_env.game.faults.FAULTS`; None without one.
        share: the share of what was right, from 0 to 1; in matches the lower bound of the share of points.
        seconds: how long it took.
        findings: what went wrong, to be shown.
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

    def is_shown(self, *, everything: bool) -> bool:
        """Whether the student sees more of it than that it exists."""
        return everything or self.visibility == VISIBILITIES[0]


@dataclasses.dataclass(frozen=True)
class Grade:
    """What a submission got.

    Attributes:
        title: of the assignment.
        game: the name of the game.
        submission: whose.
        pseudonym: what it is called where others see it.
        marks: one for each question that has been graded.
        questions: how many questions there are.
        points: the points that all questions together are worth.
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
        """The points of the questions that have been graded."""
        return round(sum(mark.score for mark in self.marks), 2)

    @property
    def is_complete(self) -> bool:
        """Whether all questions have been graded."""
        return len(self.marks) == self.questions

    def as_json(self) -> dict[str, Any]:
        """All of it, as JSON types."""
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

    @classmethod
    def from_json(cls, content: Mapping[str, Any], questions: int) -> Grade:
        """The grade that `as_json` describes."""
        marks = tuple(
            Mark(**{**mark, "findings": tuple(_finding(finding) for finding in mark["findings"])}) for mark in content["questions"]
        )
        title, game, submission, pseudonym = (content[name] for name in ("title", "game", "submission", "pseudonym"))
        return cls(title, game, submission, pseudonym, marks, questions, content["points"])


def _finding(content: Mapping[str, Any]) -> Finding:
    positions: Sequence[str] = content["positions"]
    return Finding(content["words"], tuple(positions), content["record"])
