"""The leaderboard of the suite as a single HTML page.

The sources of the page are in ``arena/page``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from tkm_env.arena.benchmark.suite import PLAIN, TRIALS, VERSION, frozen
from tkm_env.arena.benchmark.suite_report import Standing, percent, standings
from tkm_env.evaluation.score import Interval
from tkm_env.foundations.files import packaged_text
from tkm_env.players.player_spec import PlayerSpec
from tkm_env.render.canvas import THEMES
from tkm_env.render.html import as_style, templates

#: The size of the chart without its axes, in its own units.
_WIDTH, _HEIGHT = 600, 240
#: The height of a name, in the same units.
_LINE_HEIGHT: Final = 12.0
_DIGITS: Final = 12


class Point(NamedTuple):
    """A player in the chart: its tokens across, its credit upward, in the chart's units."""

    name: str
    across: float
    middle: float
    low: float
    high: float


class Line(NamedTuple):
    """A player in the chart who needs no tokens: a line across, at its credit.

    Attributes:
        name: its name.
        height: its place from the upper edge of the chart.
        label: the place of its name, which hides no other.
    """

    name: str
    height: float
    label: float


class Chart(NamedTuple):
    """The credit in the plain trial over the tokens of an answer.

    Attributes:
        curves: the points of each model, from the fewest tokens on.
        lines: the anchors.
        ticks: the numbers of tokens with their places across.
    """

    curves: Sequence[Sequence[Point]]
    lines: Sequence[Line]
    ticks: Sequence[tuple[int, float]]

    @property
    def width(self) -> int:
        """The width of the drawing."""
        return _WIDTH

    @property
    def height(self) -> int:
        """The height of the drawing."""
        return _HEIGHT


def leaderboard_page(reports: Sequence[Mapping[str, Any]]) -> str:
    """Render the results of the suite as an HTML document.

    Args:
        reports: reports, of which the results of the suite count; there is at least one.

    Returns:
        The document.

    Raises:
        MissingExtraError: without the extra ``[arena]``.
    """
    found = standings(reports)
    environment = templates("tkm_env.arena", "page")
    environment.filters["credit"] = percent
    environment.filters["gain"] = _gain
    return environment.get_template("leaderboard.html").render(
        standings=found,
        trials={
            name: trial
            for name, trial in TRIALS.items()
            if any(name in each.credits for each in found)
        },
        plain=PLAIN,
        chart=chart_of(found, _models(reports)),
        version=VERSION,
        positions=frozen()["positions"][:_DIGITS],
        prompts=frozen()["prompts"],
        style=as_style(THEMES) + packaged_text("tkm_env.arena", "page/report.css"),
    )


def _models(reports: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The model of each player by the player's name: its line without options."""
    return {report["name"]: PlayerSpec.parse(report["agent"]).subject for report in reports}


def chart_of(found: Sequence[Standing], models: Mapping[str, str]) -> Chart | None:
    """Draw the credit in the plain trial over the tokens of an answer.

    The points of one model, such as with more and more effort, are joined.

    Args:
        found: the players.
        models: the model of each language model, by the player's name.

    Returns:
        The chart; None if no player counts tokens.
    """
    asked = [(each, each.tokens[1]) for each in found if each.tokens is not None]
    if not asked:
        return None
    least = math.floor(math.log10(max(1.0, min(tokens for _, tokens in asked))))
    most = max(least + 1, math.ceil(math.log10(max(1.0, *(tokens for _, tokens in asked)))))

    def across(tokens: float) -> float:
        share = (math.log10(max(1.0, tokens)) - least) / (most - least)
        return round(_WIDTH * share, 1)

    asked.sort(key=lambda pair: (models[pair[0].name], pair[1]))
    curves = [
        [_point(each, across(tokens)) for each, tokens in own]
        for _, own in groupby(asked, key=lambda pair: models[pair[0].name])
    ]
    lines: list[Line] = []
    for each in found:  # the best first, so from the upper edge on
        if each.tokens is None:
            height = _height(_plain(each).share)
            free = lines[-1].label + _LINE_HEIGHT if lines else 0.0
            lines.append(Line(each.name, height, max(height, free)))
    ticks = [(10**power, across(10**power)) for power in range(least, most + 1)]
    return Chart(curves, lines, ticks)


def _point(standing: Standing, across: float) -> Point:
    middle, low, high = map(_height, _plain(standing))
    return Point(standing.name, across, middle, low, high)


def _plain(standing: Standing) -> Interval:
    credit = standing.credit(PLAIN)
    assert credit is not None  # every tier has the plain trial
    return credit


def _height(credit: float) -> float:
    """The place of a credit, from the upper edge of the chart."""
    return round(_HEIGHT * (1 - credit), 1)


def _gain(change: Interval) -> str:
    """Write a difference in percent with its interval and its sign."""
    middle, low, high = (100 * bound for bound in change)
    return f"{middle:+.0f} ({low:+.0f} to {high:+.0f})".replace("-", "\N{MINUS SIGN}")
