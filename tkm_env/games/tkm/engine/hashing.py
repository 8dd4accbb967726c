"""Hash keys of positions, 64 bits each."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.hashing import spread, word_hash
from tkm_env.core.state_arrays import words_of
from tkm_env.games.tkm.engine.state import STATE

#: The settings, which do not change during a game.
_SETTINGS: Final = (
    "power_share",
    "power_texts",
    "chapters",
    "edition",
    "concede",
    "draws",
    "max_turns",
)


def words_without(*fields: str) -> NDArray[np.uint64]:
    """The words of a state in which all bits are set but those of these fields."""
    state = np.frombuffer(bytearray(b"\xff" * STATE.itemsize), STATE)
    for field in fields:
        state[field] = 0
    return words_of(state)[0]


#: Masks of the bits that count, by whether the active copy does, whether the turn does, and word.
_MASKS: Final = np.array(
    [
        [
            words_without(
                *_SETTINGS,
                *(() if with_active else ("active_era", "active_space")),
                *(() if with_turn else ("turn",)),
            )
            for with_turn in (False, True)
        ]
        for with_active in (False, True)
    ]
)
_WORDS: Final = _MASKS.shape[2]


@inlined
def position_key(words: Any, number: int, with_active: bool, with_turn: bool) -> int:
    """A key of the position in ``words[number]``, without its settings; never 0. The active copy counts where it matters: not between
    turns, and after the last action only to `overtime`; the number of the turn near the turn limit.
    """
    masks = _MASKS[int(with_active), int(with_turn)]
    mixed = np.uint64(0)
    for word in range(_WORDS):
        mixed ^= word_hash(words[number, word] & masks[word], word)
    key = np.int64(spread(mixed))
    return key if key != 0 else np.int64(1)


@kernel
def write_keys(words: Any, keys: Any, with_active: bool, with_turn: bool) -> None:
    """Write the key of each position in ``words`` to ``keys`` (n,) int64."""
    for number in range(keys.shape[0]):
        keys[number] = position_key(words, number, with_active, with_turn)
