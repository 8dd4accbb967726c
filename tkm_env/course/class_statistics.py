"""How a class did: per question and in total."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

#: The bars of a histogram, each for a tenth of the points.
BARS: Final = 10
HEADS: Final = ("question", "of", "graded", "mean", "lower quartile", "median", "upper quartile", "discrimination", "faults")


def class_statistics(points: Mapping[str, float], graded: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """A row for each question and one for the total, with the keys `HEADS` and ``bars``, how many got each tenth of the points.

    The discrimination is the correlation of a question's marks with the sum of all others; None if one of them is the same for all.

    Args:
        points: of each question, by id.
        graded: the marks of each submission, as `Grade.as_json` returns them.
    """
    rows = []
    columns = [[marks[at] for marks in graded] for at in range(len(points))] if graded else []
    totals = [sum(mark["score"] for mark in marks) for marks in graded]
    for (name, most), marks in zip(points.items(), columns, strict=False):
        scores = [mark["score"] for mark in marks]
        row = _row(name, most, scores, marks)
        with suppress(statistics.StatisticsError):
            others = [total - score for total, score in zip(totals, scores, strict=True)]
            row["discrimination"] = round(statistics.correlation(scores, others), 2)
        rows.append(row)
    return [*rows, _row("total", sum(points.values()), totals, [mark for marks in graded for mark in marks])] if graded else []


def _row(name: str, most: float, scores: Sequence[float], marks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    quartiles = statistics.quantiles(scores if len(scores) > 1 else [*scores] * 2, n=4, method="inclusive")
    numbers = (round(number, 2) for number in (statistics.fmean(scores), *quartiles))
    faults = Counter(mark["fault"] for mark in marks if mark["fault"]).most_common()
    cells = name, most, len(scores), *numbers, None, "; ".join(f"{kind}: {count}" for kind, count in faults)
    bars = Counter(min(int(BARS * score / (most or 1)), BARS - 1) for score in scores)
    return {**dict(zip(HEADS, cells, strict=True)), "bars": [bars[at] for at in range(BARS)]}
