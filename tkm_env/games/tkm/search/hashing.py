"""Hash keys of positions, 64 bits each."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.core.jit import compiled, entry_point
from tkm_env.core.rng import xorshift
from tkm_env.core.states import words_of
from tkm_env.games.tkm.engine.state import STATE

__all__ = ["position_key", "write_keys"]


def _word_of(field: str) -> int:
    assert STATE.fields is not None
    return int(STATE.fields[field][1]) // 8


def _bits_of(*fields: str) -> Any:
    """The word that holds these fields, with their bits set and no others."""
    state = np.zeros(1, STATE)
    for field in fields:
        state[field] = -1
    return words_of(state)[0, _word_of(fields[0])]


#: The words before the active copy, all of which count, and its own.
_BEFORE: Final = _word_of("active_era")
_ACTIVE: Final = (_BEFORE, _BEFORE + 1)
#: The words of which only some fields count.
_MIXED: Final = _word_of("power")
_POWERS: Final = _bits_of("power", "free_action", "offered")
_TURN: Final = _bits_of("turn")
_LAST: Final = _word_of("result")
_RESULT: Final = _bits_of("result")


@compiled
def position_key(words: Any, number: int, with_active: bool, with_turn: bool) -> int:
    """A key of the position in ``words[number]``, without its settings; never 0.

    ``with_active`` says whether the active copy counts: between two turns there is none, and after the last action it matters only to
    `overtime`. ``with_turn`` says whether the number of the turn counts: it matters only near the turn limit.
    """
    # Two independent lanes, which a processor mixes in parallel.
    even, odd = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
    for word in range(0, _BEFORE, 2):
        even = xorshift(even ^ words[number, word])
        odd = xorshift(odd ^ words[number, word + 1])
    if with_active:
        even = xorshift(even ^ words[number, _ACTIVE[0]])
        odd = xorshift(odd ^ words[number, _ACTIVE[1]])
    even = xorshift(even ^ (words[number, _MIXED] & ((_POWERS | _TURN) if with_turn else _POWERS)))
    odd = xorshift(odd ^ (words[number, _LAST] & _RESULT))
    key = np.int64(xorshift(even) ^ odd)
    return key if key != 0 else np.int64(1)


@entry_point
def write_keys(words: Any, keys: Any, with_active: bool, with_turn: bool) -> None:
    """Write the key of each position in ``words`` to ``keys`` (n,) int64."""
    for number in range(keys.shape[0]):
        keys[number] = position_key(words, number, with_active, with_turn)
