"""Game trees on the grader's side, which count the nodes that a submission visits.

The value of an unfinished position includes a secret number, a different one for each position. A
submission can only learn a value by asking for it, so the count of visited positions cannot be
forged.
"""

import math
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Final

from tkm_env.core.chance import ChanceState
from tkm_env.core.game import BaseGame
from tkm_env.course.question_protocol import CHANCE, MAX, MIN, OVER, Ask, Look, format_children
from tkm_env.course.student_nodes import GameNode
from tkm_env.foundations.errors import ProtocolError

#: The value of a position is its worth times `_SCALE`, plus a secret number below `_SECRETS`.
_SCALE: Final = 10
_SECRETS: Final = 100
#: The most nodes that a submission may be shown.
_MAX_NODES: Final = 500_000


class TreeSizeError(Exception):
    """A tree has too many nodes."""


class GameTree:
    """The game tree below a position.

    Nodes are numbered in the order in which they are first shown; the root is 0.

    Args:
        game: the position at the root; below a `ChanceState`, draws are nodes, too.
        worth: returns a rough value of a game to the first player.
        secret: the key of the secret numbers, 1 to 64 bytes.
        max_nodes: after this number of nodes, no more children are shown.

    Attributes:
        visited: the numbers of the nodes whose children or value have been asked for.
    """

    def __init__(
        self,
        game: BaseGame | ChanceState,
        worth: Callable[[Any], int],
        secret: bytes,
        max_nodes: int = _MAX_NODES,
    ) -> None:
        self._max_nodes = max_nodes
        self._secret = secret
        self._worth = worth
        self._nodes = [GameNode(game, self._evaluate)]
        self._children: dict[int, list[tuple[str, int]]] = {}
        self.visited: set[int] = set()

    def _evaluate(self, game: Any) -> int:
        digest = blake2b(game.position.encode(), key=self._secret, digest_size=8).digest()
        return _SCALE * self._worth(game) + int.from_bytes(digest, "big") % _SECRETS

    def kind(self, number: int) -> str:
        """The kind of a node: `MAX`, `MIN`, `CHANCE` or `OVER`."""
        node = self._nodes[number]
        return (
            CHANCE if node.is_chance else OVER if node.is_over else MAX if node.maximizes else MIN
        )

    def children(self, number: int) -> list[tuple[str, int]]:
        """Visit a node and return its children.

        Args:
            number: the number of the node.

        Returns:
            The name of each action, or the probability of each outcome of a draw, with the number
                of the node that it leads to.

        Raises:
            TreeSizeError: if too many nodes have been shown.
        """
        self.visited.add(number)
        if number not in self._children:
            if len(self._nodes) > self._max_nodes:
                raise TreeSizeError
            self._children[number] = []
            node = self._nodes[number]
            for action, child in node.outcomes() if node.is_chance else node.children():
                assert isinstance(child, GameNode)
                self._children[number].append((str(action), len(self._nodes)))
                self._nodes.append(child)
        return self._children[number]

    def value(self, number: int) -> int:
        """Visit a node and return its value to the first player."""
        self.visited.add(number)
        return self._nodes[number].value()

    def ask(self, task: str, depth: int) -> Ask:
        """Return the question about this tree.

        Args:
            task: the name of the function that answers it.
            depth: the depth of the search, in actions.

        Returns:
            The question, about the position at the root.
        """
        return Ask(task, self._nodes[0].position, depth, self.kind(0))

    def reply(self, look: Look) -> str:
        """Return the reply to a submission that looks at a node.

        Raises:
            ProtocolError: if the node has not been shown, or too many have been.
        """
        if look.node >= len(self._nodes):
            raise ProtocolError(
                str(look),
                f"there is no such node: nodes 0 to {len(self._nodes) - 1} have been shown so far",
            )
        if look.what == "value":
            return f"value {self.value(look.node)}"
        if look.what == "position":
            return f"position {self._nodes[look.node].position}"
        try:
            children = self.children(look.node)
        except TreeSizeError:
            raise ProtocolError(
                str(look), f"no more nodes are shown after {self._max_nodes:,}"
            ) from None
        return format_children((number, self.kind(number), action) for action, number in children)


def count_lines(tree: GameTree, depth: int, number: int = 0) -> int:
    """Count the lines of play from a node.

    Args:
        tree: the tree.
        depth: the length of the lines, in actions, 1 or more; lines that the end of the game cuts
            short do not count.
        number: the number of the node.

    Returns:
        The number of lines.
    """
    children = tree.children(number)
    return (
        len(children)
        if depth == 1
        else sum(count_lines(tree, depth - 1, child) for _, child in children)
    )


def alpha_beta(
    tree: GameTree, depth: int, number: int = 0, low: float = -math.inf, high: float = math.inf
) -> float:
    """Compute the minimax value of a node, by alpha-beta over the children in their order.

    Args:
        tree: the tree, without draws.
        depth: the depth of the search, in actions.
        number: the number of the node.
        low: the value that the first player is sure of elsewhere.
        high: the value that the second player is sure of elsewhere.

    Returns:
        The value to the first player; between ``low`` and ``high`` it is exact.
    """
    kind = tree.kind(number)
    if depth == 0 or kind == OVER:
        return tree.value(number)
    for _, child in tree.children(number):
        value = alpha_beta(tree, depth - 1, child, low, high)
        if kind == MAX:
            low = max(low, value)
        else:
            high = min(high, value)
        if low >= high:
            break
    return low if kind == MAX else high


def expectimax(tree: GameTree, depth: int, number: int = 0) -> float:
    """Compute the minimax value of a node, in expectation over draws.

    Args:
        tree: the tree.
        depth: the depth of the search, in actions; draws are not actions.
        number: the number of the node.

    Returns:
        The value to the first player.
    """
    kind = tree.kind(number)
    if depth == 0 or kind == OVER:
        return tree.value(number)
    if kind == CHANCE:
        return sum(
            float(share) * expectimax(tree, depth, child) for share, child in tree.children(number)
        )
    values = [expectimax(tree, depth - 1, child) for _, child in tree.children(number)]
    return max(values) if kind == MAX else min(values)


def alternating_minimax(tree: GameTree, depth: int, number: int = 0) -> float:
    """Compute what minimax would return if the sides took turns after every action.

    Args:
        tree: the tree; draws are weighted as by `expectimax`.
        depth: the depth of the search, in actions.
        number: the number of the node.

    Returns:
        The value to the first player.
    """
    return _wrong_minimax(tree, depth, number, tree.kind(number) != MIN, alternates=True)


def swapped_minimax(tree: GameTree, depth: int, number: int = 0) -> float:
    """Compute what minimax would return if each side acted for the other.

    Args:
        tree: the tree; draws are weighted as by `expectimax`.
        depth: the depth of the search, in actions.
        number: the number of the node.

    Returns:
        The value to the first player.
    """
    return _wrong_minimax(tree, depth, number, tree.kind(number) == MIN, alternates=False)


def _wrong_minimax(
    tree: GameTree, depth: int, number: int, maximizes: bool, *, alternates: bool
) -> float:
    """Compute minimax with the side to act taken from ``maximizes`` instead of the node.

    Below, the side changes with every action or, unless ``alternates``, is the wrong one each time.
    """
    kind = tree.kind(number)
    if depth == 0 or kind == OVER:
        return tree.value(number)
    values = []
    for share, child in tree.children(number):
        below = not maximizes if alternates else tree.kind(child) == MIN
        if kind == CHANCE:
            below = maximizes if alternates else tree.kind(child) == MIN
            values.append(
                float(share) * _wrong_minimax(tree, depth, child, below, alternates=alternates)
            )
        else:
            values.append(_wrong_minimax(tree, depth - 1, child, below, alternates=alternates))
    if kind == CHANCE:
        return sum(values)
    return max(values) if maximizes else min(values)


def play_at_random(tree: GameTree, depth: int, visits: int) -> tuple[float, float]:
    """Compute the mean value of the root after random actions.

    Args:
        tree: the tree, all of which is visited.
        depth: the number of random actions, 1 or more.
        visits: the number of nodes that a sample may visit. The sample consists of as many
            independent lines of play as are certain to fit.

    Returns:
        The expected value, and the standard error of the mean of such a sample.
    """
    mean, square = _moments(tree, depth)
    return mean, math.sqrt(max(0.0, square - mean * mean) * 2 * depth / visits)


def _moments(tree: GameTree, depth: int, number: int = 0) -> tuple[float, float]:
    """Compute the mean and the mean square of a node's value after ``depth`` random actions."""
    kind = tree.kind(number)
    if depth == 0 or kind == OVER:
        return tree.value(number), tree.value(number) ** 2
    children = tree.children(number)
    shares = [float(share) if kind == CHANCE else 1 / len(children) for share, _ in children]
    below = [_moments(tree, depth - (kind != CHANCE), child) for _, child in children]
    mean, square = (
        sum(share * moment for share, moment in zip(shares, moments, strict=True))
        for moments in zip(*below, strict=True)
    )
    return mean, square
