"""Elements of observations and masks, gathered, reordered and scaled by compiled code.

This module holds the plan, and the code that follows it.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import Factors, Gathered, PlayerOfEach, Row, Rows, WordRows, Words
from tkm_env.compiled.atomics import array_at
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.kernels import GATHER, GATHER_BYTES

#: The fewest consecutive elements that are worth a loop of their own.
_SHORTEST_RUN: Final = 8
#: Each row that a thread writes to begins on a cache line of its own.
_LINE: Final = 64
#: For each player, the viewers of a single observation.
_ONE_VIEWER: Final = np.arange(2).reshape(2, 1)

# The kernel `work` takes one address. For the tasks `GATHER` and `GATHER_BYTES` it is the address
# of these int64 words.
#: The addresses of the threads' rows, of the plans, of the factors, and of what is gathered.
_ROWS: Final = 0
_PLANS: Final = 1
_FACTORS: Final = 2
_GATHERED: Final = 3
#: Bytes from row to row, the number of players, the number of words of a plan, and of elements
#: gathered from each row.
_ROW_BYTES: Final = 4
_PLAYERS: Final = 5
_PLAN_WORDS: Final = 6
_WIDTH: Final = 7
_NUM_WORDS: Final = 8
_TASK_BYTES: Final = 8 * _NUM_WORDS


@inlined
def gather(row: Row, plan: Words, factors: Factors, gathered: Gathered) -> None:
    """Write elements of a row, each times its factor, to another row.

    Args:
        row: the elements to gather from: int8 of shape (size,).
        plan: uint64: the number of runs and the number of single elements; for each run, where it
            begins in ``row`` and in ``gathered``, and its length; for each single element, its
            indices in both.
        factors: float32 or int8 of shape (k,), equal within a run.
        gathered: where to write: of shape (k,) and the same dtype.
    """
    place = 2
    for _ in range(plan[0]):
        source, target = plan[place], plan[place + 1]
        factor = factors[target]
        for number in range(plan[place + 2]):
            gathered[target + number] = row[source + number] * factor
        place += 3
    for _ in range(plan[1]):
        target = plan[place + 1]
        gathered[target] = row[plan[place]] * factors[target]
        place += 2


@kernel
def gather_rows(
    rows: Rows, viewers: PlayerOfEach, plans: WordRows, factors: Factors, gathered: Gathered
) -> None:
    """Apply `gather` to many rows.

    Args:
        rows: int8 of shape (n, size).
        viewers: the index of the viewer of each row, whose plan is followed: int64 of shape (n,).
        plans: a plan for each player: uint64 of shape (players, m).
        factors: as for `gather`.
        gathered: where to write: of shape (n, k).
    """
    for number in range(rows.shape[0]):
        gather(rows[number], plans[viewers[number]], factors, gathered[number])


@inlined
def row_and_plans_at(address: int, thread: int, size: int) -> tuple[Row, WordRows]:
    """What a thread needs for the tasks `GATHER` and `GATHER_BYTES`.

    Args:
        address: the address of the words that `GatherPlan.words` returns.
        thread: the index of the thread.
        size: the number of bytes of an observation.

    Returns:
        The thread's row, to write an observation to, of shape (size,), and the plans, as
            `gather_rows` takes them.
    """
    words = array_at(address, 1, _TASK_BYTES).view(np.int64)[0]
    row = array_at(words[_ROWS] + thread * words[_ROW_BYTES], 1, size)[0]
    return row, array_at(words[_PLANS], words[_PLAYERS], 8 * words[_PLAN_WORDS]).view(np.uint64)


@inlined
def floats_at(address: int, games: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The factors and the array to write to for the task `GATHER`.

    Args:
        address: the address of the words that `GatherPlan.words` returns.
        games: the number of games.

    Returns:
        The factors, of shape (k,), and what is gathered, of shape (games, k), both float32.
    """
    words = array_at(address, 1, _TASK_BYTES).view(np.int64)[0]
    width = 4 * words[_WIDTH]
    return array_at(words[_FACTORS], 1, width).view(np.float32)[0], array_at(
        words[_GATHERED], games, width
    ).view(np.float32)


@inlined
def bytes_at(address: int, games: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """The factors and the array to write to for the task `GATHER_BYTES`.

    Args:
        address: the address of the words that `GatherPlan.words` returns.
        games: the number of games.

    Returns:
        The factors, of shape (k,), and what is gathered, of shape (games, k), both int8.
    """
    words = array_at(address, 1, _TASK_BYTES).view(np.int64)[0]
    return array_at(words[_FACTORS], 1, words[_WIDTH])[0], array_at(
        words[_GATHERED], games, words[_WIDTH]
    )


class GatherPlan:
    """Which elements of a row are gathered for each viewer, in which order, and times what.

    Args:
        elements: indices into a row: int64 of shape (players, k).
        factors: what each element is multiplied by: float32 or int8 of shape (k,), like the result.
        size: the number of elements of a row.
        ones: which elements of the result are always 1: bool of shape (k,); None for none.
    """

    def __init__(
        self,
        elements: NDArray[np.int64],
        factors: Factors,
        size: int,
        ones: NDArray[np.bool_] | None = None,
    ) -> None:
        plans = [_plan(row, factors) for row in elements]
        self._plans = np.zeros((len(plans), max(map(len, plans))), np.uint64)
        for number, plan in enumerate(plans):
            self._plans[number, : len(plan)] = plan
        self._factors = factors
        self._size = size
        self._ones = np.zeros(0, np.int64) if ones is None else ones.nonzero()[0]
        #: The task whose argument `words` returns.
        self.task = GATHER if factors.dtype == np.float32 else GATHER_BYTES

    def of_one(self, row: Row, viewer: int) -> NDArray[Any]:
        """The elements that are gathered for one player.

        Args:
            row: a row, of any shape with ``size`` elements.
            viewer: the player's index, 0 or 1.

        Returns:
            A new array of shape (k,).
        """
        gathered = np.empty((1, len(self._factors)), self._factors.dtype)
        self.write(row, _ONE_VIEWER[viewer], gathered)
        return gathered[0]

    def write(self, rows: Rows, viewers: PlayerOfEach, gathered: Gathered) -> None:
        """Gather from many rows.

        Args:
            rows: int8 of shape (n, …).
            viewers: the index of each row's viewer: int64 of shape (n,).
            gathered: where to write: of shape (n, …), C-contiguous.
        """
        games = len(viewers)
        places = gathered.reshape(games, len(self._factors))
        gather_rows(rows.reshape(games, self._size), viewers, self._plans, self._factors, places)
        self.complete(gathered)

    def rows(self, num_threads: int) -> Rows:
        """Working memory, a row for each thread; keep it while they work."""
        return np.empty((num_threads, -(-self._size // _LINE) * _LINE), np.int8)

    def words(self, rows: Rows, gathered: Gathered) -> NDArray[np.int64]:
        """The argument of `task`; call `complete` afterwards.

        Args:
            rows: the memory that `rows` returned.
            gathered: where to write: of shape (n, …), C-contiguous.

        Returns:
            The words, whose address the kernel ``work`` takes.
        """
        words = np.zeros(_NUM_WORDS, np.int64)
        for word, array in (
            (_ROWS, rows),
            (_PLANS, self._plans),
            (_FACTORS, self._factors),
            (_GATHERED, gathered),
        ):
            words[word] = array.ctypes.data
        words[_ROW_BYTES], words[_WIDTH] = rows.shape[1], len(self._factors)
        words[_PLAYERS], words[_PLAN_WORDS] = self._plans.shape
        return words

    @property
    def tables(self) -> tuple[WordRows, Factors, NDArray[np.int64]]:
        """The plans (players, m) and factors (k,) for `gather`, and which elements are always 1."""
        return self._plans, self._factors, self._ones

    def complete(self, gathered: Gathered) -> None:
        """Write the elements that are always 1."""
        if len(self._ones):
            gathered.reshape(len(gathered), len(self._factors))[:, self._ones] = 1


def _plan(elements: NDArray[np.int64], factors: Factors) -> list[int]:
    """The plan that `gather` follows.

    It has runs of consecutive elements with one factor, then all others.
    """
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
