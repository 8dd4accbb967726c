"""64-bit keys of records: the exclusive or of what each word contributes, the products of its halves with that word's own factors."""

from typing import Final

import numpy as np

from tkm_env.compiled.array_types import Word, Words
from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.random_numbers import xorshift

#: How many words have factors of their own; longer records are mixed after every so many words.
_WORDS: Final = 128
_FACTORS: Final = (
    (np.random.SeedSequence(0).generate_state(2 * _WORDS, np.uint32) | 1)
    .astype(np.uint64)
    .reshape(_WORDS, 2)
)
_HALF: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)


@inlined
def word_hash(bits: Word, word: int) -> Word:
    """What word number 0 to 127, a uint64, contributes to a key; the products of halves do not overflow."""
    return ((bits & _LOW) * _FACTORS[word, 0]) ^ ((bits >> _HALF) * _FACTORS[word, 1])


@inlined
def spread(key: Word) -> Word:
    """Mix a key, so that every bit depends on many, for tables indexed by some of them; a bijection."""
    return xorshift(xorshift(key))


@inlined
def key_of(words: Words) -> Word:
    """The key of a record, given as words: uint64 of shape (n,)."""
    key = np.uint64(0)
    for word in range(words.shape[0]):
        if word % _WORDS == 0:
            key = spread(key)
        key ^= word_hash(words[word], word % _WORDS)
    return spread(key)
