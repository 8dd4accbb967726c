"""Long work in short pieces.

Between them, other threads run, interrupts are handled, and the clock is read.
"""

import math
import time
from collections.abc import Callable, Iterator
from typing import Final

#: The length of a piece, in seconds.
_PIECE: Final = 0.01


class TimeBudget:
    """Measures how much work fits into a piece of about 10 ms, and says when time is up.

    A measurement holds only until that work is done, since other work may be a thousand times
    slower: visits of a search tree, say, after those of a tree that is proven.

    Args:
        rate: an estimate of the work done per second; rather too low than too high.

    Attributes:
        deadline: a time by `time.perf_counter`, infinite at first. Only the first piece may begin
            after it. Any thread may set it at any time.
    """

    def __init__(self, rate: float) -> None:
        self.deadline = math.inf
        self._rate = rate

    @staticmethod
    def after(seconds: float | None) -> float:
        """Return the time ``seconds`` from now, by `time.perf_counter`; infinite for None."""
        return math.inf if seconds is None else time.perf_counter() + seconds

    def is_over(self, until: float = math.inf) -> bool:
        """Whether ``until`` or `deadline` has passed."""
        return time.perf_counter() >= min(until, self.deadline)

    def pieces(self, until: float = math.inf) -> Iterator[int]:
        """Yield amounts of work, each at least 1, until time is up.

        The caller does each before it asks for the next.
        """
        rate = self._rate
        while True:
            began = time.perf_counter()
            left = max(min(until, self.deadline) - began, 0.0)
            amount = max(1, int(rate * min(_PIECE, left)))
            yield amount
            took = max(time.perf_counter() - began, 1e-9)
            rate = min(amount / took, 8 * rate)
            if self.is_over(until):
                return

    def spend(self, work: Callable[[int], int], total: int, until: float = math.inf) -> int:
        """Work until all is done or time is up.

        Args:
            work: does at most the given amount, less only if nothing more is left to do, and
                returns the amount done.
            total: the amount to do.
            until: a time by `time.perf_counter`, at which to stop.

        Returns:
            The amount done.
        """
        done = 0
        for amount in self.pieces(until):
            amount = min(amount, total - done)
            did = work(amount)
            done += did
            if did < amount or done == total:
                break
        return done
