"""Random numbers of games: seeded streams, one uint64 each.

A game's seed gives it a stream for each purpose below. If one environment, or one row of a batch,
plays many games, the streams continue from game to game. So the games of a seed draw the same
numbers whether they are played one by one or thousands at once. The generator is xorshift64
(Marsaglia, "Xorshift RNGs", 2003); only its upper half is used, so that no multiplication
overflows, not even in plain Python.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import Indices, StreamOfEach, StreamTable, Word
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.foundations.checks import checked_seed

# The streams of a game, by what is drawn from them.
#: Where it begins: chapters, powers, the order of a deck, one of several positions.
CHANCE: Final = 0
OPENING: Final = 1  # its random turns before the players take over
SIDE: Final = 2  # which side a learner plays
MEMBER: Final = 3  # which opponent of a pool plays
OPPONENT: Final = 4  # what that opponent leaves to chance
ACTIONS: Final = 5  # random actions, and anything else that its user draws
STREAMS: Final = 6

#: The streams of one game, by purpose: uint64 of shape (1,) each.
Streams: TypeAlias = "Sequence[NDArray[np.uint64]] | NDArray[np.uint64]"

#: The number of bytes in the seed of a game's streams, if a generator draws it.
_ROOT_BYTES: Final = 16
_HALF: Final = 2**32
_MASK: Final = 2**64 - 1


def new_streams(seeds: Iterable[int]) -> StreamTable:
    """All streams of a game for each of some seeds, which are integers from 0.

    They are uint64 of shape (`STREAMS`, n), none of them 0.
    """
    words = [np.random.SeedSequence(seed).generate_state(STREAMS, np.uint64) for seed in seeds]
    return _without_zeros(np.array(words, np.uint64).reshape(-1, STREAMS).T)


def unseeded_streams(number: int) -> StreamTable:
    """All streams for a number of games, seeded by the system.

    They are uint64 of shape (`STREAMS`, number), none of them 0.
    """
    return _without_zeros(
        np.random.SeedSequence()
        .generate_state(STREAMS * number, np.uint64)
        .reshape(STREAMS, number)
        .astype(np.uint64)
    )


def streams_of(seed: Any) -> Streams:
    """All streams of one game, by purpose: uint64 of shape (1,) each.

    The streams are separate arrays, so that copying an object that shares one copies that one only.

    Args:
        seed: the game's seed, an integer from 0; a generator to draw it from; or None to draw it
            from the system.

    Raises:
        ConfigError: if it is anything else.
    """
    words = _words_of(seed)
    return tuple(words[purpose : purpose + 1].copy() for purpose in range(STREAMS))


def is_stream(given: object) -> TypeGuard[NDArray[np.uint64]]:
    """Whether an object is a stream, uint64 of shape (1,), rather than a seed for one."""
    return isinstance(given, np.ndarray) and given.dtype == np.uint64 and given.shape == (1,)


def new_stream(seed: Any, purpose: int = OPPONENT) -> NDArray[np.uint64]:
    """One stream of the game with a given seed.

    Args:
        seed: as for `streams_of`; or a stream, which is returned as it is.
        purpose: which of the game's streams.

    Returns:
        The stream: uint64 of shape (1,).

    Raises:
        ConfigError: if the seed is invalid.
    """
    return seed if is_stream(seed) else _words_of(seed)[purpose : purpose + 1].copy()


def _words_of(seed: Any) -> NDArray[np.uint64]:
    """All streams of one game: uint64 of shape (`STREAMS`,), none of them 0."""
    checked = checked_seed(seed)
    if not isinstance(checked, int):
        checked = int.from_bytes(np.random.default_rng(checked).bytes(_ROOT_BYTES), "little")
    words = np.random.SeedSequence(checked).generate_state(STREAMS, np.uint64)
    return _without_zeros(np.asarray(words, np.uint64))


def _without_zeros(streams: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The streams, in a new array, with 1 instead of 0, since a stream of 0 would stay 0."""
    return np.ascontiguousarray(np.maximum(streams, np.uint64(1)))


@inlined
def xorshift(bits: Word) -> Word:
    """One step of the generator; a bijection under which 0 stays 0."""
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    return bits


@inlined
def draw(streams: StreamOfEach, number: int, below: int) -> int:
    """Draw the next integer of a stream.

    Args:
        streams: uint64 of shape (n,).
        number: the index of the stream, which is advanced.
        below: the exclusive upper bound, 1 to 2**32.

    Returns:
        An integer from 0 to ``below`` - 1.
    """
    bits = xorshift(streams[number])
    streams[number] = bits
    return int(np.int64(((bits >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32)))


@kernel
def draw_all(streams: StreamOfEach, indices: Indices, below: int, drawn: NDArray[np.int64]) -> None:
    """Draw an integer from each of some streams.

    Args:
        streams: uint64 of shape (n,).
        indices: which streams: int64 of shape (k,).
        below: the exclusive upper bound, 1 to 2**32.
        drawn: where to write the integers, from 0 to ``below`` - 1: int64 of shape (k,).
    """
    for number in range(indices.shape[0]):
        drawn[number] = draw(streams, indices[number], below)


def draw_from(stream: NDArray[np.uint64], below: int) -> int:
    """Draw the next integer of one stream, outside compiled code.

    Args:
        stream: uint64 of shape (1,), which is advanced.
        below: the exclusive upper bound, 1 to 2**32.

    Returns:
        An integer from 0 to ``below`` - 1.
    """
    # This repeats `draw`: plain integers are faster than calling it.
    bits = stream.item()
    bits ^= bits << 13 & _MASK
    bits ^= bits >> 7
    bits ^= bits << 17 & _MASK
    stream[0] = bits
    return int((bits >> 32) * below >> 32)


def draw_seed(stream: NDArray[np.uint64]) -> int:
    """Draw a seed of 64 bits from one stream, of shape (1,), by two draws."""
    return draw_from(stream, _HALF) * _HALF + draw_from(stream, _HALF)
