"""A tree of play as a search sees it, the same whether the grader holds it or a game at hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

from tkm_env.course.protocol import MAX, OVER, Children, Look, Position, Reply, Value, parse_reply

#: What a won game is worth to the first player.
WIN: Final = 1_000_000


class Node(ABC):
    """A position in a tree of play.

    Values are the first player's: white, or red, wants the highest one, the opponent the lowest. One side may act several times in a row,
    so whose turn it is says `maximizes` and not the depth.

    Attributes:
        maximizes: whether the side to act is the first player.
        is_over: whether the game is over here.
    """

    maximizes: bool
    is_over: bool

    @abstractmethod
    def children(self) -> list[tuple[str, Node]]:
        """The name of each legal action, with the position that it leads to; none if the game is over."""

    @abstractmethod
    def value(self) -> int:
        """What the position is worth to the first player."""

    @property
    @abstractmethod
    def position(self) -> str:
        """The text of the position, as both players may see it."""


class GameNode(Node):
    """A game at hand as a node; the game is not changed.

    Args:
        game: any game of the package.
        evaluate: says what a game that is not over is worth to the first player.

    Attributes:
        game: see above.

    >>> from tkm_env import Game
    >>> node = GameNode(Game(), lambda game: 0)
    >>> [(action, child.maximizes) for action, child in node.children()]
    [('choose 1', True)]
    """

    def __init__(self, game: Any, evaluate: Callable[[Any], int]) -> None:
        self.game = game
        self._evaluate = evaluate
        self.is_over = game.result is not None
        self.maximizes = game.to_act == game.players[0]

    def children(self) -> list[tuple[str, Node]]:
        found: list[tuple[str, Node]] = []
        for action in self.game.legal_actions():
            after = self.game.copy()
            after.play(action)
            found.append((self.game.action_names[action], GameNode(after, self._evaluate)))
        return found

    def value(self) -> int:
        """A million if the first player has won, minus a million if the other one has, 0 for a draw; else what ``evaluate`` says."""
        if not self.is_over:
            return self._evaluate(self.game)
        return 0 if self.game.winner is None else WIN if self.game.winner == self.game.players[0] else -WIN

    @property
    def position(self) -> str:
        text: str = self.game.visible_position
        return text


class AskedNode(Node):
    """A position in a tree that the grader holds: whatever is asked about it goes there, and is counted there.

    Args:
        number: by which the grader knows it.
        kind: ``"max"``, ``"min"`` or ``"over"``.
        ask: takes a line to the grader, and returns its reply.
    """

    def __init__(self, number: int, kind: str, ask: Callable[[str], str]) -> None:
        self._number = number
        self._ask = ask
        self.maximizes = kind == MAX
        self.is_over = kind == OVER
        self._children: list[tuple[str, Node]] | None = None

    def _reply(self, what: str, kind: type[Reply]) -> Any:
        return parse_reply(self._ask(str(Look(what, self._number))), kind)

    def children(self) -> list[tuple[str, Node]]:
        if self._children is None:
            found = self._reply("children", Children).nodes
            self._children = [(action, AskedNode(number, kind, self._ask)) for number, kind, action in found]
        return [*self._children]

    def value(self) -> int:
        worth: int = self._reply("value", Value).worth
        return worth

    @property
    def position(self) -> str:
        text: str = self._reply("position", Position).text
        return text
