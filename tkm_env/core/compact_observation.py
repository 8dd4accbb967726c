"""Compact observations: the elements of an observation that matter under some settings."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.foundations.errors import ConfigError


class ObservationPart(NamedTuple):
    """Elements of a game's observation with one meaning that can vary between positions.

    Attributes:
        name: what the part is called.
        era: the era that it is about; None for the whole game.
        meaning: what it says.
        elements: indices into the flat observation.
        copies: how many consecutive elements are equal; ``elements`` holds the first of them.
    """

    name: str
    era: str | None
    meaning: str
    elements: tuple[int, ...]
    copies: int = 1


class CompactRow(NamedTuple):
    """Consecutive elements of a compact observation with one meaning.

    Attributes:
        name: what the row is called.
        era: the era that it is about; None for the whole game.
        start: the index of the first element.
        length: the number of elements.
        meaning: what they say.
        high: the value that is written as 1: an element is one of 0, 1, …, ``high``, divided by
            ``high``.
    """

    name: str
    era: str | None
    start: int
    length: int
    meaning: str
    high: int


def rows_of(
    parts: Sequence[ObservationPart], high: NDArray[np.int8]
) -> tuple[tuple[CompactRow, ...], NDArray[np.int64]]:
    """The rows of a compact observation, and the elements that they show.

    Elements of a part with different bounds are in different rows; those that can only be 0 are
    left out.

    Args:
        parts: the parts of the observation to show, in order.
        high: the largest value of each element: int8 of the observation's shape.

    Returns:
        The rows in order, and the flat index of each element shown: int64 of shape (k,).

    Raises:
        ConfigError: if a part has an element that the observation lacks, or nothing is left to
            show.
    """
    bounds = high.ravel().tolist()
    rows: list[CompactRow] = []
    taken: list[int] = []
    for part in parts:
        first = len(taken)
        for element in part.elements:
            if not 0 <= element < len(bounds):
                raise ConfigError(
                    "elements", element, f"the observation has elements 0 to {len(bounds) - 1}"
                )
            if not bounds[element]:
                continue
            if first < len(taken) and rows[-1].high == bounds[element]:
                rows[-1] = rows[-1]._replace(length=rows[-1].length + 1)
            else:
                rows.append(
                    CompactRow(part.name, part.era, len(taken), 1, part.meaning, bounds[element])
                )
            taken.append(element)
    if not taken:
        raise ConfigError("parts", parts, "there must be an element that can be other than 0")
    return tuple(rows), np.array(taken)
