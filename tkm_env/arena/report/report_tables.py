"""A `Report` as tables: CSV for spreadsheets, and Markdown."""

import re
from collections.abc import Iterator
from typing import Any, Final

from tkm_env.arena.report.report import Report, ReportPart
from tkm_env.core.record_schema import FAULTS
from tkm_env.evaluation.score import Elo, Interval
from tkm_env.foundations.untrusted_text import csv_of, visible
from tkm_env.render.html import templates

_COLUMNS: Final = (
    *(
        "game",
        "settings",
        "rank",
        "player",
        "elo",
        "low",
        "high",
        "games",
        "points",
        "wins",
        "draws",
        "losses",
    ),
    *(f"lost_by_{kind}" for kind in FAULTS),
    *(
        "failed_starts",
        "turns",
        "median_seconds",
        "p99_seconds",
        "slowest_seconds",
        "memory_mib",
        "isolation",
        "unprotected",
    ),
)


def report_as_csv(report: Report) -> str:
    """Return a row for each player, under all settings and, if there are several, under each.

    A name that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    rows: list[tuple[Any, ...]] = [_COLUMNS]
    for section in report.sections:
        for part in section.parts:
            name = "all" if part.config is None else part.name
            rows += [(section.game, name, *cells) for cells in _csv_rows(part)]
    return csv_of(rows)


def _csv_rows(part: ReportPart) -> Iterator[tuple[Any, ...]]:
    for rating, conduct in zip(part.ratings.players, part.players, strict=True):
        yield (
            *(
                part.ratings.rank(rating.player),
                rating.player,
                *rating.elo,
                rating.games,
                rating.points,
                conduct.wins,
                conduct.draws,
                conduct.losses,
            ),
            *(conduct.faults.get(kind, 0) for kind in FAULTS),
            *(conduct.failed_starts, conduct.turns, conduct.median, conduct.p99),
            *(conduct.slowest and conduct.slowest.seconds, conduct.memory),
            *("+".join(conduct.isolation), "+".join(conduct.unprotected)),
        )


def report_as_markdown(report: Report, title: str) -> str:
    """Render ratings, cross table, settings, faults and times as GitHub-flavoured Markdown.

    Args:
        report: the report.
        title: the title of the document.

    Returns:
        The document.

    Raises:
        MissingExtraError: without the extra ``[arena]``.
    """
    environment = templates("tkm_env.arena", "page", autoescape=False, finalize=None)
    environment.filters |= {"plain": _escape, "code": _code, "cell": _cell}
    text = environment.get_template("report.md").render(report=report, title=title)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"


def _cell(value: object) -> str:
    if isinstance(value, Elo):
        return value.with_margin()
    if isinstance(value, tuple) and not isinstance(value, Interval):
        return ", ".join(map(_code, value))
    if isinstance(value, str):
        return _code(value)
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _escape(text: str) -> str:
    """Put text on one line, with everything escaped that Markdown interprets."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", visible(" ".join(text.split())))


def _code(text: str) -> str:
    """Format text as code, in which nothing is markup or mentions a person.

    Bars are escaped, since they divide cells of a table even in code.
    """
    line = visible(" ".join(text.split())).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{room}{line}{room}{fence}"
