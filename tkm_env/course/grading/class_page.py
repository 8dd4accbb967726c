"""The page of a class: marks, where the class fails, what changed and what is missing."""

import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from tkm_env.course.grading.class_results import Result
from tkm_env.course.grading.feedback import render
from tkm_env.course.questions.marks import Mark
from tkm_env.foundations.files import packaged_text

#: The bars of a histogram, each for a tenth of the points.
BARS: Final = 10
HEADS: Final = (
    "question",
    "of",
    "graded",
    "mean",
    "lower quartile",
    "median",
    "upper quartile",
    "discrimination",
    "faults",
)
#: The most kinds of mistakes that are listed for a question.
_MOST_MISTAKES: Final = 3
#: What differs between two mistakes of the same kind.
_DETAILS: Final = re.compile(r"[-+]?\d+(\.\d+)?%?|[^ ]*\|[^ ]*|\([^)]*\)")


class Change(NamedTuple):
    """A cell of the table of grades that changed.

    Attributes:
        when: when, in text.
        submission: the name of the submission.
        student: the student's name on the roster.
        what: the column.
        before: its content before.
        after: its content after.
    """

    when: str
    submission: str
    student: str
    what: str
    before: str
    after: str


def class_page(
    title: str,
    points: Mapping[str, float],
    results: Sequence[Result],
    history: Sequence[Change] = (),
    fates: Sequence[Sequence[str]] = (),
    alike: str | None = None,
) -> str:
    """Return the page of a class as an HTML document, which sorts its tables by itself.

    Args:
        title: the assignment's title.
        points: the maximum points of each question, by its id.
        results: what came of everybody.
        history: what has changed so far.
        fates: the name of each file that was handed in, its submission, and what became of it.
        alike: the address of a page about similar submissions; None for none.

    Returns:
        The document.
    """
    graded = {
        result.submission: [mark for mark in result.marks if mark is not None]
        for result in results
        if result.graded_points is not None
    }
    changed = Counter(_who(change) for change in history)
    return render(
        "class.html",
        script=packaged_text("tkm_env.course", "page/class.js"),
        title=title,
        points=points,
        results=results,
        changed=[changed[_who(result)] for result in results],
        statistics=class_statistics(points, [*graded.values()]),
        mistakes=common_mistakes([*graded.values()]),
        history=history,
        odd_files=[fate for fate in fates if fate[2] != "graded"],
        files=len(fates),
        alike=alike,
    )


def _who(about: Change | Result) -> str:
    return about.student or about.submission


def class_statistics(
    points: Mapping[str, float], graded: Sequence[Sequence[Mark]]
) -> list[dict[str, Any]]:
    """Summarize the marks of a class.

    Args:
        points: the maximum points of each question, by its id.
        graded: the marks of each submission.

    Returns:
        A row for each question and one for the total, with the keys `HEADS` and ``bars``: the
            number of submissions in each tenth of the points. The discrimination is the
            correlation of a question's marks with the sum of the others; None if either is the
            same for all submissions. Empty if nothing was graded.
    """
    if not graded:
        return []
    rows = []
    totals = [sum(mark.score for mark in marks) for marks in graded]
    for (name, most), marks in zip(points.items(), zip(*graded, strict=True), strict=True):
        scores = [mark.score for mark in marks]
        row = _row(name, most, scores, marks)
        with suppress(statistics.StatisticsError):
            others = [total - score for total, score in zip(totals, scores, strict=True)]
            row["discrimination"] = round(statistics.correlation(scores, others), 2)
        rows.append(row)
    every = [mark for marks in graded for mark in marks]
    return [*rows, _row("total", sum(points.values()), totals, every)]


def _row(name: str, most: float, scores: Sequence[float], marks: Sequence[Mark]) -> dict[str, Any]:
    quartiles = statistics.quantiles(
        scores if len(scores) > 1 else [*scores] * 2, n=4, method="inclusive"
    )
    numbers = (round(number, 2) for number in (statistics.fmean(scores), *quartiles))
    faults = Counter(mark.fault for mark in marks if mark.fault).most_common()
    cells = (
        name,
        most,
        len(scores),
        *numbers,
        None,
        "; ".join(f"{kind}: {count}" for kind, count in faults),
    )
    bars = Counter(min(int(BARS * score / (most or 1)), BARS - 1) for score in scores)
    return {**dict(zip(HEADS, cells, strict=True)), "bars": [bars[at] for at in range(BARS)]}


def common_mistakes(graded: Sequence[Sequence[Mark]]) -> list[tuple[str, str, int]]:
    """Find the mistakes that many submissions have in common.

    Args:
        graded: the marks of each submission.

    Returns:
        For each question, the most frequent mistakes of those who did not get all points: the
            question's title, the mistake without numbers and positions, and the number of
            submissions that made it.
    """
    found = []
    for marks in zip(*graded, strict=True):
        counted: Counter[str] = Counter()
        for mark in marks:
            if mark.score < mark.points:
                kinds = [mark.words] if mark.fault else [each.words for each in mark.findings]
                counted.update({_DETAILS.sub("…", words) for words in kinds})
        found += [
            (marks[0].title, words, count) for words, count in counted.most_common(_MOST_MISTAKES)
        ]
    return found
