"""Gumbel search over whole turns: a tree search that needs few visits.

The algorithm is Gumbel AlphaZero with full Gumbel planning (Danihelka, Guez, Schrittwieser and
Silver, "Policy improvement by planning with Gumbel", 2022), in the terms of the library mctx. At
the root, sequential halving in `tkm_env.players.tkm.gumbel` divides the visits among the turns that
look best (section 3). Below it, turns are visited in proportion to the improved policy, the softmax
of prior logits plus completed and transformed Q-values (sections 4 and 5).

There is no policy network. Expanding a node evaluates the position after every way to play its
turn, and that value is the turn's prior: it gives both the prior logits and, until the turn is
visited, the Q-value. The value of a node is the winning chance, from 0 to 1, of the player whose
turn leads to it. Finished games in the tree are proofs and are backed up as such.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.compiled.kernels import UNDECIDED
from tkm_env.games.tkm.engine.state import OVER, WON
from tkm_env.games.tkm.engine.turn_generator import begin_turns, next_turn, pack_turn, replay_turn
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

#: The factor that converts a turn's prior, a winning chance, into its prior logit.
_PRIOR_SCALE: Final = 20.0
#: The transformation of Q-values into logits, as in mctx's `qtransform_completed_by_mix_value`:
#: ``(maxvisit_init + max(visits)) * value_scale * qvalue``; equation 8 of the paper calls the two
#: constants c_visit and c_scale. Q-values are not rescaled, since they are winning chances already,
#: and turns without visits count with their own priors instead of a mixed value.
_VALUE_SCALE: Final = 1.0
_MAXVISIT_INIT: Final = 50.0

#: The logit of a turn that is proven to win; a turn that is proven to lose has the opposite.
_WINS: Final = 1e9
#: Turns with logits up to this are proven to lose; this still holds after noise has been added.
LOST: Final = -_WINS / 2


@inlined
def _expand(tree: SearchTree, node: Any, history: Any) -> None:
    """Add a child for every way to play the turn in ``states[1]``, if there is room for all.

    A child's value is fixed if its turn ends the game or repeats a position in ``history``,
    int64 of shape (m,).
    """
    turns, player, first = tree.turns, tree.states[1].to_act, tree.size[0]
    index = first
    begin_turns(turns, tree.states, 1)
    while next_turn(turns):
        if index == tree.nodes.shape[0]:
            return
        state, child = turns.states[turns.length[0]], tree.nodes[index]
        reset_node(child, pack_turn(turns))
        if state.step == OVER:
            child.result = state.result
            child.prior = score_of(state.result, player)
        elif is_repetition(history, turns.words, turns.length[0]):
            child.is_repetition = 1
            child.prior = chance_of(REPETITION_VALUE)
        else:
            child.prior = 1.0 - chance_of(evaluate(state, tree.evaluator))
        index += 1
    node.first = first
    node.children = index - first
    tree.size[0] = index


@inlined
def _visit_scale(nodes: Any, node: Any) -> float:
    """Return the factor that converts Q-values of a node's children into logits."""
    maxvisit = 0
    for child in range(node.first, node.first + node.children):
        maxvisit = max(maxvisit, nodes[child].visits)
    return _VALUE_SCALE * (_MAXVISIT_INIT + maxvisit)


@inlined
def _logit(node: Any, visit_scale: float, player: int) -> float:
    """Return the improved policy's logit of a turn.

    Args:
        node: the node that the turn leads to.
        visit_scale: the parent's `_visit_scale`.
        player: the player of the turn.

    Returns:
        The prior logit plus the transformed Q-value; `_WINS` or its opposite if proven.
    """
    if node.result == WON + player:
        return _WINS
    if node.result == WON + 1 - player:
        return -_WINS
    completed_qvalue = node.total / node.visits if node.visits else node.prior
    return _PRIOR_SCALE * node.prior + visit_scale * completed_qvalue


@inlined
def _select(nodes: Any, node: Any, player: int) -> int:
    """Select the child whose share of the visits is furthest below its improved probability.

    This is the deterministic selection at non-root nodes (section 5 of the paper).
    """
    end, visit_scale = node.first + node.children, _visit_scale(nodes, node)
    highest = -math.inf
    for child in range(node.first, end):
        highest = max(highest, _logit(nodes[child], visit_scale, player))
    total = 0.0
    for child in range(node.first, end):
        total += math.exp(_logit(nodes[child], visit_scale, player) - highest)
    best, furthest = node.first, -math.inf
    visits = 1.0 + node.visits
    for child in range(node.first, end):
        probability = math.exp(_logit(nodes[child], visit_scale, player) - highest) / total
        behind = probability - nodes[child].visits / visits
        if behind > furthest:
            best, furthest = child, behind
    return best


@inlined
def _visit(tree: SearchTree, index: int, no_history: Any) -> None:
    """Visit ``nodes[index]``, a child of the root, and a leaf below; back up the leaf's value."""
    length, player = _descend(tree, index, no_history)
    _back_up(tree, length, player, _leaf_value(tree, length, player))


@inlined
def _descend(tree: SearchTree, index: int, no_history: Any) -> tuple[int, int]:
    """Descend through ``nodes[index]`` to a leaf; expand the leaf unless its value is fixed.

    Returns:
        The number of nodes on the path, without the root, and the player whose turn leads to the
            leaf.
    """
    nodes, state = tree.nodes, tree.states[1]
    tree.states[1] = tree.states[0]
    player, length = 1 - state.to_act, 0
    while True:
        node = nodes[index]
        player = 1 - player
        tree.path[length] = index
        length += 1
        if node.result != UNDECIDED or node.is_repetition or length == MAX_LENGTH:
            break
        replay_turn(tree.states, 1, node.move, tree.masks, tree.turns.scratch[0])
        tree.states[1] = tree.states[2]
        if node.children == 0:
            _expand(tree, node, no_history)
            break
        index = _select(nodes, node, state.to_act)
    return length, player


@inlined
def _leaf_value(tree: SearchTree, length: int, player: int) -> float:
    """Return the value of the path's last node for the player whose turn leads there.

    If the node could be expanded, it is the value after the best reply.
    """
    nodes = tree.nodes
    node = nodes[tree.path[length - 1]]
    if node.children:
        best = 0.0
        for child in range(node.first, node.first + node.children):
            best = max(best, nodes[child].prior)
        return 1.0 - best
    return node.prior if node.result == UNDECIDED else score_of(node.result, player)


@inlined
def _back_up(tree: SearchTree, length: int, player: int, value: float) -> None:
    """Count a visit to each node on the path, and back up proofs.

    ``value`` is the value of the leaf for ``player``, the player whose turn leads there.
    """
    nodes = tree.nodes
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
    """Start a new tree.

    Args:
        tree: the tree, which is overwritten.
        states: STATE of shape (n,); the root is ``states[0]``, which is not over.
        history: int64 of shape (m,): the keys of the game's earlier positions, as `history_keys`
            returns them.

    Returns:
        The number of the root's children: the ways to play the turn.
    """
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
    """Visit some of the root's children, about equally often.

    The visits end early once the root is proven, or all of these children are.

    Args:
        tree: the tree, which grows in place.
        candidates: int64 of shape (n,): which of the children to visit, counted from 0.
        visits: the maximum number of visits.
        no_history: `NO_HISTORY`.

    Returns:
        The number of visits made.
    """
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
    """Write the root's logits to ``logits``, float64 of shape (n,)."""
    root = tree.nodes[ROOT]
    visit_scale, player = _visit_scale(tree.nodes, root), tree.states[0].to_act
    for index in range(logits.shape[0]):
        logits[index] = _logit(tree.nodes[root.first + index], visit_scale, player)


def policy_logits(tree: SearchTree) -> NDArray[np.float64]:
    """Return the improved policy at the root: logits of n turns, float64 of shape (n,)."""
    logits = np.zeros(int(tree.nodes[ROOT].children))
    _write_logits(tree, logits)
    return logits
