"""One game whose rules are compiled: an engine's record, its legal actions, and the actions that led there."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.checks import as_array
from tkm_env.core.game import BaseGame
from tkm_env.core.kernels import NO_ACTION
from tkm_env.core.settings import checked_config
from tkm_env.core.states import copy_states
from tkm_env.errors import ArrayError, IllegalActionError

__all__ = ["CompiledGame"]

Self = TypeVar("Self", bound="CompiledGame")


class CompiledGame(BaseGame):
    """A game played by an engine; two games are equal, with equal hashes, when their records are.

    A constructor ends with ``self._begin_at(states, config)``, where ``states`` is a record of shape (1,).
    """

    __slots__ = ("_mask", "_start", "_states", "_status")

    #: The record's dtype.
    dtype: ClassVar[np.dtype[Any]]

    @classmethod
    def from_state(cls: type[Self], state: NDArray[np.void], config: Any = None) -> Self:
        """A game that continues from an engine state, such as `state` or a row of a batch's ``states``.

        Args:
            state: one state of the engine's dtype, of shape (1,) or (); it is copied.
            config: what `config` will return; the state itself holds all settings that matter.

        Raises:
            ArrayError: if the shape or dtype is wrong.
            ConfigError: if ``config`` is not a config of this game.
        """
        given = as_array(state)
        if given.dtype != cls.dtype or given.size != 1:
            raise ArrayError("state", f"shape {given.shape} and dtype {given.dtype}", "one state of the engine's dtype")
        game = object.__new__(cls)
        game._begin_at(copy_states(given.reshape(1)), checked_config(cls.default_config, config))
        return game

    def _begin_at(self, states: NDArray[np.void], config: Any) -> None:
        self._begin(config)
        self._states = states
        self._start = copy_states(states)
        self._mask = np.zeros(len(self.action_names), np.int8)
        #: What a kernel returns after each action: the player to act plus twice the result.
        self._status = self._step(NO_ACTION)

    @abstractmethod
    def _step(self, action: int) -> int:
        """Play a legal action, unless it is `NO_ACTION`, and write the mask; returns the player to act plus twice the result."""

    @abstractmethod
    def _step_and_observe(self, action: int, observation: NDArray[np.int8]) -> int:
        """The same, and write what the next player to act sees."""

    @property
    @abstractmethod
    def step_text(self) -> str:
        """The step field of the position: what is to be decided."""

    @property
    def to_act(self) -> str:
        return self.players[self._status & 1]

    @property
    def turn(self) -> int:
        return int(self._states["turn"][0])

    @property
    def result(self) -> str | None:
        return self.results.get(self._status >> 1)

    @property
    def state(self) -> NDArray[np.void]:
        """The position as the engine holds it: an array of shape (1,); a copy."""
        return copy_states(self._states)

    @property
    def start(self: Self) -> Self:
        return self.from_state(self._start, self._config)

    def action_mask(self) -> NDArray[np.int8]:
        mask: NDArray[np.int8] = self._mask.copy()
        return mask

    def legal_actions(self) -> list[int]:
        actions: list[int] = self._mask.nonzero()[0].tolist()
        return actions

    def observation(self, player: str | None = None) -> NDArray[np.int8]:
        observation: NDArray[np.int8] = np.empty(self.observation_shape, np.int8)
        self._observe(self._status & 1 if player is None else self._number_of(player), observation)
        return observation

    def play(self, action: int | str) -> None:
        index = self._checked(action)
        self._status = self._step(index)
        self._history.append(index)

    def play_and_observe(self, action: int | str) -> NDArray[np.int8]:
        """`play`, then `observation` of the player to act, in half the time of two calls.

        Raises:
            IllegalActionError: if the action is not legal here; the game is unchanged.
        """
        index = self._checked(action)
        observation: NDArray[np.int8] = np.empty(self.observation_shape, np.int8)
        self._status = self._step_and_observe(index, observation)
        self._history.append(index)
        return observation

    def _play(self, action: int) -> None:
        self._status = self._step(action)

    def _checked(self, action: int | str) -> int:
        index = self.index_of(action)
        if not self._mask[index]:
            raise IllegalActionError(self.why_illegal(index))
        return index

    def why_illegal(self, action: int) -> str:
        if self.result is not None:
            return super().why_illegal(action)
        legal = ", ".join(self.legal_names())
        return (
            f"{self.action_names[self.index_of(action)]!r} is not legal for {self.to_act} at step {self.step_text}; legal: {legal}"
        )

    def copy(self: Self) -> Self:
        twin = object.__new__(type(self))
        twin._config = self._config
        twin._status = self._status
        twin._start = self._start
        twin._states = copy_states(self._states)
        twin._mask = self._mask.copy()
        twin._history = self._history.copy()
        return twin

    __copy__ = copy

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        return self._states.tobytes() == other._states.tobytes() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._states.tobytes())
