"""What the compiled kernels of all games share: codes in place of actions, the tasks of `work`, drawing among legal actions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.compiled.atomics import array_at
from tkm_env.compiled.bits import BYTES, nth_one, sum_of_bytes, word_at
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.keys import key_of
from tkm_env.compiled.random_numbers import draw

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
SELECT: Final = 6
SELECT_BYTES: Final = 7  # asked only of games that have a canonical view
PREPARE: Final = 8  # asked only on a GPU


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
    """One of the legal actions, all equally likely, by the stream of that number; `NO_ACTION` where nothing is legal."""
    legal = _count_legal(mask)
    return nth_legal(mask, draw(streams, number, legal)) if legal else NO_ACTION


@inlined
def pick_all(masks: Any, streams: Any, actions: Any) -> None:
    """Write a legal action, all equally likely, to each of ``actions`` (n,) int64; `NO_ACTION` where nothing is legal."""
    for game in range(masks.shape[0]):
        actions[game] = draw_legal(masks[game], streams, game)


@inlined
def select(row: Any, plan: Any, factors: Any, selected: Any) -> None:
    """Write elements of ``row`` (size,) int8, each times its factor, to ``selected`` (k,), as a plan says.

    ``plan`` is of uint64: how many runs there are, and how many single elements; for each run where it begins in ``row`` and in
    ``selected``, and its length; for each single element where it is in both. ``factors`` (k,) are the same within a run; like
    ``selected`` they are float32 or int8.
    """
    place = 2
    for _ in range(plan[0]):
        source, target = plan[place], plan[place + 1]
        factor = factors[target]
        for number in range(plan[place + 2]):
            selected[target + number] = row[source + number] * factor
        place += 3
    for _ in range(plan[1]):
        target = plan[place + 1]
        selected[target] = row[plan[place]] * factors[target]
        place += 2


@kernel
def select_all(rows: Any, viewers: Any, plans: Any, factors: Any, selected: Any) -> None:
    """The same for rows (n, size), ``row[i]`` by the plan of ``viewers[i]`` (n,) int64; ``plans`` (players, m), ``selected`` (n, k)."""
    for number in range(rows.shape[0]):
        select(rows[number], plans[viewers[number]], factors, selected[number])


# What the tasks `SELECT` and `SELECT_BYTES` need is at an address of int64 words: the addresses of rows, one for each thread, of plans, of
# factors and of what is selected; then the bytes from row to row, the number of players, the words of a plan, the elements selected.
_SELECTION_BYTES: Final = 8 * 8


@inlined
def row_and_plans_at(address: int, thread: int, size: int) -> tuple[Any, Any]:
    """A thread's row of ``size`` bytes to write an observation to, and the plans, as `select_all` takes them."""
    words = array_at(address, 1, _SELECTION_BYTES).view(np.int64)[0]
    return array_at(words[0] + thread * words[4], 1, size)[0], array_at(words[1], words[5], 8 * words[6]).view(np.uint64)


@inlined
def floats_at(address: int, games: int) -> tuple[Any, Any]:
    """The factors (k,) and what is selected (games, k) for the task `SELECT`, both of float32."""
    words = array_at(address, 1, _SELECTION_BYTES).view(np.int64)[0]
    width = 4 * words[7]
    return array_at(words[2], 1, width).view(np.float32)[0], array_at(words[3], games, width).view(np.float32)


@inlined
def bytes_at(address: int, games: int) -> tuple[Any, Any]:
    """The same for the task `SELECT_BYTES`, both of int8."""
    words = array_at(address, 1, _SELECTION_BYTES).view(np.int64)[0]
    return array_at(words[2], 1, words[7])[0], array_at(words[3], games, words[7])


@kernel
def draw_all(streams: Any, indices: Any, below: int, drawn: Any) -> None:
    """Draw a whole number from 0 to ``below`` - 1 from the streams ``indices`` (k,) int64, into ``drawn`` (k,) int64."""
    for number in range(indices.shape[0]):
        drawn[number] = draw(streams, indices[number], below)


@kernel
def write_keys(words: Any, keys: Any) -> None:
    """Write a key of each state, given as ``words`` (n, words of a state) uint64, to ``keys`` (n,) uint64."""
    for number in range(keys.shape[0]):
        keys[number] = key_of(words[number])
