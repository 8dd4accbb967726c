"""A search tree in arrays: what Monte Carlo search and Gumbel search share."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.kernels import UNDECIDED
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.state import STATE, WON
from tkm_env.games.tkm.search.evaluation import Evaluator
from tkm_env.games.tkm.search.turns import TurnGenerator, new_turn_generator

ROOT: Final = 0

# The columns of ``nodes``.
FIRST: Final = 0  # the first child's number; 0 if there are none yet
CHILDREN: Final = 1  # how many there are; they are consecutive
VISITS: Final = 2
MOVE: Final = 3  # the action, or the packed turn, that leads here
RESULT: Final = 4  # proven, as in a state, or UNDECIDED
EXTRA: Final = 5  # what only one of the searches keeps
_COLUMNS: Final = 6

# The columns of ``values``.
SUM: Final = 0  # over all visits
PRIOR: Final = 1  # without search

#: The longest path from the root to a leaf.
MAX_LENGTH: Final = 512


class Tree(NamedTuple):
    """A search tree and its workspace, allocated once."""

    nodes: Any  # (n, _COLUMNS) int64
    values: Any  # (n, 1 or 2) float64, from 0 to 1 for each visit
    size: Any  # (1,) int64: how many nodes are in use
    path: Any  # (MAX_LENGTH,) int64: nodes from the root to a leaf
    states: Any  # (3,) STATE: at the root; at the current node; after a turn from there
    masks: Any  # (1, NUM_ACTIONS) int8
    evaluator: Evaluator
    turns: TurnGenerator


def new_tree(size: int, evaluator: Evaluator, *, has_priors: bool) -> Tree:
    """A tree with a capacity of ``size`` nodes."""
    return Tree(
        np.zeros((size, _COLUMNS), np.int64),
        np.zeros((size, 1 + has_priors)),
        np.zeros(1, np.int64),
        np.zeros(MAX_LENGTH, np.int64),
        np.zeros(3, STATE),
        np.zeros((1, NUM_ACTIONS), np.int8),
        evaluator,
        new_turn_generator(),
    )


def is_proven(tree: Tree) -> bool:
    """Whether the root's result is known for certain."""
    return bool(tree.nodes[ROOT, RESULT] != UNDECIDED)


def children_of(tree: Tree, node: int) -> range:
    """The numbers of a node's children."""
    first = int(tree.nodes[node, FIRST])
    return range(first, first + int(tree.nodes[node, CHILDREN]))


@inlined
def score_of(result: int, player: int) -> float:
    """A finished game's score for a player: 1 for a win, 0 for a loss, otherwise 1/2."""
    if result == WON + player:
        return 1.0
    return 0.0 if result == WON + 1 - player else 0.5


@inlined
def proven_result(tree: Tree, node: int, player: int) -> int:
    """What a node's children prove where ``player`` moves: a win if one wins, the best result once all are known, else undecided.

    Winands, Bjornsson and Saito, "Monte-Carlo tree search solver", 2008.
    """
    best = WON + 1 - player
    known = True
    for child in range(tree.nodes[node, FIRST], tree.nodes[node, FIRST] + tree.nodes[node, CHILDREN]):
        result = tree.nodes[child, RESULT]
        if result == WON + player:
            return int(result)
        if result == UNDECIDED:
            known = False
        elif result != WON + 1 - player:
            best = result
    return int(best) if known else UNDECIDED
