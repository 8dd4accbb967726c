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
    """The bytes ``row[first]`` to ``row[first + 7]``, each 0 to 127; compiles to a single load."""
    place = np.uint64(first)  # unsigned, so no negative indices to handle
    word = np.uint64(0)
    for number in range(BYTES):
        byte = np.uint64(np.uint8(row[place + np.uint64(number)]))
        word |= byte << np.uint64(BYTES * number)
    return word


@inlined
def write_word(row: Row, first: int, word: Word) -> None:
    """Write a word's bytes, 0 to 127, from ``row[first]`` on; compiles to a single store."""
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
    """A word with 1 in the bytes that are ``value``, and 0 in the others; all are 0 to 127."""
    different = word ^ fill(value)  # 0 in the bytes that are equal, 1 to 127 in the others
    # 0x80 - 0 has the highest bit; 0x80 less anything else does not.
    return ((_HIGHEST_BITS - different) >> _SEVEN) & _ONES


@inlined
def bytes_below(word: Word, value: int) -> Word:
    """A word with 1 in the bytes below ``value``, and 0 in the others; all are 0 to 127."""
    # 0x80 + byte - value has the highest bit unless the byte is below the value.
    not_below = ((word | _HIGHEST_BITS) - fill(value)) & _HIGHEST_BITS
    return (not_below ^ _HIGHEST_BITS) >> _SEVEN


@inlined
def bits_of(ones: Word) -> int:
    """A bit, 1 or 0, for each byte of a word of such bytes, as an integer: the first one lowest."""
    # Each byte's bit moves 7 down, next to that of the byte before, which makes pairs; then pairs
    # move next to pairs, and fours next to fours. All eight end in the first byte.
    ones |= ones >> _SEVEN
    ones |= ones >> _FOURTEEN
    return int(np.int64((ones | ones >> _TWENTY_EIGHT) & _FIRST_BYTE))


@inlined
def bytes_of(bits: int) -> Word:
    """The inverse: a word with 1 in the bytes whose bit of eight is set, and 0 in the others."""
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


# The bits of a number.


@instructions
def count_bits(bits: int) -> int:
    """How many bits of a number, 0 to 2**63 - 1, are set."""
    # Each two bits, then each four, then each eight become the number of those that were set.
    word = np.uint64(bits)
    word -= (word >> _ONE) & _EVERY_SECOND
    word = (word & _TWO_OF_FOUR) + ((word >> _TWO) & _TWO_OF_FOUR)
    return sum_of_bytes((word + (word >> _FOUR)) & _FOUR_OF_EIGHT)


@instructions
def nth_bit(bits: Word, number: int) -> int:
    """The place of the ``number``-th bit, from 0, that is set in a word; there must be one."""
    for _ in range(number):
        bits &= bits - _ONE  # without its lowest bit
    lowest = bits ^ (bits & (bits - _ONE))
    return count_bits(np.int64(lowest - _ONE))  # as many bits as there are places below it


# Bytes of a row. Compiled code uses vector instructions in place of what is written here.


@instructions
def ones_at(row: Row, first: int) -> Word:
    """The 64 bytes from ``row[first]`` on, each 1 or 0, as the bits of a word."""
    bits = np.uint64(0)
    for number in range(BYTES):
        eight = np.uint64(bits_of(word_at(row, first + BYTES * number)))
        bits |= eight << np.uint64(BYTES * number)
    return bits


@instructions
def where_equal(row: Row, first: int, value: int) -> int:
    """Which of the sixteen bytes from ``row[first]`` on are ``value``, as bits.

    All are 0 to 127.
    """
    low = bits_of(equal_bytes(word_at(row, first), value))
    high = bits_of(equal_bytes(word_at(row, first + BYTES), value))
    return low | high << BYTES


@instructions
def where_below(row: Row, first: int, value: int) -> int:
    """Which of the sixteen bytes from ``row[first]`` on are below ``value``, as bits.

    All are 0 to 127.
    """
    low = bits_of(bytes_below(word_at(row, first), value))
    high = bits_of(bytes_below(word_at(row, first + BYTES), value))
    return low | high << BYTES


@instructions
def write_ones(row: Row, first: int, bits: int) -> None:
    """Write sixteen bits, each as a byte of 1 or 0, from ``row[first]`` on."""
    write_word(row, first, bytes_of(bits & _FIRST_EIGHT_BITS))
    write_word(row, first + BYTES, bytes_of(bits >> BYTES))


@instructions
def write_equal(row: Row, first: int, others: Row, value: int) -> None:
    """Write 1 where the first sixteen of ``others`` are ``value``, else 0, from ``row[first]`` on.

    All bytes are 0 to 127.
    """
    write_word(row, first, equal_bytes(word_at(others, 0), value))
    write_word(row, first + BYTES, equal_bytes(word_at(others, BYTES), value))


@instructions
def write_fill(row: Row, first: int, value: int) -> None:
    """Write ``value``, 0 to 127, sixteen times, from ``row[first]`` on."""
    write_word(row, first, fill(value))
    write_word(row, first + BYTES, fill(value))
