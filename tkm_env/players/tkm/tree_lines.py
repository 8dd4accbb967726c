"""The lines of play that a search tree visited most."""

from collections.abc import Callable
from typing import Final

from tkm_env.core.agent import Thought
from tkm_env.players.tkm.search.tree import ROOT, SearchTree, children_of, mean_value

#: The most lines, and the most moves of each.
_LINES: Final = 3
_MOVES: Final = 12


def best_lines(
    tree: SearchTree, chosen: int, actions_of: Callable[[int], tuple[int, ...]]
) -> list[Thought]:
    """Return the lines that begin with the most visited moves.

    Args:
        tree: a tree that has been searched.
        chosen: the move at the root that is played; its line comes first.
        actions_of: returns the indices of the actions of a move.

    Returns:
        The lines, each as long as its moves have been visited.
    """
    player = int(tree.nodes[ROOT].player)
    found = children_of(tree, ROOT)
    moves, visits = found["move"].tolist(), found["visits"].tolist()
    order = sorted(range(len(moves)), key=lambda row: (moves[row] != chosen, -visits[row]))
    lines = []
    for row in order[:_LINES]:
        node = int(tree.nodes[ROOT].first) + row
        value = mean_value(tree, node, player)
        line = list(actions_of(moves[row]))
        for _ in range(_MOVES - 1):
            children = children_of(tree, node)
            if len(children) == 0 or children["visits"].max() == 0:
                break
            best = int(children["visits"].argmax())
            line += actions_of(int(children["move"][best]))
            node = int(tree.nodes[node].first) + best
        lines.append(Thought(tuple(line), 2 * value - 1, visits[row]))
    return lines
