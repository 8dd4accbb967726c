"""Feedback as HTML: a page for each grade, with drawings and replays, and a class page."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tkm_env.core.record_files import replay_of
from tkm_env.course.questions.marks import Grade
from tkm_env.foundations.files import failing_as, packaged_text, write_file
from tkm_env.foundations.untrusted_text import visible
from tkm_env.render.canvas import THEMES
from tkm_env.render.html import as_style, templates
from tkm_env.render.replay import replay_page

if TYPE_CHECKING:
    from tkm_env.core.registry import GameSpec

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


def class_statistics(
    points: Mapping[str, float], graded: Sequence[Sequence[Mapping[str, Any]]]
) -> list[dict[str, Any]]:
    """Summarize the marks of a class.

    Args:
        points: the maximum points of each question, by its id.
        graded: the marks of each submission, as `Grade.as_json` returns them.

    Returns:
        A row for each question and one for the total, with the keys `HEADS` and ``bars``: the
            number of submissions in each tenth of the points. The discrimination is the
            correlation of a question's marks with the sum of the others; None if either is the
            same for all submissions. Empty if nothing was graded.
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
    return (
        [
            *rows,
            _row(
                "total", sum(points.values()), totals, [mark for marks in graded for mark in marks]
            ),
        ]
        if graded
        else []
    )


def _row(
    name: str, most: float, scores: Sequence[float], marks: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    quartiles = statistics.quantiles(
        scores if len(scores) > 1 else [*scores] * 2, n=4, method="inclusive"
    )
    numbers = (round(number, 2) for number in (statistics.fmean(scores), *quartiles))
    faults = Counter(mark["fault"] for mark in marks if mark["fault"]).most_common()
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


#: The file name of the page.
FEEDBACK: Final = "feedback.html"

_DRAWING_SIZE: Final = 620
#: When a question will become visible.
_LATER: Final = {
    "after_due_date": "after the due date",
    "after_published": "when the grades are published",
    "hidden": "to the staff only",
}


def write_feedback(
    folder: Path, grade: Grade, spec: GameSpec, config: Any, *, everything: bool = False
) -> None:
    """Write the page of a grade, and the replays that it links to.

    Args:
        folder: where to write them; it is created if necessary.
        grade: the grade.
        spec: the game's row in the registry.
        config: the settings of the game.
        everything: whether to show also what students cannot see yet.

    Raises:
        FileError: if something cannot be written.
        MissingExtraError: without the extra ``[arena]``.
    """
    with failing_as(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for mark in grade.marks:
        is_shown = everything or mark.is_visible
        findings = []
        for number, finding in enumerate(mark.findings if is_shown else (), 1):
            replay = None
            if finding.record is not None:
                replay = f"{mark.question}-game-{number}.html"
                write_file(
                    folder / replay, replay_page(replay_of(dict(finding.record))).encode("utf-8")
                )
            games = [
                spec.game_class(config, seed=0, position=position) for position in finding.positions
            ]
            captions = finding.captions or [""] * len(games)
            drawings = [
                (game.position, game.svg(size=_DRAWING_SIZE, last=False), caption)
                for game, caption in zip(games, captions, strict=True)
            ]
            findings.append({"words": finding.words, "drawings": drawings, "replay": replay})
        rows.append(
            {
                "mark": mark,
                "is_shown": is_shown,
                "later": _LATER.get(mark.visibility),
                "findings": findings,
            }
        )
    write_file(folder / FEEDBACK, _render("feedback.html", grade=grade, rows=rows).encode("utf-8"))


def class_page(
    title: str,
    points: Mapping[str, float],
    rows: Sequence[dict[str, Any]],
    alike: str | None = None,
) -> str:
    """Return the table of a class as an HTML document.

    Args:
        title: the assignment's title.
        points: the maximum points of each question, by its id.
        rows: the rows of a `ClassGrading`.
        alike: the address of a page about similar submissions; None for none.

    Returns:
        The document.
    """
    statistics = class_statistics(points, [row["marks"] for row in rows if row["marks"]])
    return _render(
        "class.html", title=title, ids=[*points], rows=rows, statistics=statistics, alike=alike
    )


def _render(template: str, **values: Any) -> str:
    style = as_style(THEMES) + packaged_text("tkm_env.course", "page/course.css")
    return (
        templates("tkm_env.course", "page", finalize=_format)
        .get_template(template)
        .render(style=style, **values)
    )


def _format(value: Any) -> Any:
    """Format a value for a page; text is made `visible`, and the template escapes it."""
    if type(value) is str:
        return visible(value)
    return f"{value:g}" if isinstance(value, float) else value
