"""A graph of a game's evaluations: the first player's winning chance, turn by turn."""

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Final, NamedTuple

from tkm_env.foundations.message import Message

#: The loss of winning chance that makes a turn a turning point.
TURNING: Final = 0.2
_WIDTH, _HEIGHT = 420, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 10, 10, 24
#: The most turns that are numbered below the graph.
_LABELS: Final = 10


class GraphPoint(NamedTuple):
    """The evaluation of a position, as a point of the graph."""

    ply: int  # the number of actions played before it
    turn: int  # the turn that begins there
    side: int  # the index of the player to act there, 0 or 1
    chance: float  # the first player's chance of winning, from 0 to 1
    words: str  # the evaluation in words


def turning_points(points: Sequence[GraphPoint]) -> list[int]:
    """Return the indices of points before turns that cost their player much winning chance."""
    turning = []
    for number, (before, after) in enumerate(pairwise(points)):
        lost = before.chance - after.chance if before.side == 0 else after.chance - before.chance
        if lost >= TURNING:
            turning.append(number)
    return turning


def graph(points: Sequence[GraphPoint], players: Sequence[str], total: int | None = None) -> str:
    """Draw the graph as an SVG element, in the colours of the page around it.

    Each point has a column of class ``column``, with its ply in ``data-ply``; turning points are
    marked. The first player is at the top.

    Args:
        points: the points, at least one.
        players: the names of the players.
        total: the number of points that the graph has room for; None for as many as there are.

    Returns:
        The SVG element.
    """
    count = max(total or 0, len(points), 2)
    pitch = (_WIDTH - _LEFT - _RIGHT) / (count - 1)
    inner = _HEIGHT - _TOP - _BOTTOM
    spots = [
        (_LEFT + number * pitch, _TOP + (1 - point.chance) * inner)
        for number, point in enumerate(points)
    ]
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
    bottom, middle = _HEIGHT - _BOTTOM, _TOP + inner / 2
    drawn = [
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH - _LEFT - _RIGHT}" height="{inner}" '
        'fill="none" stroke="var(--rule)"/>',
        f'<path d="M{_LEFT} {middle:g}H{_WIDTH - _RIGHT}" stroke="var(--rule)" '
        'stroke-dasharray="4 4"/>',
        *(
            f'<text class="player" x="{_LEFT - 6}" y="{y:g}" text-anchor="end" font-size="12" '
            f'fill="var(--ink)">{escape(player)}</text>'
            for player, y in zip(players, (_TOP + 11, bottom), strict=True)
        ),
        f'<path d="M{spots[0][0]:.1f} {bottom}L{line}L{spots[-1][0]:.1f} {bottom}z" '
        'fill="var(--ink)" fill-opacity="0.12"/>',
        f'<path d="M{line}" fill="none" stroke="var(--ink)" stroke-width="2" '
        'stroke-linejoin="round"/>',
    ]
    every = -(-count // _LABELS)
    for number, (point, (x, _)) in enumerate(zip(points, spots, strict=True)):
        if number % every == 0:
            drawn.append(
                f'<text x="{x:.1f}" y="{_HEIGHT - 7}" text-anchor="middle" font-size="12" '
                f'fill="var(--faint)">{point.turn}</text>'
            )
    for number in turning_points(points):
        (x, y), (to_x, to_y) = spots[number], spots[number + 1]
        drawn.append(
            f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke="var(--mark)" '
            'stroke-width="3"/>'
        )
        drawn.append(f'<circle cx="{to_x:.1f}" cy="{to_y:.1f}" r="4" fill="var(--mark)"/>')
    for point, (x, _) in zip(points, spots, strict=True):
        title = escape(title_of(point))
        drawn.append(
            f'<rect class="column" data-ply="{point.ply}" x="{x - pitch / 2:.1f}" y="{_TOP}" '
            f'width="{pitch:.1f}" height="{inner}" fill="var(--active)" fill-opacity="0">'
            f"<title>{title}</title></rect>"
        )
    label = escape(label_of(points, players[0]))
    return (
        f'<svg class="graph" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
        f"{''.join(drawn)}</svg>"
    )


def title_of(point: GraphPoint) -> Message:
    """Return what a point of the graph says when pointed at."""
    return Message("turn {turn}: {value}", turn=point.turn, value=point.words)


def label_of(points: Sequence[GraphPoint], player: str) -> Message:
    """Return what the graph shows, in words.

    Args:
        points: its points, at least one.
        player: the name of the first player.

    Returns:
        A sentence.
    """
    return Message(
        "{player}'s winning chance, turn by turn: {first:.0%} at first, {last:.0%} at last",
        player=player,
        first=points[0].chance,
        last=points[-1].chance,
    )
