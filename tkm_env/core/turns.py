"""Whole turns: every way to play one, with each distinct end listed once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, Final, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.kernels import NO_ACTION
from tkm_env.compiled.ordered_output import new_list
from tkm_env.compiled.threads import in_threads
from tkm_env.core.state_arrays import integer_record


class _Playable(Protocol):
    """What listing turns needs from a game."""

    @property
    def turn_id(self) -> tuple[str, int]: ...

    def is_in_turn(self, turn_id: tuple[str, int]) -> bool: ...

    @property
    def key(self) -> int: ...

    @property
    def result(self) -> str | None: ...

    def copy(self) -> Self: ...

    def play(self, action: int | str) -> object: ...

    def legal_actions(self) -> list[int]: ...

    def restart(self) -> Self: ...


Played = TypeVar("Played", bound=_Playable)

#: Rows of a new table for each game, and beyond these; most turns need fewer.
_ROWS_PER_GAME: Final = 64
_FEWEST_ROWS: Final = 256
#: How many rows and chunks a thread can keep until their place is known; it waits when it has more.
_KEPT: Final = 4096, 64
_PROGRESS: Final = integer_record("counted rows kept placed kept_rows")


class Turn(NamedTuple, Generic[Played]):
    """One way to play a turn, or the rest of one.

    Attributes:
        actions: indices of the actions, in order.
        after: the game after them, without a history.
    """

    actions: tuple[int, ...]
    after: Played

    @property
    def key(self) -> int:
        """A hash of the position after the turn, as in a batch's ``keys``."""
        return self.after.key

    @property
    def result(self) -> str | None:
        """How the game ended with the turn; None if it continues."""
        return self.after.result


def played(game: Played, actions: Iterable[int | str]) -> Played:
    """The game after some actions.

    Args:
        game: the game to play from; unchanged.
        actions: indices or names of the actions, in order.

    Returns:
        A copy of the game after them.

    Raises:
        IllegalActionError: if an action is not legal when its turn comes.
    """
    after = game.copy()
    for action in actions:
        after.play(action)
    return after


class TurnKernels(NamedTuple):
    """How a compiled game lists turns.

    Attributes:
        write: ``(control, thread, generator, kept, states, indices, offsets, rows)`` writes the
            turns of the games ``indices`` to the `TurnRows` ``rows``, as far as there is room, on
            one of the threads that share the control array of `tkm_env.compiled.ordered_output`,
            whose items are the games. ``kept`` is a `KeptTurns` of the thread. The turns of game
            number i fill the rows from ``offsets[i]`` to ``offsets[i + 1] - 1``; ``offsets[0]`` is
            0, and those after it are written.
        new_generator: allocates the memory that ``write`` works in.
        longest: the largest number of actions in a turn.
    """

    write: Callable[..., None]
    new_generator: Callable[[], Any]
    longest: int


class TurnRows(NamedTuple):
    """Turns as arrays with a row for each.

    Attributes:
        states: the positions after the turns: of the engine's dtype and shape (m,).
        actions: the indices of the actions, then `NO_ACTION` up to the end of the row: int8 of
            shape (m, most actions of a turn).
        keys: as a batch's ``keys``: uint64 of shape (m,).
        results: as a batch's ``results``: int8 of shape (m,).
    """

    states: NDArray[np.void]
    actions: NDArray[np.int8]
    keys: NDArray[np.uint64]
    results: NDArray[np.int8]

    @classmethod
    def empty(
        cls,
        rows: int,
        dtype: np.dtype[Any],
        longest: int,
        new: Callable[..., NDArray[Any]] = np.empty,
    ) -> TurnRows:
        """Room for turns, with arbitrary content.

        Args:
            rows: the number of turns.
            dtype: the engine's dtype.
            longest: the largest number of actions in a turn.
            new: allocates an array, given its shape and dtype.

        Returns:
            The new rows.
        """
        return cls(
            new((rows,), dtype),
            new((rows, longest), np.int8),
            new((rows,), np.uint64),
            new((rows,), np.int8),
        )

    @property
    def ways(self) -> list[tuple[int, ...]]:
        """The actions of each turn, by index."""
        return [
            tuple(action for action in turn if action != NO_ACTION)
            for turn in self.actions.tolist()
        ]

    def first(self, count: int) -> TurnRows:
        """The first ``count`` rows, in the same memory."""
        return TurnRows(
            self.states[:count], self.actions[:count], self.keys[:count], self.results[:count]
        )


class KeptTurns(NamedTuple):
    """A thread's memory for turns until their place in the list is known.

    Attributes:
        progress: how many chunks the thread has counted, with how many rows; how many chunks it
            keeps, how many of these it has moved to their place, and the end of the rows it keeps:
            a record of shape (1,).
        chunks: the index of each kept chunk, and its first row: int64 of shape (c, 2).
        rows: the kept rows.
    """

    progress: NDArray[np.void]
    chunks: NDArray[np.int64]
    rows: TurnRows

    @classmethod
    def empty(cls, rows: int, chunks: int, dtype: np.dtype[Any], longest: int) -> KeptTurns:
        """Memory for a number of rows and chunks, with arbitrary content.

        Args:
            rows: the number of turns.
            chunks: the number of chunks.
            dtype: the engine's dtype.
            longest: the largest number of actions in a turn.

        Returns:
            The memory.
        """
        return cls(
            np.zeros(1, _PROGRESS),
            np.empty((chunks, 2), np.int64),
            TurnRows.empty(rows, dtype, longest),
        )


@lru_cache(maxsize=64)
def _own_generator(new_generator: Callable[[], Any], thread: int) -> Any:
    """The memory in which a thread lists turns."""
    return new_generator()


@lru_cache(maxsize=64)
def _own_memory(
    rows: int, chunks: int, dtype: np.dtype[Any], longest: int, thread: int
) -> KeptTurns:
    """The memory in which a thread keeps turns."""
    return KeptTurns.empty(rows, chunks, dtype, longest)


def list_turns(
    kernels: TurnKernels,
    states: NDArray[np.void],
    indices: NDArray[np.int64],
    room_for: Callable[[int], TurnRows] | None = None,
    threads: int = 1,
) -> tuple[NDArray[np.int64], TurnRows]:
    """List every turn of some games.

    Args:
        kernels: how the game lists turns.
        states: games, of shape (n,) and the engine's dtype.
        indices: which games: int64 of shape (k,).
        room_for: allocates tables for a number of rows; None for arrays of their own.
        threads: the number of threads that share the work; the list is the same with any number.

    Returns:
        Where the turns of each game begin, int64 of shape (k + 1,) that ends with the number of all
            turns, and the turns.
    """
    take = room_for or partial(TurnRows.empty, dtype=states.dtype, longest=kernels.longest)
    games = len(indices)
    offsets = np.zeros(games + 1, np.int64)
    room = _ROWS_PER_GAME * games + _FEWEST_ROWS
    kept_rows, kept_chunks = (0, 0) if threads == 1 else _KEPT  # one thread never has to keep any

    def write(thread: int) -> None:
        ident = threading.get_ident()
        generator = _own_generator(kernels.new_generator, ident)
        kept = _own_memory(kept_rows, kept_chunks, states.dtype, kernels.longest, ident)
        kernels.write(control, thread, generator, kept, states, indices, offsets, rows)

    while True:
        control, rows = new_list(games, threads), take(room)
        in_threads(write, threads)
        room = int(offsets[games])
        if room <= len(rows.keys):
            return offsets, rows.first(room)


def walk_turns(game: Played) -> Iterator[Turn[Played]]:
    """Every turn of a game, found by playing all its actions one after another."""
    turn, seen = game.turn_id, {game}

    def walk(now: Played, played: tuple[int, ...]) -> Iterator[Turn[Played]]:
        for action in now.legal_actions():
            after, actions = now.copy(), (*played, action)
            after.play(action)
            if after in seen:
                continue
            seen.add(after)
            if not after.is_in_turn(turn):
                yield Turn(actions, after.restart())
            else:
                yield from walk(after, actions)

    return walk(game, ())
