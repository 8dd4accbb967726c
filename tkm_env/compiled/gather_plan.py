"""Elements of observations and masks, selected, reordered and scaled by compiled code: the plan that it follows."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.kernels import SELECT, SELECT_BYTES, select_all

#: The fewest consecutive elements that are worth a loop of their own.
_SHORTEST_RUN: Final = 8
#: Rows that threads write to begin on cache lines of their own.
_LINE: Final = 64
#: The viewers of a single observation, for each player.
_ONE_VIEWER: Final = np.arange(2).reshape(2, 1)


class GatherPlan:
    """Which elements of a row of numbers are written one after the other, each times a factor, for each viewer.

    Args:
        elements: indices into a row: shape (players, k).
        factors: float32 or int8 of shape (k,); what is selected is of that dtype.
        size: how many elements a row has.
        ones: what is 1 in what is selected, whatever the row says: bool of shape (k,).

    >>> selection = GatherPlan(np.array([[2, 0], [1, 0]]), np.array([1, 0.5], np.float32), 3)
    >>> selection.of_one(np.array([4, 5, 6], np.int8), 1)
    array([5., 2.], dtype=float32)
    """

    def __init__(
        self, elements: NDArray[np.int64], factors: NDArray[Any], size: int, ones: NDArray[np.bool_] | None = None
    ) -> None:
        plans = [_plan(row, factors) for row in elements]
        self._plans = np.zeros((len(plans), max(map(len, plans))), np.uint64)
        for number, plan in enumerate(plans):
            self._plans[number, : len(plan)] = plan
        self._factors = factors
        self._size = size
        self._ones = np.zeros(0, np.int64) if ones is None else ones.nonzero()[0]
        #: The task that `words` is for.
        self.task = SELECT if factors.dtype == np.float32 else SELECT_BYTES

    def of_one(self, row: NDArray[np.int8], viewer: int) -> NDArray[Any]:
        """What is selected of a row of numbers, of any shape, for a player, 0 or 1: of shape (k,); a new array."""
        selected = np.empty((1, len(self._factors)), self._factors.dtype)
        self.write(row, _ONE_VIEWER[viewer], selected)
        return selected[0]

    def write(self, rows: NDArray[np.int8], viewers: NDArray[np.int64], selected: NDArray[Any]) -> None:
        """Write what is selected of ``rows`` (n, …) for the ``viewers``, int64 of shape (n,), to ``selected`` (n, …), C-contiguous."""
        games = len(viewers)
        places = selected.reshape(games, len(self._factors))
        select_all(rows.reshape(games, self._size), viewers, self._plans, self._factors, places)
        self.complete(selected)

    def rows(self, num_threads: int) -> NDArray[np.int8]:
        """Room for a row of each thread, which must last while they work."""
        return np.empty((num_threads, -(-self._size // _LINE) * _LINE), np.int8)

    def words(self, rows: NDArray[np.int8], selected: NDArray[Any]) -> NDArray[np.int64]:
        """What `task` takes in order to write to ``selected`` (n, …), C-contiguous; `complete` comes afterwards."""
        addresses = [array.ctypes.data for array in (rows, self._plans, self._factors, selected)]
        return np.array([*addresses, rows.shape[1], *self._plans.shape, len(self._factors)])

    @property
    def tables(self) -> tuple[NDArray[np.uint64], NDArray[Any], NDArray[np.int64]]:
        """What `tkm_env.compiled.kernels.select` follows: plans (players, m), factors (k,), and which elements are 1 whatever it says."""
        return self._plans, self._factors, self._ones

    def complete(self, selected: NDArray[Any]) -> None:
        """Write what is 1 whatever the row says."""
        if len(self._ones):
            selected.reshape(len(selected), len(self._factors))[:, self._ones] = 1


def _plan(elements: NDArray[np.int64], factors: NDArray[Any]) -> list[int]:
    """The plan of `tkm_env.compiled.kernels.select`: runs of consecutive elements with one factor, then all others."""
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
