"""Results of the task of turns: the credit for one turn in each of many positions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, Final, NamedTuple

from tkm_env.arena.benchmark.valued_positions import VERSION, positions_digest
from tkm_env.evaluation.score import Interval
from tkm_env.questions.valued_position import ValuedPosition

#: The name of the task.
TURNS: Final = "turns"
#: The group of all positions together.
ALL: Final = "all"
_Z: Final = 1.96
#: A turn of at least this credit counts as the best one: values are rounded.
_BEST: Final = 0.999


class CreditedTurn(NamedTuple):
    """The answer of an agent in a position.

    Attributes:
        position: the position.
        credit: what its turn is worth, from 0 to 1; 0 if it brought none.
        flaw: what was wrong with its answer, such as ``"form"``; empty for a turn.
        tokens: the tokens of the question and of the answer to a language model, as limits count
            them; None for other agents.
        is_estimated: whether these tokens are an estimate, since the server counts none.
    """

    position: ValuedPosition
    credit: float
    flaw: str = ""
    tokens: tuple[int, int] | None = None
    is_estimated: bool = False


class TurnResult:
    """The result of an agent in the task.

    Args:
        turns: its answers in all positions.
        prompt: the version of the prompts of a language model; empty for other agents.
    """

    def __init__(self, turns: Iterable[CreditedTurn], prompt: str = "") -> None:
        self._turns, self._prompt = [*turns], prompt

    def as_json(self) -> dict[str, Any]:
        """Return the result as an object of JSON's types; shares are from 0 to 1."""
        groups = dict.fromkeys(turn.position.group for turn in self._turns)
        return {
            "task": TURNS,
            "version": VERSION,
            "positions": positions_digest(),
            "prompt": self._prompt,
            "turns": [*(self._row(group) for group in groups), self._row(ALL)],
            "tokens": self._tokens(),
            "flaws": dict(Counter(turn.flaw for turn in self._turns if turn.flaw).most_common()),
        }

    def _tokens(self) -> list[float] | None:
        """The mean numbers of tokens of questions and of answers; None if no model answered."""
        known = [turn.tokens for turn in self._turns if turn.tokens is not None]
        return [fmean(side) for side in zip(*known, strict=True)] or None

    def _row(self, group: str) -> dict[str, Any]:
        own = [turn for turn in self._turns if group in (ALL, turn.position.group)]
        return {
            "group": group,
            "positions": len(own),
            "credit": mean_credit([turn.credit for turn in own])._asdict(),
            "at_random": fmean(turn.position.credit_at_random for turn in own),
            "best": fmean(turn.credit >= _BEST for turn in own),
            "refused": fmean(bool(turn.flaw) for turn in own),
        }


def mean_credit(earned: Sequence[float]) -> Interval:
    """Compute the mean of some credits, with its 95% interval.

    Args:
        earned: the credits, from 0 to 1; at least one.

    Returns:
        The mean and its interval, within 0 and 1.
    """
    mean = fmean(earned)
    half_width = _Z * stdev(earned) / math.sqrt(len(earned)) if len(earned) > 1 else 1.0
    return Interval(mean, max(0.0, mean - half_width), min(1.0, mean + half_width))


def is_turn_result(task: Mapping[str, Any]) -> bool:
    """Whether this is a task's result in a report as `TurnResult.as_json` returns it."""
    return bool(task["task"] == TURNS)


def table_of_turns(reports: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table: a row for each report, the best one first.

    Args:
        reports: reports, of which those with this task get a row.
    """
    found = [
        (report, task) for report in reports for task in report["tasks"] if is_turn_result(task)
    ]
    found.sort(key=lambda pair: -_row_of(pair[1], ALL)["credit"]["share"])
    groups = [*dict.fromkeys(row["group"] for _, task in found for row in task["turns"])]
    head = ["agent", *groups, "best turn", "refused", "tokens in", "out"]
    return head, [[report["name"], *_cells(task, groups)] for report, task in found]


def _cells(task: Mapping[str, Any], groups: Sequence[str]) -> Iterator[str]:
    for group in groups:
        middle, low, high = (100 * _row_of(task, group)["credit"][key] for key in Interval._fields)
        yield f"{middle:.0f} ± {max(high - middle, middle - low):.0f}"
    every = _row_of(task, ALL)
    yield f"{100 * every['best']:.0f}"
    yield f"{100 * every['refused']:.0f}"
    yield from ("", "") if task["tokens"] is None else (f"{mean:.0f}" for mean in task["tokens"])


def _row_of(task: Mapping[str, Any], group: str) -> Mapping[str, Any]:
    row: Mapping[str, Any] = next(row for row in task["turns"] if row["group"] == group)
    return row


def caption_of_turns(task: Mapping[str, Any]) -> str:
    """Return the caption of the table."""
    every = _row_of(task, ALL)
    return (
        f"Turns, version {task['version']}, {every['positions']} positions "
        f"({task['positions'][:12]}): credit in percent ± 95% interval, 0 for the worst turn and "
        f"100 for the best; a random turn gets {100 * every['at_random']:.0f}. Then the share of "
        "best turns, and of answers that were refused, which get 0, and tokens per position."
    )
