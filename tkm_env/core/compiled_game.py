"""One game whose rules are compiled.

It consists of an engine's record, its legal actions, and the actions that led there.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.entry_points import EntryPoints
from tkm_env.compiled.kernels import NO_ACTION, NOBODY, REFUSED, write_keys
from tkm_env.core.game import BaseGame
from tkm_env.core.settings import checked_config
from tkm_env.core.state_arrays import copy_states, words_of
from tkm_env.core.turns import Turn, TurnKernels, list_turns
from tkm_env.foundations.checks import as_array
from tkm_env.foundations.errors import (
    ArrayError,
    ConcurrentUseError,
    ConfigError,
    IllegalActionError,
    repr_of,
)

Self = TypeVar("Self", bound="CompiledGame")

#: The index of a single game, and more turns than any game has.
_ONLY: Final = np.zeros(1, np.int64)
_ALL_TURNS: Final = np.full(1, 2**31)
#: The most actions that one compiled call plays at random.
_ROOM: Final = 32


def key_of_state(states: NDArray[np.void]) -> int:
    """`BaseGame.key` of the record ``states[0]``."""
    keys = np.empty(1, np.uint64)
    write_keys(words_of(states), keys)
    return int(keys[0])


class CompiledGame(BaseGame):
    """A game played by an engine.

    Two games are equal, with equal hashes, if their records are.

    Many threads may read and copy a game while none plays it. A thread that plays or copies a game
    while another thread plays it gets a `ConcurrentUseError`, and nothing changes. An exception
    from a signal handler, such as a `KeyboardInterrupt`, may come before or after the action is
    played; `history` says which.

    A constructor ends with ``self._begin_at(states, config)``, where ``states`` is a record of
    shape (1,). As its ``seed`` it also takes a stream to draw from, uint64 of shape (1,).
    """

    __slots__ = ("_busy", "_mask", "_start", "_states", "_status")

    #: The record's dtype.
    dtype: ClassVar[np.dtype[Any]]
    kernels: ClassVar[EntryPoints]
    #: How turns are listed; None for a game without compiled code for it.
    turn_kernels: ClassVar[TurnKernels | None] = None

    @classmethod
    def from_chance(cls: type[Self], config: Any, chance: Any, position: str | None = None) -> Self:
        return cls(
            config, seed=chance, position=position
        )  # compiled games draw from the stream itself

    @classmethod
    def from_state(cls: type[Self], state: NDArray[np.void], config: Any = None) -> Self:
        """A game that continues from an engine state.

        It may be the `state` of a game or a row of a batch's ``states``.

        Args:
            state: one state of the engine's dtype, of shape (1,) or (); it is copied.
            config: what `config` will return; None for the settings that the state holds.

        Returns:
            The game, without a history.

        Raises:
            ArrayError: if the shape or dtype is wrong, or the state does not represent a position
                (NOTATION).
            ConfigError: if the config has other settings than the state.
        """
        given = as_array(state)
        if given.dtype != cls.dtype or given.size != 1:
            raise ArrayError(
                "state",
                f"shape {given.shape} and dtype {given.dtype}",
                "one state of the engine's dtype",
            )
        states = copy_states(given.reshape(1))
        try:
            own, position = cls._settings_in(states), cls._text_of(states)
            game = cls(own, position=position)
        except (IndexError, KeyError, OverflowError, ValueError) as error:
            raise ArrayError(
                "state", f"numbers that no position has ({repr_of(error)})", "those of a position"
            ) from None
        if game._states.tobytes() != states.tobytes():
            raise ArrayError(
                "state",
                "numbers that no position has",
                f"those of a position, such as {position!r}",
            )
        if config is not None:
            game._config = checked_config(cls.default_config, config)
            if cls(config, position=position) != game:
                raise ConfigError("config", config, f"the state has other settings: {own}")
        return game

    @classmethod
    @abstractmethod
    def _settings_in(cls, states: NDArray[np.void]) -> Any:
        """The settings that a state holds; any error means that the state is no position."""

    @classmethod
    @abstractmethod
    def _text_of(cls, states: NDArray[np.void]) -> str:
        """The text of the position in a state; any error means that the state is no position."""

    @classmethod
    def _at(cls: type[Self], states: NDArray[np.void], config: Any) -> Self:
        """A game that continues from a state that this package made, which is not copied."""
        game = object.__new__(cls)
        game._begin_at(states, config)
        return game

    def _begin_at(self, states: NDArray[np.void], config: Any) -> None:
        self._begin(config)
        # With the class's own dtype object: numba recognises it at once, but compares other equal
        # dtypes field by field, which takes longer than playing.
        self._states = states.view(self.dtype)
        self._start = copy_states(self._states)
        self._mask = np.zeros(len(self.action_names), np.int8)
        self._busy = False
        #: What a kernel returns after each action: the index of the player to act plus twice the
        #: result.
        self._status = self.kernels.play(self._states, NO_ACTION, self._mask)

    @property
    def position(self) -> str:
        """The position's text (NOTATION), including what is hidden from the players."""
        return self._text_of(self._states)

    @property
    @abstractmethod
    def step_text(self) -> str:
        """The step field of the position: the decision that is due."""

    @property
    def to_act(self) -> str:
        return self.players[self._status & 1]

    @property
    def turn(self) -> int:
        turn: int = self._states["turn"].item()
        return turn

    @property
    def result(self) -> str | None:
        return self.results.get(self._status >> 1)

    @property
    def state(self) -> NDArray[np.void]:
        """The position as the engine holds it: an array of shape (1,); a copy."""
        return copy_states(self._states)

    @property
    def start(self: Self) -> Self:
        return self._at(copy_states(self._start), self._config)

    @property
    def start_state(self) -> NDArray[np.void]:
        """The `state` of `start`, in less time than that takes; a copy."""
        return copy_states(self._start)

    def restart(self: Self) -> Self:
        return self._at(copy_states(self._states), self._config)

    def action_mask(self) -> NDArray[np.int8]:
        return self._mask.copy()

    def legal_actions(self) -> list[int]:
        return self._mask.nonzero()[0].tolist()

    @property
    def key(self) -> int:
        return key_of_state(self._states)

    def turns(self: Self) -> tuple[Turn[Self], ...]:
        kernels = self.turn_kernels
        if kernels is None:
            return super().turns()
        _, rows = list_turns(kernels, self._states, np.zeros(1, np.int64))
        ends = (
            self._at(copy_states(rows.states[row : row + 1]), self._config)
            for row in range(len(rows.states))
        )
        return tuple(map(Turn, rows.ways, ends))

    def observation(self, player: str | None = None) -> NDArray[np.int8]:
        observation: NDArray[np.int8] = np.empty(self.observation_shape, np.int8)
        self._observe(self._status & 1 if player is None else self._number_of(player), observation)
        return observation

    def play(self, action: int | str) -> None:
        self._advance(action)

    def play_and_observe(self, action: int | str) -> NDArray[np.int8]:
        """`play`, then `observation` of the player to act, in half the time of two calls.

        Args:
            action: as for `play`.

        Returns:
            The observation: a new array.

        Raises:
            IllegalActionError: as for `play`.
            UnknownActionError: as for `play`.
        """
        observation: NDArray[np.int8] = np.empty(self.observation_shape, np.int8)
        self._advance(action, observation)
        return observation

    def play_turn(self, actions: Iterable[int | str]) -> int:
        turns, turn, status, played = self._states["turn"], self.turn, self._status, 0
        for action in actions:
            if played and (self._status != status or turns.item() != turn):
                break
            self._advance(action)
            played += 1
        return played

    def _play(self, action: int) -> None:
        self._advance(action)

    def play_at_random(
        self, stream: NDArray[np.uint64], player: str | None = None, turns: float = math.inf
    ) -> list[int]:
        stop = NOBODY if player is None else self.players.index(player)
        until = _ALL_TURNS if turns == math.inf else np.array([self.turn + turns], np.int64)
        if self._busy:
            raise ConcurrentUseError(type(self).__name__)
        before, played = len(self._history), [_ROOM]
        while played[0] == _ROOM:
            room = np.zeros(1 + _ROOM, np.int64)
            self._busy = True
            try:
                status = self.kernels.play_at_random(
                    self._states, _ONLY, stop, until, stream, self._mask, room
                )
                played = room.tolist()
                self._status = status
                self._history += played[1 : 1 + played[0]]
            except BaseException:  # as in `_advance`
                self._recover(room[1 : 1 + room[0]].tolist())
                raise
            finally:
                self._busy = False
        return self._history[before:]

    def _observe(self, viewer: int, observation: NDArray[np.int8]) -> None:
        self.kernels.observe(self._states, viewer, observation)

    def _advance(self, action: int | str, observation: NDArray[np.int8] | None = None) -> None:
        """Play a legal action; write what the next player to act sees if given an array for it."""
        index = (
            action
            if type(action) is int and 0 <= action < len(self._mask)
            else self.index_of(action)
        )
        if self._busy:
            raise ConcurrentUseError(type(self).__name__)
        self._busy = True
        try:
            if observation is None:
                status = self.kernels.play(self._states, index, self._mask)
            else:
                status = self.kernels.play_and_observe(self._states, index, self._mask, observation)
            if status == REFUSED:
                raise IllegalActionError(self.why_illegal(index))
            self._status = status
            self._history.append(index)
        except IllegalActionError:
            raise
        except (
            BaseException
        ):  # raised by a signal's handler, before the action was played or after it
            self._recover([index])
            raise
        finally:
            self._busy = False

    def _recover(self, actions: Iterable[int]) -> None:
        """Complete the history and the status after an interrupt.

        It came during one compiled call that was to play these actions.
        """
        again = self._at(copy_states(self._start), self._config)
        for earlier in self._history:
            again.play(earlier)
        if again._states.tobytes() != self._states.tobytes():
            for action in actions:
                again.play(action)
                self._history.append(action)
        self._status = again._status

    def why_illegal(self, action: int) -> str:
        if self.result is not None:
            return super().why_illegal(action)
        name, legal = self.action_names[self.index_of(action)], ", ".join(self.legal_names())
        return f"{name!r} is not legal for {self.to_act} at step {self.step_text}; legal: {legal}"

    def copy(self: Self) -> Self:
        twin = object.__new__(type(self))
        twin._config = self._config
        twin._start = self._start
        twin._busy = False
        twin._history = self._history.copy()
        twin._status = self._status
        twin._states = np.frombuffer(
            bytearray(self._states.tobytes()), self.dtype
        )  # `copy_states`, without the call
        twin._mask = self._mask.copy()
        if self._busy or len(self._history) != len(
            twin._history
        ):  # some of it is older than the rest
            raise ConcurrentUseError(type(self).__name__)
        return twin

    __copy__ = copy

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds settings, position and history, and is checked like them."""
        return _unpickle, (type(self), self._config, self._text_of(self._start), self._history)

    def __eq__(self, other: object) -> bool:
        return (
            self._states.tobytes() == other._states.tobytes()
            if isinstance(other, type(self))
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash(self._states.tobytes())


def _unpickle(game_class: type[Self], config: Any, start: str, history: list[int]) -> Self:
    game = game_class(config, position=start)
    for action in history:
        game.play(action)
    return game
