"""RULES §1: sets of spaces of one era as bits, bit n for space n, so that what is asked of every space is asked of all at once."""

from __future__ import annotations

from typing import Any, Final

from tkm_env.core.jit import compiled
from tkm_env.core.swar import BYTES, bits_of, bytes_below, bytes_of, equal_bytes, word_at, write_word
from tkm_env.games.tkm.engine.geometry import NOWHERE, NUM_SPACES, WIDTH
from tkm_env.games.tkm.engine.state import State

__all__ = ["ALL_SPACES", "beside", "has", "where", "where_below", "write_bits"]

ALL_SPACES: Final = (1 << NUM_SPACES) - 1
_EIGHT: Final = (1 << BYTES) - 1
_EASTERNMOST: Final = sum(1 << space for space in range(WIDTH - 1, NUM_SPACES, WIDTH))
_WESTERNMOST: Final = sum(1 << space for space in range(0, NUM_SPACES, WIDTH))


@compiled
def where(state: State, era: int, piece: int) -> int:
    """The spaces of the era that hold this piece."""
    cells = state.cell[era]
    return bits_of(equal_bytes(word_at(cells, 0), piece)) | bits_of(equal_bytes(word_at(cells, BYTES), piece)) << BYTES


@compiled
def where_below(state: State, era: int, piece: int) -> int:
    """The spaces of the era that hold a piece of a lower code than this one."""
    cells = state.cell[era]
    return bits_of(bytes_below(word_at(cells, 0), piece)) | bits_of(bytes_below(word_at(cells, BYTES), piece)) << BYTES


@compiled
def has(spaces: int, space: int) -> bool:
    """Whether the space, which may be `NOWHERE`, is one of these; without a branch."""
    return (spaces << 1) >> (space - NOWHERE) & 1 != 0


@compiled
def beside(spaces: int) -> int:
    """The spaces north, south, east or west of any of these."""
    return (
        (spaces >> WIDTH)
        | (spaces << WIDTH) & ALL_SPACES
        | (spaces & (ALL_SPACES ^ _EASTERNMOST)) << 1
        | (spaces & (ALL_SPACES ^ _WESTERNMOST)) >> 1
    )


@compiled
def write_bits(row: Any, first: int, spaces: int) -> None:
    """Write 1 to ``row[first + n]`` for each of these spaces n, and 0 for the others."""
    write_word(row, first, bytes_of(spaces & _EIGHT))
    write_word(row, first + BYTES, bytes_of(spaces >> BYTES))
