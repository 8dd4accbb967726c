"""Long work in short pieces: between them other threads run, interrupts are handled, and the clock
is read.
"""

import math
import time
from collections.abc import Callable, Iterator
from typing import Final

#: How long a piece takes, in seconds.
_PIECE: Final = 0.01


class TimeBudget:
    """Measures how much work fits into a piece of about 10 ms, and says when time is up.

    What was measured holds only until the work is done: other work may be a thousand times slower,
    such as visits of a search tree after those of a tree that is proven.

    Args:
        rate: an estimate of how much is done per second, better too low than too high.

    Only the first piece may begin after ``deadline``, by `time.perf_counter`; any thread may set it
    at any time.
    """

    def __init__(self, rate: float) -> None:
        self.deadline = math.inf
        self._rate = rate

    @staticmethod
    def after(seconds: float | None) -> float:
        """The time that many seconds from now; infinite for None."""
        return math.inf if seconds is None else time.perf_counter() + seconds

    def is_over(self, until: float = math.inf) -> bool:
        """Whether ``until`` or `deadline` has passed."""
        return time.perf_counter() >= min(until, self.deadline)

    def pieces(self, until: float = math.inf) -> Iterator[int]:
        """Amounts of work, each at least 1, until time is up; each is done before the next is asked
        for.
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
            work: does the amount that it is given, or less if there is no more to do, and returns
                how
                much it did.
            total: how much is to be done.
            until: a time by `time.perf_counter`, at which to stop.

        Returns:
            How much was done.
        """
        done = 0
        for amount in self.pieces(until):
            amount = min(amount, total - done)
            did = work(amount)
            done += did
            if did < amount or done == total:
                break
        return done

    def slices(self, total: int) -> Iterator[slice]:
        """Consecutive slices that cover ``total``, in such pieces."""
        first = 0
        for amount in self.pieces():
            yield slice(first, first + amount)
            first += amount
            if first >= total:
                return
