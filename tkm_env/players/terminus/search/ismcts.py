"""Information set Monte Carlo tree search (ISMCTS) for a hidden order of the deck.

This is the algorithm of Cowling, Powley and Whitehouse ("Information set Monte Carlo tree search",
2012). Every visit shuffles the hidden cards, descends by the actions that are then legal, adds a
node, and plays a random rollout. Both players see the same, so one tree is enough (SO-ISMCTS).
"""

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import Mask, Masks, PlayerOfEach, Results, States, StreamOfEach
from tkm_env.compiled.decorators import inlined, nogil_kernel
from tkm_env.compiled.kernels import draw_legal
from tkm_env.games.terminus.engine.actions import NUM_ACTIONS
from tkm_env.games.terminus.engine.kernels import ENTRY_POINTS, shuffle_all
from tkm_env.games.terminus.engine.state import NOBODY, NUM_CARDS, OVER, RED, STATE, WON
from tkm_env.games.terminus.engine.turn import play, write_mask
from tkm_env.players.terminus.search.greedy import MAX_ACTIONS

_play_all_at_random: Final = ENTRY_POINTS.play_all_at_random

_ROOT: Final = 0
_NONE: Final = 0  # no child; the root is never a child

# The columns of ``nodes``.
_CHILD: Final = 0  # one of the children
_SIBLING: Final = 1  # the next child of the same parent
_ACTION: Final = 2  # the action that leads here
_VISITS: Final = 3
_AVAILABLE: Final = 4  # how often it was legal when its parent was visited
_COLUMNS: Final = 5

#: The most decisions in a game.
_MAX_LENGTH: Final = NUM_CARDS * MAX_ACTIONS


class InformationSetTree(NamedTuple):
    """A search tree and its workspace, allocated once."""

    nodes: NDArray[np.int64]  # (n, _COLUMNS) int64
    wins: NDArray[np.int64]  # (n,) int64: how many of a node's visits red won
    size: NDArray[np.int64]  # (1,) int64: how many nodes are in use
    path: NDArray[np.int64]  # (_MAX_LENGTH + 1,) int64: nodes from the root to a leaf
    states: States  # (1,) STATE: at the current node
    masks: Masks  # (1, NUM_ACTIONS) int8
    untried: Mask  # (NUM_ACTIONS,) int8: the actions that are legal at a node and have no child yet
    nobody: PlayerOfEach  # (1,) int64
    result: Results  # (1,) int8: how the game ended


def new_tree(visits: int) -> InformationSetTree:
    """Allocate a tree with room for ``visits`` visits."""
    return InformationSetTree(
        np.zeros((visits + 1, _COLUMNS), np.int64),
        np.zeros(visits + 1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(_MAX_LENGTH + 1, np.int64),
        np.zeros(1, STATE),
        np.zeros((1, NUM_ACTIONS), np.int8),
        np.zeros(NUM_ACTIONS, np.int8),
        np.full(1, NOBODY),
        np.zeros(1, np.int8),
    )


@inlined
def _select(tree: InformationSetTree, node: int, exploration: float) -> int:
    """Select the child to visit next, by UCB1 among those whose actions are legal now.

    Not all actions are legal on every visit. Therefore the exploration term counts how often a
    child's action was legal, not how often its parent was visited.

    Returns:
        The index of the child; `_NONE` if some legal action has no child yet.
    """
    nodes, untried = tree.nodes, tree.untried
    player = tree.states[0].to_act
    for action in range(untried.shape[0]):
        untried[action] = tree.masks[0, action]
    best, highest = _NONE, -1.0
    child = nodes[node, _CHILD]
    while child != _NONE:
        if untried[nodes[child, _ACTION]]:
            untried[nodes[child, _ACTION]] = 0
            nodes[child, _AVAILABLE] += 1
            visits = nodes[child, _VISITS]
            won = tree.wins[child] if player == RED else visits - tree.wins[child]
            bound = won / visits + exploration * math.sqrt(
                math.log(nodes[child, _AVAILABLE]) / visits
            )
            if bound > highest:
                best, highest = child, bound
        child = nodes[child, _SIBLING]
    return _NONE if untried.any() else best


@inlined
def _add_child(tree: InformationSetTree, node: int, streams: StreamOfEach) -> int:
    """Add a child for one of the ``untried`` actions, drawn at random; return its index."""
    nodes, child = tree.nodes, tree.size[0]
    tree.size[0] += 1
    nodes[child] = 0
    nodes[child, _ACTION] = draw_legal(tree.untried, streams, 0)
    nodes[child, _AVAILABLE] = 1
    nodes[child, _SIBLING] = nodes[node, _CHILD]
    nodes[node, _CHILD] = child
    tree.wins[child] = 0
    return child


@inlined
def _visit(tree: InformationSetTree, streams: StreamOfEach, exploration: float) -> None:
    """Descend the tree from ``tree.states``, add a node, roll out, and back up the result."""
    node, depth, within = _ROOT, 0, True
    write_mask(tree.states[0], tree.masks[0])
    while within and tree.states[0].step != OVER:
        child = _select(tree, node, exploration)
        within = child != _NONE
        node = child if within else _add_child(tree, node, streams)
        depth += 1
        tree.path[depth] = node
        play(tree.states[0], tree.nodes[node, _ACTION], tree.masks[0])
    _play_all_at_random(tree.states, tree.nobody, streams, tree.masks, tree.result, 0)
    for step in range(depth + 1):
        tree.nodes[tree.path[step], _VISITS] += 1
        tree.wins[tree.path[step]] += tree.result[0] == WON + RED


def clear(tree: InformationSetTree) -> None:
    """Start a new tree."""
    tree.nodes[_ROOT] = 0
    tree.wins[_ROOT] = 0
    tree.size[0] = 1
    tree.path[0] = _ROOT


@nogil_kernel
def grow(
    tree: InformationSetTree, states: States, visits: int, exploration: float, streams: StreamOfEach
) -> int:
    """Visit the tree a number of times.

    Args:
        tree: the tree, which grows in place; it must have room for the visits.
        states: STATE of shape (1,): the game, which is not over; unchanged.
        visits: the number of visits.
        exploration: the weight of the exploration term of UCB1.
        streams: uint64 of shape (1,): the stream of random numbers.

    Returns:
        ``visits``.
    """
    for _ in range(visits):
        tree.states[0] = states[0]
        shuffle_all(tree.states, streams)
        _visit(tree, streams, exploration)
    return visits


def most_visited(tree: InformationSetTree) -> int:
    """The index of the most visited action at the root."""
    return max(root_actions(tree), key=lambda found: found[1])[0]


def root_actions(tree: InformationSetTree) -> Iterator[tuple[int, int, int]]:
    """The actions at the root that were tried.

    Yields:
        The index of each action, its visits, and how many of these red won.
    """
    nodes = tree.nodes[: tree.size[0]]
    child = int(nodes[_ROOT, _CHILD])
    while child != _NONE:
        row = nodes[child]
        yield int(row[_ACTION]), int(row[_VISITS]), int(tree.wins[child])
        child = int(row[_SIBLING])
