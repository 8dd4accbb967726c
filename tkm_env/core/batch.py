"""Many games as arrays.

This module holds the interface that vector environments use, and everything in it that needs no
rules.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence, Set
from itertools import islice
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.gather_plan import GatherPlan
from tkm_env.compiled.kernels import BEGIN, NO_ACTION, UNDECIDED, any_outside, set_beginning
from tkm_env.compiled.outcomes import Outcomes
from tkm_env.compiled.random_numbers import ACTIONS, draw_all
from tkm_env.core.batch_turns import BatchTurns
from tkm_env.core.game import BaseGame
from tkm_env.core.initial_positions import InitialPositions
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.core.outcome import Outcome
from tkm_env.foundations.checks import (
    as_array,
    checked_instance,
    checked_integer,
    checked_numbers,
    describe,
    whole_number,
)
from tkm_env.foundations.concurrency import no_concurrent_use
from tkm_env.foundations.errors import ArrayError, ConfigError, repr_of

#: One seed, to which game i adds i, or one seed for each game. None continues with the current
#: streams; the system seeds them at first.
Seeds = int | Sequence[int] | None

MAX_GAMES: Final = 2**24
_MAX_THREADS: Final = 256
#: The range of the random streams.
_MAX_DRAWS: Final = 2**32
#: Bounds that every int64 satisfies.
_ANY: Final = -(2**63), 2**63 - 1

_BYTES: Final = np.dtype(np.int8)

Played = TypeVar("Played", bound=BaseGame)
Self = TypeVar("Self", bound="BaseBatch[Any]")


class ResultTable(NamedTuple):
    """The meaning of results, one row each.

    Row i is for the key i of a game's ``results``, and row 0 for a game in progress.

    Attributes:
        rewards: what each player earned: float64 of shape (results, players).
        truncated: whether the game was truncated: bool of shape (results,).
        texts: the results as text, None in row 0: object of shape (results,).
    """

    rewards: NDArray[np.float64]
    truncated: NDArray[np.bool_]
    texts: NDArray[Any]

    @classmethod
    def of(cls, results: Mapping[int, str]) -> ResultTable:
        """The table of a game with these ``results``; its arrays are read-only."""
        texts = [results.get(result) for result in range(max(results) + 1)]
        outcomes = [None if text is None else Outcome(text) for text in texts]
        earned = [(0, 0) if outcome is None else outcome.rewards for outcome in outcomes]
        ends = cls(
            np.array(earned, np.float64),
            np.array([outcome is Outcome.TRUNCATED for outcome in outcomes]),
            np.array(texts, object),
        )
        for array in ends:
            array.flags.writeable = False
        return ends


class Shown(NamedTuple):
    """What `BaseBatch.play_and_show` returns for n games.

    Attributes:
        observations: what each game's viewer sees, of shape ``(n, *observation)``.
        masks: which actions are legal: int8 of shape (n, actions).
        viewers: the index of each game's viewer: int64 of shape (n,).
        outcomes: what the call brought, with the viewers' rewards.
    """

    observations: NDArray[Any]
    masks: NDArray[np.int8]
    viewers: NDArray[np.int64]
    outcomes: Outcomes


class BaseBatch(ABC, Generic[Played]):
    """Games side by side under the same settings, as arrays with one row per game.

    Calls change the arrays in place. An array, an index or seeds of the wrong shape, dtype or
    content raise an `ArrayError`, and any other invalid argument raises a `ConfigError`; each error
    names the argument, and nothing has changed. Only one Python thread at a time may call a batch:
    a second one gets a `ConcurrentUseError`, and nothing changes. After an exception from a signal
    handler, such as a `KeyboardInterrupt`, every game is still in a legal position with its mask.

    Args:
        num_games: the number of games, 1 to 16,777,216.
        config: the settings.
        num_threads: the maximum number of cores, 1 to 256.

    Attributes:
        ends: what each result means.
        num_threads: the maximum number of cores, as it was given.
    """

    #: The class of a single game.
    game_class: type[Played]
    #: The array module: numpy, or one with its interface.
    arrays: ClassVar[Any] = np
    #: Each game's own random numbers, by purpose: uint64 of shape (`STREAMS`, n).
    _streams: NDArray[np.uint64]

    def __init__(self, num_games: int, config: Any, num_threads: int) -> None:
        self.num_games = checked_integer("num_games", num_games, 1, MAX_GAMES)
        self.num_threads = checked_integer("num_threads", num_threads, 1, _MAX_THREADS)
        self.config = config
        self._users: dict[int, int] = {}
        self.players = self.game_class.players
        self.num_actions = len(self.game_class.action_names)
        self.ends = ResultTable.of(self.game_class.results)
        self._masks = self.arrays.zeros((self.num_games, self.num_actions), np.int8)
        self._results = self.arrays.zeros(self.num_games, np.int8)
        self._illegal = self.arrays.zeros(self.num_games, np.bool_)

    def __getstate__(self) -> dict[str, Any]:
        """What is copied or pickled: a copy is not in use by any thread."""
        return {**self.__dict__, "_users": {}}

    def _view(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array as users get it: read-only, because compiled code relies on it."""
        return read_only(array)

    # State.

    @property
    def masks(self) -> NDArray[np.int8]:
        """The legal actions of the player to act: 1 if legal, else 0.

        They are int8 of shape (n, actions), read-only; a game that is over has only 0.
        """
        return self._view(self._masks)

    @property
    def results(self) -> NDArray[np.int8]:
        """0 while a game is in progress, else a key of the game's ``results``.

        They are int8 of shape (n,), read-only.
        """
        return self._view(self._results)

    @property
    def illegal(self) -> NDArray[np.bool_]:
        """Whether the last action was illegal, which loses the game.

        It is bool of shape (n,), read-only.
        """
        return self._view(self._illegal)

    @property
    @abstractmethod
    def to_act(self) -> NDArray[np.int64]:
        """The index of the player to act in each game: integers of shape (n,).

        In a game that is over, it is the player whose turn ended it.
        """

    @abstractmethod
    def random_actions(self) -> NDArray[np.int64]:
        """Draw a legal action for each game, all equally likely, from its own random stream.

        Returns:
            The actions: int64 of shape (n,), with `NO_ACTION` where a game is over.
        """

    @abstractmethod
    def play_at_random(self, players: NDArray[np.int64]) -> None:
        """Play random legal actions in each game until it is over or ``players[i]`` is to act.

        Args:
            players: the index of a player, 0 or 1, for each game: int64 of shape (n,).
        """

    # Hooks: the public methods below check their input and then call these.

    @abstractmethod
    def _game(self, number: int) -> Played:
        """See `game`."""

    @abstractmethod
    def _set_game(self, number: int, game: Played) -> None:
        """See `set_game`."""

    @abstractmethod
    def _keys_of(self, indices: NDArray[np.int64]) -> NDArray[np.uint64]:
        """See `keys_of`."""

    @abstractmethod
    def _play_into(
        self: Self,
        batch: Self,
        sources: NDArray[np.int64],
        actions: NDArray[np.int64],
        targets: NDArray[np.int64],
    ) -> None:
        """Play copies of this batch's games into rows of ``batch``, as `play_from` describes."""

    def _draw(self, indices: NDArray[np.int64], below: int, purpose: int) -> NDArray[np.int64]:
        """See `draw`."""
        drawn = np.empty(len(indices), np.int64)
        draw_all(self._streams[purpose], indices, below, drawn)
        return drawn

    @abstractmethod
    def _set_initial_positions(self, starts: InitialPositions[Played]) -> None:
        """Begin games there from now on; if this raises an error, nothing has changed."""

    @abstractmethod
    def _seed(self, mask: NDArray[np.bool_], seeds: list[int]) -> None:
        """Seed the selected games; ``seeds`` has one entry for every game."""

    @abstractmethod
    def _play(self, actions: NDArray[np.int64]) -> None:
        """See `play`."""

    @abstractmethod
    def _step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """See `step`."""

    @abstractmethod
    def _observe(
        self,
        viewers: NDArray[np.int64],
        observations: NDArray[np.int8],
        indices: NDArray[np.int64] | None = None,
    ) -> None:
        """Write what viewers see of the games with these indices; None for all games."""

    def _gather(
        self,
        plan: GatherPlan,
        viewers: NDArray[np.int64],
        gathered: NDArray[Any],
        indices: NDArray[np.int64] | None = None,
    ) -> None:
        """As `_observe`, through a gather plan."""
        observations = self.arrays.zeros(
            (len(viewers), *self.game_class.observation_shape), np.int8
        )
        self._observe(viewers, observations, indices)
        plan.write(observations, viewers, gathered)

    def _write_observations(
        self,
        encoder: ObservationEncoder | None,
        viewers: NDArray[np.int64],
        observations: NDArray[Any],
        indices: NDArray[np.int64] | None = None,
    ) -> None:
        if encoder is None or encoder.gather_plan is None:
            self._observe(viewers, observations, indices)
        else:
            self._gather(encoder.gather_plan, viewers, observations, indices)

    # Interface.

    def new_observations(self, encoder: ObservationEncoder | None = None) -> NDArray[Any]:
        """A zeroed array with room for an observation of each game.

        Args:
            encoder: how the games are shown; None for the games' own observations.

        Returns:
            A new array of shape ``(n, *observation)``: int8, or the dtype of the encoder's
                observations.

        Raises:
            ConfigError: if the encoder is for another game or other settings.
        """
        shape, dtype = self._seen_as(encoder)
        return self.arrays.zeros((self.num_games, *shape), dtype)

    @no_concurrent_use
    def game(self, number: int) -> Played:
        """A copy of one game, to inspect or to search.

        Args:
            number: the index of the game.

        Returns:
            An independent game.

        Raises:
            ArrayError: if there is no such game.
        """
        return self._game(self._checked_number("number", number))

    @no_concurrent_use
    def set_game(self, number: int, game: Played) -> None:
        """Replace one game by a copy of another, such as a position to play from many times.

        Args:
            number: the index of the game to replace.
            game: the game to copy, of this batch's game class.

        Raises:
            ArrayError: if there is no such game.
            ConfigError: if ``game`` is of another class.
        """
        self._set_game(
            self._checked_number("number", number), checked_instance("game", game, self.game_class)
        )

    @no_concurrent_use
    def copy(self: Self) -> Self:
        """An independent batch with the same games, upcoming starts and random streams."""
        return copy.deepcopy(self)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """A hash of each game's position, for tables: uint64 of shape (n,); a new array.

        A key covers what ``==`` compares. Equal games have equal keys, in every process that runs
        this version of the package. Different games share a key only by chance, about once in 2**64
        pairs.
        """
        return self.keys_of(self.arrays.arange(self.num_games))

    @no_concurrent_use
    def keys_of(self, indices: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The `keys` of some games.

        Args:
            indices: which games, from 0 to n - 1: int64 of shape (k,).

        Returns:
            Their keys: uint64 of shape (k,); a new array.

        Raises:
            ArrayError: if there is no such game.
        """
        return self._keys_of(self._checked_indices(indices))

    @no_concurrent_use
    def play_from(
        self: Self,
        sources: NDArray[np.int64],
        actions: NDArray[np.int64],
        targets: NDArray[np.int64],
        batch: Self | None = None,
    ) -> None:
        """Play actions in copies of games.

        Game ``targets[i]`` becomes what game ``sources[i]`` is after ``actions[i]``. A batch can
        thus hold the nodes of search trees, one row each, and expand many leaves in one call. All
        sources are read before anything is written, so they may be targets as well. If targets
        repeat, the last one counts. Random streams stay with their rows; `masks`, `results` and
        `illegal` of the targets are those of their new games.

        Args:
            sources: the indices of the games to copy, from 0 to n - 1: int64 of shape (k,).
            actions: what to play in each copy: int64 of shape (k,). An illegal action loses the
                copy, as in `play`; `NO_ACTION` only copies.
            targets: the indices of the games to replace, from 0 to n - 1: int64 of shape (k,).
            batch: the batch of the same kind to which ``sources`` refers; None for this one.

        Raises:
            ArrayError: if an array is invalid.
            ConfigError: if ``batch`` is of another kind.
        """
        origin = self if batch is None else checked_instance("batch", batch, type(self))
        if origin.game_class is not self.game_class:
            raise ConfigError("batch", batch, f"it must be one of {self.game_class.__name__}")
        given = origin._checked_indices(sources, "sources")
        length = len(given)
        played = self._checked("actions", actions, NO_ACTION, self.num_actions, length)
        written = self._checked("targets", targets, 0, self.num_games, length)
        origin._play_into(
            self,
            *(
                self.arrays.ascontiguousarray(numbers, np.int64)
                for numbers in (given, played, written)
            ),
        )

    def turns(self, indices: NDArray[np.int64] | None = None) -> BatchTurns:
        """List every way to play the turn, or the rest of it, as arrays.

        This is what `BaseGame.turns` lists for one game. A turn takes 18 bytes and a state of the
        engine. To use less memory at once, list the turns of some games at a time.

        Args:
            indices: which games: int64 of shape (k,); None for all.

        Returns:
            The turns of these games.

        Raises:
            ArrayError: if there is no such game.
            ConfigError: if the batch cannot list turns, because it is on a GPU or its game has no
                compiled code for it.
        """
        wanted = (
            f"its batches cannot list turns; use `{self.game_class.__name__}.turns` for one game"
        )
        raise ConfigError("game", self.game_class.name, wanted)

    @no_concurrent_use
    def draw(
        self, mask: NDArray[np.bool_], below: int, purpose: int = ACTIONS
    ) -> NDArray[np.int64]:
        """Draw an integer for each of some games, from its own random stream.

        Args:
            mask: which games: bool of shape (n,), true for k of them.
            below: the exclusive upper bound, 1 to 2**32; the lowest integer drawn is 0.
            purpose: which of a game's streams to draw from, as `tkm_env.compiled.random_numbers`
                numbers them; by default the one for the user.

        Returns:
            The integers: int64 of shape (k,).

        Raises:
            ArrayError: if the mask is invalid.
            ConfigError: if ``below`` is out of range.
        """
        return self._draw(
            self._checked_mask(mask).nonzero()[0],
            checked_integer("below", below, 1, _MAX_DRAWS),
            purpose,
        )

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which games are over: bool of shape (n,)."""
        return self._results != UNDECIDED

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Which games ended for a reason outside their rules: bool of shape (n,)."""
        return self.ends.truncated[self._results]

    def truncated_of(self, indices: NDArray[np.int64]) -> NDArray[np.bool_]:
        """`truncated` for some games.

        Args:
            indices: which games, from 0 to n - 1: int64 of shape (k,).

        Returns:
            bool of shape (k,).
        """
        return self.ends.truncated[self._results[self._checked_indices(indices)]]

    @property
    def rewards(self) -> NDArray[np.float64]:
        """What each player earned: float64 of shape (n, players).

        It is 1 for a win, -1 for a loss, and 0 otherwise.
        """
        return self.ends.rewards[self._results]

    def rewards_of(self, indices: NDArray[np.int64]) -> NDArray[np.float64]:
        """`rewards` for some games.

        Args:
            indices: which games, from 0 to n - 1: int64 of shape (k,).

        Returns:
            float64 of shape (k, players).
        """
        return self.ends.rewards[self._results[self._checked_indices(indices)]]

    def result(self, game: int) -> str | None:
        """How one game ended, as `BaseGame.result`; None while it is in progress.

        Args:
            game: the index of the game.

        Raises:
            ArrayError: if there is no such game.
        """
        return self.game_class.results.get(int(self._results[self._checked_number("game", game)]))

    def results_of(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """How some games ended, as `BaseGame.result`.

        Args:
            indices: which games, from 0 to n - 1: int64 of shape (k,).

        Returns:
            Text or None for each game: object of shape (k,); a new array.

        Raises:
            ArrayError: if there is no such game.
        """
        return self.ends.texts[self._results[self._checked_indices(indices)]]

    @no_concurrent_use
    def reset(self, seed: Seeds = None, mask: NDArray[np.bool_] | None = None) -> None:
        """Restart games.

        Args:
            seed: one seed, from 0, to which game i adds i, or one for each of the n games; None
                continues with the current random streams.
            mask: which games to restart, and to seed: bool of shape (n,); None for all.

        Raises:
            ArrayError: if a seed or the mask is invalid.
        """
        mask = (
            self.arrays.ones(self.num_games, np.bool_) if mask is None else self._checked_mask(mask)
        )
        if seed is not None:
            self._seed(mask, self.checked_seeds(seed))
        self.begin(mask)

    @no_concurrent_use
    def set_initial_positions(
        self,
        opening_turns: int = 0,
        positions: Collection[str] | None = None,
        encoder: ObservationEncoder | None = None,
    ) -> None:
        """Choose how games begin from now on; games in progress continue.

        Games begin after turns of random play, or from given positions. Later calls that begin
        games raise a `ConfigError` if none of very many random games lasts beyond its opening.

        Args:
            opening_turns: the number of turns played at random before each game, including a draft.
            positions: the texts of positions, one of which is drawn for each game; ``"shipped"``
                for the openings that come with the package; None for the usual start.
            encoder: how the games are shown, which must be able to show all of each position; None
                for the games' own observations.

        Raises:
            ConfigError: naming the keyword that is invalid; nothing has changed.
        """
        self._set_initial_positions(
            InitialPositions(self.game_class, self.config, opening_turns, positions, encoder)
        )

    @no_concurrent_use
    def begin(self, mask: NDArray[np.bool_]) -> None:
        """Restart some games.

        Args:
            mask: which games: bool of shape (n,).

        Raises:
            ArrayError: if the mask is invalid.
        """
        self._play(self.arrays.where(self._checked_mask(mask), BEGIN, NO_ACTION))

    @no_concurrent_use
    def play(self, actions: NDArray[np.int64]) -> None:
        """Play an action in each game, and update `masks` and `results`.

        Args:
            actions: the actions: int64 of shape (n,). An illegal action loses the game for the
                player who made it, and sets `illegal`. `NO_ACTION` leaves a game unchanged, and
                `BEGIN` restarts it. A game that is over stays as it is.

        Raises:
            ArrayError: if the array is invalid, or there is no such action.
        """
        self._play(self._checked("actions", actions, BEGIN, self.num_actions))

    @no_concurrent_use
    def step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        """Play an action in each game, restart those that are over, and observe, in one call.

        Afterwards, `results` says how the restarted games ended.

        Args:
            actions: the actions: int64 of shape (n,). An illegal action loses the game.
            observations: where to write what the players to act see: an array from
                `new_observations`.

        Raises:
            ArrayError: if an array is invalid, or there is no such action.
        """
        self._step(
            self._checked("actions", actions, 0, self.num_actions),
            self._checked_observations(observations),
        )

    @no_concurrent_use
    def observe(
        self,
        observations: NDArray[Any],
        viewers: NDArray[np.int64] | None = None,
        encoder: ObservationEncoder | None = None,
    ) -> None:
        """Write what each game's viewer sees.

        Args:
            observations: where to write: an array that `new_observations` made for the same
                encoder.
            viewers: the index of the viewer of each game, 0 or 1: int64 of shape (n,); None for the
                players to act.
            encoder: how the games are shown; None for the games' own observations.

        Raises:
            ArrayError: if an array is invalid.
            ConfigError: if the encoder is for another game or other settings.
        """
        checked = self._checked_observations(observations, encoder)
        seen_by = (
            self.to_act
            if viewers is None
            else self._checked("viewers", viewers, 0, len(self.players))
        )
        self._write_observations(encoder, seen_by, checked)

    @no_concurrent_use
    def show(
        self, viewers: NDArray[np.int64], encoder: ObservationEncoder
    ) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """What each game's viewer sees, and which actions are legal.

        It is what `observe` writes, and `masks` as `ObservationEncoder.write_masks` writes them.

        Args:
            viewers: the index of the viewer of each game, 0 or 1: int64 of shape (n,).
            encoder: how the games are shown.

        Returns:
            The observations, of shape ``(n, *observation)``, and the masks, int8 of shape (n,
                actions). They never change; their memory is reused once nothing refers to it.

        Raises:
            ArrayError: if the viewers are invalid.
            ConfigError: if the encoder is for another game or other settings.
        """
        seen, dtype = self._seen_as(encoder)
        seen_by = self._checked("viewers", viewers, 0, len(self.players))
        return self._show(seen_by, encoder, (self.num_games, *seen), dtype)

    def _show(
        self,
        viewers: NDArray[np.int64],
        encoder: ObservationEncoder,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
    ) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """See `show`; the observations are of the given shape and dtype."""
        observations, masks = self.arrays.zeros(shape, dtype), self.masks.copy()
        self._write_observations(encoder, viewers, observations)
        if encoder.renumbers_actions:
            encoder.write_masks(self.masks, viewers, masks)
        return observations, masks

    def outcomes(self, actions: NDArray[np.int64], players: NDArray[np.int64]) -> Outcomes:
        """What has come of the games since actions were played in them.

        Experimental: it may change in any minor version.

        Args:
            actions: these actions, which have been checked: int64 of shape (n,). A game with
                `BEGIN` has not ended, whatever its result is now.
            players: whose reward to return for each game, 0 or 1: int64 of shape (n,).

        Returns:
            The outcomes.
        """
        over = (self._results != UNDECIDED) & (actions != BEGIN)
        results = self._results * over
        truncated, earned = self.ends.truncated[results], self.ends.rewards[results]
        rewards = earned[self.arrays.arange(self.num_games), players]
        return Outcomes(over, over & ~truncated, truncated, earned, rewards)

    @no_concurrent_use
    def play_and_show(
        self,
        actions: NDArray[np.int64],
        players: NDArray[np.int64] | None,
        encoder: ObservationEncoder,
    ) -> Shown:
        """Play actions and random replies to them, and show the games, in one call.

        It does what `play_checked`, `play_at_random`, `outcomes` and `show` do.

        Experimental: it may change in any minor version.

        Args:
            actions: what `checked_actions` returned.
            players: the player to stop for in each game, 0 or 1, who also sees it: int64 of shape
                (n,); None for no replies, so that the players to act see the games.
            encoder: how the games are shown.

        Returns:
            What the viewers see and have earned.

        Raises:
            ArrayError: if the players are invalid.
            ConfigError: if the encoder is for another game or other settings.
        """
        seen, dtype = self._seen_as(encoder)
        until = None if players is None else self._checked("players", players, 0, len(self.players))
        return self._play_and_show(actions, until, encoder, (self.num_games, *seen), dtype)

    def _play_and_show(
        self,
        actions: NDArray[np.int64],
        players: NDArray[np.int64] | None,
        encoder: ObservationEncoder,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
    ) -> Shown:
        """See `play_and_show`; the observations are of the given shape and dtype."""
        actors = self.to_act.copy() if players is None else players
        self._play(actions)
        if players is not None:
            self.play_at_random(players)
        viewers = self.to_act.copy() if players is None else players
        shown = self._show(viewers, encoder, shape, dtype)
        return Shown(*shown, viewers, self.outcomes(actions, actors))

    @no_concurrent_use
    def observations_of(
        self,
        indices: NDArray[np.int64],
        viewers: NDArray[np.int64],
        encoder: ObservationEncoder | None = None,
    ) -> NDArray[Any]:
        """What viewers see of some games.

        Args:
            indices: which games, from 0 to n - 1: int64 of shape (k,).
            viewers: the index of the viewer of each of them, 0 or 1: int64 of shape (k,).
            encoder: how the games are shown; None for the games' own observations.

        Returns:
            A new array of shape ``(k, *observation)``: int8, or the dtype of the encoder's
                observations.

        Raises:
            ArrayError: if an array is invalid.
            ConfigError: if the encoder is for another game or other settings.
        """
        numbers = self._checked_indices(indices)
        seen_by = self._checked("viewers", viewers, 0, len(self.players), len(numbers)).astype(
            np.int64, copy=False
        )
        shape, dtype = self._seen_as(encoder)
        observations = self.arrays.zeros((len(numbers), *shape), dtype)
        self._write_observations(encoder, seen_by, observations, numbers)
        return observations

    def _seen_as(self, encoder: ObservationEncoder | None) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """The shape and the dtype of an observation."""
        if encoder is None:
            return self.game_class.observation_shape, _BYTES
        checked_instance("encoder", encoder, ObservationEncoder)
        if encoder.game_class is not self.game_class or (
            encoder.config is not self.config and encoder.config != self.config
        ):
            wanted = f"it must be one of {self.game_class.__name__} under this batch's own settings"
            raise ConfigError("encoder", encoder, wanted)
        return encoder.high.shape, encoder.high.dtype

    def checked_actions(
        self,
        actions: Any,
        beginning: NDArray[np.bool_] | None = None,
        num_actions: int | None = None,
    ) -> NDArray[np.int64]:
        """Check that there is one action for each game.

        Experimental: it may change in any minor version.

        Args:
            actions: what a caller gave.
            beginning: which games begin anew, whatever action was given for them: bool of shape
                (n,); None for no game.
            num_actions: the number of different actions; None for that of the game.

        Returns:
            The actions, with `BEGIN` for games that are ``beginning``: int64 of shape (n,); a new
                array.

        Raises:
            ArrayError: if the array is invalid, or there is no such action.
        """
        end = self.num_actions if num_actions is None else num_actions
        if beginning is None:
            return self._checked("actions", actions, 0, end).astype(np.int64)
        played = self._checked("actions", actions, *_ANY).astype(np.int64)
        if set_beginning(played, beginning, end):
            self._checked("actions", np.where(beginning, 0, played), 0, end)  # which raises
        return played

    @no_concurrent_use
    def play_checked(self, actions: NDArray[np.int64]) -> None:
        """As `play`, for actions that `checked_actions` returned, which are not checked again.

        Experimental: it may change in any minor version.

        Args:
            actions: what `checked_actions` returned.
        """
        self._play(actions)

    def _checked(
        self, name: str, numbers: Any, low: int, end: int, length: int | None = None
    ) -> NDArray[np.int64]:
        """One integer from ``low`` to ``end`` - 1 for each game, or ``length`` of them."""
        size = self.num_games if length is None else length
        if size == 0 and not isinstance(numbers, np.ndarray) and as_array(numbers).shape == (0,):
            return np.zeros(0, np.int64)  # numpy turns an empty list into floats
        usual = (
            type(numbers) is np.ndarray
            and numbers.dtype == np.int64
            and numbers.shape == (size,)
            and numbers.flags.carray
        )
        if usual and not any_outside(numbers, low, end):
            return numbers
        return checked_numbers(name, numbers, (size,), low, end - 1)

    def _checked_indices(self, indices: Any, name: str = "indices") -> NDArray[np.int64]:
        """Indices of any number of games."""
        given = as_array(indices)
        if given.ndim != 1:
            raise ArrayError(name, describe(given), "integers of shape (k,)")
        return self._checked(name, indices, 0, self.num_games, len(given))

    def _checked_number(self, name: str, given: object) -> int:
        """The index of a game."""
        number = whole_number(given)
        if number is None or not 0 <= number < self.num_games:
            raise ArrayError(name, repr_of(given), f"an integer from 0 to {self.num_games - 1}")
        return number

    def _checked_mask(self, mask: Any) -> NDArray[np.bool_]:
        given = as_array(mask)
        if given.shape != (self.num_games,) or given.dtype != np.bool_:
            raise ArrayError("mask", describe(given), f"bool of shape ({self.num_games},)")
        return given

    def checked_seeds(self, seed: Any) -> list[int]:
        """A seed for each game.

        Args:
            seed: one seed, from 0, to which game i adds i, or one for each game.

        Raises:
            ArrayError: if it is neither.
        """
        wanted = f"an integer from 0, or one for each of {self.num_games} games"
        first = whole_number(seed)
        if first is not None and first >= 0:
            return list(range(first, first + self.num_games))
        is_row = isinstance(seed, Collection) and not isinstance(
            seed, (str, bytes, bytearray, Mapping, Set)
        )
        given = (
            list(islice(seed, self.num_games + 1))
            if is_row and getattr(seed, "ndim", None) != 0
            else []
        )
        if len(given) != self.num_games:
            raise ArrayError("seed", repr_of(seed), wanted)
        seeds = []
        for index, one in enumerate(given):
            number = whole_number(one)
            if number is None or number < 0:
                raise ArrayError("seed", f"{repr_of(one)} for game {index}", wanted)
            seeds.append(number)
        return seeds

    def _checked_observations(
        self, observations: NDArray[Any], encoder: ObservationEncoder | None = None
    ) -> NDArray[Any]:
        seen, dtype = self._seen_as(encoder)
        shape = (self.num_games, *seen)
        fits = (
            isinstance(observations, np.ndarray)
            and observations.shape == shape
            and observations.dtype == dtype
        )
        if not fits or not observations.flags.carray:
            wanted = f"a writeable C-contiguous {dtype} array of shape {shape}"
            flags = ", read-only or not C-contiguous" if fits else ""
            raise ArrayError("observations", describe(observations) + flags, wanted)
        return observations


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view
