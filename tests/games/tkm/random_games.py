"""What the tests that play at random share: seeds, and powers to play with."""

from __future__ import annotations

import zlib

import numpy as np

from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.engine.state import CHAPTERS


def seed_of(*words: object) -> int:
    """A seed of its own for each configuration, the same in every run."""
    return zlib.crc32(repr(words).encode())


def powers_allowed(chapters: tuple[str, ...]) -> list[str]:
    """The powers that need no other chapters than these."""
    bits = sum(1 << CHAPTERS.index(name) for name in chapters)
    return [power.name for power in POWERS if not power.requires & ~bits]


def power_pairs(
    chapters: tuple[str, ...], generator: np.random.Generator, number: int
) -> list[tuple[str | None, str | None]]:
    """Pairs of powers for white and black.

    The first has none; then they are drawn: for one side only, different ones, or the same for
    both.
    """
    choices = [*powers_allowed(chapters), None]
    pairs: list[tuple[str | None, str | None]] = [(None, None)]
    while len(pairs) < number:
        white, black = (choices[generator.integers(len(choices))] for _ in range(2))
        pairs.append((white, white) if generator.random() < 0.25 else (white, black))
    return pairs
