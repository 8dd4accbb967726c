"""Evaluations of positions and of whole games, each thought about once."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

from tkm_env.play.adapter import Evaluation, PlayAdapter
from tkm_env.play.session import Session
from tkm_env.render.evaluation_graph import Point, graph, turning_points

#: Positions that are remembered.
_REMEMBERED: Final = 4096
#: Positions evaluated at a time, so that whoever waits sees how far it is.
_AT_A_TIME: Final = 4


def turns_of(adapter: PlayAdapter[Any], game: Any) -> list[int]:
    """How many actions had been played when each turn began, and how many there are in all.

    >>> from tkm_env import Game
    >>> from tkm_env.play.adapter import PLAIN
    >>> game = Game()
    >>> for action in ("choose 1", "move east", "move south", "focus future", "choose 16"):
    ...     game.play(action)
    >>> turns_of(PLAIN, game)
    [0, 4, 5]
    """
    log = adapter.log(game)
    return [ply for ply, entry in enumerate(log) if ply == 0 or entry.turn != log[ply - 1].turn] + [len(log)]


def point_of(game: Any, ply: int, found: Evaluation) -> Point:
    """The evaluation of a game that stands after so many actions, as a point of the graph."""
    return Point(ply, game.turn, game.players.index(game.to_act), found.chance, found.words)


class Reviews:
    """What positions are worth, by their texts; the latest are remembered."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Evaluation | None] = OrderedDict()

    def evaluation(self, adapter: PlayAdapter[Any], game: Any) -> dict[str, Any] | None:
        """What the game's position is worth, as JSON types; None if the game does not tell."""
        found = self._evaluated(adapter, game)
        return None if found is None else found._asdict()

    def review(self, session: Session[Any]) -> dict[str, Any]:
        """The session's game so far, turn by turn, as JSON types: how many positions are evaluated, of how many, the graph of them, and
        the turning points. Each call evaluates some more.
        """
        adapter, game = session.adapter, session.game
        begins = turns_of(adapter, game)
        points: list[Point] = []
        fresh = 0
        for ply in begins:
            then = game.at(ply)
            fresh += then.position not in self._known
            if fresh > _AT_A_TIME or (found := self._evaluated(adapter, then)) is None:
                break
            points.append(point_of(then, ply, found))
        turns = []
        for number in turning_points(points):
            before, after = points[number], points[number + 1]
            mine, then_mine = (one.chance if before.side == 0 else 1 - one.chance for one in (before, after))
            player = game.players[before.side]
            turns.append(
                {"ply": after.ply, "text": f"turn {before.turn}: {player}'s chance fell from {mine:.0%} to {then_mine:.0%}"}
            )
        return {
            "done": len(points),
            "of": len(begins),
            "graph": graph(points, game.players, len(begins)) if points else "",
            "turning": turns,
        }

    def _evaluated(self, adapter: PlayAdapter[Any], game: Any) -> Evaluation | None:
        position = game.position
        if position not in self._known:
            self._known[position] = adapter.evaluation(game)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return self._known[position]
