"""The engine's foundations: the state record and the tables."""

from __future__ import annotations

import numpy as np

from tkm_env.games.tkm.engine import geometry
from tkm_env.games.tkm.engine.actions import ACTIONS, GROUPS
from tkm_env.games.tkm.engine.state import NUM_PIECES, PIECES, STATE


def test_state_has_no_padding_so_that_bytes_are_its_value() -> None:
    assert STATE.fields is not None
    assert sum(field[0].itemsize for field in STATE.fields.values()) == STATE.itemsize


def test_neighbours_are_mutual_and_walls_surround_the_board() -> None:
    walls = 0
    for direction, space in np.ndindex(geometry.NEIGHBOUR.shape):
        beside = geometry.NEIGHBOUR[direction, space]
        walls += beside == geometry.NOWHERE
        if beside != geometry.NOWHERE:
            assert geometry.NEIGHBOUR[geometry.OPPOSITE[direction], beside] == space
    assert walls == 16
    assert [geometry.NEIGHBOUR[direction, 5] + 1 for direction in range(4)] == [2, 7, 10, 5]


def test_pieces_and_actions_are_named_once() -> None:
    assert len(set(PIECES)) == NUM_PIECES
    assert len(set(ACTIONS)) == len(ACTIONS) == sum(len(group.names) for group in GROUPS) == 79
