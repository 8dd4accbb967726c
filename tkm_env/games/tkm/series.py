"""A series of games between two players."""

from __future__ import annotations

import dataclasses
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar, Unpack

import numpy as np

from tkm_env.core.settings import make_config
from tkm_env.foundations.checks import checked_choice, checked_instance, checked_integer, is_text
from tkm_env.foundations.errors import ConfigError, repr_of
from tkm_env.foundations.files import check_keys, content_of, read_json, write_json
from tkm_env.foundations.seeds import checked_secret
from tkm_env.games.tkm.config import GameConfig, GameSettings
from tkm_env.games.tkm.engine.planes import MAX_TURNS_LIMIT
from tkm_env.games.tkm.engine.state import PLAYERS
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.notation import RESULTS

Self = TypeVar("Self", bound="SavedAsJSON")


@dataclasses.dataclass(frozen=True)
class Finished:
    """A finished game.

    Attributes:
        first_player: the player who went first, "white" or "black".
        result: the result, as in `Game.result`.
        turns: the number of turns.
    """

    first_player: str
    result: str
    turns: int

    def __post_init__(self) -> None:
        checked_choice("first_player", self.first_player, PLAYERS)
        checked_choice("result", self.result, RESULTS.values())
        checked_integer("turns", self.turns, 1, MAX_TURNS_LIMIT)

    @classmethod
    def of(cls, game: Game) -> Finished:
        """The record of a finished game.

        Raises:
            ConfigError: if the game is not over.
        """
        checked_instance("game", game, Game)
        if game.result is None or game.first_player is None:
            raise ConfigError("game", game.position, "it is not over")
        return cls(game.first_player, game.result, game.turn)

    @property
    def winner(self) -> str | None:
        return Game.winner_of(self.result)


def first_player_after(game: Finished) -> str:
    """The player who goes first in the next game (RULES §9, EN 4, 12).

    It is the loser; after a draw or a truncated game, the player who went second.
    """
    last = game.winner or game.first_player
    return next(player for player in PLAYERS if player != last)


class SavedAsJSON(ABC):
    """An object that is saved as a JSON file."""

    #: The kind of file, as the file itself names it, and the keys of its content.
    _KIND: ClassVar[str]
    _KEYS: ClassVar[tuple[str, ...]]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The content as JSON types."""

    @classmethod
    @abstractmethod
    def from_dict(cls: type[Self], content: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`.

        Raises:
            ConfigError: naming the key that is missing, unknown or has an invalid value.
        """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON file; an existing file is replaced as a whole or not at all.

        Raises:
            FileError: if it cannot be written.
        """
        write_json(path, self._KIND, self.to_dict())

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """What `save` wrote to a file.

        Raises:
            FileError: if the file cannot be read, or does not contain it.
        """
        content = read_json(path, cls._KIND, cls._KEYS)
        with content_of(path):
            return cls.from_dict(content)


class Series(SavedAsJSON):
    """A series of games between two players, who keep their colours, with a running score.

    Args:
        players: the names of white and black.
        config: the settings of every game; its ``first_player`` is that of the first game.
        seed: for everything drawn in the games, from 0 to 2**128 - 1; None draws a seed from the
            system.
        **settings: the keywords of `GameConfig`, which replace or override those of ``config``.

    Raises:
        ConfigError: naming the invalid argument.

    >>> series = Series(("Ada", "Bob"), seed=1, max_turns=1)
    >>> game = series.next_game()
    >>> for action in ("choose 1", "move east", "move east", "focus present"):
    ...     game.play(action)
    >>> series.finish(game)
    >>> series.score, series.next_first_player
    ({'Ada': 0.5, 'Bob': 0.5}, 'black')
    """

    _KIND = "tkm_env series"
    _KEYS = ("players", "config", "seed", "games")

    def __init__(
        self,
        players: tuple[str, str] = PLAYERS,
        config: GameConfig | None = None,
        *,
        seed: int | None = None,
        **settings: Unpack[GameSettings],
    ) -> None:
        self.players = _checked_players(players)
        self.config = make_config(GameConfig, config, settings)
        self.seed = checked_secret(seed)
        self.games: list[Finished] = []

    @property
    def next_first_player(self) -> str:
        """The player who goes first in the next game, or, with a timeline, drafts first."""
        return first_player_after(self.games[-1]) if self.games else self.config.first_player

    @property
    def next_config(self) -> GameConfig:
        """The settings of the next game."""
        return dataclasses.replace(self.config, first_player=self.next_first_player)

    def next_game(self, config: GameConfig | None = None) -> Game:
        """The next game at its start; calls return equal games until `finish` is called.

        Args:
            config: the settings of this game; None for those of the series.
        """
        return Game(
            self.next_config if config is None else config,
            seed=np.random.default_rng([self.seed, len(self.games)]),
        )

    def finish(self, game: Game) -> None:
        """Record a finished game.

        Raises:
            ConfigError: if the game is not over; nothing is recorded.
        """
        self.games.append(Finished.of(game))

    @property
    def score(self) -> dict[str, float]:
        """Points by name: 1 for a win, half a point for a draw or a truncated game."""
        points = dict.fromkeys(self.players, 0.0)
        for game in self.games:
            for player, name in zip(PLAYERS, self.players, strict=True):
                points[name] += 0.5 if game.winner is None else float(game.winner == player)
        return points

    def to_dict(self) -> dict[str, Any]:
        games = [dataclasses.asdict(game) for game in self.games]
        content = {
            "players": self.players,
            "config": dataclasses.asdict(self.config),
            "seed": self.seed,
            "games": games,
        }
        return json.loads(json.dumps(content))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Series:
        check_keys("series", content, cls._KEYS)
        settings, games = content["config"], content["games"]
        check_keys("config", settings, (field.name for field in dataclasses.fields(GameConfig)))
        if content["seed"] is None:
            raise ConfigError("seed", None, "it must be the seed of the series")
        series = cls(content["players"], seed=content["seed"], **settings)
        written = series.to_dict()
        for keyword, value in settings.items():
            if json.dumps(value) != json.dumps(written["config"][keyword]):
                raise ConfigError(
                    keyword,
                    value,
                    f"in its stored form it is {repr_of(written['config'][keyword])}",
                )
        if not isinstance(games, list):
            raise ConfigError("games", games, "it must be a list of finished games")
        series.games = [_parse_game(number, game) for number, game in enumerate(games, 1)]
        return series


def _checked_players(given: object) -> tuple[str, str]:
    if (
        isinstance(given, (tuple, list))
        and len(given) == len(PLAYERS)
        and all(is_text(name) and name for name in given)
    ):
        white, black = given
        if white != black:
            return str(white), str(black)
    raise ConfigError("players", given, "it must be two different names, white's and black's")


def _parse_game(number: int, content: object) -> Finished:
    """A finished game in a file, with its number from 1."""
    keyword = f"games, number {number}"
    check_keys(keyword, content, (field.name for field in dataclasses.fields(Finished)))
    assert isinstance(content, dict)
    try:
        return Finished(**content)
    except ConfigError as error:
        raise ConfigError(keyword, content, str(error)) from None
