"""What the compiled kernels of all games share: codes in place of actions, the tasks of `work`, drawing among legal actions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.core.jit import compiled, entry_point
from tkm_env.core.rng import draw, xorshift

__all__ = [
    "BEGIN",
    "NO_ACTION",
    "OBSERVE",
    "PICK",
    "PLAY",
    "PLAY_AT_RANDOM",
    "REFRESH",
    "REFUSED",
    "STEP",
    "UNDECIDED",
    "draw_all",
    "draw_legal",
    "nth_legal",
    "pick_all",
    "write_keys",
]

#: In place of an action: leave the game as it is.
NO_ACTION: Final = -1
#: In place of an action: begin again, from the game's row in ``starts``.
BEGIN: Final = -2

#: What a kernel returns, having changed nothing, where an action is illegal.
REFUSED: Final = -1

#: The result of a game that goes on.
UNDECIDED: Final = 0

# The tasks of a game's ``work`` kernel; the functions it calls describe them.
PICK: Final = 0
PLAY: Final = 1
PLAY_AT_RANDOM: Final = 2
REFRESH: Final = 3
OBSERVE: Final = 4
STEP: Final = 5


@compiled
def nth_legal(mask: Any, number: int) -> int:
    """The ``number``-th legal action, from 0."""
    action, left = 0, number
    while mask[action] == 0 or left > 0:
        left -= mask[action] != 0
        action += 1
    return action


@compiled
def draw_legal(mask: Any, streams: Any, number: int) -> int:
    """One of the legal actions, all equally likely, by the stream of that number; `NO_ACTION` where nothing is legal."""
    legal = 0
    for action in range(mask.shape[0]):
        legal += mask[action] != 0  # a truth value, since an int8 would overflow
    return nth_legal(mask, draw(streams, number, legal)) if legal else NO_ACTION


@compiled
def pick_all(masks: Any, streams: Any, actions: Any) -> None:
    """Write a legal action, all equally likely, to each of ``actions`` (n,) int64; `NO_ACTION` where nothing is legal."""
    for game in range(masks.shape[0]):
        actions[game] = draw_legal(masks[game], streams, game)


@entry_point
def draw_all(streams: Any, indices: Any, below: int, drawn: Any) -> None:
    """Draw a whole number from 0 to ``below`` - 1 from the streams ``indices`` (k,) int64, into ``drawn`` (k,) int64."""
    for number in range(indices.shape[0]):
        drawn[number] = draw(streams, indices[number], below)


@entry_point
def write_keys(words: Any, keys: Any) -> None:
    """Write a key of each state, given as ``words`` (n, words of a state) uint64, to ``keys`` (n,) uint64."""
    for number in range(keys.shape[0]):
        key = np.uint64(0)
        for word in range(words.shape[1]):
            key = xorshift(key ^ words[number, word])
        keys[number] = key
