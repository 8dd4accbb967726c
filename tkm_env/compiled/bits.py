"""Many bytes at a time: the eight of a word, and sixteen or more by vector instructions.

The first byte of a word is its lowest.

The tricks with words are those of Warren, *Hacker's Delight*, 2nd edition, chapters 5 and 7. They
rest on bytes being 0 to 127: the highest bit of each is free, so that a sum or a difference of all
eight bytes at once carries nothing from one byte into the next. No product overflows either, so the
code also runs as plain Python.
"""

from typing import Final

import numpy as np

from tkm_env.compiled.array_types import Row, Word
from tkm_env.compiled.decorators import inlined, instructions

#: How many bytes a word has.
BYTES: Final = 8

# Words that repeat a byte.
#: 1 in every byte.
_ONES: Final = np.uint64(0x0101010101010101)
#: The highest bit of every byte.
_HIGHEST_BITS: Final = np.uint64(0x8080808080808080)

# Masks for parts of a word, or of a number.
#: The first byte, and the first two bytes.
_FIRST_BYTE: Final = np.uint64(0xFF)
_FIRST_PAIR: Final = np.uint64(0xFFFF)
#: The same byte of an integer of Python.
_FIRST_EIGHT_BITS: Final = 0xFF
#: Every second byte.
_EVEN_BYTES: Final = np.uint64(0x00FF00FF00FF00FF)
#: The first bit in the first byte, the second bit in the second byte, and so on.
_DIAGONAL: Final = np.uint64(0x8040201008040201)
#: Every second bit, the lower two of every four, and the lower four of every eight.
_EVERY_SECOND: Final = np.uint64(0x5555555555555555)
_TWO_OF_FOUR: Final = np.uint64(0x3333333333333333)
_FOUR_OF_EIGHT: Final = np.uint64(0x0F0F0F0F0F0F0F0F)

# Distances to shift by, of a word's own type: NumPy 1 shifts no uint64 by an integer of Python.
_ONE, _TWO, _FOUR, _SEVEN, _EIGHT, _FOURTEEN, _SIXTEEN, _TWENTY_EIGHT, _THIRTY_TWO = (
    np.uint64(distance) for distance in (1, 2, 4, 7, 8, 14, 16, 28, 32)
)


# One word.


@inlined
def word_at(row: Row, first: int) -> Word:
    """Read eight bytes of a row as a word; compiles to a single load.

    Args:
        row: bytes from 0 to 127.
        first: the index of the first byte.

    Returns:
        The word, whose lowest byte is ``row[first]``.
    """
    place = np.uint64(first)  # unsigned, so no negative indices to handle
    word = np.uint64(0)
    for number in range(BYTES):
        byte = np.uint64(np.uint8(row[place + np.uint64(number)]))
        word |= byte << np.uint64(BYTES * number)
    return word


@inlined
def write_word(row: Row, first: int, word: Word) -> None:
    """Write a word's bytes to a row; compiles to a single store.

    Args:
        row: where to write.
        first: the index of the first byte.
        word: a word of bytes from 0 to 127.
    """
    place = np.uint64(first)
    for number in range(BYTES):
        byte = word >> np.uint64(BYTES * number) & _FIRST_BYTE
        row[place + np.uint64(number)] = np.uint8(byte)


@inlined
def fill(value: int) -> Word:
    """A word with ``value``, 0 to 127, in every byte."""
    return np.uint64(value) * _ONES


@inlined
def equal_bytes(word: Word, value: int) -> Word:
    """Compare each byte of a word with a value.

    Args:
        word: a word of bytes from 0 to 127.
        value: from 0 to 127.

    Returns:
        A word with 1 in the bytes that are ``value``, and 0 in the others.
    """
    different = word ^ fill(value)  # 0 in the bytes that are equal, 1 to 127 in the others
    # 0x80 - 0 has the highest bit; 0x80 less anything else does not.
    return ((_HIGHEST_BITS - different) >> _SEVEN) & _ONES


@inlined
def bytes_below(word: Word, value: int) -> Word:
    """Find the bytes of a word that are below a value.

    Args:
        word: a word of bytes from 0 to 127.
        value: from 0 to 127.

    Returns:
        A word with 1 in the bytes below ``value``, and 0 in the others.
    """
    # 0x80 + byte - value has the highest bit unless the byte is below the value.
    not_below = ((word | _HIGHEST_BITS) - fill(value)) & _HIGHEST_BITS
    return (not_below ^ _HIGHEST_BITS) >> _SEVEN


@inlined
def bits_of(ones: Word) -> int:
    """Collect one bit from each byte of a word whose bytes are 1 or 0.

    The first byte gives the lowest bit.
    """
    # Each byte's bit moves 7 down, next to that of the byte before, which makes pairs; then pairs
    # move next to pairs, and fours next to fours. All eight end in the first byte.
    ones |= ones >> _SEVEN
    ones |= ones >> _FOURTEEN
    return int(np.int64((ones | ones >> _TWENTY_EIGHT) & _FIRST_BYTE))


@inlined
def bytes_of(bits: int) -> Word:
    """The inverse of `bits_of`: 1 in each byte whose bit is set, and 0 in the others.

    ``bits`` are the eight lowest bits of an integer.
    """
    alone = fill(bits) & _DIAGONAL  # all eight bits in every byte, of which each keeps its own
    # That is 0 or a power of two: 0x7F more, at most 0xFF, has the highest bit unless it is 0.
    return ((alone + (_HIGHEST_BITS - _ONES)) >> _SEVEN) & _ONES


@inlined
def sum_of_bytes(word: Word) -> int:
    """The sum of the bytes of a word."""
    # Sums of two bytes, 16 bits each, then of four; the sum of all ends in the lowest 16 bits.
    pairs = (word & _EVEN_BYTES) + ((word >> _EIGHT) & _EVEN_BYTES)
    pairs += pairs >> _THIRTY_TWO
    return int(np.int64((pairs + (pairs >> _SIXTEEN)) & _FIRST_PAIR))


# The bits of an integer.


@instructions
def count_bits(bits: int) -> int:
    """The number of bits that are set in an integer from 0 to 2**63 - 1."""
    # Each two bits, then each four, then each eight become the count of those that were set.
    word = np.uint64(bits)
    word -= (word >> _ONE) & _EVERY_SECOND
    word = (word & _TWO_OF_FOUR) + ((word >> _TWO) & _TWO_OF_FOUR)
    return sum_of_bytes((word + (word >> _FOUR)) & _FOUR_OF_EIGHT)


@instructions
def nth_bit(bits: Word, number: int) -> int:
    """The position of one of the bits that are set in a word.

    Args:
        bits: the word.
        number: the index of the bit among those that are set, from 0; there must be one.

    Returns:
        The bit's position, 0 for the lowest.
    """
    for _ in range(number):
        bits &= bits - _ONE  # without its lowest bit
    lowest = bits ^ (bits & (bits - _ONE))
    return count_bits(np.int64(lowest - _ONE))  # as many bits as there are positions below it


# Bytes of a row. Compiled code uses vector instructions instead of what is written here.


@instructions
def ones_at(row: Row, first: int) -> Word:
    """Collect 64 bytes of 1 or 0 as the bits of a word.

    Args:
        row: the bytes.
        first: the index of the first of the 64.

    Returns:
        The word, whose lowest bit is ``row[first]``.
    """
    bits = np.uint64(0)
    for number in range(BYTES):
        eight = np.uint64(bits_of(word_at(row, first + BYTES * number)))
        bits |= eight << np.uint64(BYTES * number)
    return bits


@instructions
def where_equal(row: Row, first: int, value: int) -> int:
    """Find the bytes that are a value among sixteen bytes of a row.

    Args:
        row: bytes from 0 to 127.
        first: the index of the first of the sixteen.
        value: from 0 to 127.

    Returns:
        Sixteen bits; bit i is set if ``row[first + i]`` is ``value``.
    """
    low = bits_of(equal_bytes(word_at(row, first), value))
    high = bits_of(equal_bytes(word_at(row, first + BYTES), value))
    return low | high << BYTES


@instructions
def where_below(row: Row, first: int, value: int) -> int:
    """Find the bytes below a value among sixteen bytes of a row.

    Args:
        row: bytes from 0 to 127.
        first: the index of the first of the sixteen.
        value: from 0 to 127.

    Returns:
        Sixteen bits; bit i is set if ``row[first + i]`` is below ``value``.
    """
    low = bits_of(bytes_below(word_at(row, first), value))
    high = bits_of(bytes_below(word_at(row, first + BYTES), value))
    return low | high << BYTES


@instructions
def write_ones(row: Row, first: int, bits: int) -> None:
    """Write sixteen bits to a row, each as a byte of 1 or 0.

    Args:
        row: where to write.
        first: the index of the first byte.
        bits: the bits, the lowest one first.
    """
    write_word(row, first, bytes_of(bits & _FIRST_EIGHT_BITS))
    write_word(row, first + BYTES, bytes_of(bits >> BYTES))


@instructions
def write_equal(row: Row, first: int, others: Row, value: int) -> None:
    """Write which of the first sixteen bytes of another row are a value: 1 if so, else 0.

    Args:
        row: where to write.
        first: the index of the first byte to write.
        others: the bytes to compare, from 0 to 127.
        value: from 0 to 127.
    """
    write_word(row, first, equal_bytes(word_at(others, 0), value))
    write_word(row, first + BYTES, equal_bytes(word_at(others, BYTES), value))


@instructions
def write_fill(row: Row, first: int, value: int) -> None:
    """Write a value to sixteen bytes of a row.

    Args:
        row: where to write.
        first: the index of the first byte.
        value: from 0 to 127.
    """
    write_word(row, first, fill(value))
    write_word(row, first + BYTES, fill(value))
