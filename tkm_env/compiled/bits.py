"""Many bytes at a time: the eight of a uint64, the first one lowest (Warren, *Hacker's Delight*, 2nd edition, chapters 5 and 7), and more
by the vector instructions of processors. No sum of bytes carries into the next byte, and no product overflows, so the code also runs as
plain Python.
"""

from typing import Any, Final

import numpy as np

from tkm_env.compiled.decorators import inlined, instructions

#: How many bytes a word has.
BYTES: Final = 8

_ONES: Final = np.uint64(0x0101010101010101)
_HIGHEST: Final = np.uint64(0x8080808080808080)
_LARGEST: Final = 0x7F
#: The lower half of sixteen bits.
_EIGHT: Final = 0xFF
_BYTE: Final = np.uint64(0xFF)
_PAIR: Final = np.uint64(0xFFFF)
_EVEN: Final = np.uint64(0x00FF00FF00FF00FF)
#: The first bit in the first byte, the second in the second, and so on.
_DIAGONAL: Final = np.uint64(0x8040201008040201)
_1, _2, _4, _7, _8, _14, _16, _28, _32 = (
    np.uint64(number) for number in (1, 2, 4, 7, 8, 14, 16, 28, 32)
)
#: Every second bit, the lower two of every four, and the lower four of every eight.
_TWOS: Final = np.uint64(0x5555555555555555)
_FOURS: Final = np.uint64(0x3333333333333333)
_EIGHTS: Final = np.uint64(0x0F0F0F0F0F0F0F0F)


@inlined
def word_at(row: Any, first: int) -> Any:
    """The bytes ``row[first]`` to ``row[first + 7]``, each 0 to 127; compiles to a single load."""
    place = np.uint64(first)  # unsigned, so no negative indices to handle
    word = np.uint64(0)
    for number in range(BYTES):
        word |= np.uint64(np.uint8(row[place + np.uint64(number)])) << np.uint64(BYTES * number)
    return word


@inlined
def write_word(row: Any, first: int, word: Any) -> None:
    """Write the bytes of a word, each 0 to 127, to ``row[first]`` to ``row[first + 7]``; compiles to a single store."""
    place = np.uint64(first)
    for number in range(BYTES):
        row[place + np.uint64(number)] = np.uint8(word >> np.uint64(BYTES * number) & _BYTE)


@inlined
def fill(value: int) -> Any:
    """A word with ``value``, 0 to 127, in every byte."""
    return np.uint64(value) * _ONES


@inlined
def equal_bytes(word: Any, value: int) -> Any:
    """A word with 1 in the bytes that are ``value``, and 0 in the others; all are 0 to 127."""
    return ((_HIGHEST - (word ^ fill(value))) >> _7) & _ONES


@inlined
def bytes_below(word: Any, value: int) -> Any:
    """A word with 1 in the bytes that are below ``value``, and 0 in the others; all are 0 to 127."""
    return (((word | _HIGHEST) - fill(value)) & _HIGHEST ^ _HIGHEST) >> _7


@inlined
def bits_of(ones: Any) -> int:
    """A number with a bit, 1 or 0, for each byte of a word of such bytes."""
    ones |= ones >> _7
    ones |= ones >> _14
    return int(np.int64((ones | ones >> _28) & _BYTE))


@inlined
def bytes_of(bits: int) -> Any:
    """The inverse: a word with 1 in the bytes whose bit of eight is set, and 0 in the others."""
    alone = fill(bits) & _DIAGONAL
    return ((alone + (_HIGHEST - _ONES)) >> _7) & _ONES


@inlined
def sum_of_bytes(word: Any) -> int:
    """The sum of the bytes of a word."""
    pairs = (word & _EVEN) + ((word >> _8) & _EVEN)
    pairs += pairs >> _32
    return int(np.int64((pairs + (pairs >> _16)) & _PAIR))


@instructions
def count_bits(bits: int) -> int:
    """How many bits of a number, 0 to 2**63 - 1, are set."""
    word = np.uint64(bits)
    word -= (word >> _1) & _TWOS
    word = (word & _FOURS) + ((word >> _2) & _FOURS)
    return sum_of_bytes((word + (word >> _4)) & _EIGHTS)


@instructions
def nth_bit(bits: Any, number: int) -> int:
    """The place of the ``number``-th bit, from 0, that is set in a word; there must be one."""
    for _ in range(number):
        bits &= bits - _1
    return count_bits(np.int64((bits ^ (bits & (bits - _1))) - _1))


@instructions
def ones_at(row: Any, first: int) -> Any:
    """The 64 bytes from ``row[first]`` on, each 1 or 0, as the bits of a word."""
    bits = np.uint64(0)
    for number in range(BYTES):
        bits |= np.uint64(bits_of(word_at(row, first + BYTES * number))) << np.uint64(
            BYTES * number
        )
    return bits


@instructions
def where_equal(row: Any, first: int, value: int) -> int:
    """Which of the sixteen bytes from ``row[first]`` on are ``value``, as bits; all are 0 to 127."""
    north, south = (
        equal_bytes(word_at(row, first), value),
        equal_bytes(word_at(row, first + BYTES), value),
    )
    return bits_of(north) | bits_of(south) << BYTES


@instructions
def where_below(row: Any, first: int, value: int) -> int:
    """Which of the sixteen bytes from ``row[first]`` on are below ``value``, as bits; all are 0 to 127."""
    north, south = (
        bytes_below(word_at(row, first), value),
        bytes_below(word_at(row, first + BYTES), value),
    )
    return bits_of(north) | bits_of(south) << BYTES


@instructions
def write_ones(row: Any, first: int, bits: int) -> None:
    """Write sixteen bits, each as a byte of 1 or 0, from ``row[first]`` on."""
    write_word(row, first, bytes_of(bits & _EIGHT))
    write_word(row, first + BYTES, bytes_of(bits >> BYTES))


@instructions
def write_equal(row: Any, first: int, others: Any, value: int) -> None:
    """Write 1 from ``row[first]`` on where the first sixteen of ``others`` are ``value``, and 0 elsewhere; all are 0 to 127."""
    write_word(row, first, equal_bytes(word_at(others, 0), value))
    write_word(row, first + BYTES, equal_bytes(word_at(others, BYTES), value))


@instructions
def write_fill(row: Any, first: int, value: int) -> None:
    """Write ``value``, 0 to 127, sixteen times, from ``row[first]`` on."""
    write_word(row, first, fill(value))
    write_word(row, first + BYTES, fill(value))
