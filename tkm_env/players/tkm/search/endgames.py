"""Solved endgames of the standard game: the outcome of best play with few copies.

Lost copies, on the boards and in supply, never come back. Therefore such positions lead only to
each other, and all of them can be solved, as Thompson did for chess ("Retrograde analysis of
certain endgames", 1986). A table holds a byte for each position between two turns: the number of
turns, counting both sides, in which the game is decided. If it is odd, the side to act wins; if it
is even, the side to act loses; 0 stands for a game in which both sides can go in circles forever.
The table knows no turn limit: a win that needs more turns than are left does not count, since the
other side can hold out that long.

The index of a position in the table encodes the mover's copies, rotated and reflected to the
smallest of their images, the other side's copies, and both foci. Colours do not matter. Before a
turn the mover has copies in two eras or more, or it would have lost. If the other side has not, the
mover wins in this turn, and no entry is needed. With two copies per side, 746,496 entries serve
612,684 positions; with three, 348,254,208 entries serve 275,240,592. In the remaining entries two
copies would share a space, or the position has two entries, since the mover's copies are their own
mirror image.
"""

import gzip
import itertools
import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.bits import count_bits
from tkm_env.compiled.decorators import cached_inlined, inlined, kernel
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import failing_as
from tkm_env.games.tkm.engine.bitboards import ALL_SPACES, where
from tkm_env.games.tkm.engine.geometry import NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.state import BLACK, CHOOSE, COPY, NO_POWER, SHIFT, WHITE
from tkm_env.games.tkm.symmetries import SYMMETRIES

#: The environment variable that names the folder of the table with `MOST_COPIES` per side.
FOLDER_VARIABLE: Final = "TKM_TABLES"
MOST_COPIES: Final = 3
#: The table with `FEWEST_COPIES` per side comes with the package; ``tkm tables --copies 2`` made
#: it, and ``gzip -9n`` packed it.
FEWEST_COPIES: Final = 2
_SHIPPED: Final = "standard-2.endgames.gz"

#: Stands for an index, or a number of turns, if the table does not have the position.
UNKNOWN: Final = -1
#: Stands for an index if the other side has copies in at most one era, so that the mover wins
#: whatever it plays.
WINS_NOW: Final = -2
#: The number of positions that have the same board and differ in the foci; their entries are
#: consecutive.
FOCI: Final = NUM_ERAS * NUM_ERAS

#: The bit above those of the spaces in the number of a side's copies: each space has a bit, era by
#: era; above them is the number of copies in supply.
SUPPLY: Final = NUM_ERAS * NUM_SPACES
ON_BOARDS: Final = (1 << SUPPLY) - 1


class Numbering(NamedTuple):
    """Maps positions to the entries of a table."""

    sides: NDArray[np.int64]  # (n,): the copies that a side can have, ascending
    images: NDArray[np.int64]  # (m,): the smallest images of these, ascending
    orbits: NDArray[np.int64]  # (n,): 8 * the index in ``images`` + the symmetry that leads there
    spaces: NDArray[np.int64]  # (8, 48): where each symmetry takes each space

    @property
    def boards(self) -> int:
        """The number of boards, each of which has `FOCI` entries."""
        return len(self.images) * len(self.sides)


def new_numbering(copies: int) -> Numbering:
    """Make the numbering of all positions with at most ``copies`` copies per side, 2 or more."""
    sets = (
        spaces
        for size in range(2, copies + 1)
        for spaces in itertools.combinations(range(SUPPLY), size)
    )
    held = [spaces for spaces in sets if len({space // NUM_SPACES for space in spaces}) > 1]
    sides = np.array(
        sorted(
            sum(1 << s for s in spaces) + (n << SUPPLY)
            for spaces in held
            for n in range(copies - len(spaces) + 1)
        )
    )
    eras = NUM_SPACES * np.arange(NUM_ERAS)[:, None]
    spaces = np.array([(eras + symmetry.spaces()).ravel() for symmetry in SYMMETRIES[:8]])
    images = np.zeros((len(spaces), len(sides)), np.int64) + (sides & ~ON_BOARDS)
    for image, there in zip(images, spaces, strict=True):
        for space, goes_to in enumerate(there):
            image |= (sides >> space & 1) << goes_to
    smallest, orbits = np.unique(images.min(0), return_inverse=True)
    return Numbering(sides, smallest, orbits.reshape(-1) * len(spaces) + images.argmin(0), spaces)


@inlined
def _copies(state: Any, player: int) -> int:
    """Return a player's copies as a number: see `SUPPLY`."""
    copies = np.int64(state.supply[player]) << SUPPLY
    for era in range(NUM_ERAS):
        copies |= where(state, era, COPY + player) << NUM_SPACES * era
    return copies


@inlined
def _image(copies: int, spaces: Any) -> int:
    """Return a side's copies after a symmetry that moves each space to that in ``spaces``."""
    left, image = copies & ON_BOARDS, copies & ~ON_BOARDS
    while left:
        image |= 1 << spaces[count_bits((left & -left) - 1)]
        left &= left - 1
    return image


@inlined
def _place(copies: int, numbering: Numbering) -> int:
    """Return the index of a side's copies in ``numbering.sides``, or `UNKNOWN`."""
    place = np.searchsorted(numbering.sides, copies)
    return (
        int(place)
        if place < numbering.sides.shape[0] and numbering.sides[place] == copies
        else UNKNOWN
    )


@inlined
def number_of(state: Any, numbering: Numbering) -> int:
    """Return the index of a position in a table.

    Args:
        state: a STATE: a position of the standard game between two turns.
        numbering: the numbering of the table.

    Returns:
        The index, `UNKNOWN`, or `WINS_NOW`.
    """
    mover = state.to_act
    mine, other = _place(_copies(state, mover), numbering), _copies(state, 1 - mover)
    if mine == UNKNOWN:
        return UNKNOWN
    orbit = numbering.orbits[mine]
    theirs = _place(_image(other, numbering.spaces[orbit & 7]), numbering)
    if theirs == UNKNOWN:
        eras = 0
        for era in range(NUM_ERAS):
            eras += other >> NUM_SPACES * era & ALL_SPACES != 0
        return WINS_NOW if eras <= 1 else UNKNOWN
    board = (orbit >> 3) * numbering.sides.shape[0] + theirs
    return FOCI * board + NUM_ERAS * state.focus[mover] + state.focus[1 - mover]


class Endgames(NamedTuple):
    """A complete table."""

    numbering: Numbering
    values: NDArray[np.uint8]  # (n,)
    longest: int  # the largest value; 0 if the table is empty

    def __reduce__(self) -> tuple[Any, ...]:
        """Make copies, also in other processes, refer to the table that is in use there."""
        return endgames if self.longest else no_endgames, ()


class EndgameFile:
    """The file of a table.

    It holds the entries, followed by the largest of them, or by 0 until the table is complete.

    Args:
        folder: the folder of the file.
        copies: the most copies per side, 2 or 3.

    Attributes:
        numbering: the numbering of its positions.
        size: the size of the file, in bytes.
        path: the path of the file.

    Raises:
        ConfigError: if ``copies`` is another number.
    """

    def __init__(self, folder: str | os.PathLike[str], copies: int) -> None:
        self.numbering = new_numbering(
            checked_integer("copies", copies, FEWEST_COPIES, MOST_COPIES)
        )
        self.size = FOCI * self.numbering.boards + 1
        self.path = Path(folder) / f"standard-{copies}.endgames"

    def map(self, mode: Any) -> Any:
        """Map the file into memory, in one of `numpy.memmap`'s modes: uint8 of shape (size,).

        Raises:
            FileError: if it cannot be read, or has another size.
        """
        with failing_as(self.path, "read"):
            if self.path.stat().st_size != self.size:
                raise FileError(self.path, "it is not a table of this version")
            return np.memmap(self.path, np.uint8, mode)

    def read(self) -> Endgames:
        """Return the table.

        Raises:
            FileError: if it cannot be read, or is not complete.
        """
        # The mode is copy-on-write, although nothing is written: read-only arrays would need code
        # of their own.
        content = np.asarray(self.map("c"))
        if content[-1] == 0:
            raise FileError(self.path, "the table is not complete; tkm tables resumes making it")
        return Endgames(self.numbering, content[:-1], int(content[-1]))


@cache
def endgames() -> Endgames:
    """Return the table of this process: from the folder ``TKM_TABLES``, or the shipped one.

    Raises:
        FileError: if it cannot be read, or is not complete.
    """
    if folder := os.environ.get(FOLDER_VARIABLE):
        return EndgameFile(folder, MOST_COPIES).read()
    return shipped_endgames()


@cache
def shipped_endgames() -> Endgames:
    """Return the table that comes with the package, with `FEWEST_COPIES` per side."""
    shipped = bytearray(gzip.decompress((files(__package__) / _SHIPPED).read_bytes()))
    content = np.frombuffer(shipped, np.uint8)
    return Endgames(new_numbering(FEWEST_COPIES), content[:-1], int(content[-1]))


@cache
def no_endgames() -> Endgames:
    """Return a table without positions."""
    return endgames()._replace(values=endgames().values[:0], longest=0)


@cached_inlined
def turns_to_decision(state: Any, endgames: Endgames) -> int:
    """Return the number of turns, counting both sides, in which best play decides a game.

    Args:
        state: a STATE that is not over.
        endgames: the table.

    Returns:
        An odd number if the side to act wins, an even one if it loses, 0 if neither side can win
            within the turn limit; `UNKNOWN` if the table does not have the position, or a turn has
            begun.
    """
    if endgames.longest == 0 or state.supply[WHITE] >= MOST_COPIES or state.chapters:
        return UNKNOWN
    if state.power[WHITE] != NO_POWER or state.power[BLACK] != NO_POWER:
        return UNKNOWN
    # A turn begins with the focus only if no copy can be chosen; otherwise it ends with it.
    if state.step != CHOOSE and (
        state.step != SHIFT or where(state, state.focus[state.to_act], COPY + state.to_act)
    ):
        return UNKNOWN
    number = number_of(state, endgames.numbering)
    if number == UNKNOWN:
        return UNKNOWN
    turns = 1 if number == WINS_NOW else int(endgames.values[number])
    return turns if turns <= state.max_turns - state.turn + 1 else 0


@kernel
def _turns_to_decision(states: Any, endgames: Endgames) -> int:
    return turns_to_decision(states[0], endgames)


def known_outcome(states: NDArray[np.void]) -> int | None:
    """Return `turns_to_decision` of ``states[0]``; None if this process's table does not say."""
    turns = _turns_to_decision(states, endgames())
    return None if turns == UNKNOWN else turns
