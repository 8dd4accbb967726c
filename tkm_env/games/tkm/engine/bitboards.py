"""RULES §1: sets of spaces of one era as bits, bit n for space n.

One operation thus covers all spaces.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.bits import where_below as below
from tkm_env.compiled.bits import where_equal
from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.geometry import (
    DIRECTIONS,
    EAST,
    NORTH,
    NOWHERE,
    NUM_ERAS,
    NUM_SPACES,
    SOUTH,
    WEST,
    WIDTH,
)
from tkm_env.games.tkm.engine.state import State

ALL_SPACES: Final = (1 << NUM_SPACES) - 1
_BIT: Final = np.array([1 << space for space in range(NUM_SPACES)], np.uint16)


def _from_wall(spaces: int) -> np.ndarray:
    """By direction: the spaces with exactly ``spaces`` others between them and the wall."""
    rows = np.arange(NUM_SPACES).reshape(WIDTH, WIDTH)
    lines = {
        NORTH: rows[spaces],
        EAST: rows[:, WIDTH - 1 - spaces],
        SOUTH: rows[WIDTH - 1 - spaces],
        WEST: rows[:, spaces],
    }
    return np.array(
        [(1 << lines[direction]).sum() for direction in range(len(DIRECTIONS))], np.int64
    )


#: By direction: the spaces beside the wall, and those one space further from it.
AT_WALL: Final = _from_wall(0)
BEFORE_WALL: Final = _from_wall(1)


@inlined
def where(state: State, era: int, piece: int) -> int:
    """The spaces of an era that hold a piece.

    Args:
        state: the game.
        era: the era, 0 to 2.
        piece: the piece's code.

    Returns:
        The spaces, as bits.
    """
    return where_equal(state.cell[era], 0, piece)


@inlined
def where_below(state: State, era: int, piece: int) -> int:
    """The spaces of an era that hold a piece with a lower code than a given one.

    Args:
        state: the game.
        era: the era, 0 to 2.
        piece: the code, which is excluded.

    Returns:
        The spaces, as bits; empty spaces are among them.
    """
    return below(state.cell[era], 0, piece)


@inlined
def has(spaces: int, space: int) -> bool:
    """Whether a space is in a set, without a branch.

    Args:
        spaces: the set, as bits.
        space: the space; `NOWHERE` is in no set.

    Returns:
        Whether the set has it.
    """
    return (spaces << 1) >> (space - NOWHERE) & 1 != 0


@inlined
def one_step(spaces: int, direction: int) -> int:
    """The spaces one step away from some others.

    Args:
        spaces: the others, as bits.
        direction: the direction of the step, 0 to 3.

    Returns:
        The spaces, as bits; steps into the wall are left out.
    """
    inside = spaces & (ALL_SPACES ^ AT_WALL[direction])
    if direction == NORTH:
        return inside >> WIDTH
    if direction == EAST:
        return inside << 1
    return inside << WIDTH if direction == SOUTH else inside >> 1


@inlined
def beside(spaces: int) -> int:
    """The spaces north, south, east or west of any of these."""
    return (
        one_step(spaces, NORTH)
        | one_step(spaces, EAST)
        | one_step(spaces, SOUTH)
        | one_step(spaces, WEST)
    )


@inlined
def has_seed(state: State, era: int, space: int) -> bool:
    """Whether a seed lies on a space.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space, 0 to 15.

    Returns:
        Whether there is one.
    """
    return state.seed[era] & _BIT[space] != 0


@inlined
def lay_seed(state: State, era: int, space: int) -> None:
    """Put a seed on a space.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space, 0 to 15.
    """
    state.seed[era] |= _BIT[space]


@inlined
def take_seed(state: State, era: int, space: int) -> None:
    """Take away the seed on a space, where there must be one.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space, 0 to 15.
    """
    state.seed[era] ^= _BIT[space]


@inlined
def count_seeds(state: State) -> int:
    """The number of seeds in all eras."""
    number = 0
    for era in range(NUM_ERAS):
        bits = state.seed[era]
        while bits:
            bits &= bits - 1
            number += 1
    return number


def as_spaces(seeds: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Seeds by space: 1 where one lies.

    The result has shape (…, 16) for the field ``seed`` of shape (…).
    """
    return (np.expand_dims(seeds, -1) & _BIT != 0).astype(np.uint8)


def as_bits(spaces: NDArray[np.integer[Any]]) -> NDArray[np.uint16]:
    """The inverse of `as_spaces`."""
    return (spaces * _BIT).sum(-1, dtype=np.uint16)
