"""What trials of an assignment's levels say about luck and skill in its marks."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tkm_env.course.assignment import Assignment
from tkm_env.course.grading.level_trials import Level, Trial
from tkm_env.course.questions.marks import score_of
from tkm_env.course.questions.position_questions import PositionQuestion
from tkm_env.course.questions.question import Question

#: What is promised: those who know nothing get 0 points in this share of cases, and neighbouring
#: levels are told apart in this share.
NOTHING, APART = 0.99, 0.95
#: The number of times that somebody may hand in, in the bound on luck.
TRIES: Final = 20


class _Result(NamedTuple):
    """What a level got under a seed: the share and the points of each question."""

    shares: dict[str, float]
    scores: dict[str, float]

    @property
    def score(self) -> float:
        return round(sum(self.scores.values()), 2)


def report_of(
    assignment: Assignment, levels: Sequence[Level], trials: Iterable[Trial]
) -> dict[str, Any]:
    """Summarize trials.

    Args:
        assignment: the assignment.
        levels: its levels, in order.
        trials: the trials of all of them, under the same seeds, in all questions.

    Returns:
        What JSON can hold: ``levels``, with the points of each; ``apart``, how often neighbours
            were told apart; ``luck``, how likely each question gives points to those who know
            nothing; and ``broken``, the promises that do not hold, in sentences.
    """
    points = {question.id: question for question in assignment.questions}
    results: dict[tuple[str, bool], dict[int, _Result]] = {}
    for trial in trials:
        question = points[trial.question]
        of_level = results.setdefault((trial.level, trial.is_faulty), {})
        result = of_level.setdefault(trial.seed, _Result({}, {}))
        result.shares[trial.question] = trial.share
        result.scores[trial.question] = score_of(trial.share, question.points, question.thresholds)
    plain = {level.name: results.get((level.name, False), {}) for level in levels}
    rows = [
        _row(assignment, level, plain[level.name], results.get((level.name, True), {}))
        for level in levels
    ]
    apart: list[dict[str, Any]] = [
        {"below": below.name, "above": above.name, "share": share}
        for below, above in _neighbours(levels)
        if (share := _told_apart(plain[below.name], plain[above.name])) is not None
    ]
    guesses = [plain[level.name].values() for level in levels if level.rank == 0]
    luck = [_luck(question, guesses) for question in assignment.questions]
    broken = [
        f"{row['question']}: those who know nothing get points with probability {row['chance']:g}"
        for row in luck
        if row["chance"] > 1 - NOTHING
    ]
    broken += [
        f"{row['below']} and {row['above']} are told apart under {row['share']:.0%} of the seeds"
        for row in apart
        if row["share"] < APART
    ]
    broken += [
        f"{question}: the points of {row['level']} differ by {steps} steps between seeds"
        for row in rows
        for question, steps in row["steps"].items()
        if steps > 1
    ]
    return {
        "title": assignment.title,
        "seeds": max((len(by_seed) for by_seed in plain.values()), default=0),
        "points": assignment.points,
        "questions": [
            {"id": question.id, "title": question.title, "points": question.points}
            for question in assignment.questions
        ],
        "levels": rows,
        "apart": apart,
        "luck": luck,
        "broken": broken,
    }


def _row(
    assignment: Assignment,
    level: Level,
    plain: Mapping[int, _Result],
    faulty: Mapping[int, _Result],
) -> dict[str, Any]:
    """Describe a level: its points, question by question, and what a rare fault costs."""
    ids = [question.id for question in assignment.questions]
    scores = {name: [result.scores[name] for result in plain.values()] for name in ids}
    totals = [result.score for result in plain.values()]
    losses = [plain[seed].score - result.score for seed, result in faulty.items()]
    return {
        "level": level.name,
        "rank": level.rank,
        "scores": {name: [min(gained), max(gained)] for name, gained in scores.items()},
        "shares": {
            name: round(statistics.fmean(result.shares[name] for result in plain.values()), 3)
            for name in ids
        },
        "steps": {
            question.id: _steps(question, scores[question.id]) for question in assignment.questions
        },
        "total": [min(totals), max(totals)],
        "fault": {
            "mean": round(statistics.fmean(losses), 2) if losses else 0.0,
            "most": round(max(losses, default=0.0), 2),
        },
    }


def _steps(question: Question, scores: Sequence[float]) -> int:
    """Count the steps between the lowest and the highest points; 0 without steps."""
    if not question.thresholds:
        return 0
    steps = sorted({0.0, *(points for _, points in question.thresholds)})
    return steps.index(max(scores)) - steps.index(min(scores))


def _neighbours(levels: Sequence[Level]) -> list[tuple[Level, Level]]:
    return [(below, above) for below in levels for above in levels if above.rank == 1 + below.rank]


def _told_apart(below: Mapping[int, _Result], above: Mapping[int, _Result]) -> float | None:
    """Return the share of seeds under which the higher level gets more points; None for none."""
    both = below.keys() & above.keys()
    return (
        statistics.fmean(below[seed].score < above[seed].score for seed in both) if both else None
    )


def _luck(question: Question, guesses: Iterable[Iterable[_Result]]) -> dict[str, Any]:
    """Bound the luck in a question, for the luckiest of those who know nothing.

    In a question about positions whose answers are right or wrong, the number of right answers is
    binomial; the chance of a right answer is measured over all positions of all seeds. Elsewhere,
    as in a match, whose games are not independent, shares are taken as normally distributed.
    """
    worst, share = 0.0, 0.0
    for results in guesses:
        shares = [result.shares[question.id] for result in results]
        if shares:
            worst = max(worst, chance_of_points(question, shares))
            share = max(share, statistics.fmean(shares))
    return {
        "question": question.id,
        "share": round(share, 3),
        "chance": float(f"{worst:.2g}"),
        "tries": float(f"{1 - (1 - worst) ** TRIES:.2g}"),
    }


def chance_of_points(question: Question, shares: Sequence[float]) -> float:
    """Estimate how likely a submission gets any points in a question.

    Args:
        question: the question.
        shares: the shares that it got under several seeds.

    Returns:
        The probability, from 0 to 1.
    """
    from scipy.stats import binom, norm

    mean = statistics.fmean(shares)
    count = _count(question)
    least = _least_share(question, count)
    if count is not None and all(_is_integer(share * count) for share in shares):
        return float(binom.sf(math.ceil(least * count - 1e-9) - 1, count, mean))
    if len(shares) < 2 or statistics.stdev(shares) == 0:
        return float(mean >= least)
    return float(norm.sf(least, mean, statistics.stdev(shares)))


def _is_integer(number: float) -> bool:
    return abs(number - round(number)) < 1e-9


def _count(question: Question) -> int | None:
    """Return the number of items of a question that are right or wrong; None for none."""
    if isinstance(question, PositionQuestion):
        given = question.positions
        return given if isinstance(given, int) else len(given)
    return getattr(question, "cases", None)


def _least_share(question: Question, count: int | None) -> float:
    """Return the least share that brings points."""
    if question.thresholds:
        return next(share for share, points in question.thresholds if points > 0)
    return 1 / count if count else 0.01
