"""Many bytes at a time, compared with one byte at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tkm_env.compiled.bits import (
    BYTES,
    bits_of,
    bytes_below,
    bytes_of,
    count_bits,
    equal_bytes,
    fill,
    nth_bit,
    ones_at,
    sum_of_bytes,
    where_below,
    where_equal,
    word_at,
    write_equal,
    write_fill,
    write_ones,
    write_word,
)
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.kernels import NO_ACTION, draw_legal, next_legal, nth_legal

_ROWS = 300


@kernel
def ask_each(rows: Any, values: Any, numbers: Any, words: Any) -> None:
    """Write what the functions return for each row of eight bytes.

    Integers go to ``numbers``, words to ``words``.
    """
    for row in range(rows.shape[0]):
        word, value = word_at(rows[row], 0), values[row]
        ones = equal_bytes(word, value)
        numbers[row, 0] = bits_of(ones)
        numbers[row, 1] = sum_of_bytes(word)
        numbers[row, 2] = count_bits(np.int64(word))
        write_word(words[row, 0], 0, ones)
        write_word(words[row, 1], 0, bytes_below(word, value))
        write_word(words[row, 2], 0, bytes_of(bits_of(ones)))
        write_word(words[row, 3], 0, fill(value))


@kernel
def list_legal(mask: Any, legal: Any) -> None:
    """Write the legal actions of a mask to ``legal``, in order."""
    for number in range(legal.shape[0]):
        legal[number] = nth_legal(mask, number)


@kernel
def follow_legal(mask: Any, following: Any) -> None:
    """Write the first legal action from each action on to ``following``."""
    for action in range(following.shape[0]):
        following[action] = next_legal(mask, action)


@kernel
def draw_many(mask: Any, streams: Any, drawn: Any) -> None:
    """Draw legal actions by the first stream."""
    for number in range(drawn.shape[0]):
        drawn[number] = draw_legal(mask, streams, 0)


@pytest.fixture(scope="module", params=[2, 15, 128], ids=lambda below: f"bytes below {below}")
def asked(request: pytest.FixtureRequest) -> tuple[np.ndarray, ...]:
    """Rows of random bytes, a value for each, and what the functions answer."""
    generator = np.random.default_rng(request.param)
    rows = generator.integers(0, request.param, (_ROWS, BYTES), np.int8)
    values = generator.integers(0, request.param, _ROWS)
    numbers, words = np.zeros((_ROWS, 3), np.int64), np.zeros((_ROWS, 4, BYTES), np.int8)
    ask_each(rows, values, numbers, words)
    return rows, values[:, None], numbers, words


def test_bytes_are_compared_with_a_value(asked: tuple[np.ndarray, ...]) -> None:
    rows, values, _, words = asked
    np.testing.assert_array_equal(words[:, 0], rows == values)
    np.testing.assert_array_equal(words[:, 1], rows < values)
    np.testing.assert_array_equal(words[:, 3], np.broadcast_to(values, rows.shape))


def test_bytes_are_added_up(asked: tuple[np.ndarray, ...]) -> None:
    rows, _, numbers, _ = asked
    np.testing.assert_array_equal(numbers[:, 1], rows.sum(1, dtype=np.int64))


def test_bits_are_counted(asked: tuple[np.ndarray, ...]) -> None:
    rows, _, numbers, _ = asked
    np.testing.assert_array_equal(numbers[:, 2], np.unpackbits(rows.view(np.uint8), axis=1).sum(1))


def test_bytes_become_bits_and_bytes_again(asked: tuple[np.ndarray, ...]) -> None:
    rows, values, numbers, words = asked
    np.testing.assert_array_equal(numbers[:, 0], (rows == values) @ (1 << np.arange(BYTES)))
    np.testing.assert_array_equal(words[:, 2], words[:, 0])


def _asking(
    where_equal: Any,
    where_below: Any,
    write_ones: Any,
    write_equal: Any,
    write_fill: Any,
    ones_at: Any,
    nth_bit: Any,
) -> Any:
    @kernel
    def ask(row: Any, value: int, bits: Any, places: Any, written: Any) -> None:
        bits[0], bits[1] = where_equal(row, 3, value), where_below(row, 3, value)
        write_ones(written[0], 1, np.int64(bits[0]))
        write_equal(written[1], 2, row[3:], value)
        write_fill(written[2], 3, value)
        bits[2] = ones_at(written.reshape(written.size), 0)
        for number in range(places.shape[0]):
            places[number] = nth_bit(bits[2], number)

    return ask


_VECTOR = (where_equal, where_below, write_ones, write_equal, write_fill, ones_at, nth_bit)


@pytest.mark.parametrize(
    "functions",
    [_VECTOR, tuple(inlined(getattr(function, "on_device", function)) for function in _VECTOR)],
)
def test_instructions_for_many_bytes_do_what_is_written_for_gpus(
    functions: tuple[Any, ...],
) -> None:
    ask, generator = _asking(*functions), np.random.default_rng(1)
    for value in (0, 1, 5, 127):
        row = np.where(generator.random(20) < 0.4, value, generator.integers(0, 128, 20)).astype(
            np.int8
        )
        bits, written = np.zeros(3, np.uint64), np.zeros((3, 32), np.int8)
        written[2, 10:] = 1
        places = np.zeros((row[3:19] == value).sum(), np.int64)
        ask(row, value, bits, places, written)
        equal, powers = row[3:19] == value, np.uint64(1) << np.arange(64, dtype=np.uint64)
        assert bits[0] == (equal * powers[:16]).sum()
        assert bits[1] == ((row[3:19] < value) * powers[:16]).sum()
        np.testing.assert_array_equal(written[0], np.pad(equal, (1, 15)))
        np.testing.assert_array_equal(written[1], np.pad(equal, (2, 14)))
        np.testing.assert_array_equal(written[2], [0, 0, 0, *[value] * 16, *[1] * 13])
        ones = written.ravel()[:64]
        assert bits[2] == (ones * powers).sum(dtype=np.uint64)
        np.testing.assert_array_equal(places, ones.nonzero()[0][: len(places)])


@pytest.mark.parametrize("actions", [1, 7, 8, 9, 64, 79, 500])
def test_legal_actions_of_masks_of_any_length_are_found(actions: int) -> None:
    generator = np.random.default_rng(actions)
    for share in (0.05, 0.5, 1):
        mask = (generator.random(actions) < share).astype(np.int8)
        legal = np.zeros(mask.sum(), np.int64)
        list_legal(mask, legal)
        np.testing.assert_array_equal(legal, mask.nonzero()[0])
        following = np.zeros(actions + 1, np.int64)
        follow_legal(mask, following)
        ends = np.append(mask.nonzero()[0], actions)
        np.testing.assert_array_equal(
            following, ends[np.searchsorted(ends, np.arange(actions + 1))]
        )


@pytest.mark.parametrize("actions", [5, 79, 200])
def test_all_legal_actions_are_drawn_and_no_others(actions: int) -> None:
    mask, drawn = np.zeros(actions, np.int8), np.zeros(12 * actions, np.int64)
    streams = np.array([7], np.uint64)
    draw_many(mask, streams, drawn)
    assert set(drawn) == {NO_ACTION}, "an action was drawn where none is legal"
    for legal in ([actions - 1], [0, actions - 2], [*range(actions)]):
        mask[legal] = 1
        draw_many(mask, streams, drawn)
        assert set(drawn) == set(mask.nonzero()[0])
