"""A player made of a plain function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["FunctionAgent"]


class FunctionAgent:
    """Plays what a function of the observation and the action mask answers.

    Args:
        function: gets what `Game.observation` and `Game.action_mask` give, and answers the index of a legal action.

    >>> from tkm_env import Game
    >>> FunctionAgent(lambda observation, action_mask: action_mask.argmax()).act(Game())
    0
    """

    def __init__(self, function: Callable[[Any, np.ndarray[Any, Any]], Any]) -> None:
        self._function = function
        self.name = getattr(function, "__name__", "function")

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """A function remembers nothing that is known here."""

    def act(self, game: Any) -> int:
        """The function's answer."""
        return int(self._function(game.observation(), game.action_mask()))
