"""Whole turns: every way to play one, with each distinct end listed once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, Final, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.kernels import NO_ACTION


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
#: A table that was too small is replaced by one for the expected number of rows times this factor.
_SPARE: Final = 1.1


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
        write: ``(generator, states, indices, first, offsets, *rows)`` writes the turns of the games
            ``indices[first:]`` to the arrays of a `TurnRows`. The turns of game number i fill the
            rows from ``offsets[i]`` to ``offsets[i + 1] - 1``; ``offsets[first]`` says where to
            begin. It returns the number of the first game whose turns did not fit, or the number of
            games.
        new_generator: allocates the memory that ``write`` works in.
        longest: the largest number of actions in a turn.
    """

    write: Callable[..., int]
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

    def fill(self, parts: list[TurnRows]) -> None:
        """Write the rows of the parts, one part after another, to the first rows here."""
        first = 0
        for part in parts:
            last = first + len(part.keys)
            # As bytes: NumPy would copy records field by field.
            self.states[first:last].view(np.uint8)[...] = part.states.view(np.uint8)
            self.actions[first:last], self.keys[first:last], self.results[first:last] = part[1:]
            first = last


@lru_cache(maxsize=64)
def _own_generator(new_generator: Callable[[], Any], thread: int) -> Any:
    """The memory in which a thread lists turns."""
    return new_generator()


def list_turns(
    kernels: TurnKernels,
    states: NDArray[np.void],
    indices: NDArray[np.int64],
    room_for: Callable[[int], TurnRows] | None = None,
) -> tuple[NDArray[np.int64], TurnRows]:
    """List every turn of some games.

    Args:
        kernels: how the game lists turns.
        states: games, of shape (n,) and the engine's dtype.
        indices: which games: int64 of shape (k,).
        room_for: allocates tables for a number of rows; None for arrays of their own.

    Returns:
        Where the turns of each game begin, int64 of shape (k + 1,) that ends with the number of all
            turns, and the turns.
    """
    take = room_for or partial(TurnRows.empty, dtype=states.dtype, longest=kernels.longest)
    generator = _own_generator(kernels.new_generator, threading.get_ident())
    games, done = len(indices), 0
    offsets = np.zeros(games + 1, np.int64)
    rows = take(_ROWS_PER_GAME * games + _FEWEST_ROWS)
    while (done := kernels.write(generator, states, indices, done, offsets, *rows)) < games:
        room, used = len(rows.states), int(offsets[done])
        larger = take(max(2 * room, int(_SPARE * used * games / max(done, 1))))
        larger.fill([rows.first(used)])
        rows = larger
    return offsets, rows.first(int(offsets[games]))


def join_turns(
    parts: list[tuple[NDArray[np.int64], TurnRows]], room_for: Callable[[int], TurnRows]
) -> tuple[NDArray[np.int64], TurnRows]:
    """Join what `list_turns` returned for several groups of games.

    Args:
        parts: what it returned, group by group.
        room_for: allocates a table for a number of rows.

    Returns:
        What `list_turns` would have returned for all these games at once.
    """
    counts = np.concatenate([np.diff(offsets) for offsets, _ in parts])
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    rows = room_for(int(offsets[-1])).first(int(offsets[-1]))
    rows.fill([part for _, part in parts])
    return offsets, rows


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
