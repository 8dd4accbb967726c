"""What the compiled kernels of all games share: codes in place of actions, the tasks of `work`, drawing among legal actions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.compiled.bits import BYTES, nth_one, sum_of_bytes, word_at
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.hashing import key_of
from tkm_env.compiled.random_numbers import draw

#: In place of an action: leave the game as it is.
NO_ACTION: Final = -1
#: In place of an action: begin again, from the game's row in ``starts``.
BEGIN: Final = -2

#: What a kernel returns for an illegal action, having changed nothing.
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
GATHER: Final = 6
GATHER_BYTES: Final = 7  # only for games with a canonical view
PREPARE: Final = 8  # only on a GPU


@inlined
def nth_legal(mask: Any, number: int) -> int:
    """The ``number``-th legal action, from 0; ``mask`` (actions,) has 1 where an action is legal, and 0 elsewhere."""
    left = number
    for first in range(0, mask.shape[0] - BYTES + 1, BYTES):
        ones = word_at(mask, first)
        legal = sum_of_bytes(ones)
        if left < legal:
            return first + nth_one(ones, left)
        left -= legal
    action = mask.shape[0] // BYTES * BYTES
    while mask[action] == 0 or left > 0:
        left -= int(mask[action])
        action += 1
    return action


@inlined
def next_legal(mask: Any, first: int) -> int:
    """The first legal action from ``first`` on; the number of actions where there is none."""
    action = first
    while action < mask.shape[0] and mask[action] == 0:
        whole = action + BYTES <= mask.shape[0] and word_at(mask, action) == 0
        action += BYTES if whole else 1
    return action


@inlined
def _count_legal(mask: Any) -> int:
    """How many actions are legal."""
    ones = np.uint64(0)
    for first in range(0, mask.shape[0] - BYTES + 1, BYTES):
        ones += word_at(mask, first)  # no byte overflows: no game has 2,000 actions
    legal = sum_of_bytes(ones)
    for action in range(mask.shape[0] // BYTES * BYTES, mask.shape[0]):
        legal += int(mask[action])
    return legal


@inlined
def draw_legal(mask: Any, streams: Any, number: int) -> int:
    """One of the legal actions, all equally likely, drawn from stream ``number``; `NO_ACTION` where nothing is legal."""
    legal = _count_legal(mask)
    return nth_legal(mask, draw(streams, number, legal)) if legal else NO_ACTION


@inlined
def pick_all(masks: Any, streams: Any, actions: Any) -> None:
    """Write a legal action, all equally likely, to each of ``actions`` (n,) int64; `NO_ACTION` where nothing is legal."""
    for game in range(masks.shape[0]):
        actions[game] = draw_legal(masks[game], streams, game)


@kernel
def write_keys(words: Any, keys: Any) -> None:
    """Write a key of each state, given as ``words`` (n, words of a state) uint64, to ``keys`` (n,) uint64."""
    for number in range(keys.shape[0]):
        keys[number] = key_of(words[number])
