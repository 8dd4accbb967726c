"""A pool of opponents, one of which is drawn for each game."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.kernels import NO_ACTION
from tkm_env.compiled.random_numbers import MEMBER, Streams, draw_from
from tkm_env.core.batch import BaseBatch
from tkm_env.core.game import BaseGame
from tkm_env.envs.opponents import (
    DRAWS,
    Opponent,
    OpponentInManyGames,
    OpponentInOneGame,
    OpponentLike,
    make_opponent,
    make_opponent_in_many_games,
    name_of,
)
from tkm_env.foundations.checks import checked_number, is_text
from tkm_env.foundations.errors import ConfigError


class Tally(NamedTuple):
    """The learner's results against one opponent; a truncated game is a draw."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return sum(self)


@dataclasses.dataclass
class _Member:
    """A player of a pool."""

    name: str
    player: OpponentLike
    weight: float
    tally: Tally = dataclasses.field(default_factory=Tally)


class OpponentPool:
    """Opponents, one of which is drawn for each game.

    Give a pool as ``opponent`` to a Gymnasium environment. Each game draws from its own seeded
    randomness, so the same seed draws the same opponents, on any number of threads.
    ``info["opponent"]`` is the index of the opponent in `names`.

    Members and weights may change at any time, which affects the games that begin afterwards.
    Environments in one process may share a pool; another process gets a copy.

    Args:
        members: opponents by name, or a list of opponents, each named by its line of text, its
            ``name`` or ``__name__``, or its class; each may be anything that environments take as
            an opponent, except a pool.
        weights: the relative frequency with which each member is drawn: numbers from 0, not all 0;
            None for equal weights.

    Raises:
        ConfigError: if there are no members, two have the same name, one cannot play, or the
            weights are invalid.

    >>> import gymnasium
    >>> pool = OpponentPool(["random", "greedy"], weights=[1, 3])
    >>> env = gymnasium.make("tkm_env/TKM-v0", opponent=pool, side="random")
    >>> observation, info = env.reset(seed=1)
    >>> pool.names[info["opponent"]]
    'greedy'
    >>> pool.add("first", lambda observation, info: info["action_mask"].argmax(-1), weight=4)
    >>> pool.remove("random")
    >>> pool.weights, pool.names
    ({'greedy': 3.0, 'first': 4.0}, ('random', 'greedy', 'first'))
    """

    def __init__(
        self,
        members: Sequence[OpponentLike] | Mapping[str, OpponentLike],
        weights: Sequence[float] | None = None,
    ) -> None:
        if not isinstance(members, (Sequence, Mapping)) or isinstance(members, str) or not members:
            raise ConfigError(
                "members",
                members,
                "it must be a list of players, or a dict of players by name, with at least one",
            )
        named = (
            [*members.items()]
            if isinstance(members, Mapping)
            else [(name_of(player), player) for player in members]
        )
        given = [1.0] * len(named) if weights is None else weights
        if (
            isinstance(given, (str, Mapping))
            or not isinstance(given, (Sequence, np.ndarray))
            or len(given) != len(named)
        ):
            raise ConfigError(
                "weights",
                weights,
                f"it must be a list of {len(named)} numbers, one for each member",
            )
        self._names: list[str] = []
        self._members: dict[int, _Member] = {}
        #: The names of the games that the members must be able to play.
        self._games: set[str] = set()
        for (name, player), weight in zip(named, given, strict=True):
            self.add(name, player, checked_number("weights", weight, from_low=True))
        self._check_total("weights", weights, self._weights())

    @property
    def names(self) -> tuple[str, ...]:
        """The name behind each index: all present and past members, since no index is reused."""
        return tuple(self._names)

    @property
    def weights(self) -> dict[str, float]:
        """The relative frequency with which each member is drawn; a new dict."""
        return {member.name: member.weight for member in self._members.values()}

    @property
    def tallies(self) -> dict[str, Tally]:
        """The learner's results against each member; a new dict.

        They count from when the member was added, or from the last `clear_tallies`.
        """
        return {member.name: member.tally for member in self._members.values()}

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        return any(member.name == name for member in self._members.values())

    def __repr__(self) -> str:
        members = ", ".join(f"{name!r}: {weight:g}" for name, weight in self.weights.items())
        return f"OpponentPool({members})"

    def add(self, name: str, player: OpponentLike, weight: float = 1.0) -> None:
        """Add a member, which may be drawn for games that begin from now on.

        If it raises, nothing changes.

        Args:
            name: a name that no member has.
            player: anything that environments take as an opponent, except a pool.
            weight: the relative frequency with which it is drawn: a number from 0.

        Raises:
            ConfigError: if the name is taken, the player cannot play the pool's games, or the
                weight is invalid.
        """
        if not is_text(name) or not name or name in self:
            raise ConfigError(
                "name",
                name,
                "it must be a string that is not yet the name of a member: "
                f"{', '.join(map(repr, self.weights))}",
            )
        checked = checked_number("weight", weight, from_low=True)
        if not isinstance(player, str):
            make_opponent(player, "", keyword="player")
        for game in self._games:
            make_opponent(player, game, keyword="player")
        self._members[len(self._names)] = _Member(name, player, checked)
        self._names.append(name)

    def remove(self, name: str) -> None:
        """Remove a member; games in progress against it continue.

        If it raises, nothing changes.

        Raises:
            ConfigError: if there is no such member, or no member with a weight above 0 would be
                left.
        """
        number = self._number(name)
        self._check_total(
            "name",
            name,
            {other: weight for other, weight in self._weights().items() if other != number},
        )
        del self._members[number]

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Change the weights of some members, by name.

        If it raises, nothing changes.

        Raises:
            ConfigError: if there is no such member, a weight is not a number from 0, or all weights
                would be 0.
        """
        if not isinstance(weights, Mapping):
            raise ConfigError("weights", weights, "it must be a dict of weights by name")
        changed = {
            self._number(name): checked_number("weights", weight, from_low=True)
            for name, weight in weights.items()
        }
        self._check_total("weights", weights, self._weights() | changed)
        for number, weight in changed.items():
            self._members[number].weight = weight

    def clear_tallies(self) -> None:
        """Set all tallies to 0."""
        for member in self._members.values():
            member.tally = Tally()

    def _number(self, name: object) -> int:
        for number, member in self._members.items():
            if member.name == name:
                return number
        raise ConfigError("name", name, f"members are {', '.join(map(repr, self.weights))}")

    def _weights(self) -> dict[int, float]:
        return {number: member.weight for number, member in self._members.items()}

    def _check_total(self, keyword: str, given: object, weights: Mapping[int, float]) -> None:
        if not any(weights.values()):
            raise ConfigError(keyword, given, "at least one member must have a weight above 0")

    def _draw(self, shares: NDArray[np.float64]) -> NDArray[np.int64]:
        """The key of a member for each uniform random number from 0 to below 1."""
        numbers, weights = (
            np.array([*column]) for column in zip(*self._weights().items(), strict=True)
        )
        bounds = np.cumsum(weights / weights.max())
        return numbers[np.searchsorted(bounds / bounds[-1], shares, side="right")]


Playing = TypeVar("Playing", bound=Opponent)


class _PoolOpponent(Opponent, Generic[Playing]):
    """The members of a pool as the opponents in one environment."""

    def __init__(
        self, pool: OpponentPool, make: Callable[[OpponentLike], Playing], game: str
    ) -> None:
        for member in pool._members.values():
            make(member.player)
        pool._games.add(game)
        self._pool, self._make = pool, make
        #: The opponents made of members that are playing or may be drawn again, by their index.
        self._players: dict[int, Playing] = {}
        #: The index of each game's opponent; -1 before a first one is drawn.
        self._drawn: NDArray[np.int64] = np.zeros(0, np.int64)

    def _admit(self) -> None:
        """Make opponents of the members drawn; drop removed ones that play no game."""
        playing: Iterable[int] = np.unique(self._drawn[self._drawn >= 0]).tolist()
        kept = self._pool._members.keys() | {*playing}
        self._players = {
            number: player for number, player in self._players.items() if number in kept
        }
        for number in playing:
            if number not in self._players:
                self._players[number] = self._make(self._pool._members[number].player)

    def count(self, indices: NDArray[np.int64], rewards: NDArray[np.float64]) -> None:
        members = self._drawn[indices]
        for number in np.unique(members).tolist():
            if (member := self._pool._members.get(number)) is not None:  # not removed
                earned = rewards[members == number]
                counted = ((earned > 0).sum(), (earned == 0).sum(), (earned < 0).sum())
                member.tally = Tally(
                    *(old + int(new) for old, new in zip(member.tally, counted, strict=True))
                )

    @property
    def member(self) -> NDArray[np.int64]:
        member: NDArray[np.int64] = self._drawn.copy()
        return member


class _PoolInOneGame(_PoolOpponent[OpponentInOneGame], OpponentInOneGame):
    def begin(self, streams: Streams) -> None:
        self._drawn = self._pool._draw(np.array([draw_from(streams[MEMBER], DRAWS) / DRAWS]))
        self._admit()
        self._players[int(self._drawn[0])].begin(streams)

    def answer(self, game: BaseGame, player: str) -> None:
        self._players[int(self._drawn[0])].answer(game, player)


class _PoolInManyGames(_PoolOpponent[OpponentInManyGames], OpponentInManyGames):
    def begin_all(self, batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> None:
        if len(self._drawn) != batch.num_games:
            self._drawn = np.full(batch.num_games, -1)
        if mask.any():
            self._drawn[mask] = self._pool._draw(batch.draw(mask, DRAWS, MEMBER) / DRAWS)
            self._admit()
            for number, player in self._players.items():
                begun = mask & (self._drawn == number)
                if begun.any():
                    player.begin_all(batch, begun)

    def follow(self, actions: NDArray[np.int64]) -> None:
        for number, player in self._players.items():
            player.follow(np.where(self._drawn == number, actions, NO_ACTION))

    def answer_all(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        waiting = ~batch.over & (batch.to_act != players)
        for number in np.unique(self._drawn[waiting]).tolist():
            self._players[number].answer_all(
                batch, np.where(self._drawn == number, players, batch.to_act)
            )


def opponent_in_one_game(
    given: OpponentLike, game: str, observation: str, canonical: bool
) -> OpponentInOneGame:
    """Make the opponent in an environment of one game.

    Args:
        given: a player as for `make_opponent`, or a pool of players.
        game: the name of the game in the registry.
        observation: how a function or a model sees the game: ``"planes"`` or ``"compact"``.
        canonical: whether a function or a model sees the game as if it were the first player.

    Returns:
        The opponent.

    Raises:
        ConfigError: if it cannot play.
    """
    make = partial(make_opponent, game=game, observation=observation, canonical=canonical)
    return _PoolInOneGame(given, make, game) if isinstance(given, OpponentPool) else make(given)


def opponent_in_many_games(
    given: OpponentLike, game: str, observation: str, canonical: bool
) -> OpponentInManyGames:
    """Make the opponent in an environment of many games.

    Args:
        given: a player as for `make_opponent_in_many_games`, or a pool of players.
        game: the name of the game in the registry.
        observation: how a function or a model sees the games: ``"planes"`` or ``"compact"``.
        canonical: whether a function or a model sees every game as if it were the first player.

    Returns:
        The opponent.

    Raises:
        ConfigError: if it cannot play.
    """
    make = partial(
        make_opponent_in_many_games, game=game, observation=observation, canonical=canonical
    )
    return _PoolInManyGames(given, make, game) if isinstance(given, OpponentPool) else make(given)
