"""Keys of records: 64 bits that differ wherever the records do, but for chance.

A key is the sum, without carries, of what each word contributes: the products of its halves with factors of that word's own, which no other
word has. Differences in several words then cancel each other by chance only, and words need not wait for each other.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.random_numbers import xorshift

#: So many words have factors of their own; a longer record is mixed after each of these.
_WORDS: Final = 128
_FACTORS: Final = (np.random.SeedSequence(0).generate_state(2 * _WORDS, np.uint32) | 1).astype(np.uint64).reshape(_WORDS, 2)
_HALF: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)


@inlined
def share_of(bits: Any, word: int) -> Any:
    """What a word (uint64) of that number, from 0 to 127, contributes to a key; the products of halves do not overflow."""
    return ((bits & _LOW) * _FACTORS[word, 0]) ^ ((bits >> _HALF) * _FACTORS[word, 1])


@inlined
def spread(key: Any) -> Any:
    """A key in which every bit depends on many, for tables that look at some of them; a bijection."""
    return xorshift(xorshift(key))


@inlined
def key_of(words: Any) -> Any:
    """The key of a record, given as words: uint64 of shape (n,)."""
    key = np.uint64(0)
    for word in range(words.shape[0]):
        if word % _WORDS == 0:
            key = spread(key)
        key ^= share_of(words[word], word % _WORDS)
    return spread(key)
