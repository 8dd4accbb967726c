"""Trees of play as the grader holds them: what a submission looks at is counted here, and what it may not know is kept here.

To the worth of a position that is not over a secret number is added, another one for every position. So whoever wants to know a value has
to ask for it, and a count of the positions that were asked about cannot be forged: neither by searching elsewhere nor by saying so.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Final

from tkm_env.course.nodes import GameNode
from tkm_env.course.protocol import MAX, MIN, OVER, Ask, Children, Look, Position, Reply, Value
from tkm_env.errors import ProtocolError
from tkm_env.game.base import BaseGame

#: A position's worth counts so many times, and the secret number is less than so many.
_SCALE: Final = 10
_SECRETS: Final = 100
#: Nodes that a submission may be shown.
_MOST: Final = 500_000


class TreeSizeError(Exception):
    """There are more nodes than a tree may have."""


class Tree:
    """The tree of play below a game.

    Args:
        game: the root.
        worth: what a game is worth to the first player, roughly.
        secret: what the secret numbers are made from, 1 to 64 bytes.
        most: how many nodes it may have.

    Attributes:
        visited: the numbers of the nodes whose children or value have been looked at.
    """

    def __init__(self, game: BaseGame, worth: Callable[[Any], int], secret: bytes, most: int = _MOST) -> None:
        self._most = most
        self._secret = secret
        self._worth = worth
        self._nodes = [GameNode(game, self._value)]
        self._children: dict[int, tuple[tuple[str, int], ...]] = {}
        self.visited: set[int] = set()

    def _value(self, game: Any) -> int:
        digest = blake2b(game.position.encode(), key=self._secret, digest_size=8).digest()
        return _SCALE * self._worth(game) + int.from_bytes(digest, "big") % _SECRETS

    def kind(self, number: int) -> str:
        """`MAX`, `MIN` or `OVER`."""
        node = self._nodes[number]
        return OVER if node.is_over else MAX if node.maximizes else MIN

    def children(self, number: int) -> tuple[tuple[str, int], ...]:
        """The actions at a node, with the numbers of the nodes that they lead to.

        Raises:
            TreeSizeError: if there are more nodes than it may have.
        """
        self.visited.add(number)
        if number not in self._children:
            if len(self._nodes) > self._most:
                raise TreeSizeError
            found = []
            for action, child in self._nodes[number].children():
                assert isinstance(child, GameNode)
                found.append((action, len(self._nodes)))
                self._nodes.append(child)
            self._children[number] = tuple(found)
        return self._children[number]

    def value(self, number: int) -> int:
        """What a node is worth to the first player."""
        self.visited.add(number)
        return self._nodes[number].value()

    def ask(self, task: str, depth: int) -> Ask:
        """The question about this tree."""
        return Ask(task, self._nodes[0].position, depth, self.kind(0))

    def reply(self, look: Look) -> Reply:
        """What a submission sees at a node.

        Raises:
            ProtocolError: if there is no such node, or there are too many.
        """
        if look.node >= len(self._nodes):
            raise ProtocolError(str(look), f"there is no such node: those shown so far are 0 to {len(self._nodes) - 1}")
        if look.what == "value":
            return Value(self.value(look.node))
        if look.what == "position":
            return Position(self._nodes[look.node].position)
        try:
            children = self.children(look.node)
        except TreeSizeError:
            raise ProtocolError(str(look), f"it has been shown {self._most:,} nodes, and is shown no more") from None
        return Children(tuple((number, self.kind(number), action) for action, number in children))


def lines_of_play(tree: Tree, depth: int, number: int = 0) -> int:
    """How many lines of exactly so many actions there are; one that ends earlier, with the game, does not count."""
    children = tree.children(number)
    return len(children) if depth == 1 else sum(lines_of_play(tree, depth - 1, child) for _, child in children)


def minimax(tree: Tree, depth: int, number: int = 0) -> int:
    """The value of a node to the first player, if both play their best for so many actions."""
    kind = tree.kind(number)
    if depth == 0 or kind == OVER:
        return tree.value(number)
    values = [minimax(tree, depth - 1, child) for _, child in tree.children(number)]
    return max(values) if kind == MAX else min(values)


def pruned(tree: Tree, depth: int, number: int = 0, low: float = float("-inf"), high: float = float("inf")) -> float:
    """The same by alpha-beta, which visits the children in their order."""
    kind = tree.kind(number)
    if depth == 0 or kind == OVER:
        return tree.value(number)
    best = low if kind == MAX else high
    for _, child in tree.children(number):
        if kind == MAX:
            best = max(best, pruned(tree, depth - 1, child, best, high))
        else:
            best = min(best, pruned(tree, depth - 1, child, low, best))
        if (kind == MAX and best >= high) or (kind == MIN and best <= low):
            break
    return best
