"""The part of many games as arrays that is the same for every game."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.config import checked_integer
from tkm_env.core.game import CompiledGame
from tkm_env.core.team import ThreadTeam, exclusive
from tkm_env.engine.batch import BEGIN, NO_ACTION, OBSERVE, PICK, PLAY, PLAY_AT_RANDOM, REFRESH, STEP, draw_all
from tkm_env.engine.state import UNDECIDED, chosen_of, copied
from tkm_env.engine.streams import new_streams, unseeded_streams
from tkm_env.errors import ArrayError

__all__ = ["MAX_GAMES", "CompiledBatch", "Kernels", "Seeds"]

#: What games may be seeded with: one number (game i gets that number plus i), or one for each game; None goes on with the randomness
#: there is, or begins with the system's.
Seeds = int | Sequence[int] | None

MAX_GAMES: Final = 2**24
_MAX_THREADS: Final = 256
#: Bounds that any whole number keeps.
_ANY: Final = -(2**63), 2**63 - 1


class Kernels(NamedTuple):
    """The compiled functions of a game's engine, with the arguments that `tkm_env.engine.batch` tells."""

    work: Callable[..., None]
    observe_all: Callable[..., None]


Played = TypeVar("Played", bound=CompiledGame)


class CompiledBatch(Generic[Played]):
    """Games side by side under the same settings; see the classes that derive from this.

    Args:
        num_games: how many, 1 to 16,777,216.
        config: the settings.
        num_threads: on how many cores at most; 1 to 256.
        rooms: what a compiled function needs to work in, an array of one record, if it needs anything.
    """

    #: One game as a value.
    game_class: type[Played]
    kernels: ClassVar[Kernels]

    def __init__(self, num_games: int, config: Any, num_threads: int, rooms: tuple[np.ndarray, ...] = ()) -> None:
        self.num_games = checked_integer("num_games", num_games, 1, MAX_GAMES)
        self._team = ThreadTeam(checked_integer("num_threads", num_threads, 1, _MAX_THREADS), self.num_games)
        self.config = config
        self.players = self.game_class.players
        self.num_actions = len(self.game_class.action_names)
        self._earned, self._cuts_off, self._texts = _ends(self.game_class.results)
        self._starts = self._first_starts()
        self.states = copied(self._starts)
        self.masks = np.zeros((self.num_games, self.num_actions), np.int8)
        self.results = np.zeros(self.num_games, np.int8)
        self.illegal = np.zeros(self.num_games, np.bool_)
        self.streams = unseeded_streams(self.num_games)
        self._actions, self._players = np.zeros((2, self.num_games), np.int64)
        self._rooms = tuple(np.repeat(room, self._team.num_threads) for room in rooms)
        self._draw_starts(np.ones(self.num_games, np.bool_))
        self.begin(np.ones(self.num_games, np.bool_))

    @abstractmethod
    def _first_starts(self) -> NDArray[np.void]:
        """Room for where each game begins the next time."""

    @abstractmethod
    def _draw_starts(self, which: NDArray[np.bool_]) -> None:
        """Draw where some games begin the next time, from their own streams."""

    def new_observations(self) -> NDArray[np.int8]:
        """Room for an observation of each game: int8 of shape (n, *observation)."""
        return np.zeros((self.num_games, *self.game_class.observation_shape), np.int8)

    @property
    def to_act(self) -> NDArray[np.int64]:
        """Whose decision is next in each game, by the order of `players`; where it is over, whose turn ended it. A view."""
        to_act: NDArray[np.int64] = self.states["to_act"]
        return to_act

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which games are over: bool of shape (n,)."""
        over: NDArray[np.bool_] = self.results != UNDECIDED
        return over

    @property
    def cut_off(self) -> NDArray[np.bool_]:
        """Which games ended for a reason outside their rules: bool of shape (n,)."""
        return self._cuts_off[self.results]

    def cut_off_of(self, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The same of some games by their numbers: bool of shape (k,)."""
        return self._cuts_off[self.results[chosen]]

    @property
    def rewards(self) -> NDArray[np.float64]:
        """What each player earned: 1 for having won, -1 for having lost, else 0; float64 of shape (n, players)."""
        return self._earned[self.results]

    def rewards_of(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same in some games by their numbers: float64 of shape (k, players)."""
        return self._earned[self.results[chosen]]

    def result(self, game: int) -> str | None:
        """How that game ended, as `Game.result` tells it; None while it goes on."""
        return self.game_class.results.get(int(self.results[game]))

    def results_of(self, chosen: NDArray[np.int64]) -> NDArray[Any]:
        """The same of some games by their numbers: text or None, object of shape (k,); a new array."""
        return self._texts[self.results[chosen]]

    def game(self, number: int) -> Played:
        """That game as a value of its own, to look at or to search in.

        Raises:
            IndexError: if there is no such game.
        """
        return self.game_class.from_state(self.states[[number]], self.config)

    @exclusive
    def reset(self, seed: Seeds = None, which: NDArray[np.bool_] | None = None) -> None:
        """Begin all games anew, or some: bool of shape (n,).

        Raises:
            ArrayError: if the seeds or the choice of games do not fit; nothing changes then.
        """
        chosen = np.ones(self.num_games, np.bool_) if which is None else self._checked_choice(which)
        if seed is not None:
            seeds = self._checked_seeds(seed)
            self.streams[chosen] = new_streams(seeds[number] for number in chosen.nonzero()[0].tolist())
            self._draw_starts(chosen)
        self.begin(chosen)

    @exclusive
    def begin(self, which: NDArray[np.bool_]) -> None:
        """Begin some games anew: bool of shape (n,)."""
        self.play(np.where(self._checked_choice(which), BEGIN, NO_ACTION))

    @exclusive
    def draw(self, which: NDArray[np.bool_], below: int) -> NDArray[np.int64]:
        """A whole number from 0 to ``below`` - 1 for each of some games, from their own streams."""
        chosen = self._checked_choice(which).nonzero()[0]
        drawn = np.empty(len(chosen), np.int64)
        draw_all(self.streams, chosen, below, drawn)
        return drawn

    @exclusive
    def play(self, actions: NDArray[np.int64]) -> None:
        """Play an action in each game, and write what is legal then.

        An illegal action loses the game for who made it, and is noted in `illegal`. `NO_ACTION` leaves a game as it is, `BEGIN`
        begins it anew; a game that is over stays as it is.

        Args:
            actions: int64 of shape (n,).

        Raises:
            ArrayError: if the shape is another one, or it holds other things than indices of actions. Nothing is played then.
        """
        self._actions[:] = self._checked("actions", actions, BEGIN, self.num_actions)
        self._work(PLAY)
        self._draw_starts(self._actions == BEGIN)

    @exclusive
    def step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Play an action in each game, begin anew those that are over, and observe, all in one go.

        Args:
            actions: int64 of shape (n,); an illegal one loses the game.
            observations: where to write what the players to act see, from `new_observations`.

        Raises:
            ArrayError: as for `play`.
        """
        checked = self._checked("actions", actions, 0, self.num_actions)
        room = self._checked_room(observations)
        self._actions[:] = checked
        self._work(STEP, room)
        self._draw_starts(self.over)

    @exclusive
    def observe(
        self,
        observations: NDArray[np.int8],
        viewers: NDArray[np.int64] | None = None,
    ) -> None:
        """Write what each game's viewer, 0 or 1, by default the player to act, sees: int8 of shape (n, *observation), C-contiguous."""
        room = self._checked_room(observations)
        self._players[:] = self.to_act if viewers is None else self._checked("viewers", viewers, 0, len(self.players))
        self._work(OBSERVE, room)

    @exclusive
    def observations_of(self, chosen: NDArray[np.int64], viewers: NDArray[np.int64]) -> NDArray[np.int8]:
        """What the viewers, 0 or 1, of some games see: int8 of shape (k, *observation) for k games by their numbers; a new array."""
        observations = np.empty((len(chosen), *self.game_class.observation_shape), np.int8)
        seeing = self._checked("viewers", viewers, 0, len(self.players), len(chosen))
        self.kernels.observe_all(chosen_of(self.states, chosen), seeing, observations)
        return observations

    @exclusive
    def random_actions(self) -> NDArray[np.int64]:
        """A legal action for each game, all equally likely, from the games' own streams; `NO_ACTION` where a game is over."""
        self._work(PICK)
        actions: NDArray[np.int64] = self._actions.copy()
        return actions

    @exclusive
    def play_at_random(self, players: NDArray[np.int64]) -> None:
        """Play random legal actions in each game until it is over or ``players[i]``, 0 or 1, is to act."""
        self._players[:] = self._checked("players", players, 0, len(self.players))
        self._work(PLAY_AT_RANDOM)

    @exclusive
    def refresh(self) -> None:
        """Write `masks` and `results` anew, after rows of `states` were changed by other code."""
        self._work(REFRESH)

    def _work(self, task: int, observations: NDArray[np.int8] | None = None) -> None:
        """Have the engine do a task with all games."""
        self._team.work(
            *(self.kernels.work, task, 0 if observations is None else observations.ctypes.data),
            *(self.states, self._starts, self._actions, self._players, self.masks, self.results, self.illegal, self.streams),
            *self._rooms,
        )

    def checked_actions(self, actions: Any, anew: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """One action for each game: int64 of shape (n,), a new array, with `BEGIN`, whatever is given, for those to begin ``anew``.

        Raises:
            ArrayError: if the shape is another one, or it holds other things than indices of actions.
        """
        if anew is None:
            return self._checked("actions", actions, 0, self.num_actions).astype(np.int64)
        played = np.where(anew, 0, self._checked("actions", actions, *_ANY))
        self._checked("actions", played, 0, self.num_actions)
        played = played.astype(np.int64, copy=False)
        played[anew] = BEGIN
        return played

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

    def _checked_choice(self, which: Any) -> NDArray[np.bool_]:
        given = _as_array(which)
        if given.shape != (self.num_games,) or given.dtype != np.bool_:
            raise ArrayError("which", f"shape {given.shape} and dtype {given.dtype}", f"bool of shape ({self.num_games},) is")
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

    def _checked_room(self, observations: NDArray[np.int8]) -> NDArray[np.int8]:
        shape = (self.num_games, *self.game_class.observation_shape)
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
    """By a game's result: what each of two players earned, whether the game was cut off, and the text; of one that goes on, too."""
    texts = [results.get(result) for result in range(max(results) + 1)]
    earned = [{"1-0": (1, -1), "0-1": (-1, 1)}.get(text or "", (0, 0)) for text in texts]
    return np.array(earned, np.float64), np.array([text == "*" for text in texts]), np.array(texts, object)
