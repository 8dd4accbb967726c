"""A `Report` as tables: CSV for spreadsheets, Markdown for a README or an issue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from tkm_env.arena.report import Report, ReportPart, ReportSection
from tkm_env.arena.score import Elo, Interval
from tkm_env.game.record_schema import FAULTS
from tkm_env.untrusted_text import csv_of, visible

_COLUMNS: Final = (
    *("game", "settings", "player", "elo", "low", "high", "games", "points", "wins", "draws", "losses"),
    *(f"lost_by_{kind}" for kind in FAULTS),
    *("failed_starts", "turns", "median_seconds", "p99_seconds", "slowest_seconds", "memory_mib", "isolation", "unprotected"),
)


def report_as_csv(report: Report) -> str:
    """A row for each player under all settings together and, where there are several, under each.

    A name that a spreadsheet would take for a formula has an apostrophe before it.
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
            *(rating.player, *rating.elo, rating.games, rating.points, conduct.wins, conduct.draws, conduct.losses),
            *(conduct.faults.get(kind, 0) for kind in FAULTS),
            *(conduct.failed_starts, conduct.turns, conduct.median, conduct.p99),
            *(conduct.slowest and conduct.slowest.seconds, conduct.memory),
            *("+".join(conduct.isolation), "+".join(conduct.unprotected)),
        )


def report_as_markdown(report: Report, title: str) -> str:
    """Ratings, the cross table, settings, faults and times, as GitHub shows tables."""
    parts = [f"# {_escape(title)}", f"{len(report.players)} players, {len(report.games)} games{_remarks(report)}."]
    for section in report.sections:
        parts += _section(section, several=len(report.sections) > 1)
    return "\n\n".join(parts) + "\n"


def _remarks(report: Report) -> str:
    unfinished = f"; {report.unfinished} unfinished left out" if report.unfinished else ""
    repeated = f"; {report.repeated} that repeat others left out" if report.repeated else ""
    growing = "".join(f"; {_code(file)} is still being written" for file in report.growing)
    anchor = "" if report.anchor is None else f"; {_code(report.anchor[0])} is {report.anchor[1]:g}"
    return f"{anchor}{unfinished}{repeated}{growing}"


def _section(section: ReportSection, *, several: bool) -> Iterator[str]:
    whole, mark = section.whole, "##"
    if several:
        yield f"## {_escape(section.title)}"
        mark = "###"
    number_of = {conduct.player: number for number, conduct in enumerate(whole.players, 1)}
    rows = zip(whole.ratings.players, whole.players, strict=True)
    yield f"{mark} Ratings"
    yield _table(
        ("", "player", "Elo", "games", "score", "won, drawn, lost"),
        [
            (
                *(number_of[rating.player], _code(rating.player), rating.elo.with_margin(), f"{rating.games:g}"),
                *(f"{rating.points / rating.games:.1%}", f"+{conduct.wins} ={conduct.draws} -{conduct.losses}"),
            )
            for rating, conduct in rows
        ],
    )
    if len(whole.ratings.groups) > 1:
        yield "Games do not connect all of these players; ratings of players whom none connect cannot be compared."
    if unbounded := [_code(rating.player) for rating in whole.ratings.players if not rating.is_bounded]:
        yield f"Won everything or lost everything, and could be any stronger or weaker: {', '.join(unbounded)}."
    yield from (f"{_code(gain.player)} against {_code(gain.before)}: {gain.elo} Elo." for gain in section.gains)
    yield f"{mark} Each against each"
    yield _table(
        ("%", "player", *number_of.values()),
        [(number, _code(one), *(_share(section, one, other) for other in number_of)) for one, number in number_of.items()],
    )
    yield from map(_escape, whole.head_to_head.sentences if whole.head_to_head else ())
    yield f"{mark} Settings and the first move"
    results = list(dict.fromkeys(result for part in section.parts for result in part.results))
    yield _table(
        ("settings", "games", "first mover's share", "first move, Elo", *results, "by a fault", "turns"),
        [
            (
                *(_code(part.name), part.games, str(part.first_move), part.ratings.first_move.with_margin("+")),
                *(part.results.get(result, 0) for result in results),
                *(part.faulty, f"{part.turns:.1f}"),
            )
            for part in section.parts
        ],
    )
    yield f"{mark} Faults, time and memory"
    kinds = [kind for kind in FAULTS if any(kind in conduct.faults for conduct in whole.players)]
    yield _table(
        ("player", *kinds, "failed starts", "ms a turn: median", "99% below", "slowest", "MiB"),
        [
            (
                *(_code(conduct.player), *(conduct.faults.get(kind, 0) for kind in kinds), conduct.failed_starts),
                *map(_milliseconds, (conduct.median, conduct.p99, conduct.slowest and conduct.slowest.seconds)),
                "" if conduct.memory is None else f"{conduct.memory:.0f}",
            )
            for conduct in whole.players
        ],
    )
    for title, models in (("Language models", section.models.uses), ("What prompts change", section.models.effects)):
        if models:
            yield f"{mark} {title}"
            yield _table([name.replace("_", " ") for name in models[0]._fields], [[*map(_cell, row)] for row in models])


def _cell(value: object) -> str:
    if isinstance(value, Elo):
        return value.with_margin()
    if isinstance(value, tuple) and not isinstance(value, Interval):
        return ", ".join(map(_code, value))
    if isinstance(value, str):
        return _code(value)
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _share(section: ReportSection, one: str, other: str) -> str:
    pairs = section.cross.get((one, other))
    return "" if pairs is None else f"{100 * pairs.score.share:.0f}"


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.2f}"


def _escape(text: str) -> str:
    """A text in one line, without anything that Markdown reads."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", visible(" ".join(text.split())))


def _code(text: str) -> str:
    """A text as code, in which nothing is markup or names a person; in a table even there a bar divides cells."""
    line = visible(" ".join(text.split())).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{room}{line}{room}{fence}"


def _table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)
