"""Gumbel search over whole turns: a tree in which the values of positions are also the prior by which turns are visited.

At the root, sequential halving shares the visits among the turns that look best, so that few visits are enough to improve on the prior;
below it, turns are visited in proportion to the improved policy (Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by
planning with Gumbel", 2022). Expanding a node evaluates the position after every way to play its turn: each child has a value before its
first visit, and the value of the node is that of the best child. Values are winning chances of the player who plays the turn that leads to
a node. Finished games in the tree are proofs and are backed up.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.compiled.kernels import UNDECIDED
from tkm_env.games.tkm.engine.state import OVER, WON
from tkm_env.games.tkm.search.evaluation import HUNDREDTHS, evaluate
from tkm_env.games.tkm.search.history import REPETITION_VALUE, is_repetition
from tkm_env.games.tkm.search.tree import (
    CHILDREN,
    EXTRA,
    FIRST,
    MAX_LENGTH,
    MOVE,
    PRIOR,
    RESULT,
    ROOT,
    SUM,
    VISITS,
    Tree,
    proven_result,
    score_of,
)
from tkm_env.games.tkm.search.turns import begin_turns, next_turn, pack_turn, replay_turn

#: The column of a node that is 1 if a turn from the root repeats a position: its value is fixed.
_REPEATS: Final = EXTRA

#: How many logits of the policy a winning chance of 1 is worth, without search.
_PRIOR_LOGITS: Final = 20.0
#: How many it is worth once found by search, for each visit of the most visited turn, and for visits added to these.
_LOGITS_PER_VISIT: Final = 1.0
_VISITS_ADDED: Final = 50.0

#: The logit of a turn that is proven to win, and the one of a turn that is proven to lose even with noise added.
_WINS: Final = 1e9
LOST: Final = -_WINS / 2


@inlined
def _chance(value: float) -> float:
    """The winning chance that an evaluation, in hundredths of a logit, stands for."""
    return 1.0 / (1.0 + math.exp(-value / HUNDREDTHS))


@inlined
def _expand(tree: Tree, node: int, history: Any) -> None:
    """Add a child for every way to play the turn in ``states[1]``, if the tree has capacity left for all of them."""
    nodes, values, turns = tree.nodes, tree.values, tree.turns
    player = tree.states[1].to_act
    first = tree.size[0]
    child = first
    begin_turns(turns, tree.states, 1)
    length = next_turn(turns)
    while length >= 0:
        if child == nodes.shape[0]:
            return
        state = turns.states[length]
        nodes[child, :] = 0
        nodes[child, MOVE] = pack_turn(turns, length)
        values[child, SUM] = 0.0
        if state.step == OVER:
            nodes[child, RESULT] = state.result
            values[child, PRIOR] = score_of(state.result, player)
        elif is_repetition(history, turns.words, length):
            nodes[child, _REPEATS] = 1
            values[child, PRIOR] = _chance(REPETITION_VALUE)
        else:
            values[child, PRIOR] = 1.0 - _chance(evaluate(state, tree.evaluator))
        child += 1
        length = next_turn(turns)
    nodes[node, FIRST] = first
    nodes[node, CHILDREN] = child - first
    tree.size[0] = child


@inlined
def _mean(tree: Tree, node: int) -> float:
    """The value of a node: the mean over its visits, or the prior."""
    visits = tree.nodes[node, VISITS]
    return tree.values[node, SUM] / visits if visits else tree.values[node, PRIOR]


@inlined
def _scale(tree: Tree, node: int) -> float:
    """How many logits a winning chance of 1 is worth among a node's children."""
    first = tree.nodes[node, FIRST]
    most = 0
    for child in range(first, first + tree.nodes[node, CHILDREN]):
        most = max(most, tree.nodes[child, VISITS])
    return _LOGITS_PER_VISIT * (_VISITS_ADDED + most)


@inlined
def _logit(tree: Tree, child: int, scale: float, player: int) -> float:
    """The improved policy's logit for a turn of ``player``; proven wins and losses stand above and below all others."""
    result = tree.nodes[child, RESULT]
    if result == WON + player:
        return _WINS
    if result == WON + 1 - player:
        return -_WINS
    return _PRIOR_LOGITS * tree.values[child, PRIOR] + scale * _mean(tree, child)


@inlined
def _select(tree: Tree, node: int, player: int) -> int:
    """The child whose share of the visits falls furthest behind the improved policy."""
    nodes = tree.nodes
    first, children = nodes[node, FIRST], nodes[node, CHILDREN]
    scale = _scale(tree, node)
    highest = -math.inf
    for child in range(first, first + children):
        highest = max(highest, _logit(tree, child, scale, player))
    total = 0.0
    for child in range(first, first + children):
        total += math.exp(_logit(tree, child, scale, player) - highest)
    best, furthest = first, -math.inf
    visits = 1.0 + nodes[node, VISITS]
    for child in range(first, first + children):
        behind = math.exp(_logit(tree, child, scale, player) - highest) / total - nodes[child, VISITS] / visits
        if behind > furthest:
            best, furthest = child, behind
    return best


@inlined
def _best_value(tree: Tree, node: int) -> float:
    """The value of a node that was just expanded to who is to act there."""
    first = tree.nodes[node, FIRST]
    best = 0.0
    for child in range(first, first + tree.nodes[node, CHILDREN]):
        best = max(best, tree.values[child, PRIOR])
    return best


@inlined
def _visit(tree: Tree, child: int, no_history: Any) -> None:
    """Visit one of the root's children: go on from there to a leaf, expand it, and back its value up."""
    nodes = tree.nodes
    state = tree.states[1]
    tree.states[1] = tree.states[ROOT]
    root_player = state.to_act
    node, length = child, 1
    while True:
        tree.path[length - 1] = node
        if nodes[node, RESULT] != UNDECIDED or nodes[node, _REPEATS] or length == MAX_LENGTH:
            break
        replay_turn(tree.states, 1, nodes[node, MOVE], tree.masks, tree.turns.scratch[0])
        tree.states[1] = tree.states[2]
        if nodes[node, CHILDREN] == 0:
            _expand(tree, node, no_history)
            break
        node = _select(tree, node, state.to_act)
        length += 1
    # Who plays the turn that leads to the last node of the path.
    player = root_player if length % 2 else 1 - root_player
    if nodes[node, CHILDREN]:
        value = 1.0 - _best_value(tree, node)
    else:
        value = tree.values[node, PRIOR] if nodes[node, RESULT] == UNDECIDED else score_of(nodes[node, RESULT], player)
    for number in range(length - 1, -1, -1):
        node = tree.path[number]
        if nodes[node, RESULT] == UNDECIDED and nodes[node, CHILDREN]:
            nodes[node, RESULT] = proven_result(tree, node, 1 - player)
            if nodes[node, RESULT] != UNDECIDED:
                value = score_of(nodes[node, RESULT], player)
        nodes[node, VISITS] += 1
        tree.values[node, SUM] += value
        value = 1.0 - value
        player = 1 - player


@kernel
def set_root(tree: Tree, states: Any, history: Any) -> int:
    """Start a new tree at ``states[0]``, which is not over; returns how many ways there are to play the turn, or the rest of it.

    ``history`` (m,) int64 are the positions of the game so far, as `history.history_keys` returns them.
    """
    tree.states[0] = states[0]
    tree.states[1] = states[0]
    tree.nodes[ROOT, :] = 0
    tree.size[0] = 1
    _expand(tree, ROOT, history)
    tree.nodes[ROOT, RESULT] = proven_result(tree, ROOT, states[0].to_act)
    return int(tree.nodes[ROOT, CHILDREN])


@nogil_kernel
def visit(tree: Tree, candidates: Any, visits: int, no_history: Any) -> int:
    """Visit each of the ``candidates`` (n,) int64, turns by their numbers, about equally often; returns the number of visits.

    Stops early when the root is proven, or all candidates are.
    """
    player = tree.states[ROOT].to_act
    for done in range(visits):
        if tree.nodes[ROOT, RESULT] != UNDECIDED:
            return done
        least, fewest = -1, 0
        for candidate in candidates:
            child = tree.nodes[ROOT, FIRST] + candidate
            if tree.nodes[child, RESULT] == UNDECIDED and (least == -1 or tree.nodes[child, VISITS] < fewest):
                least, fewest = child, tree.nodes[child, VISITS]
        if least == -1:
            return done
        _visit(tree, least, no_history)
        tree.nodes[ROOT, VISITS] += 1
        tree.nodes[ROOT, RESULT] = proven_result(tree, ROOT, player)
    return visits


@kernel
def _write_logits(tree: Tree, logits: Any) -> None:
    scale = _scale(tree, ROOT)
    for number in range(logits.shape[0]):
        logits[number] = _logit(tree, tree.nodes[ROOT, FIRST] + number, scale, tree.states[ROOT].to_act)


def policy_logits(tree: Tree) -> NDArray[np.float64]:
    """The improved policy at the root, as logits of the ways to play the turn: float64 of shape (n,). The highest is the best."""
    logits = np.zeros(int(tree.nodes[ROOT, CHILDREN]))
    _write_logits(tree, logits)
    return logits
