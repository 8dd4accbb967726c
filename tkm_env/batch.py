"""Many games as arrays: a plain forward model for thousands of games at once. Imports `config`, `game` and the engine."""

from __future__ import annotations

import functools
import itertools
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.config import GameConfig, checked_integer, configured
from tkm_env.engine.actions import NUM_ACTIONS
from tkm_env.engine.batch import BEGIN, NO_ACTION, draw_all, observe_all, pick_at_random, play_all, play_at_random, step_all
from tkm_env.engine.geometry import WIDTH
from tkm_env.engine.observation import NUM_PLANES
from tkm_env.engine.scratch import SCRATCH
from tkm_env.engine.state import CUT_OFF, PLAYERS, UNDECIDED, WHITE, WON, chosen_of, copied
from tkm_env.engine.streams import new_streams, unseeded_streams
from tkm_env.errors import ArrayError
from tkm_env.game import Game
from tkm_env.notation import RESULTS

__all__ = ["BEGIN", "MAX_GAMES", "NO_ACTION", "Batch", "Seeds"]

#: What games may be seeded with: one number (game i gets that number plus i), or one for each game; None goes on with the randomness
#: there is, or begins with the system's.
Seeds = int | Sequence[int] | None

_OBSERVATION_SHAPE: Final = (NUM_PLANES, WIDTH, WIDTH)
MAX_GAMES: Final = 2**24
_MAX_THREADS: Final = 256
_GAMES_A_THREAD: Final = 256
_GAMES_A_PART: Final = 2048
#: Bounds that any whole number keeps.
_ANY: Final = -(2**63), 2**63 - 1
#: What a draw is compared with to pick one of several chances.
_DRAWS: Final = 2**32


class Batch:
    """Games side by side under the same settings.

    All arrays have one row a game and are changed in place by each call. The calls allocate nothing of that size, and run in
    compiled code on as many cores as there are threads; what is played does not depend on how many those are.

    Args:
        num_games: how many, 1 to 16,777,216. Each takes about 700 bytes, and 1,344 more for an observation.
        config: the settings; instead of it, or to change some of it, give them as keywords.
        num_threads: on how many cores at most; 1 to 256.
        **settings: the keywords of `GameConfig`.

    Attributes:
        states: the games, of the engine's dtype; copy a row to keep a game.
        masks: int8 of shape (n, 79): 1 for each legal action of the player to act, all 0 in a game that is over.
        results: int8 of shape (n,): 0, 1 (white won), 2 (black won), 3 (drawn), 4 (cut off); after `step` of the game that ended.
        illegal: bool of shape (n,): whether the last action was illegal, which loses the game.
        streams: uint64 of shape (n,): each game's own random numbers.

    Raises:
        ConfigError: naming the keyword that cannot be.

    >>> batch = Batch(1000, chapters="growth")
    >>> batch.reset(seed=1)
    >>> observations = batch.new_observations()
    >>> for _ in range(200):
    ...     batch.step(batch.random_actions(), observations)
    >>> observations.shape
    (1000, 84, 4, 4)
    """

    num_actions: int = NUM_ACTIONS
    players: tuple[str, ...] = PLAYERS

    def __init__(self, num_games: int, config: GameConfig | None = None, *, num_threads: int = 1, **settings: Any) -> None:
        self.num_games = checked_integer("num_games", num_games, 1, MAX_GAMES)
        # With few games to play, waking a thread takes longer than playing them.
        self._num_threads = min(checked_integer("num_threads", num_threads, 1, _MAX_THREADS), 1 + self.num_games // _GAMES_A_THREAD)
        self.config = configured(config, settings)
        self._possible_starts, chances = self.config.starts()
        self._thresholds = np.round(np.cumsum(chances) * _DRAWS).astype(np.int64)
        self._starts = np.repeat(self._possible_starts[:1], self.num_games)
        self.states = copied(self._starts)
        self.masks = np.zeros((self.num_games, NUM_ACTIONS), np.int8)
        self.results = np.zeros(self.num_games, np.int8)
        self.illegal = np.zeros(self.num_games, np.bool_)
        self.streams = unseeded_streams(self.num_games)
        self._scratch = np.zeros(self._num_threads, SCRATCH)
        parts = max(self._num_threads, self.num_games // _GAMES_A_PART)
        edges = np.linspace(0, self.num_games, parts + 1).astype(int).tolist()
        self._parts = [slice(first, until) for first, until in itertools.pairwise(edges)]
        self._draw_starts(np.ones(self.num_games, np.bool_))
        self.begin(np.ones(self.num_games, np.bool_))

    def new_observations(self) -> NDArray[np.int8]:
        """Room for an observation of each game: int8 of shape (n, 84, 4, 4)."""
        return np.zeros((self.num_games, *_OBSERVATION_SHAPE), np.int8)

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
        """Which games the turn limit ended: bool of shape (n,)."""
        cut_off: NDArray[np.bool_] = self.results == CUT_OFF
        return cut_off

    @property
    def rewards(self) -> NDArray[np.float64]:
        """What each player earned: 1 for having won, -1 for having lost, else 0; float64 of shape (n, 2), white's and black's."""
        return _REWARDS[self.results]

    def result(self, game: int) -> str | None:
        """How that game ended, as in NOTATION: "1-0", "0-1", "1/2", "*"; None while it goes on."""
        return RESULTS.get(int(self.results[game]))

    def game(self, number: int) -> Game:
        """That game as a `Game` of its own, to look at or to search in.

        Raises:
            IndexError: if there is no such game.
        """
        return Game.from_state(self.states[[number]], self.config)

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

    def begin(self, which: NDArray[np.bool_]) -> None:
        """Begin some games anew: bool of shape (n,)."""
        self.play(np.where(self._checked_choice(which), BEGIN, NO_ACTION))

    def draw(self, which: NDArray[np.bool_], below: int) -> NDArray[np.int64]:
        """A whole number from 0 to ``below`` - 1 for each of some games, from their own streams."""
        chosen = self._checked_choice(which).nonzero()[0]
        drawn = np.empty(len(chosen), np.int64)
        draw_all(self.streams, chosen, below, drawn)
        return drawn

    def play(self, actions: NDArray[np.int64]) -> None:
        """Play an action in each game, and write what is legal then.

        An illegal action loses the game for who made it, and is noted in `illegal`. `NO_ACTION` leaves a game as it is, `BEGIN`
        begins it anew; a game that is over stays as it is.

        Args:
            actions: int64 of shape (n,).

        Raises:
            ArrayError: if the shape is another one, or it holds other things than indices of actions. Nothing is played then.
        """
        actions = self._checked("actions", actions, BEGIN, NUM_ACTIONS)
        begun = actions == BEGIN
        self._run(play_all, self.states, self._starts, actions, self.masks, self.illegal, self._scratch)
        self._draw_starts(begun)
        self._note_results()

    def step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Play an action in each game, begin anew those that are over, and observe, all in one go.

        Args:
            actions: int64 of shape (n,); an illegal one loses the game.
            observations: where to write what the players to act see, from `new_observations`.

        Raises:
            ArrayError: as for `play`.
        """
        self._run(
            step_all,
            *(self.states, self._starts, self.checked_actions(actions), self.masks),
            *(self._checked_room(observations), self.results, self.illegal, self._scratch),
        )
        self._draw_starts(self.over)

    def observe(
        self,
        observations: NDArray[np.int8],
        viewers: NDArray[np.int64] | None = None,
    ) -> None:
        """Write what each game's viewer, 0 or 1, by default the player to act, sees: int8 of shape (n, 84, 4, 4), C-contiguous."""
        seeing = self._checked("viewers", self.to_act if viewers is None else viewers, 0, len(PLAYERS))
        self._run(observe_all, self.states, seeing, self._checked_room(observations))

    def observations_of(self, chosen: NDArray[np.int64], viewers: NDArray[np.int64]) -> NDArray[np.int8]:
        """What the viewers, 0 or 1, of some games see: int8 of shape (k, 84, 4, 4) for k games by their numbers; a new array."""
        observations = np.empty((len(chosen), *_OBSERVATION_SHAPE), np.int8)
        observe_all(chosen_of(self.states, chosen), self._checked("viewers", viewers, 0, len(PLAYERS), len(chosen)), observations)
        return observations

    def random_actions(self) -> NDArray[np.int64]:
        """A legal action for each game, all equally likely, from the games' own streams; `NO_ACTION` where a game is over."""
        actions = np.empty(self.num_games, np.int64)
        self._run(pick_at_random, self.masks, self.streams, actions)
        return actions

    def play_at_random(self, players: NDArray[np.int64]) -> None:
        """Play random legal actions in each game until it is over or ``players[i]``, 0 or 1, is to act."""
        players = self._checked("players", players, 0, len(PLAYERS))
        self._run(play_at_random, self.states, players, self.streams, self.masks, self._scratch)
        self._note_results()

    def refresh(self) -> None:
        """Write `masks` and `results` anew, after rows of `states` were changed by other code."""
        beginnings = np.full(self.num_games, BEGIN)
        self._run(play_all, self.states, self.states, beginnings, self.masks, self.illegal, self._scratch)
        self._note_results()

    def _note_results(self) -> None:
        np.copyto(self.results, self.states["result"], casting="unsafe")

    def _draw_starts(self, which: NDArray[np.bool_]) -> None:
        """Draw where some games begin from the next time."""
        if len(self._possible_starts) > 1 and which.any():
            self._starts[which] = self._possible_starts[self._thresholds.searchsorted(self.draw(which, _DRAWS), side="right")]

    def checked_actions(self, actions: Any, ignored: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """One action for each game: int64 of shape (n,), a new array, with `NO_ACTION` where what is given is ``ignored``.

        Raises:
            ArrayError: if the shape is another one, or it holds other things than indices of actions.
        """
        if ignored is None:
            return self._checked("actions", actions, 0, NUM_ACTIONS)
        given = self._checked("actions", actions, *_ANY)
        self._checked("actions", np.where(ignored, 0, given), 0, NUM_ACTIONS)
        return np.where(ignored, NO_ACTION, given)

    def _checked(self, name: str, numbers: Any, low: int, end: int, length: int | None = None) -> NDArray[np.int64]:
        """One number from ``low`` to ``end`` - 1 for each game, or so many, as an array that nobody else holds."""
        given = _as_array(numbers)
        shape = (self.num_games if length is None else length,)
        if given.shape != shape or given.dtype.kind not in "iu":
            raise ArrayError(name, f"shape {given.shape} and dtype {given.dtype}", f"whole numbers of shape {shape} are")
        wrong = (given < low) | (given >= end)
        if wrong.any():
            raise ArrayError(name, f"{given[wrong.argmax()]} at index {wrong.argmax()}", f"numbers from {low} to {end - 1} are")
        return given.astype(np.int64)

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
        shape = (self.num_games, *_OBSERVATION_SHAPE)
        fits = isinstance(observations, np.ndarray) and observations.shape == shape and observations.dtype == np.int8
        if not fits or not observations.flags.carray:
            wanted = f"a writeable C-contiguous int8 array of shape {shape} is"
            raise ArrayError("observations", _described(observations), wanted)
        return observations

    def _run(self, function: Callable[..., None], *arrays: Any) -> None:
        """Run a compiled function over all games; the threads take part after part, so that a slow one holds up no other for long."""
        if self._num_threads == 1:
            function(*arrays)
            return
        left = iter(self._parts)
        helping = [_threads(self._num_threads).submit(self._take, left, n, function, arrays) for n in range(1, self._num_threads)]
        self._take(left, 0, function, arrays)
        for thread in helping:
            thread.result()

    def _take(self, left: Iterator[slice], thread: int, function: Callable[..., None], arrays: Sequence[Any]) -> None:
        """Run a compiled function over parts of the games as long as some are left."""
        scratch = self._scratch[thread : thread + 1]
        for part in left:
            function(*[scratch if array is self._scratch else array[part] for array in arrays])


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


_REWARDS: Final = np.zeros((max(RESULTS) + 1, len(PLAYERS)))
_REWARDS[WON + WHITE] = 1, -1
_REWARDS[WON + 1 - WHITE] = -1, 1


@functools.cache
def _threads(number: int) -> ThreadPoolExecutor:
    """The threads beside the caller's own: shared by all batches, since only one of them works at a time in most programs."""
    return ThreadPoolExecutor(number - 1, "tkm_env")


# A forked process has none of its parent's threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.cache_clear)
