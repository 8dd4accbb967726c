"""The tables of the board."""

from __future__ import annotations

import numpy as np

from tkm_env.games.tkm.engine import geometry


def test_neighbours_are_mutual_and_walls_surround_the_board() -> None:
    walls = 0
    for direction, space in np.ndindex(geometry.NEIGHBOUR.shape):
        beside = geometry.NEIGHBOUR[direction, space]
        walls += beside == geometry.NOWHERE
        if beside != geometry.NOWHERE:
            assert geometry.NEIGHBOUR[geometry.OPPOSITE[direction], beside] == space
    assert walls == 16
    assert [geometry.NEIGHBOUR[direction, 5] + 1 for direction in range(4)] == [2, 7, 10, 5]
