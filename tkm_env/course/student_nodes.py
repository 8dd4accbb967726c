"""Nodes of game trees as a search sees them: of a local game, or of the grader's tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

from tkm_env.core.chance import Chance, ChanceState
from tkm_env.core.registry import game_spec
from tkm_env.course.question_protocol import CHANCE, MAX, OVER, Look, parse_children, parse_reply

#: The value of a won game to the first player.
WIN: Final = 1_000_000


class Node(ABC):
    """A position in a game tree.

    Values are from the first player's view: white, or red, wants the highest, the opponent the
    lowest. A side may act several times in a row, so only ``maximizes`` says whose turn it is; the
    depth does not.

    Attributes:
        maximizes: whether the first player is to act.
        is_over: whether the game is over here.
        is_chance: whether something is to be drawn here before the next action.
    """

    maximizes: bool
    is_over: bool
    is_chance: bool

    @abstractmethod
    def children(self) -> list[tuple[str, Node]]:
        """List each legal action's name with the node that the action leads to.

        The list is empty if the game is over, or something is to be drawn.
        """

    @abstractmethod
    def outcomes(self) -> list[tuple[float, Node]]:
        """List each outcome's probability with the node that the outcome leads to.

        The list is empty if nothing is to be drawn.
        """

    @abstractmethod
    def value(self) -> int:
        """Return the value of the position to the first player."""

    @property
    @abstractmethod
    def position(self) -> str:
        """The position in text, as both players may see it."""


class GameNode(Node):
    """A local game as a node; the game is not changed.

    Args:
        game: any game of the package; or a `tkm_env.core.chance.ChanceState` of one, below which
            draws are nodes, too. Below a game there are no chance nodes: hidden cards keep the
            order that they have in it.
        evaluate: returns the value of an unfinished game to the first player.

    Attributes:
        game: the game; anything that is yet to be drawn is arbitrary in it.

    >>> from tkm_env import Game
    >>> node = GameNode(Game(), lambda game: 0)
    >>> [(action, child.maximizes) for action, child in node.children()]
    [('choose 1', True)]
    """

    def __init__(self, game: Any, evaluate: Callable[[Any], int]) -> None:
        self._moment = game if isinstance(game, ChanceState) else None
        self.game = self._moment.game if self._moment else game
        self._evaluate = evaluate
        self.is_over = self.game.result is not None
        self.is_chance = bool(self._moment and self._moment.undrawn)
        self.maximizes = self.game.to_act == self.game.players[0]

    @property
    def _chance(self) -> Chance:
        return game_spec(self.game.name).chance(self.game.config)

    def children(self) -> list[tuple[str, Node]]:
        found: list[tuple[str, Node]] = []
        for action in [] if self.is_chance else self.game.legal_actions():
            if self._moment:
                after = self._chance.play(self._moment, action)
            else:
                after = self.game.copy()
                after.play(action)
            found.append((self.game.action_names[action], GameNode(after, self._evaluate)))
        return found

    def outcomes(self) -> list[tuple[float, Node]]:
        if self._moment is None:
            return []
        drawn = self._chance.outcomes(self._moment)
        return [
            (share, GameNode(self._chance.draw(self._moment, outcome), self._evaluate))
            for outcome, share in drawn
        ]

    def value(self) -> int:
        """Return what ``evaluate`` does; at the end 1,000,000, 0 or -1,000,000."""
        if not self.is_over:
            return self._evaluate(self.game)
        return (
            0
            if self.game.winner is None
            else WIN
            if self.game.winner == self.game.players[0]
            else -WIN
        )

    @property
    def position(self) -> str:
        text: str = self.game.visible_position
        return text


class RemoteNode(Node):
    """A node of the grader's tree; the grader counts every look at it.

    Args:
        number: the number by which the grader knows the node.
        kind: ``"max"``, ``"min"``, ``"chance"`` or ``"over"``.
        ask: sends a line to the grader and returns the reply.
    """

    def __init__(self, number: int, kind: str, ask: Callable[[str], str]) -> None:
        self._number = number
        self._ask = ask
        self.maximizes = kind == MAX
        self.is_over = kind == OVER
        self.is_chance = kind == CHANCE
        self._below: list[tuple[str, Node]] | None = None

    def _look_at(self, what: str) -> str:
        return parse_reply(self._ask(str(Look(what, self._number))), what)

    def children(self) -> list[tuple[str, Node]]:
        return [] if self.is_chance else [*self._nodes_below()]

    def outcomes(self) -> list[tuple[float, Node]]:
        return (
            [(float(share), node) for share, node in self._nodes_below()] if self.is_chance else []
        )

    def _nodes_below(self) -> list[tuple[str, Node]]:
        if self._below is None:
            nodes = parse_children(self._look_at("children"))
            self._below = [
                (action, RemoteNode(number, kind, self._ask)) for number, kind, action in nodes
            ]
        return self._below

    def value(self) -> int:
        return int(self._look_at("value"))

    @property
    def position(self) -> str:
        return self._look_at("position")
