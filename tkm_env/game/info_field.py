"""A game's own keys in the ``info`` of an environment, as a table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class InfoField(NamedTuple):
    """One key of `tkm_env.game.base.BaseGame.info`, an array of whole numbers.

    Attributes:
        key: its name.
        dtype: the numbers' type.
        shape: the array's.
        low: the smallest number.
        high: the largest number; None where only the dtype bounds it.
        meaning: what the numbers say, and in which order.
        at_the_end: whether it is present only once a game is over.
    """

    key: str
    dtype: type[np.integer]
    shape: tuple[int, ...]
    low: int
    high: int | None
    meaning: str
    at_the_end: bool = False
