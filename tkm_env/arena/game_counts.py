"""Results of games, and how many games had them, as ratings need them."""

from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.foundations.checks import checked_number
from tkm_env.foundations.errors import ConfigError


class Played(NamedTuple):
    """A game, or several with the same result."""

    first: str  # the player who moved first
    second: str
    points: float  # the points of the first player: 0, 0.5 or 1
    games: float = 1  # the number of such games, from 1e-6 to 1e9
    #: A key that games from the same start share; None for games that are independent of others.
    start: Hashable = None
    #: Whether a player's fault ended it, so that it says nothing about the first move.
    by_fault: bool = False


class GameCounts:
    """Results of games, counted as they are added, in a few bytes each.

    Iterating over it yields the counts as `Played`.

    Args:
        games: the first games.

    Raises:
        ConfigError: if a game is malformed, or of a player against itself.
    """

    def __init__(
        self, games: Iterable[Played | tuple[str, str, float] | tuple[str, str, float, float]] = ()
    ) -> None:
        self._number_of: dict[str, int] = {}
        self._number_of_start: dict[Hashable, int] = {}
        self._first, self._second, self._start = array("i"), array("i"), array("i")
        self._by_fault, self._half, self._games = array("b"), array("b"), array("d")
        for game in games:
            self.add(game)

    def add(self, row: Played | tuple[str, str, float] | tuple[str, str, float, float]) -> None:
        """Add a game, or several with the same result.

        Raises:
            ConfigError: if it is malformed, or of a player against itself; nothing is added then.
        """
        game = _checked(row)
        for column, name in ((self._first, game.first), (self._second, game.second)):
            column.append(self._number_of.setdefault(name, len(self._number_of)))
        known = self._number_of_start
        self._start.append(-1 if game.start is None else known.setdefault(game.start, len(known)))
        self._by_fault.append(bool(game.by_fault))
        self._half.append(round(2 * game.points))
        self._games.append(game.games)

    @property
    def players(self) -> Set[str]:
        """The names of the players."""
        return self._number_of.keys()

    def columns(self, players: Iterable[str] = ()) -> "Columns":
        """Return the counts as arrays.

        Args:
            players: further players, who need not have played.
        """
        names = sorted({*self._number_of, *players})
        place_of = {name: number for number, name in enumerate(names)}
        places = np.array([place_of[name] for name in self._number_of], dtype=np.int64)
        start, by_fault, half = (
            np.array(column, dtype=np.int64) for column in (self._start, self._by_fault, self._half)
        )
        first, second = (places[np.array(each, np.int64)] for each in (self._first, self._second))
        keys = (((start + 1) * len(names) + first) * len(names) + second) * 2 + by_fault
        _, begins, rows = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(begins)  # in the order in which they came
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        counts = np.bincount(
            3 * place[rows] + half, np.array(self._games), minlength=3 * len(order)
        )
        chosen = begins[order]
        return Columns(
            names,
            np.column_stack([first[chosen], second[chosen]]),
            by_fault[chosen].astype(np.bool_),
            start[chosen],
            counts.reshape(-1, 3).astype(np.float64),
        )

    def __iter__(self) -> Iterator[Played]:
        names, *columns = self.columns()
        starts = [*self._number_of_start, None]  # -1 is the last one
        for (one, two), by_fault, start, counts in zip(*map(_as_list, columns), strict=True):
            for half, games in enumerate(counts):
                if games:
                    yield Played(names[one], names[two], half / 2, games, starts[start], by_fault)


class Columns(NamedTuple):
    """Counts of games, a row for each start and two players; faults have rows of their own.

    Attributes:
        names: the players, in alphabetical order.
        pairs: int64 of shape (rows, 2): the player that moves first, and the other one.
        by_fault: bool of shape (rows,): whether a fault ended the games.
        starts: int64 of shape (rows,): the index of the start; -1 for independent games.
        counts: float64 of shape (rows, 3): how many games the first player lost, drew and won.
    """

    names: Sequence[str]
    pairs: NDArray[np.int64]
    by_fault: NDArray[np.bool_]
    starts: NDArray[np.int64]
    counts: NDArray[np.float64]


def _as_list(column: NDArray[Any]) -> list[Any]:
    found: list[Any] = column.tolist()
    return found


def _checked(row: Sequence[Any]) -> Played:
    """Check a game."""
    try:
        game = Played(*row)
    except TypeError:
        form = (
            "a game is the first player, the second player, the first's points and the number "
            "of such games"
        )
        raise ConfigError("games", row, form) from None
    if not isinstance(game.first, str) or not isinstance(game.second, str):
        raise ConfigError("games", row, "players must be given by name")
    if game.first == game.second:
        raise ConfigError(
            "games", row, "a player's games against itself say nothing about its strength"
        )
    if isinstance(game.points, bool) or game.points not in (0, 0.5, 1):
        raise ConfigError("games", row, "points must be 0, 0.5 or 1")
    number = checked_number("games", game.games, 1e-6, 1e9, from_low=True)
    return game._replace(games=number)
