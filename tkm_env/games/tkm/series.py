"""A series of games between two players."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Final

import numpy as np

from tkm_env.core.settings import make_config
from tkm_env.errors import ConfigError
from tkm_env.files import content_of, read_json, write_json
from tkm_env.games.tkm.config import GameConfig
from tkm_env.games.tkm.engine.state import PLAYERS
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.notation import RESULTS

__all__ = ["Finished", "Series", "first_player_after"]

_KIND: Final = "tkm_env series"


@dataclasses.dataclass(frozen=True)
class Finished:
    """A finished game of a series: the player who took the first turn, the result as in `Game.result`, the number of turns."""

    first_player: str
    result: str
    turns: int

    def __post_init__(self) -> None:
        if self.first_player not in PLAYERS or self.result not in RESULTS.values() or type(self.turns) is not int or self.turns < 1:
            raise ValueError(f"no game ends as {self}")

    @classmethod
    def of(cls, game: Game) -> Finished:
        """What a series records of a game.

        Raises:
            ValueError: if the game is not over.
        """
        if game.result is None or game.first_player is None:
            raise ValueError(f"the game is not over: {game.position}")
        return cls(game.first_player, game.result, game.turn)

    @property
    def winner(self) -> str | None:
        return {"1-0": "white", "0-1": "black"}.get(self.result)


def first_player_after(game: Finished) -> str:
    """Who goes first in the next game (RULES §9): the loser; after a draw or a truncated game, the player who went second (EN 4, 12)."""
    last = game.winner or game.first_player
    return next(player for player in PLAYERS if player != last)


class Series:
    """A series of games between two players, who keep their colours, with a running score.

    Args:
        players: the names of white and black.
        config: the settings of every game, or give them as keywords. ``first_player`` refers to the first game.
        seed: for everything drawn in the games; None draws a seed from the system.

    >>> series = Series(("Ada", "Bob"), seed=1, max_turns=1)
    >>> game = series.next_game()
    >>> for action in ("choose 1", "move east", "move east", "focus present"):
    ...     game.play(action)
    >>> series.finish(game)
    >>> series.score, series.next_first_player
    ({'Ada': 0.5, 'Bob': 0.5}, 'black')
    """

    def __init__(
        self,
        players: tuple[str, str] = PLAYERS,
        config: GameConfig | None = None,
        *,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        if len(players) != len(PLAYERS) or not all(isinstance(name, str) and name for name in players) or players[0] == players[1]:
            raise ConfigError("players", players, "it must be two different names, white's and black's")
        self.players = (players[0], players[1])
        self.config = make_config(GameConfig, config, settings)
        self.seed = int(np.random.SeedSequence(seed).entropy)  # type: ignore[arg-type]
        self.games: list[Finished] = []

    @property
    def next_first_player(self) -> str:
        """Who goes first in the next game: "white" or "black"; with a timeline, who drafts first."""
        return first_player_after(self.games[-1]) if self.games else self.config.first_player

    @property
    def next_config(self) -> GameConfig:
        """The settings of the next game."""
        return dataclasses.replace(self.config, first_player=self.next_first_player)

    def next_game(self, config: GameConfig | None = None) -> Game:
        """The next game at its start; the same one until `finish` is called. ``config`` replaces the series' own settings."""
        return Game(config or self.next_config, seed=np.random.default_rng([self.seed, len(self.games)]))

    def finish(self, game: Game) -> None:
        """Record a finished game.

        Raises:
            ValueError: if it is not over; nothing is recorded then.
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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the series as JSON."""
        write_json(path, _KIND, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Series:
        """Read the series in a file.

        Raises:
            FileError: if the file does not contain one.
        """
        content = read_json(path, _KIND, ("players", "config", "seed", "games"))
        with content_of(path):
            return cls.from_dict(content)

    def to_dict(self) -> dict[str, Any]:
        """The series as JSON types."""
        return {
            "players": list(self.players),
            "config": dataclasses.asdict(self.config),
            "seed": self.seed,
            "games": [dataclasses.asdict(game) for game in self.games],
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Series:
        """The inverse of `to_dict`."""
        series = cls(tuple(content["players"]), seed=content["seed"], **content["config"])
        series.games = [Finished(**game) for game in content["games"]]
        return series
