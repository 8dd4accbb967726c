"""Results of the suite: the credit in each position of each trial, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tkm_env.arena.benchmark.suite import PLAIN, TIERS, TRIALS, VERSION, frozen
from tkm_env.arena.benchmark.turn_report import CreditedTurn, mean_credit
from tkm_env.arena.benchmark.valued_positions import positions_digest
from tkm_env.evaluation.score import Interval
from tkm_env.text.paid_answers import cost_of

#: The name of the task in reports.
SUITE: Final = "suite"
#: The number of decimals of a credit in a report.
_DECIMALS: Final = 4


class TriedTurn(NamedTuple):
    """An answer in a trial.

    Attributes:
        trial: the name of the trial.
        prompt: the version of its prompts; empty for a player that is no language model.
        turn: the answer.
    """

    trial: str
    prompt: str
    turn: CreditedTurn


class SuiteResult:
    """The result of a player in a tier of the suite.

    Args:
        tier: the name of the tier.
        tried: all its answers, trial by trial.
        price: the prices of a million tokens of questions and of answers; None if unknown.
    """

    def __init__(
        self, tier: str, tried: Iterable[TriedTurn], price: tuple[float, float] | None = None
    ) -> None:
        self._tier, self._tried, self._price = tier, [*tried], price

    def as_json(self) -> dict[str, Any]:
        """Return the result as an object of JSON's types; credits are from 0 to 1."""
        by_trial: dict[str, list[TriedTurn]] = {}
        for tried in self._tried:
            by_trial.setdefault(tried.trial, []).append(tried)
        return {
            "task": SUITE,
            "version": VERSION,
            "tier": self._tier,
            "positions": positions_digest(),
            "price": None if self._price is None else [*self._price],
            "trials": [_trial(name, tried) for name, tried in by_trial.items()],
        }


def _trial(name: str, tried: Sequence[TriedTurn]) -> dict[str, Any]:
    turns = [each.turn for each in tried]
    tokens = [turn.tokens for turn in turns if turn.tokens is not None]
    return {
        "trial": name,
        "prompt": tried[0].prompt,
        "credits": [round(turn.credit, _DECIMALS) for turn in turns],
        "flaws": dict(Counter(turn.flaw for turn in turns if turn.flaw).most_common()),
        "tokens": [sum(side) for side in zip(*tokens, strict=True)] or None,
        "counted": len(tokens),
        "estimated": sum(turn.is_estimated for turn in turns),
    }


def is_suite_result(task: Mapping[str, Any]) -> bool:
    """Whether this is a task's result in a report as `SuiteResult.as_json` returns it."""
    return bool(task["task"] == SUITE)


def have_suite(reports: Sequence[Mapping[str, Any]]) -> bool:
    """Whether one of these reports has a result of the suite."""
    return any(is_suite_result(task) for report in reports for task in report["tasks"])


def objection_to(task: Mapping[str, Any]) -> str:
    """Why a result cannot stand beside others of this version of the suite; empty if it can.

    Args:
        task: the result, as `SuiteResult.as_json` returns it.

    Returns:
        The reason.
    """
    if (task["version"], task["positions"]) != (VERSION, frozen()["positions"]):
        return f"it is a result of version {task['version']} of the suite; this one is {VERSION}"
    tier, is_model = TIERS[task["tier"]], any(trial["prompt"] for trial in task["trials"])
    for trial in task["trials"]:
        if trial["prompt"] != (frozen()["prompts"][trial["trial"]] if is_model else ""):
            return f"its prompts of the trial {trial['trial']!r} are others than the suite's"
        if len(trial["credits"]) != len(tier.indices):
            return f"the trial {trial['trial']!r} is not complete"
    names, wanted = [trial["trial"] for trial in task["trials"]], tier.trials_of(is_model=is_model)
    if names != [*wanted]:
        return f"it has the trials {names}; a complete result has {[*wanted]}"
    return ""


class Standing(NamedTuple):
    """A player in the suite.

    Attributes:
        name: its name in tables.
        tier: the name of the tier; empty for an anchor.
        credits: by trial, its credit in each position of the tier.
        refused: the share of its answers that were refused.
        tokens: the mean tokens of a question and of an answer, of those whose tokens were counted;
            None if there are none, as for other players than language models.
        is_estimated: whether some of these tokens are an estimate.
        cost: what all its answers cost; None if no price is known.
    """

    name: str
    tier: str
    credits: Mapping[str, Sequence[float]]
    refused: float
    tokens: tuple[float, float] | None
    is_estimated: bool
    cost: float | None

    def credit(self, trial: str) -> Interval | None:
        """The mean credit in a trial, with its 95% interval; None without the trial."""
        return mean_credit(self.credits[trial]) if trial in self.credits else None

    def change(self, trial: str) -> Interval | None:
        """How much the mean credit in a trial exceeds that in the plain one.

        The interval is that of the differences in single positions, so it is narrower than those
        of the two means.

        Args:
            trial: the name of the trial.

        Returns:
            The difference with its 95% interval, each from -1 to 1; None without the trial.
        """
        if trial not in self.credits:
            return None
        pairs = zip(self.credits[trial], self.credits[PLAIN], strict=True)
        half = mean_credit([(1 + one - other) / 2 for one, other in pairs])
        return Interval(*(2 * bound - 1 for bound in half))


def standings(reports: Sequence[Mapping[str, Any]]) -> list[Standing]:
    """The players of some reports and the anchors, by their credit in the plain trial.

    Args:
        reports: reports, of which the results of the suite count.

    Returns:
        The standings, the best first. Anchors are judged by the positions of the largest tier.
    """
    players = [
        _standing(report["name"], task)
        for report in reports
        for task in filter(is_suite_result, report["tasks"])
    ]
    largest = max((TIERS[player.tier] for player in players), key=lambda tier: tier.of_each)
    anchors = [
        Standing(
            name, "", {PLAIN: [earned[index] for index in largest.indices]}, 0, None, False, None
        )
        for name, earned in frozen()["anchors"].items()
    ]
    return sorted([*players, *anchors], key=lambda each: -mean_credit(each.credits[PLAIN]).share)


def _standing(name: str, task: Mapping[str, Any]) -> Standing:
    trials = task["trials"]
    answers = sum(len(trial["credits"]) for trial in trials)
    known = [trial["tokens"] for trial in trials if trial["tokens"] is not None]
    spent = [sum(side) for side in zip(*known, strict=True)]
    counted = sum(trial["counted"] for trial in trials)
    return Standing(
        name,
        task["tier"],
        {trial["trial"]: trial["credits"] for trial in trials},
        sum(sum(trial["flaws"].values()) for trial in trials) / answers,
        (spent[0] / counted, spent[1] / counted) if spent else None,
        any(trial["estimated"] for trial in trials),
        cost_of((spent[0], spent[1]), task["price"]) if spent and task["price"] else None,
    )


def table_of_suite(reports: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table: a row for each player and anchor.

    Args:
        reports: reports, as for `standings`; at least one has a result of the suite.
    """
    found = standings(reports)
    trials = [name for name in TRIALS if any(name in each.credits for each in found)]
    head = ["player", "tier", *trials, "refused", "tokens in", "out", "cost"]
    return head, [[*_cells(each, trials)] for each in found]


def _cells(standing: Standing, trials: Sequence[str]) -> Iterator[str]:
    yield standing.name
    yield standing.tier or "anchor"
    for trial in trials:
        credit = standing.credit(trial)
        yield "" if credit is None else percent(credit)
    yield f"{100 * standing.refused:.0f}" if standing.tier else ""
    sign = "about " if standing.is_estimated else ""
    yield from (
        ("", "") if standing.tokens is None else (f"{sign}{mean:.0f}" for mean in standing.tokens)
    )
    yield "" if standing.cost is None else f"{standing.cost:.2f}"


def percent(interval: Interval) -> str:
    """Write a share in percent with the wider side of its interval."""
    middle, low, high = (100 * bound for bound in interval)
    return f"{middle:.0f} ± {max(high - middle, middle - low):.0f}"


def caption_of_suite() -> str:
    """Return the caption of the table."""
    return (
        f"Suite, version {VERSION} (positions {positions_digest()[:12]}): credit in percent ± 95% "
        "interval in each trial, 0 for the worst turn and 100 for the best. Then the share of "
        "answers that were refused, the mean tokens per position, and the cost of all answers. "
        "Anchors are players of this package."
    )
