"""Curves of ratings over the games of a season, with axes, as pages draw them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from tkm_env.arena.report.report_page import Axis, axis_of
from tkm_env.core.record_files import from_record
from tkm_env.evaluation.score import Elo

#: The size of the drawing without its axes, in its own units.
WIDTH, HEIGHT = 600, 240
#: The room above and below a point, in Elo.
_ROOM: Final = 25.0
#: The number of curves that colours tell apart.
_MOST: Final = 8


class Curve(NamedTuple):
    """The curve of a player."""

    player: str
    points: str  # of an SVG polyline
    end: tuple[float, float]  # its last point
    is_main: bool  # whether the page is about this player, and others are beside it


class Curves(NamedTuple):
    """Curves over the same axes."""

    curves: tuple[Curve, ...]
    last: int  # the number of games, or of actions, at the right end
    ticks: tuple[tuple[float, float], ...]  # ratings, or scores, with their heights in the drawing

    @property
    def width(self) -> int:
        """The width of the drawing."""
        return WIDTH

    @property
    def height(self) -> int:
        """The height of the drawing."""
        return HEIGHT


def curves_of(
    history: Sequence[tuple[int, Mapping[str, Mapping[str, Elo]]]],
    game: str,
    players: Sequence[str],
    main: int = 0,
) -> Curves | None:
    """Make the curves of some players' ratings.

    Args:
        history: the points of a season, as `tkm_env.arena.league.standings.Standings` has them.
        game: the name of the game.
        players: the players, those first whose curves matter most.
        main: the number of players, from the first on, that the page is about.

    Returns:
        The curves; None if there are no points of these players.
    """
    found = {
        player: [(at, rows[game][player]) for at, rows in history if player in rows.get(game, ())]
        for player in players[:_MOST]
    }
    elos = [elo for rows in found.values() for _, elo in rows]
    if not elos:
        return None
    games = history[-1][0]
    axis = axis_of([Elo(elo.estimate, elo.estimate - _ROOM, elo.estimate + _ROOM) for elo in elos])
    places = {
        player: [(_round(WIDTH * at / games), _height(axis, elo.estimate)) for at, elo in rows]
        for player, rows in found.items()
        if rows
    }
    return Curves(
        tuple(
            Curve(player, " ".join(f"{x},{y}" for x, y in rows), rows[-1], player in players[:main])
            for player, rows in places.items()
        ),
        games,
        tuple((tick, _height(axis, tick)) for tick in axis.ticks),
    )


def scores_of(record: Mapping[str, Any]) -> Curves | None:
    """Make the curves of the scores that programs reported, both for the side named first.

    Args:
        record: the record of the game.

    Returns:
        The curves, from -1 below to 1 above; None if no scores were reported.
    """
    game = from_record(record)
    replayed, rows = game.start.copy(), dict[str, list[tuple[float, float]]]()
    for ply, (action, report) in enumerate(
        zip(game.history, record.get("reports", ()), strict=False)
    ):
        if report is not None and "score" in report:
            is_first = replayed.to_act == game.players[0]
            score = report["score"] if is_first else -report["score"]
            place = _round(WIDTH * ply / len(game.history)), _round(HEIGHT * (1 - score) / 2)
            rows.setdefault(record["players"][replayed.to_act], []).append(place)
        replayed.play(action)
    if not rows:
        return None
    curves = [
        Curve(player, " ".join(f"{x},{y}" for x, y in places), places[-1], False)
        for player, places in rows.items()
    ]
    ticks = ((1, 0.0), (0, HEIGHT / 2), (-1, float(HEIGHT)))
    return Curves(tuple(curves), len(game.history), ticks)


def _height(axis: Axis, elo: float) -> float:
    return _round(HEIGHT * (1 - axis.place(elo) / 100))


def _round(value: float) -> float:
    return round(value, 1)
