"""Perft: counting lines of play to compare engines.

Engines that disagree about the rules anywhere below a position count different numbers of lines
there (chessprogramming.org, "Perft").
"""

from typing import Any, Final

import numpy as np

from tkm_env.compiled.decorators import nogil_kernel
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.state import STATE
from tkm_env.games.tkm.engine.turn import play, write_mask

#: The assumed speed before the first measurement, in actions per second.
_SLOWEST: Final = 5000.0


@nogil_kernel
def _count(
    stack: Any, masks: Any, following: Any, level: int, plays: int, counts: Any, scratch: Any
) -> int:
    """Count lines of up to n actions from ``stack[0]``.

    A line's last action is counted without playing it.

    Args:
        stack: STATE of shape (n,): the position at each level.
        masks: int8 of shape (n, NUM_ACTIONS): the legal actions at each level.
        following: int64 of shape (n,): the next action to try at each level.
        level: the level to continue at, as the last call returned it; 0 at first.
        plays: the number of actions to play before returning.
        counts: int64 of shape (n,): the number of lines found so far; ``counts[k]`` is for lines of
            ``k + 1`` actions.
        scratch: a workspace of the engine.

    Returns:
        The level to continue at; -1 when all lines are counted.
    """
    depth = stack.shape[0]
    if following[0] == 0:
        write_mask(stack[0], masks[0], scratch[0])
        counts[0] = np.sum(masks[0])
    while level >= 0 and plays > 0:
        action = following[level]
        following[level] += 1
        if action == NUM_ACTIONS or level + 1 == depth:
            level -= 1
        elif masks[level, action]:
            stack[level + 1] = stack[level]
            level += 1
            plays -= 1
            play(stack[level], action, masks[level], scratch[0])
            counts[level] += np.sum(masks[level])
            following[level] = 0
    return level


def perft(states: np.ndarray[Any, Any], depth: int) -> list[int]:
    """Count the lines of play from a position.

    The time grows with the sum of the counts.

    Args:
        states: STATE of shape (n,); the position is ``states[0]``.
        depth: the number of actions in the longest lines, 1 or more. A line ends where the game
            does.

    Returns:
        The numbers of lines of 1, 2, … ``depth`` actions.
    """
    stack = np.zeros(depth, STATE)
    stack[0] = states[0]
    masks, following, counts = (
        np.zeros((depth, NUM_ACTIONS), np.int8),
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
    )
    scratch, level = new_scratch(), 0
    for plays in TimeBudget(_SLOWEST).pieces():
        level = _count(stack, masks, following, level, plays, counts, scratch)
        if level < 0:
            break
    return counts.tolist()
