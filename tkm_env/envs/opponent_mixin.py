"""The opponent's part of the Gymnasium interfaces, for one game and for many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tkm_env.envs.opponents import OpponentLike
from tkm_env.game.registry import GameSpec


class OpponentMixin(ABC):
    """An environment with an opponent."""

    #: The side that was asked for: a player's name or ``"random"``.
    wanted_side: str
    #: How games are shown to players: the keywords ``observation`` and ``canonical`` as they were given.
    shown_as: dict[str, Any]
    _spec: GameSpec
    _given_opponent: OpponentLike

    @property
    def game_name(self) -> str:
        """The game's name in the registry."""
        return self._spec.name

    @property
    def opponent(self) -> OpponentLike:
        """The opponent, as it was given; setting it is `set_opponent`."""
        return self._given_opponent

    @opponent.setter
    def opponent(self, opponent: OpponentLike) -> None:
        self.set_opponent(opponent)

    @abstractmethod
    def set_opponent(self, opponent: OpponentLike) -> None:
        """Play against another opponent from the next step on, also in games in progress; from a pool, new members are drawn for them.

        Raises:
            ConfigError: if it cannot play, or, with many games, if self-play would begin or end; nothing has changed then.
        """
