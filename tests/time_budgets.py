"""Time budgets for tests of long work: cut where they say, whatever the clock does."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tkm_env.foundations.time_budget import TimeBudget


class Cut(TimeBudget):
    """Counted pieces of the same size.

    Args:
        size: the size of a piece.
        interrupted: the number of pieces after which the interrupt of Ctrl-C is raised.
    """

    def __init__(self, size: int, *, interrupted: float = math.inf) -> None:
        super().__init__(rate=1)
        self._size = size
        self._interrupted = interrupted
        self.taken = 0

    def pieces(self, until: float = math.inf) -> Iterator[int]:
        while True:
            self.taken += 1
            yield self._size
            if self.taken >= self._interrupted:
                raise KeyboardInterrupt
