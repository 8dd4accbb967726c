"""Many games as arrays, whatever the game: what the vector environments ask of them, and all of that which needs no rule."""

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
from tkm_env.errors import ArrayError

__all__ = ["MAX_GAMES", "BaseBatch", "Played", "Seeds"]

#: What games may be seeded with: one number (game i gets that number plus i), or one for each game; None goes on with the randomness
#: there is, or begins with the system's.
Seeds = int | Sequence[int] | None

MAX_GAMES: Final = 2**24
_MAX_THREADS: Final = 256
#: Bounds that any whole number keeps.
_ANY: Final = -(2**63), 2**63 - 1

Played = TypeVar("Played", bound=BaseGame)


class BaseBatch(ABC, Generic[Played]):
    """Games side by side under the same settings, as arrays with one row a game, changed in place by each call.

    One Python thread at a time may call it; a second one gets a `ConcurrentUseError`, and nothing changes.

    Args:
        num_games: how many, 1 to 16,777,216.
        config: the settings.
        num_threads: on how many cores at most; 1 to 256.

    Attributes:
        masks: int8 of shape (n, actions): 1 for each legal action of the player to act, all 0 in a game that is over.
        results: int8 of shape (n,): 0 while a game goes on, else a number of the game's ``results``.
        illegal: bool of shape (n,): whether the last action was illegal, which loses the game.
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
        self.masks = np.zeros((self.num_games, self.num_actions), np.int8)
        self.results = np.zeros(self.num_games, np.int8)
        self.illegal = np.zeros(self.num_games, np.bool_)

    # What a batch gives.

    @property
    @abstractmethod
    def to_act(self) -> NDArray[np.int64]:
        """Whose decision is next in each game, by the order of `players`; where it is over, whose turn ended it."""

    @abstractmethod
    def game(self, number: int) -> Played:
        """That game as a value of its own, to look at or to search in.

        Raises:
            IndexError: if there is no such game.
        """

    @abstractmethod
    def draw(self, mask: NDArray[np.bool_], below: int) -> NDArray[np.int64]:
        """A whole number from 0 to ``below`` - 1 for each of some games, from their own randomness."""

    @abstractmethod
    def random_actions(self) -> NDArray[np.int64]:
        """A legal action for each game, all equally likely, from their own randomness; `NO_ACTION` where a game is over."""

    @abstractmethod
    def play_at_random(self, players: NDArray[np.int64]) -> None:
        """Play random legal actions in each game until it is over or ``players[i]``, 0 or 1, is to act."""

    @abstractmethod
    def _seed(self, mask: NDArray[np.bool_], seeds: list[int]) -> None:
        """Seed some games, each with its own of a seed for every game."""

    @abstractmethod
    def _play(self, actions: NDArray[np.int64]) -> None:
        """Play an action in each game, `NO_ACTION` or `BEGIN`, as `play` describes; they were checked."""

    @abstractmethod
    def _step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Play, begin again and observe, as `step` describes; everything was checked."""

    @abstractmethod
    def _observe(self, viewers: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Write what each game's viewer sees; everything was checked."""

    @abstractmethod
    def _observe_some(self, indices: NDArray[np.int64], viewers: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Write what the viewers of some games see; everything was checked."""

    # What follows from that.

    def new_observations(self) -> NDArray[np.int8]:
        """Zeros in the shape of an observation of each game: int8 of shape (n, *observation)."""
        return np.zeros((self.num_games, *self.game_class.observation_high.shape), np.int8)

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which games are over: bool of shape (n,)."""
        over: NDArray[np.bool_] = self.results != UNDECIDED
        return over

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Which games ended for a reason outside their rules: bool of shape (n,)."""
        return self._truncates[self.results]

    def truncated_of(self, indices: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The same of some games by their indices: bool of shape (k,)."""
        return self._truncates[self.results[indices]]

    @property
    def rewards(self) -> NDArray[np.float64]:
        """What each player earned: 1 for having won, -1 for having lost, else 0; float64 of shape (n, players)."""
        return self._earned[self.results]

    def rewards_of(self, indices: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same in some games by their indices: float64 of shape (k, players)."""
        return self._earned[self.results[indices]]

    def result(self, game: int) -> str | None:
        """How that game ended, as its ``result`` says; None while it goes on."""
        return self.game_class.results.get(int(self.results[game]))

    def results_of(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """The same of some games by their indices: text or None, object of shape (k,); a new array."""
        return self._texts[self.results[indices]]

    @exclusive
    def reset(self, seed: Seeds = None, mask: NDArray[np.bool_] | None = None) -> None:
        """Begin all games again, or some: bool of shape (n,).

        Raises:
            ArrayError: if the seeds or the mask do not fit; nothing changes then.
        """
        chosen = np.ones(self.num_games, np.bool_) if mask is None else self._checked_mask(mask)
        if seed is not None:
            self._seed(chosen, self._checked_seeds(seed))
        self.begin(chosen)

    @exclusive
    def begin(self, mask: NDArray[np.bool_]) -> None:
        """Begin some games again: bool of shape (n,)."""
        self._play(np.where(self._checked_mask(mask), BEGIN, NO_ACTION))

    @exclusive
    def play(self, actions: NDArray[np.int64]) -> None:
        """Play an action in each game, and write what is legal then.

        An illegal action loses the game for who made it, and is noted in `illegal`. `NO_ACTION` leaves a game as it is, `BEGIN`
        begins it again; a game that is over stays as it is.

        Args:
            actions: int64 of shape (n,).

        Raises:
            ArrayError: if the shape is another one, or it holds other things than indices of actions. Nothing is played then.
        """
        self._play(self._checked("actions", actions, BEGIN, self.num_actions))

    @exclusive
    def step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Play an action in each game, begin again those that are over, and observe, all in one go.

        `results` then holds how the games ended that were begun again.

        Args:
            actions: int64 of shape (n,); an illegal one loses the game.
            observations: where to write what the players to act see, from `new_observations`.

        Raises:
            ArrayError: as for `play`.
        """
        self._step(self._checked("actions", actions, 0, self.num_actions), self._checked_observations(observations))

    @exclusive
    def observe(self, observations: NDArray[np.int8], viewers: NDArray[np.int64] | None = None) -> None:
        """Write what each game's viewer, 0 or 1, by default the player to act, sees: int8 of shape (n, *observation), C-contiguous."""
        checked = self._checked_observations(observations)
        self._observe(self.to_act if viewers is None else self._checked("viewers", viewers, 0, len(self.players)), checked)

    @exclusive
    def observations_of(self, indices: NDArray[np.int64], viewers: NDArray[np.int64]) -> NDArray[np.int8]:
        """What the viewers, 0 or 1, of some games see: int8 of shape (k, *observation) for k games by their indices; a new array."""
        observations = np.zeros((len(indices), *self.game_class.observation_high.shape), np.int8)
        self._observe_some(indices, self._checked("viewers", viewers, 0, len(self.players), len(indices)), observations)
        return observations

    def checked_actions(self, actions: Any, beginning: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """One action for each game: int64 of shape (n,), a new array, with `BEGIN`, whatever is given, for those that are ``beginning``.

        Raises:
            ArrayError: if the shape is another one, or it holds other things than indices of actions.
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
        """`play` what `checked_actions` returned, without looking at it again."""
        self._play(actions)

    def _checked(self, name: str, numbers: Any, low: int, end: int, length: int | None = None) -> NDArray[np.int64]:
        """One number from ``low`` to ``end`` - 1 for each game, or so many."""
        given = _as_array(numbers)
        shape = (self.num_games if length is None else length,)
        if given.shape != shape or given.dtype.kind not in "iu":
            raise ArrayError(name, f"shape {given.shape} and dtype {given.dtype}", f"whole numbers of shape {shape} are")
        if given.size and (given.min() < low or given.max() >= end):
            wrong = (given < low) | (given >= end)
            raise ArrayError(name, f"{given[wrong.argmax()]} at index {wrong.argmax()}", f"numbers from {low} to {end - 1} are")
        return given

    def _checked_mask(self, mask: Any) -> NDArray[np.bool_]:
        given = _as_array(mask)
        if given.shape != (self.num_games,) or given.dtype != np.bool_:
            raise ArrayError("mask", f"shape {given.shape} and dtype {given.dtype}", f"bool of shape ({self.num_games},) is")
        return given

    def _checked_seeds(self, seed: Any) -> list[int]:
        """A seed for each game."""
        wanted = f"a whole number from 0, or one for each of {self.num_games} games, is"
        try:
            given = list(seed) if isinstance(seed, Iterable) else [seed]
            seeds = [operator.index(number) for number in given]
        except TypeError:
            raise ArrayError("seed", f"what is no whole number in {type(seed).__name__}", wanted) from None
        if any(number < 0 or isinstance(one, bool) for number, one in zip(seeds, given, strict=True)):
            raise ArrayError("seed", "negative numbers or booleans", wanted)
        if not isinstance(seed, Iterable):
            return list(range(seeds[0], seeds[0] + self.num_games))
        if len(seeds) != self.num_games:
            raise ArrayError("seed", f"{len(seeds)} numbers", wanted)
        return seeds

    def _checked_observations(self, observations: NDArray[np.int8]) -> NDArray[np.int8]:
        shape = (self.num_games, *self.game_class.observation_high.shape)
        fits = isinstance(observations, np.ndarray) and observations.shape == shape and observations.dtype == np.int8
        if not fits or not observations.flags.carray:
            wanted = f"a writeable C-contiguous int8 array of shape {shape} is"
            raise ArrayError("observations", _described(observations), wanted)
        return observations


def _as_array(given: Any) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError:  # rows of different lengths
        return np.asarray(None)


def _described(given: object) -> str:
    if not isinstance(given, np.ndarray):
        return f"type {type(given).__name__}"
    flags = "" if given.flags.carray else ", read-only or in another order"
    return f"shape {given.shape} and dtype {given.dtype}{flags}"


def _ends(results: Mapping[int, str]) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[Any]]:
    """By a game's result: what each of two players earned, whether the game was truncated, and the text; of one that goes on, too."""
    texts = [results.get(result) for result in range(max(results) + 1)]
    earned = [{"1-0": (1, -1), "0-1": (-1, 1)}.get(text or "", (0, 0)) for text in texts]
    return np.array(earned, np.float64), np.array([text == "*" for text in texts]), np.array(texts, object)
