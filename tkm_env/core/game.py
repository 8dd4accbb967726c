"""The part of a game as a value that is the same for every game. Imports `errors` and the engine's `copied`; `records` when asked to.

A game is one record of the engine's, what is legal in it, and the actions that led there.
"""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.engine.batch import NO_ACTION
from tkm_env.engine.state import copied
from tkm_env.errors import ArrayError, ConfigError, IllegalActionError, RecordError, UnknownActionError

if TYPE_CHECKING:
    from tkm_env.render.story import Story

__all__ = ["CompiledGame"]

Self = TypeVar("Self", bound="CompiledGame")

_SIZE_IN_NOTEBOOKS: Final = 760


class CompiledGame:
    """One game, from its start or from a position on; see the classes that derive from this.

    Two games are equal, and have the same hash, when their records are. The actions that led there do not count.
    """

    __slots__ = ("_config", "_history", "_mask", "_start", "_states", "_told")

    #: Which game it is, one of `tkm_env.games.GAMES`.
    name: ClassVar[str]
    #: The players' names, by which they are numbered.
    players: ClassVar[tuple[str, ...]]
    #: All action names in index order.
    action_names: ClassVar[tuple[str, ...]]
    #: The texts of a finished game's results, by the record's field ``result``.
    results: ClassVar[Mapping[int, str]]
    #: The record's dtype, and the shape of an observation.
    dtype: ClassVar[np.dtype[Any]]
    observation_shape: ClassVar[tuple[int, ...]]
    #: The settings where none are given.
    default_config: ClassVar[Any]

    _config: Any

    @abstractmethod
    def __init__(
        self,
        config: Any = None,
        *,
        seed: int | np.random.Generator | None = None,
        position: str | None = None,
        **settings: Any,
    ) -> None:
        """A game under these settings, from a position if one is given; what is left to chance is drawn from ``seed``."""

    @classmethod
    def from_state(cls: type[Self], state: NDArray[np.void], config: Any = None) -> Self:
        """A game that goes on from a state of the engine's, as in `state` and in a row of a batch's ``states``.

        Args:
            state: one state of the engine's dtype, of shape (1,) or (); it is copied.
            config: what `config` is to tell; the state itself holds all settings that matter.

        Raises:
            ArrayError: if it is another array.
        """
        given = np.asarray(state)
        if given.dtype != cls.dtype or given.size != 1:
            raise ArrayError("state", f"shape {given.shape} and dtype {given.dtype}", "one state of the engine's dtype is")
        game = object.__new__(cls)
        game._begin(copied(given.reshape(1)), config or cls.default_config)
        return game

    def _begin(self, state: NDArray[np.void], config: Any) -> None:
        self._config = config
        self._states = state
        self._start = copied(state)
        self._history: list[int] = []
        self._mask = np.zeros(len(self.action_names), np.int8)
        #: What the engine tells after each action: the player to act plus twice the result.
        self._told = self._played(NO_ACTION)

    @abstractmethod
    def _played(self, action: int) -> int:
        """Play a legal action, if it is not `NO_ACTION`, and write the mask; answer the player to act plus twice the result."""

    @abstractmethod
    def _played_and_observed(self, action: int, observation: NDArray[np.int8]) -> int:
        """The same, and write what the player then to act sees."""

    @abstractmethod
    def _observe(self, viewer: int, observation: NDArray[np.int8]) -> None:
        """Write what a player sees."""

    @property
    def config(self) -> Any:
        """The settings."""
        return self._config

    @property
    @abstractmethod
    def position(self) -> str:
        """The position's text."""

    @property
    @abstractmethod
    def step_text(self) -> str:
        """The position's field of the step: what is to be decided."""

    def why_illegal(self, action: int) -> str:
        """A sentence that tells why an action that is not in the mask is illegal."""
        name = self.action_names[action]
        if self.result is not None:
            return f"{name!r} is not legal: the game is over, {self.result}"
        return f"{name!r} is not legal for {self.to_act} at step {self.step_text}; legal: {', '.join(self.legal_names())}"

    @abstractmethod
    def svg(self, *, size: int | None = None, theme: str = "light", last: bool = True, legal: bool = False) -> str:
        """The drawing of the position, as an SVG document (see ``docs/drawing.md``).

        Args:
            size: how wide it is, in pixels; None leaves that to what shows it.
            theme: ``"light"`` or ``"dark"``.
            last: whether what the last action did is marked.
            legal: whether the targets of the legal actions are marked.

        Raises:
            ConfigError: if the size or the theme cannot be.
        """

    @abstractmethod
    def story(self, players: Mapping[str, str] | None = None) -> Story:
        """The game to be replayed: what `tkm_env.render.replay.page` and `tkm_env.render.gif.images` show.

        Args:
            players: who played it, by side.
        """

    @classmethod
    @abstractmethod
    def action_index(cls, name: str) -> int:
        """The index of an action's name, or `UnknownActionError`."""

    @property
    def to_act(self) -> str:
        """Whose decision is next, one of `players`; when the game is over, whose turn ended it."""
        return self.players[self._told & 1]

    @property
    def turn(self) -> int:
        """The number of the turn, from 1; a turn is one player's."""
        return int(self._states["turn"][0])

    @property
    def result(self) -> str | None:
        """None while the game goes on; "1-0" or "0-1" when the first or the second of `players` won; see `results`."""
        return self.results.get(self._told >> 1)

    @property
    def winner(self) -> str | None:
        """Who won: one of `players`, or None."""
        return {"1-0": self.players[0], "0-1": self.players[1]}.get(self.result or "")

    @property
    def is_cut_off(self) -> bool:
        """Whether the game ended for a reason outside its rules: a truncation, nobody's win."""
        return self.result == "*"

    @property
    def state(self) -> NDArray[np.void]:
        """The position as the engine holds it: an array of shape (1,); a copy."""
        state: NDArray[np.void] = copied(self._states)
        return state

    @property
    def history(self) -> list[int]:
        """The actions played since the start or the given position, oldest first; a new list."""
        return list(self._history)

    @property
    def start(self: Self) -> Self:
        """The game as it began: from its start or from the given position."""
        return self.from_state(self._start, self._config)

    def at(self: Self, ply: int) -> Self:
        """The game as it stood after its first actions.

        Args:
            ply: how many of them; as in a slice, a negative number counts from the end.

        >>> from tkm_env import Game
        >>> game = Game()
        >>> game.play("choose 1")
        >>> game.at(-1) == game.at(0) == game.start
        True
        """
        game = self.start
        for action in self._history[:ply]:
            game.play(action)
        return game

    def to_record(self, **told: Any) -> dict[str, Any]:
        """The game record, ready for `json.dumps`; see `tkm_env.records.to_record` for the keywords."""
        from tkm_env.records import to_record

        return to_record(self, **told)

    @classmethod
    def from_record(cls: type[Self], record: Mapping[str, Any]) -> Self:
        """The game that a record tells; see `tkm_env.records.from_record`.

        Raises:
            RecordError: also if the record tells of another game than this class is for.
        """
        from tkm_env.records import from_record

        game = from_record(record)
        if not isinstance(game, cls):
            raise RecordError("game", f"it must be {cls.name!r}, not {game.name!r}")
        return game

    def legal_actions(self) -> list[int]:
        """The indices of all legal actions, in order; none when the game is over."""
        actions: list[int] = self._mask.nonzero()[0].tolist()
        return actions

    def legal_names(self) -> list[str]:
        """The names of all legal actions, in the order of their indices."""
        return [self.action_names[action] for action in self.legal_actions()]

    def action_mask(self) -> NDArray[np.int8]:
        """1 for each legal action, 0 for the others: int8 of shape (actions,); a new array."""
        mask: NDArray[np.int8] = self._mask.copy()
        return mask

    def observation(self, player: str | None = None) -> NDArray[np.int8]:
        """What a player, by default the one to act, sees: int8 of `observation_shape`; a new array.

        Raises:
            ConfigError: if there is no such player.
        """
        observation: NDArray[np.int8] = np.empty(self.observation_shape, np.int8)
        self._observe(self._told & 1 if player is None else self._number_of(player), observation)
        return observation

    def play(self, action: int | str) -> None:
        """Carry out a legal action, given by index or name, up to the next decision.

        Raises:
            IllegalActionError: if the action is not legal here; the game stays as it was.
        """
        index = self._checked(action)
        self._told = self._played(index)
        self._history.append(index)

    def play_and_observe(self, action: int | str) -> NDArray[np.int8]:
        """`play`, and then `observation` of the player to act, in half the time that both take.

        Raises:
            IllegalActionError: if the action is not legal here; the game stays as it was.
        """
        index = self._checked(action)
        observation: NDArray[np.int8] = np.empty(self.observation_shape, np.int8)
        self._told = self._played_and_observed(index, observation)
        self._history.append(index)
        return observation

    def _checked(self, action: int | str) -> int:
        """The index of a legal action."""
        index = self.action_index(action) if isinstance(action, str) else self._checked_index(action)
        if not self._mask[index]:
            raise IllegalActionError(self.why_illegal(index))
        return index

    def _checked_index(self, action: object) -> int:
        """The action's index as an int; anything `operator.index` takes is one, if it lies in the enumeration."""
        try:
            index = operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            index = None
        if index is None or isinstance(action, bool):
            raise UnknownActionError(f"an action is a name or an index from 0 to {len(self.action_names) - 1}, not {action!r}")
        if not 0 <= index < len(self.action_names):
            raise UnknownActionError(f"there is no action {index}; indices go from 0 to {len(self.action_names) - 1}")
        return index

    def _number_of(self, player: str) -> int:
        if player not in self.players:
            raise ConfigError("player", player, f"it must be {' or '.join(map(repr, self.players))}")
        return self.players.index(player)

    def copy(self: Self) -> Self:
        """An independent game in the same position, with the same history."""
        twin = object.__new__(type(self))
        twin._config = self._config
        twin._told = self._told
        twin._start = self._start
        twin._states = copied(self._states)
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

    def __repr__(self) -> str:
        return f"{type(self).__name__}(position={self.position!r})"

    def _repr_svg_(self) -> str:
        """The drawing, where a notebook shows a game."""
        return self.svg(size=_SIZE_IN_NOTEBOOKS)
