"""Gumbel search over whole turns: a tree in which the values of positions are also the prior by which turns are visited.

At the root, sequential halving shares the visits among the turns that look best, so that few visits are enough to improve on the prior;
below it, turns are visited in proportion to the improved policy (Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by
planning with Gumbel", 2022). Expanding a node evaluates the position after every way to play its turn: each child has a value before it is
visited, and the node's own is that of the best child. Finished games in the tree are proofs and are backed up.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.compiled.kernels import UNDECIDED
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.state import OVER, STATE, WON
from tkm_env.games.tkm.search.evaluation import HUNDREDTHS, Evaluator, evaluate
from tkm_env.games.tkm.search.history import CIRCLE, is_seen
from tkm_env.games.tkm.search.proofs import proof_of
from tkm_env.games.tkm.search.turns import Walk, begin_walk, new_walk, next_turn, pack_turn, replay_turn

_ROOT: Final = 0

# The columns of ``nodes``.
_FIRST: Final = 0  # the first child's number; 0 if there are none yet
_CHILDREN: Final = 1  # how many there are; they are consecutive
_VISITS: Final = 2
_TURN: Final = 3  # the packed turn that leads here
_RESULT: Final = 4  # proven, as in a state, or UNDECIDED
_CLOSED: Final = 5  # 1 if a turn from the root goes in a circle: its value is what it is
_COLUMNS: Final = 6

# The columns of ``values``: chances to win of who plays the turn that leads here, from 0 to 1.
_PRIOR: Final = 0  # without search
_SUM: Final = 1  # over all visits
_NUM_VALUES: Final = 2

#: The longest path from the root to a leaf.
_DEEPEST: Final = 256

#: How many logits of the policy a chance of 1 is worth, without search.
_PRIOR_LOGITS: Final = 20.0
#: How many it is worth found by search, for each visit of the turn most visited, and for visits added to that.
_LOGITS_PER_VISIT: Final = 1.0
_VISITS_ADDED: Final = 50.0

#: The logits of a turn that is proven to win, and that of one that is proven to lose even with noise added.
_WINS: Final = 1e9
LOST: Final = -_WINS / 2


class GumbelTree(NamedTuple):
    """A search tree and its workspace, allocated once."""

    nodes: Any  # (n, _COLUMNS) int64
    values: Any  # (n, _NUM_VALUES) float64
    size: Any  # (1,) int64: how many nodes are in use
    path: Any  # (_DEEPEST,) int64: nodes from the root to a leaf
    states: Any  # (3,) STATE: at the root; at the node in hand; after a turn from there
    masks: Any  # (1, NUM_ACTIONS) int8
    evaluator: Evaluator
    scratch: Any
    walk: Walk


def new_gumbel_tree(size: int, evaluator: Evaluator) -> GumbelTree:
    """A tree with a capacity of ``size`` nodes, more than there are ways to play a turn."""
    return GumbelTree(
        np.zeros((size, _COLUMNS), np.int64),
        np.zeros((size, _NUM_VALUES)),
        np.zeros(1, np.int64),
        np.zeros(_DEEPEST, np.int64),
        np.zeros(3, STATE),
        np.zeros((1, NUM_ACTIONS), np.int8),
        evaluator,
        new_scratch(),
        new_walk(),
    )


@inlined
def _chance(value: float) -> float:
    """The chance to win of whom a position is worth so many hundredths of a logit."""
    return 1.0 / (1.0 + math.exp(-value / HUNDREDTHS))


@inlined
def _score_of(result: int, player: int) -> float:
    """A finished game's score for a player, from 0 to 1."""
    if result == WON + player:
        return 1.0
    return 0.0 if result == WON + 1 - player else 0.5


@inlined
def _expand(tree: GumbelTree, node: int, seen: Any) -> None:
    """Add a child for every way to play the turn in ``states[1]``, if the tree has capacity left for all of them."""
    nodes, values = tree.nodes, tree.values
    player = tree.states[1].to_act
    first = tree.size[0]
    number = first
    begin_walk(tree.walk, tree.states, 1)
    length = next_turn(tree.walk)
    while length >= 0:
        if number == nodes.shape[0]:
            return
        state = tree.walk.states[length]
        nodes[number, :] = 0
        nodes[number, _TURN] = pack_turn(tree.walk, length)
        nodes[number, _RESULT] = UNDECIDED
        values[number, _SUM] = 0.0
        if state.step == OVER:
            nodes[number, _RESULT] = state.result
            values[number, _PRIOR] = _score_of(state.result, player)
        elif is_seen(seen, tree.walk.words, length):
            nodes[number, _CLOSED] = 1
            values[number, _PRIOR] = _chance(CIRCLE)
        else:
            values[number, _PRIOR] = 1.0 - _chance(evaluate(state, tree.evaluator))
        number += 1
        length = next_turn(tree.walk)
    nodes[node, _FIRST] = first
    nodes[node, _CHILDREN] = number - first
    tree.size[0] = number


@inlined
def _mean(tree: GumbelTree, node: int) -> float:
    """What is known of a turn's value to who plays it: the mean over its visits, or the prior."""
    visits = tree.nodes[node, _VISITS]
    return tree.values[node, _SUM] / visits if visits else tree.values[node, _PRIOR]


@inlined
def _scale(tree: GumbelTree, node: int) -> float:
    """How many logits a chance of 1 is worth among a node's children."""
    first = tree.nodes[node, _FIRST]
    most = 0
    for child in range(first, first + tree.nodes[node, _CHILDREN]):
        most = max(most, tree.nodes[child, _VISITS])
    return _LOGITS_PER_VISIT * (_VISITS_ADDED + most)


@inlined
def _logit(tree: GumbelTree, child: int, scale: float, player: int) -> float:
    """Of the improved policy at a turn of ``player``'s; proven wins and losses stand above and below all others."""
    result = tree.nodes[child, _RESULT]
    if result == WON + player:
        return _WINS
    if result == WON + 1 - player:
        return -_WINS
    return _PRIOR_LOGITS * tree.values[child, _PRIOR] + scale * _mean(tree, child)


@inlined
def _choose(tree: GumbelTree, node: int, player: int) -> int:
    """The child whose share of the visits falls furthest behind the improved policy."""
    nodes = tree.nodes
    first, children = nodes[node, _FIRST], nodes[node, _CHILDREN]
    scale = _scale(tree, node)
    highest = -math.inf
    for child in range(first, first + children):
        highest = max(highest, _logit(tree, child, scale, player))
    total = 0.0
    for child in range(first, first + children):
        total += math.exp(_logit(tree, child, scale, player) - highest)
    best, furthest = first, -math.inf
    visits = 1.0 + nodes[node, _VISITS]
    for child in range(first, first + children):
        behind = math.exp(_logit(tree, child, scale, player) - highest) / total - nodes[child, _VISITS] / visits
        if behind > furthest:
            best, furthest = child, behind
    return best


@inlined
def _proof(tree: GumbelTree, node: int, player: int) -> int:
    """The result of a node that its children prove."""
    first = tree.nodes[node, _FIRST]
    return proof_of(tree.nodes[first : first + tree.nodes[node, _CHILDREN], _RESULT], player)


@inlined
def _best_value(tree: GumbelTree, node: int) -> float:
    """The value of a node that was just expanded to who is to act there."""
    first = tree.nodes[node, _FIRST]
    best = 0.0
    for child in range(first, first + tree.nodes[node, _CHILDREN]):
        best = max(best, tree.values[child, _PRIOR])
    return best


@inlined
def _visit_below(tree: GumbelTree, child: int, nothing_seen: Any) -> None:
    """Visit one of the root's children: go on from there to a leaf, expand it, and back its value up."""
    nodes = tree.nodes
    state = tree.states[1]
    tree.states[1] = tree.states[_ROOT]
    root_player = state.to_act
    node, length = child, 1
    while True:
        tree.path[length - 1] = node
        if nodes[node, _RESULT] != UNDECIDED or nodes[node, _CLOSED] or length == _DEEPEST:
            break
        replay_turn(tree.states, 1, nodes[node, _TURN], tree.masks, tree.scratch[0])
        tree.states[1] = tree.states[2]
        if nodes[node, _CHILDREN] == 0:
            _expand(tree, node, nothing_seen)
            break
        node = _choose(tree, node, state.to_act)
        length += 1
    # Who plays the turn that leads to the last node of the path.
    player = root_player if length % 2 else 1 - root_player
    if nodes[node, _CHILDREN]:
        value = 1.0 - _best_value(tree, node)
    else:
        value = tree.values[node, _PRIOR] if nodes[node, _RESULT] == UNDECIDED else _score_of(nodes[node, _RESULT], player)
    for number in range(length - 1, -1, -1):
        node = tree.path[number]
        if nodes[node, _RESULT] == UNDECIDED and nodes[node, _CHILDREN]:
            nodes[node, _RESULT] = _proof(tree, node, 1 - player)
            if nodes[node, _RESULT] != UNDECIDED:
                value = _score_of(nodes[node, _RESULT], player)
        nodes[node, _VISITS] += 1
        tree.values[node, _SUM] += value
        value = 1.0 - value
        player = 1 - player


@kernel
def plant(tree: GumbelTree, states: Any, seen: Any) -> int:
    """Start a new tree at ``states[0]``, which is not over; returns how many ways there are to play the turn, or the rest of it.

    ``seen`` (m,) int64 are the positions that the game has been through, as `history.positions_seen` returns them.
    """
    tree.states[0] = states[0]
    tree.states[1] = states[0]
    tree.nodes[_ROOT, :] = 0
    tree.nodes[_ROOT, _RESULT] = UNDECIDED
    tree.size[0] = 1
    _expand(tree, _ROOT, seen)
    tree.nodes[_ROOT, _RESULT] = _proof(tree, _ROOT, states[0].to_act)
    return int(tree.nodes[_ROOT, _CHILDREN])


@nogil_kernel
def visit(tree: GumbelTree, candidates: Any, visits: int, nothing_seen: Any) -> int:
    """Visit each of the ``candidates`` (n,) int64, turns by their places among all, about equally often; returns the number of visits.

    Stops early when the root is proven, or all candidates are.
    """
    player = tree.states[_ROOT].to_act
    for done in range(visits):
        if tree.nodes[_ROOT, _RESULT] != UNDECIDED:
            return done
        least, fewest = -1, 0
        for candidate in candidates:
            child = tree.nodes[_ROOT, _FIRST] + candidate
            if tree.nodes[child, _RESULT] == UNDECIDED and (least == -1 or tree.nodes[child, _VISITS] < fewest):
                least, fewest = child, tree.nodes[child, _VISITS]
        if least == -1:
            return done
        _visit_below(tree, least, nothing_seen)
        tree.nodes[_ROOT, _VISITS] += 1
        tree.nodes[_ROOT, _RESULT] = _proof(tree, _ROOT, player)
    return visits


@kernel
def _write_ranks(tree: GumbelTree, ranks: Any) -> None:
    scale = _scale(tree, _ROOT)
    for number in range(ranks.shape[0]):
        child = tree.nodes[_ROOT, _FIRST] + number
        ranks[number] = _logit(tree, child, scale, tree.states[_ROOT].to_act)


def ranks(tree: GumbelTree) -> NDArray[np.float64]:
    """The logits of the improved policy for each way to play the turn at the root: float64 of shape (n,). The highest is the best."""
    found = np.zeros(int(tree.nodes[_ROOT, _CHILDREN]))
    _write_ranks(tree, found)
    return found


def root_is_proven(tree: GumbelTree) -> bool:
    """Whether the result of the root is known for certain."""
    return bool(tree.nodes[_ROOT, _RESULT] != UNDECIDED)


def visits_of(tree: GumbelTree) -> NDArray[np.int64]:
    """How often each way to play the turn at the root was visited: int64 of shape (n,)."""
    first = int(tree.nodes[_ROOT, _FIRST])
    return np.array(tree.nodes[first : first + int(tree.nodes[_ROOT, _CHILDREN]), _VISITS])


def turn_of(tree: GumbelTree, number: int) -> int:
    """The packed turn at a place among all ways to play the turn at the root."""
    return int(tree.nodes[tree.nodes[_ROOT, _FIRST] + number, _TURN])
