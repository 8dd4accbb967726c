"""Paces for tests of long work: cut where they say, whatever the clock does."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tkm_env.foundations.time_budget import TimeBudget


class Cut(TimeBudget):
    """Pieces of the same size, counted; ``interrupted`` raises the interrupt of Ctrl-C after so many."""

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
