"""Hash keys that a position shares with its images under the symmetries of the rules.

What is known of a position is then known of all of them: with up to 16 images each, a search for
proofs has far fewer positions to look at. As in Zobrist hashing ("A new hashing method with
application for game playing", 1970) every piece on every space has random bits, and the key of a
board is their exclusive or. The shared key is the smallest of the images' keys.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.hashing import spread, word_hash
from tkm_env.games.tkm.engine.bitboards import has_seed
from tkm_env.games.tkm.engine.geometry import NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.hashing import words_without
from tkm_env.games.tkm.engine.state import EMPTY, MEMORY, NOBODY, NUM_PIECES, SEED
from tkm_env.games.tkm.symmetries import SYMMETRIES

#: The symmetries that keep the colours: the attacker stays the same player.
_IMAGES: Final = tuple(symmetry for symmetry in SYMMETRIES if not symmetry.colours)
#: How many images a position has at most.
NUM_IMAGES: Final = len(_IMAGES)
#: How many it has without the chapter Memory: the symmetries that do not swap the elephants come
#: first.
_WITHOUT_ELEPHANTS: Final = sum(not symmetry.elephants for symmetry in _IMAGES)

_NUM_PIECE_BITS: Final = NUM_ERAS * NUM_SPACES * (SEED + 1)
_NUM_HAT_BITS: Final = 2 * NUM_ERAS * 2
_BITS: Final = np.random.SeedSequence(1).generate_state(_NUM_PIECE_BITS + _NUM_HAT_BITS, np.uint64)


def _piece_keys() -> NDArray[np.uint64]:
    """What each piece adds to keys: uint64 of shape (eras, spaces, pieces and `SEED`, images)."""
    bits = _BITS[:_NUM_PIECE_BITS].reshape(NUM_ERAS, NUM_SPACES, SEED + 1)
    keys = np.zeros((*bits.shape, NUM_IMAGES), np.uint64)
    for index, symmetry in enumerate(_IMAGES):
        pieces = np.append(symmetry.pieces(), np.arange(NUM_PIECES, SEED + 1))
        keys[..., index] = bits[:, symmetry.spaces()][..., pieces]
    return keys


def _hat_keys() -> NDArray[np.uint64]:
    """What each hat adds to the keys: uint64 of shape (elephants, eras, players, images)."""
    bits = _BITS[_NUM_PIECE_BITS:].reshape(2, NUM_ERAS, 2)
    return np.stack([bits[::-1] if symmetry.elephants else bits for symmetry in _IMAGES], -1)


_PIECE_KEYS: Final = _piece_keys()
_HAT_KEYS: Final = _hat_keys()
#: The bits of a state that are equal in all images and matter between two turns, as words: uint64
#: of shape (2, words), without and with the index of the turn.
_COMMON_BITS: Final = np.array(
    [
        words_without("cell", "seed", "hat", "active_era", "active_space", *turn)
        for turn in (("turn",), ())
    ]
)


@inlined
def symmetric_key(
    state: Any, words: Any, index: int, attacker: int, turn_counts: int, images: Any
) -> int:
    """The key that a position between two turns shares with its images.

    Args:
        state: the position, of dtype STATE.
        words: (n, k) uint64: positions as `words_of` returns them.
        index: where the position is in ``words``.
        attacker: the player whose wins are looked for: the same position has another key for the
            other.
        turn_counts: 1 if positions on different turns have different keys, as they must near the
            turn limit, else 0.
        images: (NUM_IMAGES,) uint64: a workspace.

    Returns:
        A key of 64 bits, never 0.
    """
    count = images.shape[0] if state.chapters & MEMORY else _WITHOUT_ELEPHANTS
    _write_image_keys(state, count, images)
    smallest = images[0]
    for image in range(1, count):
        smallest = min(smallest, images[image])
    common = _COMMON_BITS[turn_counts]
    mixed = np.uint64(attacker)
    for word in range(common.shape[0]):
        mixed ^= word_hash(words[index, word] & common[word], word)
    key = np.int64(spread(mixed) ^ smallest)
    return key if key != 0 else np.int64(1)


@inlined
def _write_image_keys(state: Any, count: int, images: Any) -> None:
    """Write the keys of the board's first ``count`` images to ``images``."""
    for image in range(count):
        images[image] = np.uint64(0)
    for era in range(NUM_ERAS):
        for space in range(NUM_SPACES):
            piece = state.cell[era, space]
            if piece != EMPTY:
                for image in range(count):
                    images[image] ^= _PIECE_KEYS[era, space, piece, image]
            if state.chapters and has_seed(state, era, space):
                for image in range(count):
                    images[image] ^= _PIECE_KEYS[era, space, SEED, image]
    if state.chapters & MEMORY:
        for elephant in range(2):
            for era in range(NUM_ERAS):
                player = state.hat[elephant, era]
                if player != NOBODY:
                    for image in range(count):
                        images[image] ^= _HAT_KEYS[elephant, era, player, image]
