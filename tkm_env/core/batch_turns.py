"""The whole turns of many games, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.core.buffer_pool import BufferPool
from tkm_env.core.turns import TurnRows
from tkm_env.foundations.checks import as_array, describe
from tkm_env.foundations.errors import ArrayError


class RowPool:
    """Tables of turns, in memory that is reused once nothing refers to it.

    Args:
        dtype: the engine's dtype.
        longest: the largest number of actions in a turn.
    """

    def __init__(self, dtype: np.dtype[Any], longest: int) -> None:
        self._dtype, self._longest = dtype, longest
        self._pools = [BufferPool() for _ in TurnRows._fields]
        self._room = 0

    def take(self, rows: int) -> TurnRows:
        """A table with room for at least this number of turns."""
        self._room = max(self._room, rows)
        pools = iter(self._pools)
        return TurnRows.empty(
            self._room,
            self._dtype,
            self._longest,
            lambda shape, dtype: next(pools).take(shape, dtype),
        )


class BatchTurns(NamedTuple):
    """Every way to play the turn, or the rest of it, in k games of a batch: m rows.

    The rows of each game come one after another. Each different position after a turn has one row;
    a game that is over has none. All arrays are read-only.

    Attributes:
        indices: the games, as indices into the batch: int64 of shape (k,).
        offsets: where the rows of each game begin: int64 of shape (k + 1,). Those of game
            ``indices[i]`` are ``offsets[i]`` to ``offsets[i + 1] - 1``.
        players: the player whose turn it is, 0 or 1: int64 of shape (k,).
        before: the batch's ``keys`` of the games when their turns were listed: uint64 of shape
            (k,).
        states: the positions after the turns: of the engine's dtype and shape (m,).
        actions: the actions of each turn, then `NO_ACTION` up to the end of the row: int8 of shape
            (m, most actions of a turn).
        keys: as the batch's ``keys``, for the positions after the turns: uint64 of shape (m,).
        results: as the batch's ``results``, for the positions after the turns: int8 of shape (m,).
    """

    indices: NDArray[np.int64]
    offsets: NDArray[np.int64]
    players: NDArray[np.int64]
    before: NDArray[np.uint64]
    # A row for each turn.
    states: NDArray[np.void]
    actions: NDArray[np.int8]
    keys: NDArray[np.uint64]
    results: NDArray[np.int8]

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many turns each game has: int64 of shape (k,)."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The game of each turn, as an index into ``indices``: int64 of shape (m,)."""
        return np.arange(len(self.indices)).repeat(self.counts)

    def best(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The row of the highest value in each game that has turns; the first among equals.

        Args:
            values: a number for each row, of shape (m,).

        Returns:
            Indices of rows: int64 of shape (games with turns,).

        Raises:
            ArrayError: if the shape is wrong.
        """
        given = as_array(values)
        if given.shape != self.keys.shape or given.dtype.kind not in "iuf":
            raise ArrayError("values", describe(given), f"numbers of shape {self.keys.shape}")
        counts = self.counts[self.counts > 0]
        if not len(counts):
            return np.zeros(0, np.int64)
        firsts = np.cumsum(counts) - counts
        highest = np.maximum.reduceat(given, firsts).repeat(counts)
        rows = (given == highest).nonzero()[0]
        return rows[rows.searchsorted(firsts)]
