"""Elements of observations, selected and scaled by compiled code: the plan that it follows."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.core.kernels import select_all

__all__ = ["Selection"]

#: The fewest consecutive elements that are worth a loop of their own.
_SHORTEST_RUN: Final = 8
#: Rows that threads write to begin on cache lines of their own.
_LINE: Final = 64
#: The viewers of a single observation, for each player.
_ONE_VIEWER: Final = np.arange(2).reshape(2, 1)


class Selection:
    """Which elements of an observation are written one after the other, each times a factor, for each viewer.

    Args:
        elements: indices into an observation's memory: shape (players, k).
        factors: float32 of shape (k,).
        size: how many elements an observation has.

    >>> selection = Selection(np.array([[2, 0], [1, 0]]), np.array([1, 0.5], np.float32), 3)
    >>> selection.of_one(np.array([4, 5, 6], np.int8), 1)
    array([5., 2.], dtype=float32)
    """

    def __init__(self, elements: NDArray[np.int64], factors: NDArray[np.float32], size: int) -> None:
        plans = [_plan(row, factors) for row in elements]
        self._plans = np.zeros((len(plans), max(map(len, plans))), np.uint64)
        for number, plan in enumerate(plans):
            self._plans[number, : len(plan)] = plan
        self._factors = factors
        self._size = size
        #: How many elements are selected.
        self.length = len(factors)

    def of_one(self, observation: NDArray[np.int8], viewer: int) -> NDArray[np.float32]:
        """What is selected of what a player, 0 or 1, sees: float32 of shape (k,); a new array."""
        selected = np.empty((1, self.length), np.float32)
        self.write(observation, _ONE_VIEWER[viewer], selected)
        return selected[0]

    def write(self, observations: NDArray[np.int8], viewers: NDArray[np.int64], selected: NDArray[np.float32]) -> None:
        """Write what is selected of what the ``viewers``, int64 of shape (n,), see to ``selected``: float32 of shape (n, k)."""
        select_all(observations.reshape(len(viewers), self._size), viewers, self._plans, self._factors, selected)

    def rows(self, num_threads: int) -> NDArray[np.int8]:
        """Room for an observation of each thread, which must last while they work."""
        return np.empty((num_threads, -(-self._size // _LINE) * _LINE), np.int8)

    def words(self, rows: NDArray[np.int8], selected: NDArray[np.float32]) -> NDArray[np.int64]:
        """What the task `tkm_env.core.kernels.SELECT` takes in order to write to ``selected``, float32 of shape (n, k)."""
        addresses = [array.ctypes.data for array in (rows, self._plans, self._factors, selected)]
        return np.array([*addresses, rows.shape[1], *self._plans.shape, self.length])


def _plan(elements: NDArray[np.int64], factors: NDArray[np.float32]) -> list[int]:
    """The plan of `tkm_env.core.kernels.select`: runs of consecutive elements with one factor, then all others."""
    breaks = ((np.diff(elements) != 1) | (np.diff(factors) != 0)).nonzero()[0] + 1
    runs: list[int] = []
    singles: list[int] = []
    for places in np.split(np.arange(len(elements)), breaks):
        first = int(places[0])
        if len(places) < _SHORTEST_RUN:
            for place in places.tolist():
                singles += [int(elements[place]), place]
        else:
            runs += [int(elements[first]), first, len(places)]
    return [len(runs) // 3, len(singles) // 2, *runs, *singles]
