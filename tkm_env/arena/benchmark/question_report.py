"""Results of the task of questions: by kind and difficulty, in plain and invented words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from tkm_env.evaluation.score import Interval
from tkm_env.questions import MarkedReply, result_table
from tkm_env.questions.plan import BENCHMARK_VERSION
from tkm_env.text.options import TextOptions

#: The name of the task.
QUESTIONS: Final = "questions"
#: The wordings: the game's own words, which a model may remember, and invented ones, with which it
#: has to go by the rules that it is told.
WORDINGS: Final[Mapping[str, TextOptions]] = {
    "plain": TextOptions(),
    "renamed": TextOptions(rename=1),
}


class WordedReply(NamedTuple):
    """A marked reply, and in which words the question was asked, one of `WORDINGS`."""

    wording: str
    marked: MarkedReply


class QuestionResult:
    """The result of a language model in the task.

    Args:
        replies: its marked replies to all questions.
    """

    def __init__(self, replies: Iterable[WordedReply]) -> None:
        self._replies = [*replies]

    def as_json(self) -> dict[str, Any]:
        """Return the result as an object of JSON's types; shares are from 0 to 1."""
        rows = []
        for wording in WORDINGS:
            own = [reply.marked for reply in self._replies if reply.wording == wording]
            rows += [
                {"wording": wording}
                | row._asdict()
                | {"right": row.right._asdict(), "unreadable": row.unreadable._asdict()}
                for row in result_table(own)
            ]
        return {"task": QUESTIONS, "version": BENCHMARK_VERSION, "questions": rows}


def is_question_result(task: Mapping[str, Any]) -> bool:
    """Whether this is a task's result in a report as `QuestionResult.as_json` returns it."""
    return "questions" in task


def table_of_questions(task: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table: by game, kind and difficulty, in both wordings.

    Args:
        task: the result, as `QuestionResult.as_json` returns it.
    """
    cells: dict[tuple[str, str, int | None], dict[str, Mapping[str, Any]]] = {}
    for row in task["questions"]:
        key = (row["game"], row["kind"], row["difficulty"])
        cells.setdefault(key, {})[row["wording"]] = row
    head = ["game", "kind", "difficulty", "questions", *WORDINGS, "unreadable"]
    rows = []
    for (game, kind, difficulty), worded in cells.items():
        plain = worded["plain"]
        rows.append(
            [
                game,
                kind,
                "all" if difficulty is None else str(difficulty),
                str(plain["questions"]),
                *(_percent(worded[wording]["right"]) for wording in WORDINGS),
                f"{50 * sum(worded[wording]['unreadable']['share'] for wording in WORDINGS):.0f}",
            ]
        )
    return head, rows


def caption_of_questions(task: Mapping[str, Any]) -> str:
    """Return the caption of the table."""
    return (
        f"Questions, version {task['version']}: right answers in percent (95% interval) in plain "
        "words and in invented ones; unreadable answers in percent."
    )


def _percent(share: Mapping[str, float]) -> str:
    middle, low, high = (100 * share[key] for key in Interval._fields)
    return f"{middle:.0f} ({low:.0f} to {high:.0f})"
