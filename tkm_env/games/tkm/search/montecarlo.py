"""Monte Carlo tree search over single actions, which also proves wins and losses.

The tree grows by one node's children at a time, selected by UCB1 (Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006).
A leaf is evaluated by a rollout of zero or more turns followed by the evaluation of the best way to finish the turn (Lorentz, "Amazons
discover Monte-Carlo", 2008, evaluates after some random moves), or by a rollout to the end of the game. Scores are white's.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.compiled.kernels import UNDECIDED, draw_legal
from tkm_env.games.tkm.engine.state import OVER, WHITE, WON
from tkm_env.games.tkm.engine.turn import play, write_mask
from tkm_env.games.tkm.search.greedy import WINS, value_after
from tkm_env.games.tkm.search.rollouts import mask_talk
from tkm_env.games.tkm.search.tree import (
    CHILDREN,
    EXTRA,
    FIRST,
    MAX_LENGTH,
    MOVE,
    RESULT,
    ROOT,
    SUM,
    VISITS,
    Tree,
    children_of,
    proven_result,
    score_of,
)
from tkm_env.games.tkm.search.turns import begin_turns, next_turn

#: The column of a node that says who moves there.
_PLAYER: Final = EXTRA


def set_root(tree: Tree, states: np.ndarray[Any, Any]) -> None:
    """Start a new tree at ``states[0]``."""
    tree.states[0] = states[0]
    tree.nodes[ROOT] = 0
    tree.nodes[ROOT, _PLAYER] = states["to_act"][0]
    tree.values[ROOT] = 0.0
    tree.size[0] = 1


def child_of(tree: Tree, node: int, action: int) -> int | None:
    """The child that an action leads to, if it is in the tree."""
    return next((child for child in children_of(tree, node) if tree.nodes[child, MOVE] == action), None)


def best_child(tree: Tree) -> int:
    """The child of the root to play: a proven win if there is one, else the most visited that is not a proven loss."""
    player = int(tree.nodes[ROOT, _PLAYER])

    def rank(child: int) -> tuple[int, int, float]:
        result, visits = int(tree.nodes[child, RESULT]), int(tree.nodes[child, VISITS])
        mean = float(tree.values[child, SUM] / max(1, visits))
        proof = (result == WON + player) - (result == WON + 1 - player)
        return proof, visits, mean if player == WHITE else 1 - mean

    return max(children_of(tree, ROOT), key=rank)


@inlined
def _select(tree: Tree, node: int, exploration: float) -> int:
    """The child to visit next by UCB1. Proven losses come last, unvisited children first."""
    nodes = tree.nodes
    player = nodes[node, _PLAYER]
    first, children = nodes[node, FIRST], nodes[node, CHILDREN]
    width = exploration * math.sqrt(math.log(nodes[node, VISITS] + 1.0))
    best, best_bound = first, -2.0
    for child in range(first, first + children):
        visits = nodes[child, VISITS]
        if nodes[child, RESULT] == WON + 1 - player:
            bound = -1.0
        elif visits == 0:
            return child
        else:
            mean = tree.values[child, SUM] / visits
            bound = (mean if player == WHITE else 1.0 - mean) + width / math.sqrt(visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@inlined
def _expand(tree: Tree, node: int, streams: Any) -> None:
    """Add a child for each legal action, except talk, in random order, if the tree has capacity left."""
    mask = tree.masks[0]
    count = np.sum(mask)
    first = tree.size[0]
    if first + count > tree.nodes.shape[0]:
        return
    for child in range(first, first + count):
        action = draw_legal(mask, streams, 0)
        mask[action] = 0
        tree.nodes[child, :] = 0
        tree.nodes[child, MOVE] = action
        tree.values[child, SUM] = 0.0
    tree.nodes[node, FIRST] = first
    tree.nodes[node, CHILDREN] = count
    tree.size[0] = first + count


@inlined
def _descend(tree: Tree, exploration: float, streams: Any) -> int:
    """Go from the root to a leaf, which is expanded if it was visited before; returns the number of nodes on the path."""
    state, mask, scratch = tree.states[1], tree.masks[0], tree.turns.scratch[0]
    tree.states[1] = tree.states[0]
    write_mask(state, mask, scratch)
    node, length = ROOT, 1
    tree.path[0] = ROOT
    while state.step != OVER and tree.nodes[node, RESULT] == UNDECIDED and length < MAX_LENGTH:
        if tree.nodes[node, CHILDREN] == 0:
            if tree.nodes[node, VISITS] == 0 and node != ROOT:
                break
            mask_talk(mask)
            _expand(tree, node, streams)
            if tree.nodes[node, CHILDREN] == 0:
                write_mask(state, mask, scratch)
                break
        node = _select(tree, node, exploration)
        play(state, tree.nodes[node, MOVE], mask, scratch)
        tree.nodes[node, _PLAYER] = state.to_act
        tree.path[length] = node
        length += 1
    if state.step == OVER:
        tree.nodes[node, RESULT] = state.result
    return length


@inlined
def _evaluate_turn(tree: Tree) -> float:
    """White's winning chance by the evaluation of the best way to finish the current state's turn."""
    best = -WINS
    begin_turns(tree.turns, tree.states, 1)
    length = next_turn(tree.turns)
    while length >= 0:
        best = max(best, value_after(tree.turns.states[length], tree.evaluator))
        length = next_turn(tree.turns) if best < WINS else -1
    chance = 1.0 if best == WINS else 1.0 / (1.0 + math.exp(-best / 100.0))
    return chance if tree.states[1].to_act == WHITE else 1.0 - chance


@inlined
def _roll_out(tree: Tree, rollout_turns: int, streams: Any) -> float:
    """White's score of the current state: the evaluation after random play of some turns, including the rest of this one."""
    state, mask = tree.states[1], tree.masks[0]
    player = state.to_act
    while state.step != OVER:
        if state.to_act != player:
            player = state.to_act
            rollout_turns -= 1
        if rollout_turns == 0:
            return _evaluate_turn(tree)
        mask_talk(mask)
        play(state, draw_legal(mask, streams, 0), mask, tree.turns.scratch[0])
    return score_of(state.result, WHITE)


@inlined
def _back_up(tree: Tree, length: int, score: float) -> None:
    """Count a visit of each node on the path, and back up proofs as far as they reach."""
    proves = True
    for number in range(length - 1, -1, -1):
        node = tree.path[number]
        tree.nodes[node, VISITS] += 1
        tree.values[node, SUM] += score
        if proves and tree.nodes[node, RESULT] == UNDECIDED and tree.nodes[node, CHILDREN] > 0:
            tree.nodes[node, RESULT] = proven_result(tree, node, tree.nodes[node, _PLAYER])
        proves = tree.nodes[node, RESULT] != UNDECIDED


@nogil_kernel
def grow(tree: Tree, visits: int, exploration: float, rollout_turns: int, streams: Any) -> int:
    """Visit the tree ``visits`` times, or until its root is proven; returns the number of visits.

    ``rollout_turns`` is the number of turns played at random before the evaluation, ``streams`` (1,) uint64.
    """
    for done in range(visits):
        if tree.nodes[ROOT, RESULT] != UNDECIDED:
            return done
        length = _descend(tree, exploration, streams)
        result = tree.nodes[tree.path[length - 1], RESULT]
        score = score_of(result, WHITE) if result != UNDECIDED else _roll_out(tree, rollout_turns, streams)
        _back_up(tree, length, score)
    return visits


@inlined
def _copy_node(nodes: Any, sums: Any, node: int, tree: Tree, to: int) -> None:
    for column in range(nodes.shape[1]):
        tree.nodes[to, column] = nodes[node, column]
    tree.values[to, SUM] = sums[node, SUM]


@kernel
def _move_subtree(tree: Tree, nodes: Any, sums: Any, node: int) -> None:
    _copy_node(nodes, sums, node, tree, ROOT)
    copied, done = 1, 0
    # Copied nodes are processed in the order in which they were copied, and until then refer to their children by the old numbers.
    while done < copied:
        first, children = tree.nodes[done, FIRST], tree.nodes[done, CHILDREN]
        if children > 0:
            tree.nodes[done, FIRST] = copied
            for child in range(first, first + children):
                _copy_node(nodes, sums, child, tree, copied)
                copied += 1
        done += 1
    tree.size[0] = copied


def move_root(tree: Tree, node: int) -> None:
    """Make ``node`` the root, and keep only its subtree. The caller must set the state at the root."""
    size = int(tree.size[0])
    _move_subtree(tree, tree.nodes[:size].copy(), tree.values[:size].copy(), node)
