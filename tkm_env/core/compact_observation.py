"""Compact observations: which elements of a game's observation matter under some settings, in which order and scale."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.foundations.errors import ConfigError


class ObservationPart(NamedTuple):
    """Elements of a game's observation with one meaning, which can differ from position to position."""

    name: str  # what it is called
    era: str | None  # which era it is about; None for the whole game
    meaning: str  # what it says
    elements: tuple[int, ...]  # indices into the flat observation
    copies: int = 1  # how many consecutive elements are equal; ``elements`` has the first of them


class CompactRow(NamedTuple):
    """Consecutive elements of a compact observation with one meaning."""

    name: str  # what it is called
    era: str | None  # which era it is about; None for the whole game
    start: int  # the index of the first element
    length: int  # how many elements there are
    meaning: str  # what it says
    high: int  # what is written as 1: an element is one of 0, 1, …, ``high``, divided by ``high``


def rows_of(
    parts: Sequence[ObservationPart], high: NDArray[np.int8]
) -> tuple[tuple[CompactRow, ...], NDArray[np.int64]]:
    """The rows of the compact observation made of these parts, in order, and the elements they take; ``high`` is each element's largest
    value. Elements of a part with different bounds are in different rows; those that can only be 0 are left out. Raises a `ConfigError` if
    none is left, or there is no such element.
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
