"""A search tree in arrays, which Monte Carlo search and Gumbel search share."""

from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.kernels import UNDECIDED
from tkm_env.core.state_arrays import words_of
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.state import STATE, WON
from tkm_env.games.tkm.engine.turn_generator import (
    NO_TURN,
    TurnGenerator,
    begin_turns,
    new_turn_generator,
    next_turn,
    pack_turn,
)
from tkm_env.players.tkm.search.evaluation import PROVEN, WINS, Evaluator, value_after

ROOT: Final = 0

_NODE_FIELDS = [
    ("first", np.int32),  # the index of the first child; 0 if there are none yet
    ("children", np.int32),  # the number of children, which are consecutive
    ("visits", np.int64),
    ("move", np.int64),  # the action, or the packed turn, that leads here
    ("total", np.float64),  # the sum of the values of all visits, each from 0 to 1
    ("prior", np.float64),  # the value without search
    ("player", np.int8),  # whose turn it is here
    ("result", np.int8),  # proven, as in a state, or UNDECIDED
    ("is_repetition", np.int8),  # whether the turn from the root repeats a position
]
#: A node of a search tree; what a search does not use stays 0.
NODE: Final = np.dtype((np.record, np.dtype(_NODE_FIELDS, align=True)))

#: The longest path from the root to a leaf.
MAX_LENGTH: Final = 512


class SearchTree(NamedTuple):
    """A search tree and its workspace, allocated once."""

    nodes: Any  # (n,) NODE
    size: Any  # (1,) int64: the number of nodes in use
    path: Any  # (MAX_LENGTH,) int64: the indices of the nodes from the root to a leaf
    states: Any  # (3,) STATE: at the root; at the current node; after a turn from there
    words: Any  # (3, k) int64: the states, as `words_of` returns them
    masks: Any  # (1, NUM_ACTIONS) int8
    evaluator: Evaluator
    turns: TurnGenerator


def new_tree(size: int, evaluator: Evaluator) -> SearchTree:
    """Allocate an empty search tree.

    Args:
        size: the number of nodes that it has room for.
        evaluator: evaluates the leaves.

    Returns:
        The tree, with no node in use.
    """
    states = np.zeros(3, STATE)
    return SearchTree(
        np.zeros(size, NODE),
        np.zeros(1, np.int64),
        np.zeros(MAX_LENGTH, np.int64),
        states,
        words_of(states),
        np.zeros((1, NUM_ACTIONS), np.int8),
        evaluator,
        new_turn_generator(),
    )


def children_of(tree: SearchTree, node: int) -> np.ndarray[Any, Any]:
    """Return the children of a node.

    Args:
        tree: the search tree.
        node: the index of the node.

    Returns:
        The children: a view of the tree's nodes, NODE of shape (n,).
    """
    first, count = tree.nodes[node].first, tree.nodes[node].children
    return tree.nodes[first : first + count]


@inlined
def reset_node(node: Any, move: int) -> None:
    """Make a node one that has never been visited.

    Args:
        node: of dtype NODE; the fields ``prior`` and ``player`` stay.
        move: the action, or the packed turn, that leads to the node.
    """
    node.first = 0
    node.children = 0
    node.visits = 0
    node.move = move
    node.total = 0.0
    node.result = UNDECIDED
    node.is_repetition = 0


@inlined
def score_of(result: int, player: int) -> float:
    """Return the score of a finished game for a player.

    Args:
        result: the ``result`` of the game's state.
        player: the index of the player.

    Returns:
        1 for a win, 0 for a loss, otherwise 1/2.
    """
    if result == WON + player:
        return 1.0
    return 0.0 if result == WON + 1 - player else 0.5


@kernel
def mean_value(tree: SearchTree, index: int, player: int) -> float:
    """Return what the visits of a node say of its value.

    Args:
        tree: the search tree.
        index: the index of the node.
        player: the index of the player whose winning chances the values are.

    Returns:
        Its proven score, else the mean of its visits, else its prior; from 0 to 1.
    """
    node = tree.nodes[index]
    if node.result != UNDECIDED:
        return score_of(node.result, player)
    return node.total / node.visits if node.visits else node.prior


@kernel
def proven_turn(tree: SearchTree, states: Any) -> tuple[int, int]:
    """Look up the turn that the table of endgames proves to be best.

    Args:
        tree: the search tree whose evaluator and generator of turns are used.
        states: STATE of shape (n,); the position is ``states[0]``, which is not over.

    Returns:
        The turn, packed, with which the side to act wins soonest or loses latest, and its value, as
        in `value_after`; `NO_TURN` if the table proves neither a win nor a loss.
    """
    best, turn = -WINS - 1, NO_TURN
    if tree.evaluator.endgames.longest == 0:
        return turn, best
    begin_turns(tree.turns, states, 0)
    while next_turn(tree.turns):
        value = value_after(tree.turns.states[tree.turns.length[0]], tree.evaluator)
        if value > best:
            best, turn = value, pack_turn(tree.turns)
    return (turn if abs(best) >= PROVEN else NO_TURN), best


@inlined
def proven_result(nodes: Any, node: Any, player: int) -> int:
    """Derive the result of a node from the proven results of its children.

    This is the rule of Winands, Björnsson and Saito ("Monte-Carlo tree search solver", 2008).

    Args:
        nodes: the nodes of the tree.
        node: an expanded node, of dtype NODE.
        player: the index of the player to act there.

    Returns:
        The best result that ``player`` can force, as in a state; `UNDECIDED` if the children do not
        prove one.
    """
    best = WON + 1 - player
    is_known = True
    for child in range(node.first, node.first + node.children):
        result = nodes[child].result
        if result == WON + player:
            return int(result)
        if result == UNDECIDED:
            is_known = False
        elif result != WON + 1 - player:
            best = result
    return int(best) if is_known else UNDECIDED
