"""Random numbers of games: seeded streams, a uint64 each.

A game's seed gives it a stream for each purpose below, which goes on from game to game where one environment, or one row of a batch, plays
many. So whoever plays the games of a seed, one by one or thousands at once, draws the same. The generator is xorshift64 (Marsaglia,
"Xorshift RNGs", 2003); only its upper half is used, so that no multiplication overflows, not even in plain Python.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import Indices, StreamOfEach, StreamTable, Word
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.foundations.checks import checked_seed

# The streams of a game, by what is drawn from them.
CHANCE: Final = (
    0  # where it begins: chapters, powers, the order of a deck, one of several positions
)
OPENING: Final = 1  # its random turns before the players take over
SIDE: Final = 2  # which side a learner plays
MEMBER: Final = 3  # which opponent of a pool plays
OPPONENT: Final = 4  # what that opponent leaves to chance
ACTIONS: Final = 5  # random actions, and whatever else its user asks for
STREAMS: Final = 6

#: The streams of one game, by number: uint64 of shape (1,) each.
Streams: TypeAlias = "Sequence[NDArray[np.uint64]] | NDArray[np.uint64]"

#: What streams of a game are seeded with has so many bytes where a generator draws it.
_ROOT_BYTES: Final = 16
_HALF: Final = 2**32
_MASK: Final = 2**64 - 1


def new_streams(seeds: Iterable[int]) -> StreamTable:
    """All streams of a game for each seed, a whole number from 0: uint64 of shape (`STREAMS`, n), none of them 0."""
    words = [np.random.SeedSequence(seed).generate_state(STREAMS, np.uint64) for seed in seeds]
    return _without_zeros(np.array(words, np.uint64).reshape(-1, STREAMS).T)


def unseeded_streams(number: int) -> StreamTable:
    """All streams of so many games, seeded by the system: uint64 of shape (`STREAMS`, number), none of them 0."""
    return _without_zeros(
        np.random.SeedSequence()
        .generate_state(STREAMS * number, np.uint64)
        .reshape(STREAMS, number)
        .astype(np.uint64)
    )


def streams_of(seed: Any) -> Streams:
    """All `STREAMS` of one game, by number: uint64 of shape (1,) each, so that a copy of whoever shares one shares its copy. The game's
    seed is a whole number from 0, drawn by a generator, or by the system for None; else a `ConfigError` is raised.
    """
    checked = checked_seed(seed)
    if not isinstance(checked, int):
        checked = int.from_bytes(np.random.default_rng(checked).bytes(_ROOT_BYTES), "little")
    return tuple(stream.copy() for stream in new_streams([checked]))


def is_stream(given: object) -> TypeGuard[NDArray[np.uint64]]:
    """Whether this is a stream, and not what one is seeded with: uint64 of shape (1,)."""
    return isinstance(given, np.ndarray) and given.dtype == np.uint64 and given.shape == (1,)


def new_stream(seed: Any, purpose: int = OPPONENT) -> NDArray[np.uint64]:
    """One stream of the game with this seed, as `streams_of` takes it; a stream is itself."""
    return seed if is_stream(seed) else streams_of(seed)[purpose]


def _without_zeros(streams: StreamTable) -> StreamTable:
    """The streams, in a new array, with 1 for 0, since a stream of 0 would stay 0."""
    return np.ascontiguousarray(np.maximum(streams, np.uint64(1)))


@inlined
def xorshift(bits: Word) -> Word:
    """One step of the generator, from uint64 to uint64; a bijection, and 0 stays 0."""
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    return bits


@inlined
def draw(streams: StreamOfEach, number: int, below: int) -> int:
    """The next number of a stream: from 0 to ``below`` - 1, where ``below`` is at most 2**32."""
    bits = xorshift(streams[number])
    streams[number] = bits
    return int(np.int64(((bits >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32)))


@kernel
def draw_all(streams: StreamOfEach, indices: Indices, below: int, drawn: NDArray[np.int64]) -> None:
    """Draw a whole number from 0 to ``below`` - 1 from the streams ``indices`` (k,) int64, into ``drawn`` (k,) int64."""
    for number in range(indices.shape[0]):
        drawn[number] = draw(streams, indices[number], below)


def draw_from(stream: NDArray[np.uint64], below: int) -> int:
    """The next number of one stream, of shape (1,): from 0 to ``below`` - 1, where ``below`` is at most 2**32."""
    bits = (
        stream.item()
    )  # plain numbers are faster here than `draw`, which this repeats, is to call
    bits ^= bits << 13 & _MASK
    bits ^= bits >> 7
    bits ^= bits << 17 & _MASK
    stream[0] = bits
    return int((bits >> 32) * below >> 32)


def draw_seed(stream: NDArray[np.uint64]) -> int:
    """A seed of 64 bits from one stream, of shape (1,): two of its numbers."""
    return draw_from(stream, _HALF) * _HALF + draw_from(stream, _HALF)
