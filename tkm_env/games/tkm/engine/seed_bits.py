"""RULES §1: seeds, which can share a space with a copy: one number for each era, with a bit for each space."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.geometry import NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.state import State

_BIT: Final = np.array([1 << space for space in range(NUM_SPACES)], np.uint16)


@inlined
def has_seed(state: State, era: int, space: int) -> bool:
    """Whether a seed lies there."""
    return state.seed[era] & _BIT[space] != 0


@inlined
def lay_seed(state: State, era: int, space: int) -> None:
    """Put a seed there."""
    state.seed[era] |= _BIT[space]


@inlined
def take_seed(state: State, era: int, space: int) -> None:
    """Take the seed there away."""
    state.seed[era] ^= _BIT[space]


@inlined
def count_seeds(state: State) -> int:
    """How many seeds lie in all eras."""
    number = 0
    for era in range(NUM_ERAS):
        bits = state.seed[era]
        while bits:
            bits &= bits - 1
            number += 1
    return number


def as_spaces(seeds: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Seeds by space: 1 where one lies, of shape (…, 16) for the field ``seed`` of shape (…).

    >>> as_spaces(np.array([0b101], np.uint16))[0, :4].tolist()
    [1, 0, 1, 0]
    """
    return (np.expand_dims(seeds, -1) & _BIT != 0).astype(np.uint8)


def as_bits(spaces: NDArray[np.integer[Any]]) -> NDArray[np.uint16]:
    """The inverse of `as_spaces`."""
    return (spaces * _BIT).sum(-1, dtype=np.uint16)
