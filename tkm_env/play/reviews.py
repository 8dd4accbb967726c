"""Evaluations of positions and of whole games, each computed once."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

from tkm_env.foundations.message import Message, joined
from tkm_env.play.adapter import Advice, PlayAdapter, PositionValue
from tkm_env.play.session import Session
from tkm_env.render.evaluation_graph import GraphPoint, graph, label_of, title_of, turning_points

#: The number of positions that are remembered.
_REMEMBERED: Final = 4096
#: The number of positions that each request evaluates, so that the page can show progress.
_AT_A_TIME: Final = 4
#: The number of costliest turns, beside each of which a better one is shown.
_WORST: Final = 3


def turns_of(adapter: PlayAdapter[Any], game: Any) -> list[int]:
    """Find where turns begin.

    Args:
        adapter: how people play the game.
        game: the game.

    Returns:
        The number of actions before each turn, and at the end of the game.
    """
    log = adapter.log(game)
    return [ply for ply, entry in enumerate(log) if ply == 0 or entry.turn != log[ply - 1].turn] + [
        len(log)
    ]


def point_of(game: Any, ply: int, found: PositionValue) -> GraphPoint:
    """Make a point of the graph.

    Args:
        game: the game after ``ply`` actions.
        ply: the number of actions.
        found: the value of its position.

    Returns:
        The point.
    """
    return GraphPoint(ply, game.turn, game.players.index(game.to_act), found.chance, found.words)


class Reviews:
    """The values of positions, by their texts; the latest are remembered."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, PositionValue | None] = OrderedDict()
        self._better: dict[str, Advice | None] = {}

    def evaluation(self, adapter: PlayAdapter[Any], game: Any) -> PositionValue | None:
        """Return the value of a position, computed at most once.

        Args:
            adapter: how people play the game.
            game: the game at this position.

        Returns:
            The value; None if the game has no evaluation.
        """
        position = game.position
        if position not in self._known:
            self._known[position] = adapter.evaluation(game)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return self._known[position]

    def review(self, session: Session[Any]) -> dict[str, Any]:
        """Review the session's game so far; each call evaluates a few more of its turns.

        The result, as JSON types, says how many turns are evaluated, and holds their graph and the
        worst turns.
        """
        adapter, game = session.adapter, session.game
        begins = turns_of(adapter, game)
        points: list[GraphPoint] = []
        fresh = 0
        for ply in begins:
            then = game.at(ply)
            fresh += then.position not in self._known
            if fresh > _AT_A_TIME or (found := self.evaluation(adapter, then)) is None:
                break
            points.append(point_of(then, ply, found))
        turns = []
        for number in (turning := turning_points(points)):
            before, after = points[number], points[number + 1]
            mine, then_mine = (
                one.chance if before.side == 0 else 1 - one.chance for one in (before, after)
            )
            player = game.players[before.side]
            turns.append(
                {
                    "ply": after.ply,
                    "text": Message(
                        "turn {turn}: {player}'s chance fell from {before:.0%} to {after:.0%}",
                        turn=before.turn,
                        player=player,
                        before=mine,
                        after=then_mine,
                    ),
                }
            )
        return {
            "done": len(points),
            "of": len(begins),
            "graph": graph(points, game.players, len(begins)) if points else "",
            "graph_label": label_of(points, game.players[0]) if points else "",
            "graph_titles": [title_of(point) for point in points],
            "turning": turns,
        } | self._worst(adapter, game, points, turning if len(points) == len(begins) else [])

    def _worst(
        self, adapter: PlayAdapter[Any], game: Any, points: list[GraphPoint], turning: list[int]
    ) -> dict[str, Any]:
        """The worst turns, each beside a better one; each call finds at most one of these."""
        worst = sorted(
            turning, key=lambda number: -abs(points[number].chance - points[number + 1].chance)
        )[:_WORST]
        actions = [entry.action for entry in adapter.log(game)]
        moments, fresh = [], 0
        for number in worst:
            then = game.at(points[number].ply)
            fresh += then.position not in self._better
            if fresh > 1:
                break
            if then.position not in self._better:
                if len(self._better) > _REMEMBERED:
                    self._better.clear()
                self._better[then.position] = next(iter(adapter.advice(then)), None)
            better = self._better[then.position]
            if better is not None:
                took = actions[points[number].ply : points[number + 1].ply]
                moments.append(
                    {
                        "title": Message(
                            "Turn {turn}, {player}", turn=then.turn, player=then.to_act
                        ),
                        "played": picture_of(adapter, then, took)
                        | {"worth": points[number + 1].words},
                        "better": picture_of(adapter, then, better.turns[0])
                        | {"worth": better.worth, "why": better.why},
                    }
                )
        return {"moments": moments, "is_complete": fresh <= 1}


def picture_of(adapter: PlayAdapter[Any], game: Any, actions: Sequence[str]) -> dict[str, Any]:
    """Draw what actions do: the game before them, marked with their effects, and words.

    Args:
        adapter: how people play the game.
        game: the game before them.
        actions: the names of the actions.

    Returns:
        The picture, as a JSON object.
    """
    words = joined(" · ", adapter.directions(game, actions))
    marks = adapter.marks_of(game, actions)
    return {
        "parts": {**adapter.parts(game, hints=False), **marks},
        "marks": marks,
        "short": adapter.short(game, actions),
        "words": words,
    }
