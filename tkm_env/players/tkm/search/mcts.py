"""Monte Carlo tree search over single actions, which also proves wins and losses.

The tree grows by one node's children at a time, selected by UCB1 (Kocsis and Szepesvári, "Bandit
based Monte-Carlo planning", 2006). A leaf is evaluated after a rollout of zero or more turns, as by
Lorentz ("Amazons discover Monte-Carlo", 2008), by the best way to finish the current turn; or by a
rollout to the end of the game. Scores are white's, from 0 to 1.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.compiled.kernels import UNDECIDED, draw_legal
from tkm_env.core.state_arrays import copy_states
from tkm_env.games.tkm.engine.actions import CONCEDE, OFFER
from tkm_env.games.tkm.engine.state import OVER, WHITE, WON
from tkm_env.games.tkm.engine.turn import play, write_mask
from tkm_env.games.tkm.engine.turn_generator import begin_turns, next_turn
from tkm_env.players.tkm.search.evaluation import WINS, chance_of, value_after
from tkm_env.players.tkm.search.repetition import REPETITION_VALUE, is_repetition
from tkm_env.players.tkm.search.tree import (
    MAX_LENGTH,
    ROOT,
    SearchTree,
    children_of,
    proven_result,
    reset_node,
    score_of,
)


@kernel
def set_root(tree: SearchTree, states: Any) -> None:
    """Start a new tree.

    Args:
        tree: the tree, which is overwritten.
        states: STATE of shape (n,); the root is ``states[0]``.
    """
    tree.states[0] = states[0]
    reset_node(tree.nodes[ROOT], 0)
    tree.nodes[ROOT].player = states[0].to_act
    tree.size[0] = 1


def child_of(tree: SearchTree, node: int, action: int) -> int | None:
    """Find the child that an action leads to.

    Args:
        tree: the search tree.
        node: the index of the parent.
        action: the action's index.

    Returns:
        The index of the child; None if it is not in the tree.
    """
    found = (children_of(tree, node)["move"] == action).nonzero()[0]
    return int(tree.nodes[node].first + found[0]) if len(found) else None


def best_action(tree: SearchTree) -> int:
    """Return the action to play: a proven win, else the most visited; proven losses come last."""
    player = int(tree.nodes[ROOT].player)

    def rank(child: Any) -> tuple[int, int, float]:
        proof = int(child.result == WON + player) - int(child.result == WON + 1 - player)
        mean = float(child.total / max(1, child.visits))
        return proof, int(child.visits), mean if player == WHITE else 1 - mean

    return int(max(children_of(tree, ROOT), key=rank).move)


@inlined
def _select(nodes: Any, node: Any, exploration: float) -> int:
    """Select the index of the child to visit, by UCB1; unvisited first, proven losses last."""
    width = exploration * math.sqrt(math.log(node.visits + 1.0))
    best, best_bound = node.first, -2.0
    for number in range(node.first, node.first + node.children):
        child = nodes[number]
        if child.result == WON + 1 - node.player:
            bound = -1.0
        elif child.visits == 0:
            return number
        else:
            mean = child.total / child.visits
            bound = (mean if node.player == WHITE else 1.0 - mean) + width / math.sqrt(child.visits)
        if bound > best_bound:
            best, best_bound = number, bound
    return best


@inlined
def _mask_talk(mask: Any) -> None:
    """Remove conceding and offering a draw from the mask; another action is always legal."""
    mask[CONCEDE] = 0
    mask[OFFER] = 0


@inlined
def _expand(tree: SearchTree, node: Any, streams: Any) -> None:
    """Add a child for each action in the mask, in random order, if the tree has room."""
    mask = tree.masks[0]
    count = np.sum(mask)
    first = tree.size[0]
    if first + count > tree.nodes.shape[0]:
        return
    for child in range(first, first + count):
        action = draw_legal(mask, streams, 0)
        mask[action] = 0
        reset_node(tree.nodes[child], action)
    node.first = first
    node.children = count
    tree.size[0] = first + count


@inlined
def _forget(tree: SearchTree, node: Any, length: int) -> None:
    """Mark a node as a repetition.

    Its earlier visits are subtracted from the ``length`` nodes on the path above it.
    """
    if node.is_repetition == 0:
        for number in range(length):
            earlier = tree.nodes[tree.path[number]]
            earlier.visits -= node.visits
            earlier.total -= node.total
        reset_node(node, node.move)
        node.is_repetition = 1


@inlined
def _descend(tree: SearchTree, exploration: float, history: Any, streams: Any) -> int:
    """Go from the root to a leaf or a repetition; expand a leaf that has been visited before.

    Returns:
        The number of nodes on the path.
    """
    state, mask, scratch = tree.states[1], tree.masks[0], tree.turns.scratch[0]
    tree.states[1] = tree.states[0]
    write_mask(state, mask, scratch)
    node, length = tree.nodes[ROOT], 1
    tree.path[0] = ROOT
    turn = state.turn
    while state.step != OVER and node.result == UNDECIDED and length < MAX_LENGTH:
        if node.children == 0:
            if node.visits == 0 and length > 1:
                break
            _mask_talk(mask)
            _expand(tree, node, streams)
            if node.children == 0:
                write_mask(state, mask, scratch)
                break
        tree.path[length] = _select(tree.nodes, node, exploration)
        node = tree.nodes[tree.path[length]]
        play(state, node.move, mask, scratch)
        node.player = state.to_act
        length += 1
        if (
            turn == tree.states[0].turn != state.turn
            and node.result == UNDECIDED
            and is_repetition(history, tree.words, 1)
        ):
            _forget(tree, node, length - 1)
            break
        turn = state.turn
    if state.step == OVER:
        node.result = state.result
    return length


@inlined
def _evaluate_turn(tree: SearchTree) -> float:
    """Return white's winning chance after the best way to finish the current turn."""
    best = -WINS
    begin_turns(tree.turns, tree.states, 1)
    while best < WINS and next_turn(tree.turns):
        best = max(best, value_after(tree.turns.states[tree.turns.length[0]], tree.evaluator))
    chance = chance_of(best)
    return chance if tree.states[1].to_act == WHITE else 1.0 - chance


@inlined
def _evaluate_leaf(tree: SearchTree, rollout_turns: int, streams: Any) -> float:
    """Return white's score of the current state, evaluated after a rollout.

    The rest of the current turn is the first of the ``rollout_turns``.
    """
    state, mask = tree.states[1], tree.masks[0]
    player = state.to_act
    while state.step != OVER:
        if state.to_act != player:
            player = state.to_act
            rollout_turns -= 1
        if rollout_turns == 0:
            return _evaluate_turn(tree)
        _mask_talk(mask)
        play(state, draw_legal(mask, streams, 0), mask, tree.turns.scratch[0])
    return score_of(state.result, WHITE)


@inlined
def _score(tree: SearchTree, node: Any, rollout_turns: int, streams: Any) -> float:
    """Return white's score of a visit that ended at ``node``."""
    if node.result != UNDECIDED:
        return score_of(node.result, WHITE)
    if node.is_repetition:
        chance = chance_of(REPETITION_VALUE)
        return chance if tree.states[0].to_act == WHITE else 1.0 - chance
    return _evaluate_leaf(tree, rollout_turns, streams)


@inlined
def _back_up(tree: SearchTree, length: int, score: float) -> None:
    """Count a visit of each node on the path, and back up proofs as far as they reach."""
    proves = True
    for number in range(length - 1, -1, -1):
        node = tree.nodes[tree.path[number]]
        node.visits += 1
        node.total += score
        if proves and node.result == UNDECIDED and node.children > 0:
            node.result = proven_result(tree.nodes, node, node.player)
        proves = node.result != UNDECIDED


@nogil_kernel
def grow(
    tree: SearchTree,
    visits: int,
    exploration: float,
    rollout_turns: int,
    history: Any,
    streams: Any,
) -> int:
    """Visit the tree a number of times, or until its root is proven.

    Args:
        tree: the tree, which grows in place.
        visits: the maximum number of visits.
        exploration: the weight of the exploration term of UCB1.
        rollout_turns: the number of random turns before a leaf is evaluated.
        history: int64 of shape (m,): the keys of the game's earlier positions, as `history_keys`
            returns them.
        streams: uint64 of shape (1,): the stream of random numbers.

    Returns:
        The number of visits made.
    """
    for done in range(visits):
        if tree.nodes[ROOT].result != UNDECIDED:
            return done
        length = _descend(tree, exploration, history, streams)
        _back_up(
            tree, length, _score(tree, tree.nodes[tree.path[length - 1]], rollout_turns, streams)
        )
    return visits


@kernel
def _move_subtree(tree: SearchTree, old: Any, index: int) -> None:
    """Copy the subtree below ``old[index]``, of dtype NODE, to the beginning of the tree."""
    tree.nodes[ROOT] = old[index]
    copied, done = 1, 0
    # Nodes are processed in the order in which they were copied; until then they refer to their
    # children by the old indices.
    while done < copied:
        node = tree.nodes[done]
        if node.children > 0:
            first = node.first
            node.first = copied
            for child in range(first, first + node.children):
                tree.nodes[copied] = old[child]
                copied += 1
        done += 1
    tree.size[0] = copied


def move_root(tree: SearchTree, node: int, states: NDArray[np.void]) -> None:
    """Make another node the root, and keep only its subtree.

    Args:
        tree: the search tree.
        node: the index of the new root.
        states: of dtype STATE; the position at the new root is ``states[0]``.
    """
    _move_subtree(tree, copy_states(tree.nodes[: tree.size[0]]), node)
    tree.states[0] = states[0]
    # A node that was never visited does not know its player.
    tree.nodes[ROOT].player = states["to_act"][0]
