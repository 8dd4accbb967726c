"""Monte Carlo tree search over single decisions, which also proves wins and losses.

The tree grows by one node's children at a time, chosen by UCB1 (Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006).
A leaf is evaluated by random play of zero or more turns followed by the evaluation of the best way to finish the turn (Lorentz, "Amazons
discover Monte-Carlo", 2008, evaluates after some random moves), or by random play to the end. Finished games in the tree are proofs
and are backed up (Winands, Bjornsson and Saito, "Monte-Carlo tree search solver", 2008).
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.compiled.kernels import UNDECIDED, draw_legal
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.state import BLACK, OVER, STATE, WHITE, WON
from tkm_env.games.tkm.engine.turn import play, write_mask
from tkm_env.games.tkm.search.evaluation import Evaluator, evaluate
from tkm_env.games.tkm.search.playout import leave_out_talk
from tkm_env.games.tkm.search.proofs import proof_of
from tkm_env.games.tkm.search.turns import Walk, begin_walk, new_walk, next_turn

#: The root's number.
ROOT: Final = 0

# More than any evaluation: a turn that wins.
_WINS: Final = 1_000_000

# The columns of ``nodes``.
_FIRST: Final = 0  # the first child's number; 0 if there are none yet
_CHILDREN: Final = 1  # how many there are; they are consecutive
VISITS: Final = 2
ACTION: Final = 3  # the action that leads here
RESULT: Final = 4  # proven, as in a state, or UNDECIDED
_PLAYER: Final = 5  # who chooses among the children
_COLUMNS: Final = 6

#: The longest path from the root to a leaf.
_DEEPEST: Final = 512

#: By result: white's score.
_SCORES: Final = np.array([0.5, 1.0, 0.0, 0.5, 0.5])


class Tree(NamedTuple):
    """A search tree and its workspace, allocated once. Scores are white's: 1 for a win, 0 for a loss."""

    nodes: Any  # (n, _COLUMNS) int64
    scores: Any  # (n,) float64: the sum over all visits
    old_nodes: Any  # workspace of `keep`
    old_scores: Any
    size: Any  # (1,) int64: how many nodes are in use
    path: Any  # (_DEEPEST,) int64: nodes from the root to a leaf
    states: Any  # (2,) STATE: at the root; at the node in hand
    mask: Any  # (1, NUM_ACTIONS) int8
    streams: Any  # (1,) uint64
    evaluator: Evaluator
    scratch: Any
    walk: Walk


def new_tree(size: int, streams: np.ndarray[Any, Any], evaluator: Evaluator) -> Tree:
    """A tree with a capacity of ``size`` nodes."""
    return Tree(
        np.zeros((size, _COLUMNS), np.int64),
        np.zeros(size),
        np.zeros((size, _COLUMNS), np.int64),
        np.zeros(size),
        np.zeros(1, np.int64),
        np.zeros(_DEEPEST, np.int64),
        np.zeros(2, STATE),
        np.zeros((1, NUM_ACTIONS), np.int8),
        streams,
        evaluator,
        new_scratch(),
        new_walk(),
    )


def plant(tree: Tree, states: np.ndarray[Any, Any]) -> None:
    """Start a new tree at ``states[0]``."""
    tree.states[0] = states[0]
    tree.nodes[ROOT] = 0
    tree.nodes[ROOT, _PLAYER] = states["to_act"][0]
    tree.scores[ROOT] = 0.0
    tree.size[0] = 1


def is_proven(tree: Tree, node: int) -> bool:
    """Whether a node's result is known for certain."""
    return bool(tree.nodes[node, RESULT] != UNDECIDED)


def children_of(tree: Tree, node: int) -> range:
    """The numbers of a node's children."""
    first = int(tree.nodes[node, _FIRST])
    return range(first, first + int(tree.nodes[node, _CHILDREN]))


def child_of(tree: Tree, node: int, action: int) -> int | None:
    """The child that an action leads to, if it is in the tree."""
    return next((child for child in children_of(tree, node) if tree.nodes[child, ACTION] == action), None)


def best_child(tree: Tree, node: int) -> tuple[int, float, int]:
    """The action to play at a node, its mean score for the side to act, and its proven result.

    A proven win if there is one, else the most visited child that is not a proven loss.
    """
    player = int(tree.nodes[node, _PLAYER])

    def rank(child: int) -> tuple[int, float, float]:
        result, visits = int(tree.nodes[child, RESULT]), int(tree.nodes[child, VISITS])
        proof = 0 if result not in (WON + WHITE, WON + BLACK) else (1 if result == WON + player else -1)
        return proof, visits, _mean(tree, child, player)

    child = max(children_of(tree, node), key=rank)
    return int(tree.nodes[child, ACTION]), _mean(tree, child, player), int(tree.nodes[child, RESULT])


def _mean(tree: Tree, node: int, player: int) -> float:
    mean = float(tree.scores[node] / max(1, tree.nodes[node, VISITS]))
    return mean if player == WHITE else 1 - mean


@inlined
def _choose(tree: Tree, node: int, exploration: float) -> int:
    """The child to visit next by UCB1. Proven losses come last, unvisited children first."""
    nodes = tree.nodes
    player = nodes[node, _PLAYER]
    first, children = nodes[node, _FIRST], nodes[node, _CHILDREN]
    spread = exploration * math.sqrt(math.log(nodes[node, VISITS] + 1.0))
    best, best_bound = first, -2.0
    for child in range(first, first + children):
        visits = nodes[child, VISITS]
        if nodes[child, RESULT] == WON + 1 - player:
            bound = -1.0
        elif visits == 0:
            return child
        else:
            mean = tree.scores[child] / visits
            bound = (mean if player == WHITE else 1.0 - mean) + spread / math.sqrt(visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@inlined
def _add_children(tree: Tree, node: int) -> None:
    """Add a child for each legal action, except talk, in random order, if the tree has capacity left."""
    mask = tree.mask[0]
    count = np.sum(mask)
    first = tree.size[0]
    if first + count > tree.nodes.shape[0]:
        return
    for number in range(count):
        action = draw_legal(mask, tree.streams, 0)
        mask[action] = 0
        tree.nodes[first + number, :] = 0
        tree.nodes[first + number, ACTION] = action
        tree.scores[first + number] = 0.0
    tree.nodes[node, _FIRST] = first
    tree.nodes[node, _CHILDREN] = count
    tree.size[0] = first + count


@inlined
def _descend(tree: Tree, exploration: float) -> int:
    """Go from the root to a leaf, which is expanded if it was visited before; returns the number of nodes on the path."""
    state, mask = tree.states[1], tree.mask[0]
    tree.states[1] = tree.states[0]
    write_mask(state, mask, tree.scratch[0])
    node, length = ROOT, 1
    tree.path[0] = ROOT
    while state.step != OVER and tree.nodes[node, RESULT] == UNDECIDED and length < _DEEPEST:
        if tree.nodes[node, _CHILDREN] == 0:
            if tree.nodes[node, VISITS] == 0 and node != ROOT:
                break
            leave_out_talk(mask)
            _add_children(tree, node)
            if tree.nodes[node, _CHILDREN] == 0:
                write_mask(state, mask, tree.scratch[0])
                break
        node = _choose(tree, node, exploration)
        play(state, tree.nodes[node, ACTION], mask, tree.scratch[0])
        tree.nodes[node, _PLAYER] = state.to_act
        tree.path[length] = node
        length += 1
    if state.step == OVER:
        tree.nodes[node, RESULT] = state.result
    return length


@inlined
def _white_chance(tree: Tree) -> float:
    """White's winning chance by the evaluation of the best way to finish the current state's turn."""
    best = -_WINS
    begin_walk(tree.walk, tree.states, 1)
    length = next_turn(tree.walk)
    while length >= 0:
        state = tree.walk.states[length]
        if state.step != OVER:
            best = max(best, -evaluate(state, tree.evaluator))
        elif state.result == WON + state.to_act:
            best = _WINS
            break
        else:
            best = max(best, 0)
        length = next_turn(tree.walk)
    chance = 1.0 if best == _WINS else 1.0 / (1.0 + math.exp(-best / 100.0))
    return chance if tree.states[1].to_act == WHITE else 1.0 - chance


@inlined
def _play_on(tree: Tree, turns: int) -> float:
    """White's score of the current state: by the evaluation after random play of ``turns`` turns, including the rest of this one."""
    state, mask = tree.states[1], tree.mask[0]
    player = state.to_act
    while state.step != OVER:
        if state.to_act != player:
            player = state.to_act
            turns -= 1
        if turns == 0:
            return _white_chance(tree)
        leave_out_talk(mask)
        play(state, draw_legal(mask, tree.streams, 0), mask, tree.scratch[0])
    return _SCORES[state.result]


@inlined
def _proof(tree: Tree, node: int) -> int:
    """The result of a node that its children prove."""
    first = tree.nodes[node, _FIRST]
    return proof_of(tree.nodes[first : first + tree.nodes[node, _CHILDREN], RESULT], tree.nodes[node, _PLAYER])


@inlined
def _pass_up(tree: Tree, length: int, score: float) -> None:
    """Count a visit of each node on the path, and back up proofs as far as they reach."""
    proves = True
    for number in range(length - 1, -1, -1):
        node = tree.path[number]
        tree.nodes[node, VISITS] += 1
        tree.scores[node] += score
        if proves and tree.nodes[node, RESULT] == UNDECIDED and tree.nodes[node, _CHILDREN] > 0:
            tree.nodes[node, RESULT] = _proof(tree, node)
        proves = tree.nodes[node, RESULT] != UNDECIDED


@nogil_kernel
def grow(tree: Tree, iterations: int, exploration: float, turns: int) -> int:
    """Grow the tree by ``iterations`` visits, or until its root is proven; returns the number of visits.

    ``turns`` is the number of turns played at random before the evaluation.
    """
    for number in range(iterations):
        if tree.nodes[ROOT, RESULT] != UNDECIDED and number > 0:
            return number
        length = _descend(tree, exploration)
        result = tree.nodes[tree.path[length - 1], RESULT]
        score = _SCORES[result] if result != UNDECIDED else _play_on(tree, turns)
        _pass_up(tree, length, score)
    return iterations


@inlined
def _copy_node(nodes: Any, scores: Any, number: int, to_nodes: Any, to_scores: Any, to_number: int) -> None:
    for field in range(nodes.shape[1]):
        to_nodes[to_number, field] = nodes[number, field]
    to_scores[to_number] = scores[number]


@kernel
def keep(tree: Tree, node: int) -> None:
    """Make ``node`` the root, and keep only its subtree. The caller must set the state at the root."""
    for number in range(tree.size[0]):
        _copy_node(tree.nodes, tree.scores, number, tree.old_nodes, tree.old_scores, number)
    _copy_node(tree.old_nodes, tree.old_scores, node, tree.nodes, tree.scores, ROOT)
    taken = 1
    kept = 0
    # Kept nodes are processed in the order in which they were copied, and still refer to their children by the old numbers.
    while kept < taken:
        old_first, children = tree.nodes[kept, _FIRST], tree.nodes[kept, _CHILDREN]
        if children > 0:
            tree.nodes[kept, _FIRST] = taken
            for number in range(children):
                _copy_node(tree.old_nodes, tree.old_scores, old_first + number, tree.nodes, tree.scores, taken + number)
            taken += children
        kept += 1
    tree.size[0] = taken
