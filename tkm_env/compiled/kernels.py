"""What the compiled kernels of all games share.

It is codes that stand for actions, the tasks of ``work``, and draws among legal actions.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import (
    Actions,
    Flags,
    Mask,
    Masks,
    StreamOfEach,
    Word,
    WordRows,
    Words,
)
from tkm_env.compiled.bits import BYTES, count_bits, nth_bit, ones_at, word_at
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.hashing import key_of
from tkm_env.compiled.random_numbers import draw

#: Instead of an action: leave the game as it is.
NO_ACTION: Final = -1
#: Instead of an action: begin again, from the game's row in ``starts``.
BEGIN: Final = -2

#: What a kernel returns for an illegal action, having changed nothing.
REFUSED: Final = -1

#: The result of a game in progress.
UNDECIDED: Final = 0

#: Instead of a player: neither.
NOBODY: Final = -1

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
COPY_MASKS: Final = 9
PLAY_TURNS: Final = 10
WRITE_OUTCOMES: Final = 11
SELECT_TO_ACT: Final = 12
TAKE_TURNS: Final = 13

#: The number of actions that the bits of a word stand for.
_WORD: Final = 64


@inlined
def _legal_bits(mask: Mask, first: int) -> Word:
    """Which of the 64 actions from ``first`` on are legal, as the bits of a word."""
    last = mask.shape[0] - _WORD
    if last >= 0:
        return ones_at(mask, min(first, last)) >> np.uint64(max(first - last, 0))
    bits = np.uint64(0)
    for action in range(mask.shape[0]):
        bits |= np.uint64(mask[action]) << np.uint64(action)
    return bits


@inlined
def nth_legal(mask: Mask, number: int) -> int:
    """One of the legal actions, by its index among them.

    Args:
        mask: the legal actions: int8 of shape (actions,), 1 if legal, else 0.
        number: the index among the legal actions, from 0; there must be one.

    Returns:
        The index of the action.
    """
    first, left = 0, number
    bits = _legal_bits(mask, 0)
    legal = count_bits(np.int64(bits))
    while left >= legal:
        first, left = first + _WORD, left - legal
        bits = _legal_bits(mask, first)
        legal = count_bits(np.int64(bits))
    return first + nth_bit(bits, left)


@inlined
def next_legal(mask: Mask, first: int) -> int:
    """The first legal action from a given one on.

    Args:
        mask: the legal actions: int8 of shape (actions,), 1 if legal, else 0.
        first: the action to begin with.

    Returns:
        The index of the action; the number of actions if none is legal.
    """
    action = first
    while action < mask.shape[0] and mask[action] == 0:
        whole = action + BYTES <= mask.shape[0] and word_at(mask, action) == 0
        action += BYTES if whole else 1
    return action


@inlined
def _count_legal(mask: Mask) -> int:
    """How many actions are legal."""
    legal = 0
    for first in range(0, mask.shape[0], _WORD):
        legal += count_bits(np.int64(_legal_bits(mask, first)))
    return legal


@inlined
def draw_legal(mask: Mask, streams: StreamOfEach, number: int) -> int:
    """Draw one of the legal actions, all equally likely.

    Args:
        mask: the legal actions: int8 of shape (actions,), 1 if legal, else 0.
        streams: random numbers: uint64 of shape (n,).
        number: the index of the stream to draw from.

    Returns:
        The index of the action; `NO_ACTION` if none is legal.
    """
    legal = _count_legal(mask)
    return nth_legal(mask, draw(streams, number, legal)) if legal else NO_ACTION


@inlined
def pick_all(masks: Masks, streams: StreamOfEach, actions: Actions) -> None:
    """Draw a legal action for each game, all equally likely.

    Args:
        masks: the legal actions: int8 of shape (n, actions), 1 if legal, else 0.
        streams: random numbers for each game: uint64 of shape (n,).
        actions: where to write the actions: int64 of shape (n,); `NO_ACTION` if none is legal.
    """
    for game in range(masks.shape[0]):
        actions[game] = draw_legal(masks[game], streams, game)


@kernel
def write_keys(words: WordRows, keys: Words) -> None:
    """Write a key of each state.

    Args:
        words: the states as words: uint64 of shape (n, words of a state).
        keys: where to write the keys: uint64 of shape (n,).
    """
    for number in range(keys.shape[0]):
        keys[number] = key_of(words[number])


@kernel
def any_outside(numbers: NDArray[np.int64], low: int, end: int) -> bool:
    """Whether any of some integers is out of range.

    Args:
        numbers: the integers: int64 of shape (n,).
        low: the lowest that is allowed.
        end: one more than the highest that is allowed.

    Returns:
        Whether any is below ``low``, or not below ``end``.
    """
    outside = False
    for number in range(numbers.shape[0]):
        outside |= (numbers[number] < low) | (numbers[number] >= end)
    return outside


@kernel
def set_beginning(actions: Actions, beginning: Flags, end: int) -> bool:
    """Write `BEGIN` for the games that begin, and check the actions in all others.

    Args:
        actions: the actions: int64 of shape (n,).
        beginning: the games that begin: bool of shape (n,).
        end: the number of different actions.

    Returns:
        Whether an action in a game that does not begin is negative or not below ``end``.
    """
    outside = False
    for game in range(actions.shape[0]):
        if beginning[game]:
            actions[game] = BEGIN
        else:
            outside |= (actions[game] < 0) | (actions[game] >= end)
    return outside
