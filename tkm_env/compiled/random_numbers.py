"""Random numbers for many games at once: one seeded stream per game, a uint64 each.

The generator is xorshift64 (Marsaglia, "Xorshift RNGs", 2003). Only its upper half is used, so that no multiplication overflows, not even
in plain Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tkm_env.checks import checked_seed
from tkm_env.compiled.decorators import inlined


def new_streams(seeds: Iterable[int]) -> NDArray[np.uint64]:
    """A stream for each seed: uint64 of shape (n,), none of them 0.

    >>> bool((new_streams([7, 8]) == new_streams([7, 8])).all())
    True
    """
    return _without_zeros(np.array([np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] for seed in seeds], np.uint64))


def new_stream(seed: int | np.random.Generator | None) -> NDArray[np.uint64]:
    """One stream: uint64 of shape (1,).

    Raises:
        ConfigError: if the seed is invalid.
    """
    return new_streams([int(np.random.default_rng(checked_seed(seed)).integers(2**62))])


def unseeded_streams(number: int) -> NDArray[np.uint64]:
    """Streams seeded by the system: uint64 of shape (number,), none of them 0."""
    return _without_zeros(np.random.SeedSequence().generate_state(number, np.uint64).astype(np.uint64))


def _without_zeros(streams: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The streams with 1 for 0, since a stream of 0 would stay 0."""
    return np.maximum(streams, np.uint64(1))


@inlined
def xorshift(bits: Any) -> Any:
    """One step of the generator, from uint64 to uint64; a bijection, and 0 stays 0."""
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    return bits


@inlined
def draw(streams: Any, number: int, below: int) -> int:
    """The next number of a stream: from 0 to ``below`` - 1, where ``below`` is at most 2**32."""
    bits = xorshift(streams[number])
    streams[number] = bits
    return int(np.int64(((bits >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32)))
