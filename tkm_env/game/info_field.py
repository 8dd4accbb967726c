"""A game's own keys in the ``info`` of an environment, as a table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class InfoField(NamedTuple):
    """One key of `tkm_env.game.base.BaseGame.info`, an array of whole numbers."""

    key: str  # its name
    dtype: type[np.integer]  # the numbers' type
    shape: tuple[int, ...]  # the array's
    low: int  # the smallest number
    high: int | None  # the largest number; None where only the dtype bounds it
    meaning: str  # what the numbers say, and in which order
    at_the_end: bool = False  # whether it is present only once a game is over
