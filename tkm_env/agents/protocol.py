"""What a player is: a name, a seed, and an action for a game. Imports `game` and the engine."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from tkm_env.engine.streams import new_streams
from tkm_env.errors import ConfigError
from tkm_env.game import Game

__all__ = ["Agent", "checked_count", "checked_number", "new_stream", "state_of"]


@runtime_checkable
class Agent(Protocol):
    """A player with a forward model: it is shown the game and answers with an action.

    Attributes:
        name: what to call it in tables; the same for the same settings.
    """

    name: str

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Forget the last game, and draw from ``seed`` from now on; None draws a seed from the system."""

    def act(self, game: Game) -> int:
        """A legal action for the side to act, as an index; the game stays as it is."""


def state_of(game: Game) -> np.ndarray[Any, Any]:
    """A copy of the game's record, as an array of shape (1,)."""
    states: np.ndarray[Any, Any] = game.state
    return states


def new_stream(seed: int | np.random.Generator | None) -> np.ndarray[Any, Any]:
    """A stream of random numbers for compiled code, uint64 of shape (1,)."""
    return new_streams([int(np.random.default_rng(seed).integers(2**62))])


def checked_count(keyword: str, given: object, *, least: int = 1, most: int = 2**62) -> int:
    """``given`` if it is a whole number within bounds.

    Raises:
        ConfigError: otherwise.
    """
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or not least <= given <= most:
        raise ConfigError(keyword, given, f"it must be a whole number from {least} to {most}")
    return int(given)


def checked_number(keyword: str, given: object) -> float:
    """``given`` if it is a number above 0.

    Raises:
        ConfigError: otherwise.
    """
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not 0 < given < float("inf"):
        raise ConfigError(keyword, given, "it must be a number above 0")
    return float(given)
