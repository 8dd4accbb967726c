"""Hash keys of positions, 64 bits each."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.core.jit import compiled, entry_point
from tkm_env.core.rng import xorshift
from tkm_env.games.tkm.engine.state import STATE

__all__ = ["position_key", "write_keys"]

_WORD: Final = 8


def _word_of(field: str) -> int:
    assert STATE.fields is not None
    return int(STATE.fields[field][1]) // _WORD


#: The words of a state before its settings, which do not change during a game.
_PLAYED_WORDS: Final = _word_of("chapters")
_ACTIVE: Final = _word_of("active_era")
_PAIRED: Final = _ACTIVE - _ACTIVE % 2
_TURN: Final = _word_of("turn")


@compiled
def position_key(words: Any, number: int, with_active: bool, with_turn: bool) -> int:
    """A key of the position in ``words[number]``, without its settings; never 0.

    ``with_active`` says whether the active copy counts: between two turns there is none, and after the last action it matters only to
    `overtime`. ``with_turn`` says whether the number of the turn counts: it matters only near the turn limit.
    """
    # Two independent lanes, which a processor mixes in parallel.
    even, odd = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
    for word in range(0, _PAIRED, 2):
        even = xorshift(even ^ words[number, word])
        odd = xorshift(odd ^ words[number, word + 1])
    for word in range(_PAIRED, _PLAYED_WORDS):
        if with_active or word < _ACTIVE or word > _ACTIVE + 1:
            even = xorshift(even ^ words[number, word])
    if with_turn:
        odd = xorshift(odd ^ words[number, _TURN])
    key = np.int64(xorshift(even) ^ odd)
    return key if key != 0 else np.int64(1)


@entry_point
def write_keys(words: Any, keys: Any, with_active: bool, with_turn: bool) -> None:
    """Write the key of each position in ``words`` to ``keys`` (n,) int64."""
    for number in range(keys.shape[0]):
        keys[number] = position_key(words, number, with_active, with_turn)
