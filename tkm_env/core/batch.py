"""Many games as arrays, whatever the game: the interface the vector environments use, and every part of it that needs no rules."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.core.exclusive import exclusive
from tkm_env.core.game import BaseGame
from tkm_env.core.kernels import BEGIN, NO_ACTION, UNDECIDED
from tkm_env.core.settings import checked_integer
from tkm_env.errors import ArrayError, ConfigError

__all__ = ["MAX_GAMES", "BaseBatch", "Played", "Seeds", "read_only"]

#: How games are seeded: one number (game i gets that number plus i), or one for each game; None continues with the current streams,
#: initially seeded by the system.
Seeds = int | Sequence[int] | None

MAX_GAMES: Final = 2**24
_MAX_THREADS: Final = 256
#: Bounds that every int64 satisfies.
_ANY: Final = -(2**63), 2**63 - 1

Played = TypeVar("Played", bound=BaseGame)


class BaseBatch(ABC, Generic[Played]):
    """Games side by side under the same settings, as arrays with one row per game, changed in place by each call.

    One Python thread at a time may call it; a second one gets a `ConcurrentUseError`, and nothing changes.

    Args:
        num_games: how many, 1 to 16,777,216.
        config: the settings.
        num_threads: the maximum number of cores, 1 to 256.

    What a signal's handler raises, such as a `KeyboardInterrupt`, leaves every game in a position of its rules, with its mask.
    """

    #: One game as a value.
    game_class: type[Played]

    def __init__(self, num_games: int, config: Any, num_threads: int) -> None:
        self.num_games = checked_integer("num_games", num_games, 1, MAX_GAMES)
        self._num_threads = checked_integer("num_threads", num_threads, 1, _MAX_THREADS)
        self.config = config
        self._users: dict[int, int] = {}
        self.players = self.game_class.players
        self.num_actions = len(self.game_class.action_names)
        self._earned, self._truncates, self._texts = _ends(self.game_class.results)
        self._masks = np.zeros((self.num_games, self.num_actions), np.int8)
        self._results = np.zeros(self.num_games, np.int8)
        self._illegal = np.zeros(self.num_games, np.bool_)
        self._show()

    def _show(self) -> None:
        """Make the views of the arrays that users see: they cannot write to what compiled code relies on."""
        self._seen = {name: read_only(getattr(self, name)) for name in ("_masks", "_results", "_illegal")}

    def __getstate__(self) -> dict[str, Any]:
        """Leaves the views out, which would be copied as arrays of their own."""
        return {name: value for name, value in self.__dict__.items() if name != "_seen"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._show()

    # What a batch gives.

    @property
    def masks(self) -> NDArray[np.int8]:
        """1 for each legal action of the player to act, all 0 in a game that is over: int8 of shape (n, actions); read-only."""
        return self._seen["_masks"]

    @property
    def results(self) -> NDArray[np.int8]:
        """0 while a game is in progress, else a key of the game's ``results``: int8 of shape (n,); read-only."""
        return self._seen["_results"]

    @property
    def illegal(self) -> NDArray[np.bool_]:
        """Whether the last action was illegal, which loses the game: bool of shape (n,); read-only."""
        return self._seen["_illegal"]

    @property
    @abstractmethod
    def to_act(self) -> NDArray[np.int64]:
        """The player to act in each game, as an index into `players`; in a game that is over, the player whose turn ended it."""

    @abstractmethod
    def game(self, number: int) -> Played:
        """One of the games as an independent value, to inspect or to search.

        Raises:
            IndexError: if there is no such game.
        """

    @abstractmethod
    def set_game(self, number: int, game: Played) -> None:
        """Replace one of the games by a copy of another one, such as a position to play on from many times.

        Raises:
            IndexError: if there is no such game.
            ConfigError: if it is a different kind of game; nothing has changed then.
        """

    @abstractmethod
    def draw(self, mask: NDArray[np.bool_], below: int) -> NDArray[np.int64]:
        """A whole number from 0 to ``below`` - 1 for each selected game, from its own random stream."""

    @abstractmethod
    def random_actions(self) -> NDArray[np.int64]:
        """A legal action for each game, all equally likely, from its own random stream; `NO_ACTION` where a game is over."""

    @abstractmethod
    def play_at_random(self, players: NDArray[np.int64]) -> None:
        """Play random legal actions in each game until it is over or ``players[i]``, 0 or 1, is to act."""

    @abstractmethod
    def _seed(self, mask: NDArray[np.bool_], seeds: list[int]) -> None:
        """Seed the selected games; ``seeds`` has one entry for every game."""

    @abstractmethod
    def _play(self, actions: NDArray[np.int64]) -> None:
        """Play an action, `NO_ACTION` or `BEGIN` in each game, as `play` describes; the input has been checked."""

    @abstractmethod
    def _step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Play, restart and observe, as `step` describes; the input has been checked."""

    @abstractmethod
    def _observe(self, viewers: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Write what each game's viewer sees; the input has been checked."""

    @abstractmethod
    def _observe_some(self, indices: NDArray[np.int64], viewers: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Write what the viewers of some games see; the input has been checked."""

    # What follows from that.

    def new_observations(self) -> NDArray[np.int8]:
        """A zeroed array for an observation of each game: int8 of shape (n, *observation)."""
        return np.zeros((self.num_games, *self.game_class.observation_shape), np.int8)

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which games are over: bool of shape (n,)."""
        over: NDArray[np.bool_] = self._results != UNDECIDED
        return over

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Which games ended for a reason outside their rules: bool of shape (n,)."""
        return self._truncates[self._results]

    def truncated_of(self, indices: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The same for the games with these indices: bool of shape (k,)."""
        return self._truncates[self._results[indices]]

    @property
    def rewards(self) -> NDArray[np.float64]:
        """What each player earned: 1 for a win, -1 for a loss, else 0; float64 of shape (n, players)."""
        return self._earned[self._results]

    def rewards_of(self, indices: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same for the games with these indices: float64 of shape (k, players)."""
        return self._earned[self._results[indices]]

    def result(self, game: int) -> str | None:
        """How one game ended, as `BaseGame.result`; None while it is in progress."""
        return self.game_class.results.get(int(self._results[game]))

    def results_of(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """The same for the games with these indices: text or None, object of shape (k,); a new array."""
        return self._texts[self._results[indices]]

    @exclusive
    def reset(self, seed: Seeds = None, mask: NDArray[np.bool_] | None = None) -> None:
        """Restart all games, or those selected by ``mask``: bool of shape (n,).

        Raises:
            ArrayError: if the seeds or the mask are invalid; nothing has changed then.
        """
        mask = np.ones(self.num_games, np.bool_) if mask is None else self._checked_mask(mask)
        if seed is not None:
            self._seed(mask, self._checked_seeds(seed))
        self.begin(mask)

    @exclusive
    def begin(self, mask: NDArray[np.bool_]) -> None:
        """Restart the games selected by ``mask``: bool of shape (n,)."""
        self._play(np.where(self._checked_mask(mask), BEGIN, NO_ACTION))

    @exclusive
    def play(self, actions: NDArray[np.int64]) -> None:
        """Play an action in each game, and update `masks` and `results`.

        An illegal action loses the game for the player who made it, and is flagged in `illegal`. `NO_ACTION` leaves a game unchanged,
        `BEGIN` restarts it; a game that is over stays as it is.

        Args:
            actions: int64 of shape (n,).

        Raises:
            ArrayError: if the shape is wrong, or an element is not the index of an action. Nothing is played then.
        """
        self._play(self._checked("actions", actions, BEGIN, self.num_actions))

    @exclusive
    def step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Play an action in each game, restart the games that are over, and observe, all in one call.

        `results` then says how the restarted games ended.

        Args:
            actions: int64 of shape (n,); an illegal one loses the game.
            observations: the array from `new_observations` that receives what the players to act see.

        Raises:
            ArrayError: as for `play`.
        """
        self._step(self._checked("actions", actions, 0, self.num_actions), self._checked_observations(observations))

    @exclusive
    def observe(self, observations: NDArray[np.int8], viewers: NDArray[np.int64] | None = None) -> None:
        """Write what each game's viewer (0 or 1; by default the player to act) sees: int8 of shape (n, *observation), C-contiguous."""
        checked = self._checked_observations(observations)
        self._observe(self.to_act if viewers is None else self._checked("viewers", viewers, 0, len(self.players)), checked)

    @exclusive
    def observations_of(self, indices: NDArray[np.int64], viewers: NDArray[np.int64]) -> NDArray[np.int8]:
        """What the viewers, 0 or 1, of the k games with these indices see: int8 of shape (k, *observation); a new array."""
        observations = np.zeros((len(indices), *self.game_class.observation_shape), np.int8)
        self._observe_some(indices, self._checked("viewers", viewers, 0, len(self.players), len(indices)), observations)
        return observations

    def checked_actions(self, actions: Any, beginning: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """One action for each game: int64 of shape (n,), a new array; `BEGIN`, whatever was given, for games that are ``beginning``.

        Raises:
            ArrayError: if the shape is wrong, or an element is not the index of an action.
        """
        if beginning is None:
            return self._checked("actions", actions, 0, self.num_actions).astype(np.int64)
        played = np.where(beginning, 0, self._checked("actions", actions, *_ANY))
        self._checked("actions", played, 0, self.num_actions)
        played = played.astype(np.int64, copy=False)
        played[beginning] = BEGIN
        return played

    @exclusive
    def play_checked(self, actions: NDArray[np.int64]) -> None:
        """`play` what `checked_actions` returned, without checking it again."""
        self._play(actions)

    def _checked_game(self, game: Any) -> Played:
        if type(game) is not self.game_class:
            raise ConfigError("game", game, f"it must be a {self.game_class.__name__}")
        checked: Played = game
        return checked

    def _checked(self, name: str, numbers: Any, low: int, end: int, length: int | None = None) -> NDArray[np.int64]:
        """One number from ``low`` to ``end`` - 1 for each game, or ``length`` of them."""
        given = _as_array(numbers)
        shape = (self.num_games if length is None else length,)
        if given.shape != shape or given.dtype.kind not in "iu":
            raise ArrayError(name, f"shape {given.shape} and dtype {given.dtype}", f"whole numbers of shape {shape}")
        if given.size and (given.min() < low or given.max() >= end):
            wrong = (given < low) | (given >= end)
            raise ArrayError(name, f"{given[wrong.argmax()]} at index {wrong.argmax()}", f"numbers from {low} to {end - 1}")
        return given

    def _checked_mask(self, mask: Any) -> NDArray[np.bool_]:
        given = _as_array(mask)
        if given.shape != (self.num_games,) or given.dtype != np.bool_:
            raise ArrayError("mask", f"shape {given.shape} and dtype {given.dtype}", f"bool of shape ({self.num_games},)")
        return given

    def _checked_seeds(self, seed: Any) -> list[int]:
        """A seed for each game."""
        wanted = f"a whole number from 0, or one for each of {self.num_games} games"
        try:
            given = list(seed) if isinstance(seed, Iterable) else [seed]
            seeds = [operator.index(number) for number in given]
        except TypeError:
            raise ArrayError("seed", f"something other than whole numbers ({type(seed).__name__})", wanted) from None
        if any(number < 0 or isinstance(one, bool) for number, one in zip(seeds, given, strict=True)):
            raise ArrayError("seed", "negative numbers or booleans", wanted)
        if not isinstance(seed, Iterable):
            return list(range(seeds[0], seeds[0] + self.num_games))
        if len(seeds) != self.num_games:
            raise ArrayError("seed", f"{len(seeds)} numbers", wanted)
        return seeds

    def _checked_observations(self, observations: NDArray[np.int8]) -> NDArray[np.int8]:
        shape = (self.num_games, *self.game_class.observation_shape)
        fits = isinstance(observations, np.ndarray) and observations.shape == shape and observations.dtype == np.int8
        if not fits or not observations.flags.carray:
            wanted = f"a writeable C-contiguous int8 array of shape {shape}"
            raise ArrayError("observations", _described(observations), wanted)
        return observations


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to.

    >>> read_only(np.zeros(3)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view


def _as_array(given: Any) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError:  # rows of different lengths
        return np.asarray(None)


def _described(given: object) -> str:
    if not isinstance(given, np.ndarray):
        return f"type {type(given).__name__}"
    flags = "" if given.flags.carray else ", read-only or not C-contiguous"
    return f"shape {given.shape} and dtype {given.dtype}{flags}"


def _ends(results: Mapping[int, str]) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[Any]]:
    """By result, including that of a game in progress: what each of two players earned, whether the game was truncated, and the text."""
    texts = [results.get(result) for result in range(max(results) + 1)]
    earned = [{"1-0": (1, -1), "0-1": (-1, 1)}.get(text or "", (0, 0)) for text in texts]
    return np.array(earned, np.float64), np.array([text == "*" for text in texts]), np.array(texts, object)
