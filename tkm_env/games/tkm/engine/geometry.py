"""RULES §1: eras, spaces and directions, as indices from 0.

People and position texts count spaces from 1.
"""

from typing import Final

import numpy as np

ERAS: Final = ("past", "present", "future")
NUM_ERAS: Final = len(ERAS)
PAST, PRESENT, FUTURE = range(NUM_ERAS)

WIDTH: Final = 4
NUM_SPACES: Final = WIDTH * WIDTH

#: No space: what lies beyond a wall.
NOWHERE: Final = -1

DIRECTIONS: Final = ("north", "east", "south", "west")
NORTH, EAST, SOUTH, WEST = range(4)

_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))


def _neighbours(*, walls: bool) -> np.ndarray:
    """The space one step away, by direction and space.

    Beyond a wall it is `NOWHERE`, or without walls the other end of the line.
    """
    table = np.full((len(DIRECTIONS), NUM_SPACES), NOWHERE, np.int64)
    for direction, (down, right) in enumerate(_STEPS):
        for space in range(NUM_SPACES):
            row, column = space // WIDTH + down, space % WIDTH + right
            if not walls or (0 <= row < WIDTH and 0 <= column < WIDTH):
                table[direction, space] = row % WIDTH * WIDTH + column % WIDTH
    return table


#: ``NEIGHBOUR[direction, space]``: one step away, `NOWHERE` beyond a wall.
NEIGHBOUR: Final = _neighbours(walls=True)
#: ``WRAPPED[direction, space]``: one step away if the two ends of a line meet (the power
#: `doorway`).
WRAPPED: Final = _neighbours(walls=False)
#: ``OPPOSITE[direction]``.
OPPOSITE: Final = np.array([SOUTH, WEST, NORTH, EAST], np.int64)
