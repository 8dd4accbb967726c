"""A `Report` as a single HTML page with replays, which works offline.

The sources of the page are in ``page/``.
"""

import base64
import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.arena.rating import Rating, Ratings
from tkm_env.arena.record_results import name_of_settings
from tkm_env.arena.report.game_replay import replay_with_reports
from tkm_env.arena.report.report import LostByFault, Report, ReportedGame, ReportSection
from tkm_env.arena.report.short_names import short_names
from tkm_env.core.record_schema import FAULTS, START
from tkm_env.evaluation.score import Elo, Interval, PairResults
from tkm_env.foundations.files import packaged_text
from tkm_env.render.canvas import THEMES
from tkm_env.render.html import as_data, as_style, templates
from tkm_env.render.replay import data, shell

#: A placeholder for a game's data in the page of a replay.
_GAME: Final = "THE GAME"
#: The most characters of a name where there is little room.
_NAME_WIDTH: Final = 28
#: The number of players, from the strongest on, in the table of all pairs: it has a cell for each
#: two, and no screen shows more.
_CROSSED: Final = 60
#: The approximate number of parts of an axis.
_TICKS: Final = 6


class Replays:
    """Replays as a page holds them: compressed, with shared parts stored once."""

    def __init__(self) -> None:
        self._shells: dict[str, int] = {}
        #: By the number of the game: the index of its shell, and its compressed data.
        self.games: dict[int, tuple[int, str]] = {}

    def add(self, game: ReportedGame) -> None:
        """Add the replay of a game."""
        replay = replay_with_reports(game.record)
        number = self._shells.setdefault(shell(replay.canvas, "Replay", _GAME), len(self._shells))
        self.games[game.number] = (
            number,
            base64.b64encode(zlib.compress(data(replay).encode("ascii"), 9)).decode("ascii"),
        )

    @property
    def shells(self) -> list[list[str]]:
        """The text before and after a game's data in the page of its replay, for each kind."""
        return [text.split(_GAME) for text in self._shells]


def select_games(report: Report, most: int) -> list[ReportedGame]:
    """Select the games that a report's tables link to, and then the latest ones.

    Args:
        report: the report.
        most: the maximum number of games.

    Returns:
        The games, in order.
    """
    pointed = [lost.game for section in report.sections for lost in _examples(section)]
    pointed += [thought.game for section in report.sections for thought in section.slowest]
    for section in report.sections:
        for conduct in section.whole.players:
            pointed += [conduct.slowest.game] if conduct.slowest else []
            pointed += [conduct.memory_game] if conduct.memory_game else []
    chosen = list(dict.fromkeys([*pointed, *(game.number for game in reversed(report.games))]))[
        :most
    ]
    return [report.games[number - 1] for number in sorted(chosen)]


def page(
    report: Report,
    title: str,
    replays: Replays | None = None,
    folder: str | None = None,
    links: Mapping[str, str] | None = None,
    player_address: Callable[[str], str] | None = None,
    listed: int | None = None,
) -> str:
    """Render a report as an HTML document.

    Args:
        report: the report.
        title: the title of the document.
        replays: the replays that the document holds; None for none.
        folder: the folder with a page for each game, named by its number, to which the document
            links; None for none.
        links: the addresses of other pages, by the text of the link. With them, the document is one
            of several that a server makes, and reloads itself from time to time.
        player_address: returns the address of a player's page, to which its name leads; None for
            no such pages.
        listed: the number of last games that the document lists; None for all.

    Returns:
        The document.

    Raises:
        MissingExtraError: without the extra ``[arena]``.
    """
    environment = templates("tkm_env.arena", "page")
    environment.filters |= {"elo": _elo, "time": _time, "percent": _percent, "whole": _whole}
    held = replays or Replays()

    def link(game: int, ply: int | None = None) -> str | None:
        if folder is None and game not in held.games:
            return None
        page, separator = (
            (f"#game={game}", "&") if folder is None else (f"{folder}/{game}.html", "#")
        )
        return page if ply is None else f"{page}{separator}ply={ply}"

    short = dict(zip(report.players, short_names(report.players, _NAME_WIDTH), strict=True))
    return environment.get_template("report.html").render(
        title=title,
        report=report,
        sections=[
            _section(section, number, short, report.anchor)
            for number, section in enumerate(report.sections)
        ],
        short=short,
        number_of={player: number for number, player in enumerate(report.players)},
        link=link,
        folder=folder,
        links=links,
        player_address=player_address,
        missing=0 if folder is not None else len(report.games) - len(held.games),
        data=as_data(_content(report, short, held, folder, listed)),
        listed=listed,
        replays=held.games,
        style=as_style(THEMES) + packaged_text("tkm_env.arena", "page/report.css"),
        script=packaged_text("tkm_env.arena", "page/report.js"),
    )


def _whole(value: float) -> str:
    """Round a number to an integer, with a typographic minus sign."""
    return f"{round(value)}".replace("-", "\N{MINUS SIGN}")


def _elo(elo: Elo, sign: str = "-") -> str:
    return elo.with_margin(sign).replace("-", "\N{MINUS SIGN}")


def _percent(interval: Interval) -> str:
    return f"{interval.share:.1%} ({100 * interval.low:.0f} to {100 * interval.high:.0f})"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "\N{EN DASH}"
    return (
        f"{seconds:.2f} s"
        if seconds >= 1
        else f"{1000 * seconds:.{0 if seconds >= 0.01 else 2}f} ms"
    )


class Axis(NamedTuple):
    """A range of numbers with ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Return a value's position on the axis in percent, clipped to its ends."""
        return round(
            100 * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low), 2
        )


def axis_of(elos: Sequence[Elo]) -> Axis:
    """Make an axis with room for all estimates and all but exceptionally wide intervals."""
    estimates = np.array([elo.estimate for elo in elos])
    halves = np.array([elo.high - elo.estimate for elo in elos])
    halves = halves.clip(max=max(3 * np.median(halves), np.ptp(estimates) / 8, 25.0))
    low, high = float((estimates - halves).min()), float((estimates + halves).max())
    step = _step((high - low) / _TICKS)
    margin = (high - low) / 40
    low, high = low - margin, high + margin
    return Axis(
        low,
        high,
        tuple(
            step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)
        ),
    )


def _step(least: float) -> float:
    """Return the smallest of 1, 2 or 5 times a power of ten that is at least ``least``."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)


def _section(
    section: ReportSection, number: int, short: Mapping[str, str], anchor: tuple[str, float] | None
) -> dict[str, Any]:
    """Return what the template shows about a game."""
    whole = section.whole
    order = [conduct.player for conduct in whole.players]
    return {
        "id": f"{number}-" if number else "",
        "number": number,
        "section": section,
        "is_anchored": anchor is not None and anchor[0] in order,
        "axis": axis_of([rating.elo for rating in whole.ratings.players]),
        "parts": [*_parts(whole.ratings)],
        "conduct": {conduct.player: conduct for conduct in whole.players},
        "cross": [
            [
                _cross_cell(section.cross.get((one, other)), short[one], short[other])
                for other in order[:_CROSSED]
            ]
            for one in order[:_CROSSED]
        ],
        "by_part": [
            {rating.player: rating for rating in part.ratings.players} for part in section.parts
        ],
        "examples": _examples(section),
    }


def _parts(ratings: Ratings) -> Iterator[tuple[str, list[tuple[Rating, Elo | float | None]]]]:
    """Yield the parts of the ratings, each rating with its lead over the next one.

    The last lead of a part is the lower bound of that over the next part, if it is known.
    """
    gaps = [part.gap for part in ratings.parts[1:]]
    for (rows, why, _), gap in zip(ratings.parts, [*gaps, None], strict=True):
        leads = [ratings.difference(one.player, other.player) for one, other in pairwise(rows)]
        yield why, list(zip(rows, [*leads, gap], strict=True))


def _cross_cell(pairs: PairResults | None, one: str, other: str) -> dict[str, Any] | None:
    """Describe how one player did against another; None if they never met."""
    if pairs is None:
        return None
    says = (
        f"{one} against {other}: {pairs.points:g} of {pairs.games} points, {_percent(pairs.score)}"
    )
    return {"share": round(100 * pairs.score.share), "says": says}


def _examples(section: ReportSection) -> list[LostByFault]:
    """Return the first game that each player lost through each kind of fault."""
    first: dict[tuple[str, str, bool], LostByFault] = {}
    for lost in section.lost:
        first.setdefault((lost.player, lost.kind, lost.ply == START), lost)
    return list(first.values())


def _content(
    report: Report, short: Mapping[str, str], held: Replays, folder: str | None, listed: int | None
) -> dict[str, Any]:
    """Return the data for the page's script.

    It lists the last games, with players, settings and kinds of faults by index.
    """
    before = 0 if listed is None else max(0, len(report.games) - listed)
    games = report.games[before:]
    number_of = {name: number for number, name in enumerate(short)}
    kinds, titles = (
        [*FAULTS],
        {section.game: number for number, section in enumerate(report.sections)},
    )
    settings = {
        name: number for number, name in enumerate(dict.fromkeys(game.settings for game in games))
    }
    rows = [
        [
            titles[game.game],
            settings[game.settings],
            *(number_of[name] for name in game.players.values()),
            game.result,
            game.turns,
            game.fault and kinds.index(game.fault.kind),
            held.games[game.number][0] if game.number in held.games else None,
        ]
        for game in games
    ]
    return {
        "players": [*short],
        "short": [*short.values()],
        "sections": [section.title for section in report.sections],
        "settings": [*settings],
        "usual": name_of_settings({}),
        "kinds": kinds,
        "before": before,
        "games": rows,
        "shells": held.shells,
        "folder": folder,
    }
