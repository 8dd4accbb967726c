"""Long work in short pieces, between which other threads run, interrupts arrive, and the clock is read."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Final

#: How long a piece takes, in seconds.
_PIECE: Final = 0.01


class TimeBudget:
    """Measures how much work fits into a piece of about 10 ms, and says when time is up.

    Args:
        rate: a first estimate of the work per second; better too low than too high.

    Attributes:
        deadline: only the first piece may begin after it, by `time.perf_counter`. Any thread may set it at any time.

    >>> time_budget = TimeBudget(rate=500)
    >>> next(time_budget.pieces())
    5
    >>> list(time_budget.pieces(until=0))
    [1]
    """

    def __init__(self, rate: float) -> None:
        self.deadline = math.inf
        self._rate = rate

    @staticmethod
    def after(seconds: float | None) -> float:
        """The time so many seconds from now; infinite for None."""
        return math.inf if seconds is None else time.perf_counter() + seconds

    def is_over(self, until: float = math.inf) -> bool:
        """Whether it is later than ``until`` or `deadline`."""
        return time.perf_counter() >= min(until, self.deadline)

    def pieces(self, until: float = math.inf) -> Iterator[int]:
        """Amounts of work, each at least 1, until time is up, one at least; each must be done before the next is requested."""
        while True:
            began = time.perf_counter()
            left = max(min(until, self.deadline) - began, 0.0)
            amount = max(1, int(self._rate * min(_PIECE, left)))
            yield amount
            took = max(time.perf_counter() - began, 1e-9)
            self._rate = min(amount / took, 8 * self._rate)
            if self.is_over(until):
                return

    def slices(self, total: int) -> Iterator[slice]:
        """A sequence of length ``total`` in such pieces, as consecutive slices.

        >>> list(TimeBudget(rate=500).slices(3))
        [slice(0, 5, None)]
        """
        first = 0
        for amount in self.pieces():
            yield slice(first, first + amount)
            first += amount
            if first >= total:
                return
