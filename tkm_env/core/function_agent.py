"""A player made from a plain function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tkm_env.core.observation_encoder import PLANES, ObservationEncoders
from tkm_env.foundations.checks import whole_number
from tkm_env.foundations.errors import ConfigError, UnknownActionError, repr_of


class FunctionAgent:
    """Plays the action that a function of an observation and an info returns.

    Environments take such functions as opponents, too.

    Args:
        function: takes what the player to act sees, and ``info``, a dict with "action_mask" (int8
            of shape (actions,), 1 for each legal action), "to_act" (int, the player's index) and
            "game" (int, the index among the games played side by side: 0). It returns the index of
            a legal action.
        observation: what it sees: ``"planes"``, as `Game.observation` returns it, or ``"compact"``.
        canonical: whether it sees and plays every game as the first player.

    Attributes:
        encoders: how games are shown to the function.
        name: the function's name.

    Raises:
        ConfigError: if ``function`` is not callable, or there is no such observation.

    >>> from tkm_env import Game
    >>> FunctionAgent(lambda observation, info: info["action_mask"].argmax()).act(Game())
    0
    """

    def __init__(
        self,
        function: Callable[[Any, dict[str, Any]], Any],
        observation: str = PLANES,
        canonical: bool = False,
    ) -> None:
        if not callable(function):
            raise ConfigError("function", function, "it must be a function (observation, info)")
        self._function = function
        self.encoders = ObservationEncoders(observation, canonical)
        self.name = getattr(function, "__name__", "function")

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Do nothing: a function has no state to reset."""

    def act(self, game: Any) -> int:
        """The function's action.

        Raises:
            UnknownActionError: if it returns anything but an integer.
            ConfigError: if it sees compact observations, and the position is impossible under the
                game's settings.
        """
        encoder = self.encoders.on(type(game), game.config)
        encoder.check(game, "game", game)
        info = {
            "action_mask": encoder.action_mask(game),
            "to_act": game.players.index(game.to_act),
            "game": 0,
        }
        given = self._function(encoder.observation(game), info)
        action = whole_number(given)
        if action is None:
            raise UnknownActionError(
                f"{self.name} returned {repr_of(given)}, which is not the index of an action"
            )
        return encoder.own_action(game, action)
