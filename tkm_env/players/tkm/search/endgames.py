"""Solved endgames of the standard game: what best play leads to where both players have few copies.

Copies, on the boards and in supply, never come back, so such positions lead only to each other, and
all of them can be solved, as Thompson did for chess ("Retrograde analysis of certain endgames",
1986). A table holds a byte for each position between two turns: in how many turns, counted over
both sides, the game is decided. If that is odd the side to act wins, if it is even it loses, and 0
stands for a game in which both sides can go in circles for ever. The table knows no turn limit: a
win that needs more turns than are left does not count, for the other side can hold out that long.

The index of a position in the table stands for the mover's copies, turned and reflected to the
smallest of their images, for the other side's copies, and for both foci. Colours do not matter.
Before a turn the mover has copies in two eras or more, or it would have lost; where the other side
has not, the mover wins in this turn, and no entry is needed. With two copies a side 746,496 entries
serve 612,684 positions, with three 348,254,208 serve 275,240,592. In the others two copies would
share a space, or the position has two entries, since the mover's copies are their own mirror image.
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

#: The environment variable that names the folder of the table with `MOST_COPIES` a side.
FOLDER_VARIABLE: Final = "TKM_TABLES"
MOST_COPIES: Final = 3
#: The table with `FEWEST_COPIES` a side comes with the package: ``tkm tables --copies 2`` made it,
#: ``gzip -9n`` packed it.
FEWEST_COPIES: Final = 2
_SHIPPED: Final = "standard-2.endgames.gz"

#: Instead of an index, or of a number of turns: the table does not have the position.
UNKNOWN: Final = -1
#: Instead of an index: the other side has copies in at most one era, so the mover wins whatever it
#: plays.
WINS_NOW: Final = -2
#: How many positions have the same board, and differ in the foci; their entries are consecutive.
FOCI: Final = NUM_ERAS * NUM_ERAS

#: In a number for a side's copies each space has a bit, era by era; above them is how many copies
#: are in supply.
SUPPLY: Final = NUM_ERAS * NUM_SPACES
ON_BOARDS: Final = (1 << SUPPLY) - 1


class Numbering(NamedTuple):
    """Which entry of a table belongs to which position."""

    sides: NDArray[np.int64]  # (n,): the copies that a side can have, ascending
    images: NDArray[np.int64]  # (m,): the smallest images of these, ascending
    orbits: NDArray[np.int64]  # (n,): 8 * the index in ``images`` + the symmetry that leads there
    spaces: NDArray[np.int64]  # (8, 48): where each symmetry takes each space

    @property
    def boards(self) -> int:
        """How many boards there are, with `FOCI` entries each."""
        return len(self.images) * len(self.sides)


def new_numbering(copies: int) -> Numbering:
    """The numbering of all positions with at most ``copies`` copies a side, 2 or more."""
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
    """A player's copies as bits: see `SUPPLY`."""
    copies = np.int64(state.supply[player]) << SUPPLY
    for era in range(NUM_ERAS):
        copies |= where(state, era, COPY + player) << NUM_SPACES * era
    return copies


@inlined
def _image(copies: int, spaces: Any) -> int:
    """A side's copies after a symmetry, which takes each space to that in ``spaces`` (48,)."""
    left, image = copies & ON_BOARDS, copies & ~ON_BOARDS
    while left:
        image |= 1 << spaces[count_bits((left & -left) - 1)]
        left &= left - 1
    return image


@inlined
def _place(copies: int, numbering: Numbering) -> int:
    """The index of a side's copies in ``numbering.sides``; `UNKNOWN` if they are not there."""
    place = np.searchsorted(numbering.sides, copies)
    return (
        int(place)
        if place < numbering.sides.shape[0] and numbering.sides[place] == copies
        else UNKNOWN
    )


@inlined
def number_of(state: Any, numbering: Numbering) -> int:
    """The index of a position in a table.

    Args:
        state: of dtype STATE: a position of the standard game between two turns.
        numbering: of the table.

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
    longest: int  # the largest of these; 0 if the table is empty

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, in another process too, is the table that is in use there."""
        return endgames if self.longest else no_endgames, ()


class EndgameFile:
    """The file of a table.

    It holds the entries, and then the largest of them, 0 until it is complete.

    Args:
        folder: the folder that holds the file, or is to hold it.
        copies: how many copies a side has at most, 2 or 3.

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
        """Its content, mapped into memory in one of `numpy.memmap`'s modes: uint8 of shape (size,).

        Raises a `FileError` if it cannot be read or has another size.
        """
        with failing_as(self.path, "read"):
            if self.path.stat().st_size != self.size:
                raise FileError(self.path, "it is not a table of this version")
            return np.memmap(self.path, np.uint8, mode)

    def read(self) -> Endgames:
        """The table. Raises a `FileError` if it cannot be read or is not complete."""
        # Copy on write, though nothing is written: read-only arrays would have code compiled for
        # them.
        content = np.asarray(self.map("c"))
        if content[-1] == 0:
            raise FileError(self.path, "the table is not complete; tkm tables goes on with it")
        return Endgames(self.numbering, content[:-1], int(content[-1]))


@cache
def endgames() -> Endgames:
    """The table of this process: the one in the folder ``TKM_TABLES``, or the shipped one.

    Raises a `FileError` if it cannot be read or is not complete.
    """
    if folder := os.environ.get(FOLDER_VARIABLE):
        return EndgameFile(folder, MOST_COPIES).read()
    shipped = bytearray(gzip.decompress((files(__package__) / _SHIPPED).read_bytes()))
    content = np.frombuffer(shipped, np.uint8)
    return Endgames(new_numbering(FEWEST_COPIES), content[:-1], int(content[-1]))


@cache
def no_endgames() -> Endgames:
    """A table without positions."""
    return endgames()._replace(values=endgames().values[:0], longest=0)


@cached_inlined
def turns_to_decision(state: Any, endgames: Endgames) -> int:
    """In how many turns, counted over both sides, best play decides a game.

    Args:
        state: of dtype STATE, not over.
        endgames: the table.

    Returns:
        An odd number if the side to act wins, an even one if it loses, 0 if nobody can win within
        the turn limit; `UNKNOWN` if the table does not have the position or a turn is under
        way.
    """
    if endgames.longest == 0 or state.supply[WHITE] >= MOST_COPIES or state.chapters:
        return UNKNOWN
    if state.power[WHITE] != NO_POWER or state.power[BLACK] != NO_POWER:
        return UNKNOWN
    # A turn begins with the focus only where no copy can be chosen; otherwise it ends with it.
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
    """`turns_to_decision` of ``states[0]``; None if the table of this process does not say."""
    turns = _turns_to_decision(states, endgames())
    return None if turns == UNKNOWN else turns
