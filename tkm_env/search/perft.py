"""Counting lines of play: engines that disagree anywhere below a position disagree in the counts. Imports the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tkm_env.engine.actions import ACTIONS, NUM_ACTIONS
from tkm_env.engine.batch import NO_ACTION, play_one
from tkm_env.engine.compiled import entry_point
from tkm_env.engine.scratch import new_scratch
from tkm_env.engine.state import STATE, copied
from tkm_env.engine.turn import play, write_mask

__all__ = ["divide", "perft"]


@entry_point
def _count(stack: Any, masks: Any, following: Any, depth: int, counts: Any, scratch: Any) -> None:
    """Add up how many lines of 1 to ``depth`` actions begin in ``stack[0]``; the last action of a line is counted without playing it.

    Shapes: ``stack`` (depth,) of dtype STATE, ``masks`` (depth, NUM_ACTIONS) int8, ``following`` (depth,) int64: at each depth the
    action to look at next; ``counts`` (depth,) int64, ``scratch`` (1,) of dtype SCRATCH.
    """
    write_mask(stack[0], masks[0], scratch[0])
    counts[0] += np.sum(masks[0])
    following[0] = 0
    level = 0
    while level >= 0:
        action = following[level]
        following[level] += 1
        if action == NUM_ACTIONS or level + 1 == depth:
            level -= 1
        elif masks[level, action]:
            stack[level + 1] = stack[level]
            level += 1
            play(stack[level], action, masks[level], scratch[0])
            counts[level] += np.sum(masks[level])
            following[level] = 0


def perft(states: np.ndarray[Any, Any], depth: int) -> list[int]:
    """How many lines of 1, 2, … ``depth`` actions there are. A game that is over has no longer lines.

    Args:
        states: an array of one state, such as `tkm_env.Game.state`.
        depth: how long the longest lines are, at least 1; work grows with their number.

    >>> from tkm_env import Game
    >>> perft(Game().state, 6)
    [1, 2, 8, 16, 16, 32]
    """
    stack = np.zeros(depth, STATE)
    stack[0] = states[0]
    counts = np.zeros(depth, np.int64)
    _count(stack, np.zeros((depth, NUM_ACTIONS), np.int8), np.zeros(depth, np.int64), depth, counts, new_scratch())
    found: list[int] = counts.tolist()
    return found


def divide(states: np.ndarray[Any, Any], depth: int) -> Iterator[tuple[str, int]]:
    """The lines of ``depth`` actions, counted by their first action: its name, and how many lines begin with it.

    >>> from tkm_env import Game
    >>> dict(divide(Game(position="W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P1 4/4 - ---/--- -/- 1").state, 2))
    {'move east': 4, 'move south': 4}
    """
    mask, scratch = np.zeros(NUM_ACTIONS, np.int8), new_scratch()
    play_one(copied(states), NO_ACTION, mask, scratch)
    for action in mask.nonzero()[0].tolist():
        after = copied(states)
        play_one(after, action, np.zeros_like(mask), scratch)
        yield ACTIONS[action], perft(after, depth - 1)[-1] if depth > 1 else 1
