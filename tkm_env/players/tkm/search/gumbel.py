"""Gumbel search over whole turns: a tree in which the values of positions are also the prior by which turns are visited (Danihelka, Guez,
Schrittwieser and Silver, "Policy improvement by planning with Gumbel", 2022).

At the root sequential halving shares the visits among the turns that look best; below it turns are visited in proportion to the improved
policy. Expanding a node evaluates the position after every way to play its turn. Values are winning chances of the player who plays the
turn that leads to a node. Finished games in the tree are proofs and are backed up.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.compiled.kernels import UNDECIDED
from tkm_env.games.tkm.engine.state import OVER, WON
from tkm_env.games.tkm.engine.turns import begin_turns, next_turn, pack_turn, replay_turn
from tkm_env.players.tkm.search.evaluation import chance_of, evaluate
from tkm_env.players.tkm.search.repetition import REPETITION_VALUE, is_repetition
from tkm_env.players.tkm.search.tree import (
    MAX_LENGTH,
    ROOT,
    SearchTree,
    proven_result,
    reset_node,
    score_of,
)

#: How many logits of the policy a winning chance of 1 is worth, without search.
_PRIOR_LOGITS: Final = 20.0
#: How many it is worth once found by search, for each visit of the most visited turn, and for visits added to these.
_LOGITS_PER_VISIT: Final = 1.0
_VISITS_ADDED: Final = 50.0

#: The logit of a turn that is proven to win, and the one of a turn that is proven to lose even with noise added.
_WINS: Final = 1e9
LOST: Final = -_WINS / 2


@inlined
def _expand(tree: SearchTree, node: Any, history: Any) -> None:
    """Add a child for every way to play the turn in ``states[1]``, if the tree has capacity left for all of them."""
    turns, player, first = tree.turns, tree.states[1].to_act, tree.size[0]
    number = first
    begin_turns(turns, tree.states, 1)
    while next_turn(turns):
        if number == tree.nodes.shape[0]:
            return
        state, child = turns.states[turns.length[0]], tree.nodes[number]
        reset_node(child, pack_turn(turns))
        if state.step == OVER:
            child.result = state.result
            child.prior = score_of(state.result, player)
        elif is_repetition(history, turns.words, turns.length[0]):
            child.is_repetition = 1
            child.prior = chance_of(REPETITION_VALUE)
        else:
            child.prior = 1.0 - chance_of(evaluate(state, tree.evaluator))
        number += 1
    node.first = first
    node.children = number - first
    tree.size[0] = number


@inlined
def _scale(nodes: Any, node: Any) -> float:
    """How many logits a winning chance of 1 is worth among a node's children."""
    most = 0
    for child in range(node.first, node.first + node.children):
        most = max(most, nodes[child].visits)
    return _LOGITS_PER_VISIT * (_VISITS_ADDED + most)


@inlined
def _logit(node: Any, scale: float, player: int) -> float:
    """The improved policy's logit for the turn of ``player`` that leads to a node; proofs stand above and below all others."""
    if node.result == WON + player:
        return _WINS
    if node.result == WON + 1 - player:
        return -_WINS
    return _PRIOR_LOGITS * node.prior + scale * (
        node.total / node.visits if node.visits else node.prior
    )


@inlined
def _select(nodes: Any, node: Any, player: int) -> int:
    """The child whose share of the visits falls furthest behind the improved policy."""
    end, scale = node.first + node.children, _scale(nodes, node)
    highest = -math.inf
    for child in range(node.first, end):
        highest = max(highest, _logit(nodes[child], scale, player))
    total = 0.0
    for child in range(node.first, end):
        total += math.exp(_logit(nodes[child], scale, player) - highest)
    best, furthest = node.first, -math.inf
    visits = 1.0 + node.visits
    for child in range(node.first, end):
        behind = (
            math.exp(_logit(nodes[child], scale, player) - highest) / total
            - nodes[child].visits / visits
        )
        if behind > furthest:
            best, furthest = child, behind
    return best


@inlined
def _visit(tree: SearchTree, number: int, no_history: Any) -> None:
    """Visit one of the root's children: go on from there to a leaf, expand it, and back its value up."""
    nodes, state = tree.nodes, tree.states[1]
    tree.states[1] = tree.states[0]
    player, length = 1 - state.to_act, 0
    node = nodes[ROOT]
    while True:
        node = nodes[number]
        player = 1 - player
        tree.path[length] = number
        length += 1
        if node.result != UNDECIDED or node.is_repetition or length == MAX_LENGTH:
            break
        replay_turn(tree.states, 1, node.move, tree.masks, tree.turns.scratch[0])
        tree.states[1] = tree.states[2]
        if node.children == 0:
            _expand(tree, node, no_history)
            break
        number = _select(nodes, node, state.to_act)
    value = node.prior if node.result == UNDECIDED else score_of(node.result, player)
    if node.children:
        best = 0.0
        for child in range(node.first, node.first + node.children):
            best = max(best, nodes[child].prior)
        value = 1.0 - best
    # ``player`` is who plays the turn that leads to a node.
    for step in range(length - 1, -1, -1):
        node = nodes[tree.path[step]]
        if node.result == UNDECIDED and node.children:
            node.result = proven_result(nodes, node, 1 - player)
            if node.result != UNDECIDED:
                value = score_of(node.result, player)
        node.visits += 1
        node.total += value
        value = 1.0 - value
        player = 1 - player


@kernel
def set_root(tree: SearchTree, states: Any, history: Any) -> int:
    """Start a new tree at ``states[0]``, which is not over, with the game's ``history`` (m,) int64; returns how many turns there are."""
    root = tree.nodes[ROOT]
    tree.states[0] = states[0]
    tree.states[1] = states[0]
    reset_node(root, 0)
    tree.size[0] = 1
    _expand(tree, root, history)
    root.result = proven_result(tree.nodes, root, states[0].to_act)
    return int(root.children)


@nogil_kernel
def visit(tree: SearchTree, candidates: Any, visits: int, no_history: Any) -> int:
    """Visit each of the ``candidates`` (n,) about equally often, until it, all or the root are proven; returns how often."""
    root = tree.nodes[ROOT]
    for done in range(visits):
        if root.result != UNDECIDED:
            return done
        least, fewest = -1, 0
        for candidate in candidates:
            child = tree.nodes[root.first + candidate]
            if child.result == UNDECIDED and (least == -1 or child.visits < fewest):
                least, fewest = root.first + candidate, child.visits
        if least == -1:
            return done
        _visit(tree, least, no_history)
        root.visits += 1
        root.result = proven_result(tree.nodes, root, tree.states[0].to_act)
    return visits


@kernel
def _write_logits(tree: SearchTree, logits: Any) -> None:
    root = tree.nodes[ROOT]
    scale = _scale(tree.nodes, root)
    for number in range(logits.shape[0]):
        logits[number] = _logit(tree.nodes[root.first + number], scale, tree.states[0].to_act)


def policy_logits(tree: SearchTree) -> NDArray[np.float64]:
    """The improved policy at the root, as logits of the ways to play the turn: float64 of shape (n,). The highest is the best."""
    logits = np.zeros(int(tree.nodes[ROOT].children))
    _write_logits(tree, logits)
    return logits
