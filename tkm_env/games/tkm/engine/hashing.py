"""Keys of positions: hashes of 64 bits."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import WordRows
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
    """The words of a state in which all bits are set except those of some fields."""
    state = np.frombuffer(bytearray(b"\xff" * STATE.itemsize), STATE)
    for field in fields:
        state[field] = 0
    return words_of(state)[0]


#: Masks of the bits that count: by whether the active copy counts, whether the turn does, and word.
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
def position_key(words: WordRows, number: int, with_active: bool, with_turn: bool) -> int:
    """A key of a position, without its settings.

    Args:
        words: states as words: uint64 of shape (n, words of a state).
        number: the index of the position among them.
        with_active: whether the active copy counts. It matters within a turn, and after the last
            action only to `overtime`.
        with_turn: whether the number of the turn counts. It matters near the turn limit.

    Returns:
        The key; never 0.
    """
    masks = _MASKS[int(with_active), int(with_turn)]
    mixed = np.uint64(0)
    for word in range(_WORDS):
        mixed ^= word_hash(words[number, word] & masks[word], word)
    key = np.int64(spread(mixed))
    return key if key != 0 else np.int64(1)


@kernel
def write_keys(
    words: WordRows, keys: NDArray[np.int64], with_active: bool, with_turn: bool
) -> None:
    """Write the key of each position.

    Args:
        words: states as words: uint64 of shape (n, words of a state).
        keys: where to write the keys: int64 of shape (n,).
        with_active: as for `position_key`.
        with_turn: as for `position_key`.
    """
    for number in range(keys.shape[0]):
        keys[number] = position_key(words, number, with_active, with_turn)
