"""Gumbel search over whole turns: a tree search that makes do with few visits.

The algorithm is Gumbel AlphaZero with full Gumbel planning (Danihelka, Guez, Schrittwieser and
Silver, "Policy improvement by planning with Gumbel", 2022), and the terms are those of the library
mctx: at the root sequential halving shares the visits among the turns that look best (section 3),
which `tkm_env.players.tkm.gumbel` does; below it turns are visited in proportion to the improved
policy, the softmax of prior logits plus completed and transformed Q-values (sections 4 and 5).

There is no policy network. Expanding a node evaluates the position after every way to play its
turn, and that value is the turn's prior: it gives both the prior logits and, until the turn is
visited, the Q-value. Values are winning chances, from 0 to 1, of the player of the turn that leads
to a node. Finished games in the tree are proofs and are backed up as such.
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

#: A turn's prior logit is this times its prior, a winning chance.
_PRIOR_SCALE: Final = 20.0
#: The transformation of Q-values into logits, as mctx's `qtransform_completed_by_mix_value` has it:
#: ``(maxvisit_init + max(visits)) * value_scale * qvalue``; equation 8 of the paper calls the two
#: c_visit and c_scale. Q-values are not rescaled, for they are winning chances already, and turns
#: without visits count with their own priors instead of a mixed value.
_VALUE_SCALE: Final = 1.0
_MAXVISIT_INIT: Final = 50.0

#: The logit of a turn that is proven to win; one that is proven to lose has the opposite.
_WINS: Final = 1e9
#: Turns with logits up to this are proven to lose, also after noise has been added.
LOST: Final = -_WINS / 2


@inlined
def _expand(tree: SearchTree, node: Any, history: Any) -> None:
    """Add a child for every way to play the turn in ``states[1]``, if there is room for all.

    A child's value is fixed if its turn ends the game or repeats a position in ``history``, (m,)
    int64.
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
    """What Q-values among a node's children are multiplied by to become logits."""
    maxvisit = 0
    for child in range(node.first, node.first + node.children):
        maxvisit = max(maxvisit, nodes[child].visits)
    return _VALUE_SCALE * (_MAXVISIT_INIT + maxvisit)


@inlined
def _logit(node: Any, visit_scale: float, player: int) -> float:
    """The improved policy's logit for a turn: prior logit plus transformed Q-value, or a proof.

    Args:
        node: the one that the turn leads to.
        visit_scale: as `_visit_scale` returns it for the parent.
        player: whose turn it is.
    """
    if node.result == WON + player:
        return _WINS
    if node.result == WON + 1 - player:
        return -_WINS
    completed_qvalue = node.total / node.visits if node.visits else node.prior
    return _PRIOR_SCALE * node.prior + visit_scale * completed_qvalue


@inlined
def _select(nodes: Any, node: Any, player: int) -> int:
    """The child to visit next: its share of the visits falls furthest behind the improved policy.

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
    """Visit ``nodes[index]``, a child of the root, and a leaf below it, and back up its value."""
    length, player = _descend(tree, index, no_history)
    _back_up(tree, length, player, _leaf_value(tree, length, player))


@inlined
def _descend(tree: SearchTree, index: int, no_history: Any) -> tuple[int, int]:
    """Go from the root through ``nodes[index]`` to a leaf, and expand it if its value is not fixed.

    Returns:
        How many nodes are on the path, without the root; and the player of the turn that leads to
        the leaf.
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
    """The value of the last node on the path to the player of the turn that leads there.

    It is that of the best answer, if the node could be expanded.
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
    """Count a visit of each node on the path, and back up proofs.

    ``value`` is that of the leaf to ``player``, who plays the turn that leads there.
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
        tree: to be overwritten.
        states: of dtype STATE; the root is ``states[0]``, which is not over.
        history: (m,) int64: the keys of the game's earlier positions, as `history_keys` returns
            them.

    Returns:
        How many ways there are to play the turn: the root's children.
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

    It ends early when all of them, or the root, are proven.

    Args:
        tree: to be grown.
        candidates: (n,) int64: which of the children, counted from 0.
        visits: how many visits there are to be.
        no_history: `NO_HISTORY`.

    Returns:
        How many visits there were.
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
    """Write the root's logits to ``logits`` (n,) float64."""
    root = tree.nodes[ROOT]
    visit_scale, player = _visit_scale(tree.nodes, root), tree.states[0].to_act
    for index in range(logits.shape[0]):
        logits[index] = _logit(tree.nodes[root.first + index], visit_scale, player)


def policy_logits(tree: SearchTree) -> NDArray[np.float64]:
    """The improved policy at the root: a logit for each of n turns, float64 of shape (n,)."""
    logits = np.zeros(int(tree.nodes[ROOT].children))
    _write_logits(tree, logits)
    return logits
