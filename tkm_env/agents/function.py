"""A player made from a plain function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tkm_env.checks import whole_number
from tkm_env.errors import ConfigError, UnknownActionError, shown

__all__ = ["FunctionAgent"]


class FunctionAgent:
    """Plays the action that a function of the observation and the action mask returns.

    Args:
        function: takes what `Game.observation` and `Game.action_mask` return, and returns the index of a legal action.

    Raises:
        ConfigError: if it is not a function.

    >>> from tkm_env import Game
    >>> FunctionAgent(lambda observation, action_mask: action_mask.argmax()).act(Game())
    0
    """

    def __init__(self, function: Callable[[Any, np.ndarray[Any, Any]], Any]) -> None:
        if not callable(function):
            raise ConfigError("function", function, "it must be a function of an observation and an action mask")
        self._function = function
        self.name = getattr(function, "__name__", "function")

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Does nothing: a function has no state to reset."""

    def act(self, game: Any) -> int:
        """The function's action.

        Raises:
            UnknownActionError: if it returns anything but a whole number.
        """
        given = self._function(game.observation(), game.action_mask())
        action = whole_number(given)
        if action is None:
            raise UnknownActionError(f"{self.name} returned {shown(given)}, which is not the index of an action")
        return action
