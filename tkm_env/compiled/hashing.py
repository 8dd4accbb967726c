"""64-bit keys of records.

A key is the exclusive or of what each word contributes: the products of its halves with factors of
its own.
"""

from typing import Final

import numpy as np

from tkm_env.compiled.array_types import Word, Words
from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.random_numbers import xorshift

#: The number of words that have factors of their own. The key of a longer record is mixed after
#: each such run of words.
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
    """What a word contributes to a key; the products of its halves do not overflow.

    Args:
        bits: the word.
        word: its index, 0 to 127.

    Returns:
        Its contribution.
    """
    return ((bits & _LOW) * _FACTORS[word, 0]) ^ ((bits >> _HALF) * _FACTORS[word, 1])


@inlined
def spread(key: Word) -> Word:
    """Mix a key, so that every bit depends on many others; a bijection.

    Tables can then be indexed by some of its bits.
    """
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
