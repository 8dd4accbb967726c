"""The inputs of value networks: sparse features of a position between two turns.

They describe the position from the point of view of the side to act.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.bits import count_bits
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.games.tkm.engine.bitboards import ALL_SPACES, has_seed, where
from tkm_env.games.tkm.engine.geometry import NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.engine.state import (
    COPIES_EACH,
    COPY,
    EDITION_2022,
    ELEPHANT,
    EMPTY,
    FALLEN,
    NO_POWER,
    NOBODY,
    NUM_PIECES,
    ORANGE,
    SHRUB,
    STATUE,
    TREE,
)
from tkm_env.games.tkm.symmetries import SYMMETRIES
from tkm_env.players.tkm.search.threats import endangered

#: The kinds of pieces as the side to act sees them.
KINDS: Final = (
    "my copy",
    "their copy",
    "tree",
    "orange statue",
    "my statue",
    "their statue",
    "shrub",
    "fallen north",
    "fallen east",
    "fallen south",
    "fallen west",
    "dark elephant",
    "light elephant",
    "seed",
    "my copy in danger",
    "their copy in danger",
)
_SEED: Final = KINDS.index("seed")
_FALLEN_NORTH: Final = KINDS.index("fallen north")
_DARK: Final = KINDS.index("dark elephant")
_IN_DANGER: Final = KINDS.index("my copy in danger")
_AREA: Final = NUM_ERAS * NUM_SPACES
_PAIRS: Final = NUM_ERAS * NUM_ERAS
_COUNTS: Final = COPIES_EACH + 1


class InputGroup(NamedTuple):
    """A group of inputs: its name, its shape, and what the axes mean."""

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """The number of inputs in the group."""
        return int(np.prod(self.shape))


#: All inputs, in order.
GROUPS: Final = (
    InputGroup(
        "pieces",
        (NUM_ERAS, NUM_ERAS, len(KINDS), NUM_ERAS, NUM_SPACES),
        "my focus, their focus, a kind of piece, where it is",
    ),
    InputGroup(
        "copies",
        (NUM_ERAS, NUM_ERAS, 2, NUM_ERAS, _COUNTS),
        "my focus, their focus, whose copies, in which era, how many",
    ),
    InputGroup("supply", (2, _COUNTS), "whose supply, how many copies"),
    InputGroup("hats", (2, 2, NUM_ERAS), "whose hat, on which elephant, in which era"),
    InputGroup("unbuilt", (2,), "whose statue is still to build"),
    InputGroup("power", (2, len(POWERS)), "whose power, which"),
    InputGroup("overtime", (2,), "who has used `overtime`"),
    InputGroup("edition", (1,), "the revised rules hold"),
)
_FIRSTS: Final = np.concatenate([[0], np.cumsum([group.size for group in GROUPS])])
NUM_INPUTS: Final = int(_FIRSTS[-1])
#: Change this whenever the inputs change: a network that has learned others is refused.
INPUTS_VERSION: Final = "turns-3"
#: The version before, which can still be learned and played. It leaves powers out of account when
#: it says which copies are in danger; all else is the same.
OLDER_VERSION: Final = "turns-2"
_PIECES, _COPIES, _SUPPLY, _HATS, _UNBUILT, _POWER, _OVERTIME, _EDITION = (
    int(first) for first in _FIRSTS[:-1]
)

#: More inputs than are ever active at once: 14 copies, all in danger, 5 seeds, 5 shrubs, 5 trees, 5
#: statues, 6 elephants; 6 counts; ….
MAX_INPUTS: Final = 80


def _kinds() -> NDArray[np.int64]:
    """Return the kind of each piece: int64 of shape (players to act, pieces), -1 for empty."""
    kinds = np.full((2, NUM_PIECES), -1, np.int64)
    for player in range(2):
        kinds[player, [COPY + player, COPY + 1 - player]] = (
            KINDS.index("my copy"),
            KINDS.index("their copy"),
        )
        kinds[player, [STATUE + player, STATUE + 1 - player]] = (
            KINDS.index("my statue"),
            KINDS.index("their statue"),
        )
        kinds[player, [TREE, ORANGE, SHRUB]] = (
            KINDS.index("tree"),
            KINDS.index("orange statue"),
            KINDS.index("shrub"),
        )
        kinds[player, FALLEN : FALLEN + 4] = _FALLEN_NORTH + np.arange(4)
        kinds[player, ELEPHANT : ELEPHANT + 2] = _DARK + np.arange(2)
    return kinds


_KIND: Final = _kinds()


@inlined
def write_inputs(state: Any, inputs: Any, knows_powers: bool) -> int:
    """Find the inputs that a position activates.

    Args:
        state: of dtype STATE, between two turns.
        inputs: int16 of shape (MAX_INPUTS,): its first entries are overwritten by the indices of
            the active inputs.
        knows_powers: whether copies that are in danger by a power alone count.

    Returns:
        The number of active inputs.
    """
    me = state.to_act
    pair = int(max(state.focus[me], 0)) * NUM_ERAS + int(max(state.focus[1 - me], 0))
    pieces = _PIECES + pair * len(KINDS) * _AREA
    counts = _COPIES + pair * 2 * NUM_ERAS * _COUNTS
    count = 0
    for era in range(NUM_ERAS):
        cells = state.cell[era]
        left = ALL_SPACES ^ where(state, era, EMPTY)
        while left:
            space = count_bits((left & -left) - 1)
            inputs[count] = pieces + _KIND[me, cells[space]] * _AREA + era * NUM_SPACES + space
            count += 1
            left &= left - 1
        mine, theirs = (
            count_bits(where(state, era, COPY + me)),
            count_bits(where(state, era, COPY + 1 - me)),
        )
        inputs[count] = counts + era * _COUNTS + mine
        inputs[count + 1] = counts + (NUM_ERAS + era) * _COUNTS + theirs
        count += 2
    if state.chapters:
        count = _write_chapters(state, pieces, inputs, count)
    for whose in range(2):
        player = me ^ whose
        left = endangered(state, 1 - player, knows_powers)
        while left:
            inputs[count] = pieces + (_IN_DANGER + whose) * _AREA + count_bits((left & -left) - 1)
            count += 1
            left &= left - 1
        inputs[count] = _SUPPLY + whose * _COUNTS + int(state.supply[player])
        count += 1
        if state.power[player] != NO_POWER:
            inputs[count] = _POWER + whose * len(POWERS) + int(state.power[player])
            count += 1
        if state.overtime_spent[player]:
            inputs[count] = _OVERTIME + whose
            count += 1
    if state.edition == EDITION_2022:
        inputs[count] = _EDITION
        count += 1
    return count


@inlined
def _write_chapters(state: Any, pieces: int, inputs: Any, count: int) -> int:
    """Add the inputs of the chapters: seeds, hats, unbuilt statues. Return the new count."""
    me = state.to_act
    for era in range(NUM_ERAS):
        for space in range(NUM_SPACES):
            if has_seed(state, era, space):
                inputs[count] = pieces + _SEED * _AREA + era * NUM_SPACES + space
                count += 1
        for elephant in range(2):
            if state.hat[elephant, era] != NOBODY:
                inputs[count] = (
                    _HATS + ((me ^ state.hat[elephant, era]) * 2 + elephant) * NUM_ERAS + era
                )
                count += 1
    for whose in range(2):
        if state.unbuilt[me ^ whose]:
            inputs[count] = _UNBUILT + whose
            count += 1
    return count


@kernel
def write_all_inputs(states: Any, inputs: Any, counts: Any, knows_powers: bool) -> None:
    """Find the inputs that each of many positions activates.

    Args:
        states: STATE of shape (n,), each between two turns.
        inputs: int16 of shape (n, MAX_INPUTS): the first entries of each row are overwritten by the
            indices of the active inputs.
        counts: int16 of shape (n,): overwritten by the numbers of active inputs.
        knows_powers: whether copies that are in danger by a power alone count.
    """
    for number in range(states.shape[0]):
        counts[number] = write_inputs(states[number], inputs[number], knows_powers)


def factorized_inputs() -> NDArray[np.int32]:
    """Return the rows of weights that inputs share in training.

    An input shares its row with the same input under other focuses. The result is int32 of shape
    (NUM_INPUTS,): for each input, the index of a row from `NUM_INPUTS` on, or -1 for none.
    """
    shared = np.full(NUM_INPUTS, -1, np.int32)
    following = NUM_INPUTS
    for first, group in ((_PIECES, GROUPS[0]), (_COPIES, GROUPS[1])):
        each = group.size // _PAIRS
        shared[first : first + group.size] = following + np.tile(np.arange(each), _PAIRS)
        following += each
    return shared


def images() -> NDArray[np.int16]:
    """Return the image of each input under each symmetry that keeps the colours.

    The result is int16 of shape (16, NUM_INPUTS).
    """
    tables = []
    for symmetry in SYMMETRIES:
        if symmetry.colours:
            continue
        spaces, directions = symmetry.spaces(), symmetry.directions()
        elephants = np.array([1, 0] if symmetry.elephants else [0, 1])
        kinds = np.arange(len(KINDS))
        kinds[_FALLEN_NORTH : _FALLEN_NORTH + 4] = _FALLEN_NORTH + directions
        kinds[_DARK : _DARK + 2] = _DARK + elephants
        table = np.arange(NUM_INPUTS)
        pieces = table[_PIECES : _PIECES + GROUPS[0].size].reshape(GROUPS[0].shape)
        table[_PIECES : _PIECES + GROUPS[0].size] = pieces[:, :, kinds][..., spaces].ravel()
        hats = table[_HATS : _HATS + GROUPS[3].size].reshape(GROUPS[3].shape)
        table[_HATS : _HATS + GROUPS[3].size] = hats[:, elephants].ravel()
        tables.append(table)
    return np.array(tables, np.int16)
