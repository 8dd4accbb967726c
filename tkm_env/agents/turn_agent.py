"""Agents that think in whole turns: a turn is planned once, then played action by action."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from tkm_env.agents.base import game_over_error
from tkm_env.compiled.random_numbers import new_stream
from tkm_env.concurrency import no_concurrent_use


class TurnAgent(ABC):
    """An agent that plans a turn and follows the plan as long as the game does. One thread at a time may use it."""

    def __init__(self, name: str, seed: int | np.random.Generator | None) -> None:
        self.name = name
        self._users: dict[int, int] = {}
        self.reset(seed)

    @no_concurrent_use
    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        self._stream = new_stream(seed)
        #: The position in which the plan goes on, and the actions left; empty while it changes, since an interrupt may come at any call.
        self._plan: tuple[Any, Sequence[int]] = None, ()

    @no_concurrent_use
    def act(self, game: Any) -> int:
        """The next planned action; a new turn is planned if there is none, or the game has left the plan."""
        if game.result is not None:
            raise game_over_error()
        (expected, actions), self._plan = self._plan, (None, ())
        if not actions or game != expected:
            actions = self._plan_turn(game)
            expected = game.copy()
        expected.play(actions[0])
        self._plan = expected, actions[1:]
        return actions[0]

    @abstractmethod
    def _plan_turn(self, game: Any) -> Sequence[int]:
        """The actions of a whole turn, or of the rest of one."""
