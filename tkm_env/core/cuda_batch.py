"""Many games on a GPU: the interface of a batch with arrays that stay on the device."""

from __future__ import annotations

from typing import Any, ClassVar, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled import cuda
from tkm_env.compiled.gather_plan import GatherPlan
from tkm_env.compiled.kernels import BEGIN, NO_ACTION, PLAY, PLAY_AT_RANDOM, PREPARE, STEP
from tkm_env.compiled.random_numbers import ACTIONS, new_streams, unseeded_streams
from tkm_env.core.batch import BaseBatch, ResultTable
from tkm_env.core.batch_turns import BatchTurns
from tkm_env.core.compiled_batch import CompiledBatch
from tkm_env.core.compiled_game import CompiledGame
from tkm_env.core.initial_positions import OPENINGS_TRIED, InitialPositions
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.core.state_arrays import words_of
from tkm_env.foundations.checks import describe
from tkm_env.foundations.concurrency import no_concurrent_use
from tkm_env.foundations.errors import ArrayError, ConfigError

#: The arrays that batches on any device have besides their games.
_SHARED: Final = ("_streams", "_masks", "_results", "_illegal")


class CudaKernels(NamedTuple):
    """The kernels that play a game.

    The game's ``engine/cuda_kernels.py`` describes their arguments.
    """

    work: cuda.Kernel
    observe: cuda.Kernel


class _Origins(NamedTuple):
    """Where games begin, as the kernel ``work`` takes it.

    Its arrays are on the device.
    """

    states: Any
    thresholds: Any
    below: int
    turns: int
    tries: int


Self = TypeVar("Self", bound="BaseCudaBatch[Any]")
PlayedCompiled = TypeVar("PlayedCompiled", bound=CompiledGame)


class BaseCudaBatch(BaseBatch[PlayedCompiled]):
    """Games side by side on a GPU.

    Args:
        num_games: the number of games, 1 to 16,777,216.
        config: the settings.
        origins: the states in which games may begin: of the engine's dtype and shape (k,).
        thresholds: how a state is selected if ``below`` is not 0: int64 of shape (k,), ascending.
            An integer from 0 to ``below`` - 1 is drawn, and the first threshold above it selects
            the state.
        below: the exclusive upper bound of that draw; 0 to begin every game in the first state.

    Raises:
        MissingExtraError: without the extra ``[cuda]``.
        ConfigError: if there is no GPU, or an argument is invalid.
    """

    arrays: ClassVar[Any] = cuda.arrays
    #: The same games on processors.
    host_class: ClassVar[type[CompiledBatch[Any]]]
    kernels: ClassVar[CudaKernels]

    def __init__(
        self,
        num_games: int,
        config: Any,
        origins: NDArray[np.void],
        thresholds: NDArray[np.int64],
        below: int,
    ) -> None:
        cuda.check_device()
        super().__init__(num_games, config, 1)
        xp = self.arrays
        self.ends = ResultTable(
            cuda.on_device(self.ends.rewards), cuda.on_device(self.ends.truncated), self.ends.texts
        )
        size = self.game_class.dtype.itemsize
        self._states, self._starts = xp.zeros((2, self.num_games, size), np.uint8)
        self._actions, self._players, self._to_act = xp.zeros((3, self.num_games), np.int64)
        self._streams = cuda.on_device(unseeded_streams(self.num_games))
        self._failed = xp.zeros(1, np.int64)
        #: Where games begin other than at their usual start.
        self._origin: InitialPositions[PlayedCompiled] | None = None
        self._usual = self._origins = self._move_origins(origins, thresholds, below)
        self._records = self._records_of(self._states)
        own = (
            self._actions,
            self._players,
            self._masks,
            self._results,
            self._illegal,
            self._streams,
            self._to_act,
        )
        self._given = (self._records, self._records_of(self._starts), *map(cuda.argument, own))
        self._tables: dict[GatherPlan, list[Any]] = {}
        self._actions[:] = BEGIN
        self._work(PREPARE)
        self._work(PLAY)

    def _records_of(self, rows: Any) -> Any:
        return cuda.records(rows, self.game_class.dtype)

    def _move_origins(
        self, states: NDArray[np.void], thresholds: NDArray[np.int64], below: int, turns: int = 0
    ) -> _Origins:
        rows = cuda.on_device(words_of(np.ascontiguousarray(states)).view(np.uint8))
        return _Origins(
            self._records_of(rows),
            cuda.argument(cuda.on_device(thresholds)),
            below,
            turns,
            OPENINGS_TRIED,
        )

    def _view(self, array: Any) -> Any:
        """The array itself: arrays on a device cannot be made read-only."""
        return array

    # Between devices.

    @classmethod
    def from_batch(cls: type[Self], batch: CompiledBatch[Any]) -> Self:
        """A copy on the device of the games of a batch of this game.

        They continue there as they would have here, draw for draw.
        """
        # All derived classes take these arguments.
        made = cls(batch.num_games, batch.config)  # type: ignore[call-arg]
        made._begin_at(batch._origin)
        for name in ("_states", "_starts"):
            getattr(made, name)[:] = cuda.on_device(words_of(getattr(batch, name)).view(np.uint8))
        for name in _SHARED:
            getattr(made, name)[:] = cuda.on_device(getattr(batch, name))
        made._to_act[:] = cuda.on_device(np.ascontiguousarray(batch.to_act))
        return made

    def to_batch(self) -> CompiledBatch[Any]:
        """A copy of the games on the host.

        They continue there as they would have here, draw for draw.
        """
        made: CompiledBatch[Any]
        made = self.host_class(self.num_games, self.config)  # type: ignore[call-arg]
        made._origin = self._origin
        for name in ("_states", "_starts"):
            words_of(getattr(made, name)).view(np.uint8)[:] = cuda.to_host(getattr(self, name))
        for name in _SHARED:
            getattr(made, name)[:] = cuda.to_host(getattr(self, name))
        return made

    def copy(self: Self) -> Self:
        return self.from_batch(self.to_batch())

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds the games on the host."""
        return type(self).from_batch, (self.to_batch(),)

    # What a batch returns.

    @property
    def states(self) -> Any:
        """The games' records as bytes: uint8 of shape (n, bytes of a record)."""
        return self._states

    @property
    def streams(self) -> Any:
        """Each game's own random numbers, by purpose: uint64 of shape (`STREAMS`, n)."""
        return self._streams

    @property
    def to_act(self) -> Any:
        return self._to_act

    def _game(self, number: int) -> PlayedCompiled:
        state = cuda.to_host(self._states[number]).view(self.game_class.dtype)
        return self.game_class._at(state, self.config)

    def _set_game(self, number: int, game: PlayedCompiled) -> None:
        twin = game.copy()
        self._states[number] = cuda.on_device(words_of(twin._states).view(np.uint8)[0])
        self._masks[number] = cuda.on_device(twin._mask)
        self._results[number] = twin._status >> 1
        self._to_act[number] = twin._status & 1
        self._illegal[number] = False

    def _keys_of(self, indices: Any) -> Any:
        keys = self.arrays.empty(len(indices), np.uint64)
        cuda.launch(cuda.write_keys, len(indices), self._states[indices].view(np.uint64), keys)
        return keys

    def _draw(self, indices: Any, below: int, purpose: int) -> Any:
        drawn = self.arrays.empty(len(indices), np.int64)
        if len(indices):
            cuda.launch(cuda.draw_some, len(indices), self._streams[purpose], indices, below, drawn)
        return drawn

    def results_of(self, indices: Any) -> NDArray[Any]:
        return self.ends.texts[cuda.to_host(self._results[self._checked_indices(indices)])]

    @no_concurrent_use
    def random_actions(self) -> Any:
        actions = self.arrays.empty(self.num_games, np.int64)
        cuda.launch(cuda.pick, self.num_games, self._masks, self._streams[ACTIONS], actions)
        return actions

    @no_concurrent_use
    def play_at_random(self, players: Any) -> None:
        self._players[:] = self._checked("players", players, 0, len(self.players))
        self._work(PLAY_AT_RANDOM)

    def turns(self, indices: Any = None) -> BatchTurns:
        raise ConfigError(
            "device", "cuda", "turns are listed on CPUs only; `to_batch` copies the games there"
        )

    # What changes games.

    def _seed(self, mask: Any, seeds: list[int]) -> None:
        chosen = cuda.to_host(mask).nonzero()[0]
        self._streams[:, cuda.on_device(chosen)] = cuda.on_device(
            new_streams(seeds[number] for number in chosen.tolist())
        )
        self._actions[:] = self.arrays.where(mask, BEGIN, NO_ACTION)
        self._work(PREPARE)

    def _set_initial_positions(self, starts: InitialPositions[PlayedCompiled]) -> None:
        before = self._origin, self._starts.copy(), self._streams.copy()
        self._begin_at(starts if starts.opening_turns or starts.positions else None)
        self._actions[:] = BEGIN
        try:
            self._work(PREPARE)
        except BaseException:
            begun, self._starts[:], self._streams[:] = before
            self._begin_at(begun)
            raise

    def _begin_at(self, starts: InitialPositions[PlayedCompiled] | None) -> None:
        """Choose where games begin from now on; None for their usual start."""
        self._origin = starts
        if starts is None or not starts.positions:
            self._origins = self._usual._replace(
                turns=0 if starts is None else starts.opening_turns
            )
        else:
            states = np.concatenate([game.state for game in starts.games])
            self._origins = self._move_origins(
                states, np.arange(1, len(states) + 1), len(states), starts.opening_turns
            )

    def _play(self, actions: Any) -> None:
        self._actions[:] = actions
        self._work(PLAY)

    def _step(self, actions: Any, observations: Any) -> None:
        self._actions[:] = actions
        self._work(STEP)
        self._observe(self._to_act, observations)

    def _play_into(self: Self, batch: Self, sources: Any, actions: Any, targets: Any) -> None:
        states, illegal = self._states[sources], self._illegal[sources]
        played = (
            states,
            self._masks[sources],
            self._results[sources],
            illegal,
            self._to_act[sources],
        )
        records, (_, masks, results, _, to_act) = self._records_of(states), played
        self._launch(
            PLAY,
            len(states),
            records,
            records,
            actions,
            actions,
            masks,
            results,
            illegal,
            self._streams,
            to_act,
        )
        # The last of equal targets counts; on a device, either of two writes to one row could win.
        rows, last = np.unique(cuda.to_host(targets)[::-1], return_index=True)
        rows, last = cuda.on_device(rows), cuda.on_device(len(states) - 1 - last)
        for name, values in zip(
            ("_states", "_masks", "_results", "_illegal", "_to_act"), played, strict=True
        ):
            getattr(batch, name)[rows] = values[last]

    def _observe(self, viewers: Any, observations: Any, indices: Any = None) -> None:
        records = self._records if indices is None else self._records_of(self._states[indices])
        rows = observations.reshape(len(viewers), -1).view(np.uint64)
        cuda.launch(self.kernels.observe, len(viewers), records, viewers, rows, block=cuda.ROWS)

    def _gather(self, plan: GatherPlan, viewers: Any, gathered: Any, indices: Any = None) -> None:
        games = len(viewers)
        rows = self.arrays.empty((games, *self.game_class.observation_shape), np.int8)
        self._observe(viewers, rows, indices)
        if plan not in self._tables:
            self._tables[plan] = [cuda.on_device(table) for table in plan.tables]
        plans, factors, ones = self._tables[plan]
        places = gathered.reshape(games, -1)
        cuda.launch(
            cuda.gather_some, games, rows.reshape(games, -1), viewers, plans, factors, places
        )
        if len(ones):
            places[:, ones] = 1

    def _work(self, task: int) -> None:
        """Perform a task on all games.

        Raises:
            ConfigError: if no random game outlasts its opening.
        """
        self._launch(task, self.num_games, *self._given)
        if self._origin is not None and self._origins.turns and int(self._failed[0]):
            self._failed[:] = 0
            raise self._origin.no_lasting_opening_error()

    def _launch(self, task: int, games: int, *arrays: Any) -> None:
        cuda.launch(self.kernels.work, games, task, *arrays, *self._origins, self._failed)

    # Checks that leave arrays on the device.

    def actions_on_device(self, actions: Any) -> Any:
        """One action for each game: int64 of shape (n,) on the device.

        Values that are on the device already are not checked.
        """
        return self._checked("actions", actions, 0, self.num_actions)

    def _checked(
        self, name: str, numbers: Any, low: int, end: int, length: int | None = None
    ) -> Any:
        """One integer for each game; values in an array on the device are not checked."""
        if not cuda.is_on_device(numbers):
            return cuda.on_device(super()._checked(name, numbers, low, end, length)).astype(
                np.int64, copy=False
            )
        shape = (self.num_games if length is None else length,)
        return self._array(name, numbers, "iu", f"integers of shape {shape}", shape).astype(
            np.int64, copy=False
        )

    def _checked_indices(self, indices: Any, name: str = "indices") -> Any:
        if not cuda.is_on_device(indices):
            return super()._checked_indices(indices, name)
        return self._array(name, indices, "iu", "integers of shape (k,)", (None,)).astype(
            np.int64, copy=False
        )

    def _checked_mask(self, mask: Any) -> Any:
        if not cuda.is_on_device(mask):
            return cuda.on_device(super()._checked_mask(mask))
        return self._array(
            "mask", mask, "b", f"bool of shape ({self.num_games},)", (self.num_games,)
        )

    def _checked_observations(
        self, observations: Any, encoder: ObservationEncoder | None = None
    ) -> Any:
        if cuda.SIMULATED:
            return super()._checked_observations(observations, encoder)
        seen, dtype = self._seen_as(encoder)
        shape = (self.num_games, *seen)
        wanted = f"a C-contiguous {dtype} array of shape {shape} on the device"
        if not cuda.is_on_device(observations):
            raise ArrayError("observations", describe(observations), wanted)
        given = self._array("observations", observations, dtype.kind, wanted, shape)
        if given.dtype != dtype or not given.flags.c_contiguous:
            raise ArrayError("observations", f"shape {given.shape} and dtype {given.dtype}", wanted)
        return given

    def _array(
        self, name: str, given: Any, kinds: str, wanted: str, shape: tuple[int | None, ...]
    ) -> Any:
        """An array on the device, of any library, as a CuPy array over the same memory."""
        array = self.arrays.asarray(given)
        fits = array.ndim == len(shape) and all(
            size in (None, own) for size, own in zip(shape, array.shape, strict=True)
        )
        if not fits or array.dtype.kind not in kinds:
            raise ArrayError(name, f"shape {array.shape} and dtype {array.dtype}", wanted)
        return array
