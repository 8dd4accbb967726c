"""What the Gymnasium environments, of one game and of many, say of the opponent in the same way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tkm_env.envs.opponents import OpponentLike


class OpponentMixin(ABC):
    """An environment with an opponent."""

    _wanted_side: str
    _given_opponent: OpponentLike
    _shown_as: dict[str, Any]

    @property
    def shown_as(self) -> dict[str, Any]:
        """How games are shown to players: the keywords ``observation`` and ``canonical`` as they were given; a new dict."""
        return {**self._shown_as}

    @property
    def wanted_side(self) -> str:
        """The side that was asked for: a player's name or ``"random"``."""
        return self._wanted_side

    @property
    def opponent(self) -> OpponentLike:
        """The opponent, as it was given; setting it is `set_opponent`."""
        return self._given_opponent

    @opponent.setter
    def opponent(self, opponent: OpponentLike) -> None:
        self.set_opponent(opponent)

    @abstractmethod
    def set_opponent(self, opponent: OpponentLike) -> None:
        """Play against another opponent from the next step on: games in progress go on against it, of a pool against members drawn now.

        Raises:
            ConfigError: if it is nothing that plays; nothing has changed then.
        """
