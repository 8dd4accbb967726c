"""Many games whose rules are compiled.

They are arrays of an engine's records, which several threads process.
"""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import GameArrays
from tkm_env.compiled.atomics import address_of
from tkm_env.compiled.chosen_turns import NO_ROW, TurnTask
from tkm_env.compiled.entry_points import EntryPoints
from tkm_env.compiled.gather_plan import GatherPlan
from tkm_env.compiled.kernels import (
    BEGIN,
    COPY_MASKS,
    NO_ACTION,
    NOBODY,
    OBSERVE,
    PICK,
    PLAY,
    PLAY_AT_RANDOM,
    PLAY_TURNS,
    REFRESH,
    SELECT_TO_ACT,
    STEP,
    TAKE_TURNS,
    UNDECIDED,
    WRITE_OUTCOMES,
    write_keys,
)
from tkm_env.compiled.outcomes import Outcomes, OutcomeTask
from tkm_env.compiled.random_numbers import CHANCE, OPENING, OPPONENT, new_streams, unseeded_streams
from tkm_env.compiled.threads import Task, ThreadTeam, in_threads, useful_threads
from tkm_env.compiled.work_sharing import new_control
from tkm_env.core.batch import MAX_GAMES, BaseBatch, Shown, read_only
from tkm_env.core.batch_turns import BatchTurns, RowPool
from tkm_env.core.buffer_pool import BufferPool
from tkm_env.core.compiled_game import CompiledGame
from tkm_env.core.initial_positions import OPENINGS_TRIED, InitialPositions
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.core.state_arrays import copy_states, put_states, select_states, words_of
from tkm_env.core.turns import list_turns
from tkm_env.foundations.checks import as_array, describe
from tkm_env.foundations.concurrency import no_concurrent_use
from tkm_env.foundations.errors import ArrayError

#: The fewest games, and the fewest turns to observe, that are worth a thread.
_FEWEST_GAMES: Final = 128
_FEWEST_ROWS: Final = 512
#: The fewest games with a turn to play that are worth waking the helpers.
_FEWEST_TURNS: Final = 1_024

#: The arrays that make up a batch, including its next starts; the width of the last one varies.
_PICKLED: Final = ("_states", "_starts", "_masks", "_results", "_illegal", "_streams", "_notes")

PlayedCompiled = TypeVar("PlayedCompiled", bound=CompiledGame)
Self = TypeVar("Self", bound="CompiledBatch[Any]")


class CompiledBatch(BaseBatch[PlayedCompiled]):
    """Games side by side under the same settings; see its subclasses."""

    kernels: ClassVar[EntryPoints]

    def __init__(self, num_games: int, config: Any, num_threads: int) -> None:
        super().__init__(num_games, config, num_threads)
        self._team = ThreadTeam(self.num_threads, self.num_games)
        self._outcome_task = OutcomeTask(self.ends.rewards, self.ends.truncated)
        self._starts = self._first_starts().view(
            self.game_class.dtype
        )  # that very dtype object, as in `CompiledGame`
        self._first_start = self._starts[:1].copy()
        self._states = copy_states(self._starts)
        self._streams = unseeded_streams(self.num_games)
        self._actions, self._players = np.zeros((2, self.num_games), np.int64)
        #: The arrays of all games as kernels take them. They are written to, and never replaced.
        self._games = GameArrays(
            states=self._states,
            starts=self._starts,
            actions=self._actions,
            players=self._players,
            masks=self._masks,
            results=self._results,
            illegal=self._illegal,
            streams=self._streams,
        )
        self._notes = np.zeros((self.num_games, 1), np.int64)
        #: The memory for lists of turns, for observations after turns, and for what is shown.
        self._turn_rows: RowPool | None = None
        self._turns_seen = BufferPool()
        self._shown = BufferPool()
        #: Where games begin other than at their usual start.
        self._origin: InitialPositions[PlayedCompiled] | None = None
        self._draw_starts(np.ones(self.num_games, np.bool_))
        self.begin(np.ones(self.num_games, np.bool_))

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds the arrays and a digest of them, which reveals damage."""
        origin = (
            None
            if self._origin is None
            else (self._origin.opening_turns, self._origin.positions or None)
        )
        content = (
            self.num_games,
            self.config,
            self.num_threads,
            origin,
            [getattr(self, name).tobytes() for name in _PICKLED],
        )
        return _unpickle, (type(self), *content, _digest(*content))

    @classmethod
    def from_states(
        cls: type[Self], states: NDArray[np.void], config: Any = None, *, num_threads: int = 1
    ) -> Self:
        """A batch that continues from engine states.

        They may be the `states` of another batch, or rows of it in any order. Each state is checked
        as in `CompiledGame.from_state`, which takes about half a millisecond; equal ones are
        checked once.

        Args:
            states: one or more states, of the engine's dtype and shape (n,); they are copied.
            config: the settings of games after a `reset`; None for those of the first state.
            num_threads: the maximum number of cores, 1 to 256.

        Returns:
            The batch.

        Raises:
            ArrayError: if the shape or dtype is wrong, or a state does not represent a position
                (NOTATION).
            ConfigError: if a state has other settings than the config.

        >>> from tkm_env import Batch
        >>> batch = Batch(4, chapters="growth")
        >>> Batch.from_states(batch.states[[2, 0, 0]]).config.chapters
        ('growth',)
        """
        given = as_array(states)
        if (
            given.dtype != cls.game_class.dtype
            or given.ndim != 1
            or not 0 < given.size <= MAX_GAMES
        ):
            wanted = f"states of the engine's dtype, of shape (n,) with n from 1 to {MAX_GAMES}"
            raise ArrayError("states", f"shape {given.shape} and dtype {given.dtype}", wanted)
        copied = copy_states(given)
        seen: set[bytes] = set()
        accepted: set[Any] = set()  # settings in states that the config has, too
        for number, row in enumerate(words_of(copied)):
            if (content := row.tobytes()) not in seen:
                seen.add(content)
                own = cls._checked_state(copied, number).config
                config = own if config is None else config
                if own not in accepted:
                    config = cls.game_class.from_state(copied[[number]], config).config
                    accepted.add(own)
        batch = cls(len(copied), config, num_threads=num_threads)
        batch._states[...] = copied
        batch._work((REFRESH, 0))
        return batch

    @classmethod
    def _checked_state(cls, states: NDArray[np.void], number: int) -> CompiledGame:
        """The game at a user's state; an `ArrayError` names the state's index."""
        try:
            return cls.game_class.from_state(states[[number]])
        except ArrayError as error:
            _, given, allowed = error.args
            raise ArrayError("states", f"at index {number}, {given}", allowed) from None

    @abstractmethod
    def _first_starts(self) -> NDArray[np.void]:
        """A new array with a starting position for each game."""

    @property
    @abstractmethod
    def possible_starts(self) -> tuple[NDArray[np.void], NDArray[np.float64]]:
        """What starting positions are made from, and the probability of each.

        The first array is of the engine's dtype and shape (k,), the second is float64 of shape
        (k,).
        """

    @abstractmethod
    def _draw_starts(self, mask: NDArray[np.bool_]) -> None:
        """Draw the next starting positions of the selected games from their own streams."""

    @property
    def states(self) -> NDArray[np.void]:
        """The games, of the engine's dtype and shape (n,); read-only.

        Copy a row to keep a game; `set_game` restores one.
        """
        return read_only(self._states)

    @property
    def streams(self) -> NDArray[np.uint64]:
        """Each game's own random numbers, by purpose.

        They are uint64 of shape (`STREAMS`, n), read-only.
        """
        return read_only(self._streams)

    @property
    def to_act(self) -> NDArray[np.int64]:
        return read_only(self._states["to_act"])

    def _game(self, number: int) -> PlayedCompiled:
        return self.game_class._at(self._states[[number]], self.config)

    def _set_game(self, number: int, game: PlayedCompiled) -> None:
        twin = game.copy()
        self._states[number] = twin._states[0]
        self._masks[number] = twin._mask
        self._results[number] = twin._status >> 1
        self._illegal[number] = False
        self._notes[number, 0] = 0

    def _keys_of(self, indices: NDArray[np.int64]) -> NDArray[np.uint64]:
        keys = np.empty(len(indices), np.uint64)
        write_keys(words_of(select_states(self._states, indices)), keys)
        return keys

    @no_concurrent_use
    def _play_into(
        self: Self,
        batch: Self,
        sources: NDArray[np.int64],
        actions: NDArray[np.int64],
        targets: NDArray[np.int64],
    ) -> None:
        states, masks = select_states(self._states, sources), self._masks[sources]
        results, illegal = np.empty(len(sources), np.int8), np.empty(len(sources), np.bool_)
        self._work_apart((PLAY, 0), states, actions, masks, results, illegal)
        try:
            put_states(batch._states, targets, states)
            batch._notes[targets, 0] = 0
            batch._masks[targets], batch._results[targets], batch._illegal[targets] = (
                masks,
                results,
                illegal,
            )
        except BaseException:  # raised by a signal's handler
            batch._work((REFRESH, 0))
            raise

    @no_concurrent_use
    def turns(self, indices: NDArray[np.int64] | None = None) -> BatchTurns:
        kernels = self.game_class.turn_kernels
        if kernels is None:
            return super().turns(indices)
        given = np.arange(self.num_games) if indices is None else self._checked_indices(indices)
        games = given.astype(np.int64)
        if self._turn_rows is None:
            self._turn_rows = RowPool(self.game_class.dtype, kernels.longest)
        threads = useful_threads(self.num_threads, len(games) // _FEWEST_GAMES)
        offsets, rows = list_turns(kernels, self._states, games, self._turn_rows.take, threads)
        to_act = self._states["to_act"][games]
        return BatchTurns(*map(read_only, (games, offsets, to_act, self._keys_of(games), *rows)))

    @no_concurrent_use
    def play_turns(self, turns: BatchTurns, rows: NDArray[np.int64]) -> None:
        """Play whole turns that `turns` has listed.

        Games without a turn stay as they are.

        Args:
            turns: what `turns` returned for the games as they are now.
            rows: which of its rows to play, at most one for each game: int64 of shape (j,).

        Raises:
            ArrayError: if there is no such row, or a game has changed since its turns were listed.
        """
        table = np.ascontiguousarray(turns.actions)
        if table.dtype != np.int8 or table.ndim != 2 or len(table) != len(turns.keys):
            raise ArrayError(
                "turns.actions", describe(table), f"int8 of shape ({len(turns.keys)}, longest turn)"
            )
        chosen = self._checked("rows", rows, 0, len(turns.keys), len(as_array(rows)))
        places = turns.offsets.searchsorted(chosen, side="right") - 1
        games = self._checked_indices(turns.indices[places])
        different = np.count_nonzero(np.bincount(games, minlength=self.num_games))
        if different < len(games):
            raise ArrayError(
                "rows", f"{len(games)} turns of {different} games", "at most one turn per game"
            )
        row_of, before = np.full(self.num_games, NO_ROW), np.empty(self.num_games, np.uint64)
        row_of[games], before[games] = chosen, turns.before[places]
        task = TurnTask(self._states, row_of, before, table)
        alone = len(games) < _FEWEST_TURNS
        self._work((TAKE_TURNS, task.address), alone=alone)
        if task.refused.any():
            moved = self._keys_of(games) != turns.before[places]
            if moved.any():
                raise ArrayError(
                    "turns",
                    f"those of an earlier position of game {games[moved.argmax()]}",
                    "those of the games as they are now",
                )
            played = turns.actions[chosen]
            self._checked("turns", played.ravel(), NO_ACTION, self.num_actions, played.size)
        self._work((PLAY_TURNS, task.address), alone=alone)

    @no_concurrent_use
    def observe_turns(
        self,
        turns: BatchTurns,
        viewers: NDArray[np.int64] | None = None,
        encoder: ObservationEncoder | None = None,
    ) -> NDArray[Any]:
        """What viewers see after each turn.

        It needs no copy of the positions.

        Args:
            turns: what `turns` returned.
            viewers: the index of the viewer after each turn, 0 or 1: int64 of shape (m,); None for
                the player whose turn it was.
            encoder: how the games are shown; None for the games' own observations.

        Returns:
            An array of shape ``(m, *observation)``: int8, or the dtype of the encoder's
                observations. Its memory is reused once nothing refers to it.

        Raises:
            ArrayError: if the viewers are invalid.
            ConfigError: if the encoder is for another game or other settings.
        """
        given = turns.players[turns.owners] if viewers is None else viewers
        seen_by = self._checked("viewers", given, 0, len(self.players), len(turns.keys)).astype(
            np.int64, copy=False
        )
        shape, dtype = self._seen_as(encoder)
        observations = self._turns_seen.take((len(seen_by), *shape), dtype)
        plan = None if encoder is None else encoder.gather_plan
        states = turns.states.view()
        states.flags.writeable = True  # to numba, arrays of another type
        threads = useful_threads(self.num_threads, len(seen_by) // _FEWEST_ROWS)
        bounds = np.linspace(0, len(seen_by), threads + 1).astype(np.int64).tolist()

        def observe(thread: int) -> None:
            rows = slice(*bounds[thread : thread + 2])
            self._observe_states(states[rows], seen_by[rows], observations[rows], plan)

        in_threads(observe, threads)
        return observations

    def _show(
        self,
        viewers: NDArray[np.int64],
        encoder: ObservationEncoder,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
    ) -> tuple[NDArray[Any], NDArray[np.int8]]:
        self._players[:] = viewers
        return self._work_and_show([], encoder, shape, dtype)

    @no_concurrent_use
    def outcomes(self, actions: NDArray[np.int64], players: NDArray[np.int64]) -> Outcomes:
        self._actions[:], self._players[:] = actions, players
        outcomes = self._outcome_task.new(self.num_games)
        self._work((WRITE_OUTCOMES, address_of(self._outcome_task.words(outcomes))))
        return outcomes

    def _play_and_show(
        self,
        actions: NDArray[np.int64],
        players: NDArray[np.int64] | None,
        encoder: ObservationEncoder,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
    ) -> Shown:
        self._actions[:] = actions
        if players is None:
            then = SELECT_TO_ACT
        else:
            self._players[:] = players
            then = PLAY_AT_RANDOM
        outcomes = self._outcome_task.new(self.num_games)
        words = self._outcome_task.words(outcomes)
        tasks = [(PLAY, 0), (then, 0), (WRITE_OUTCOMES, address_of(words))]
        observations, masks = self._work_and_show(tasks, encoder, shape, dtype)
        self._end_play()
        return Shown(observations, masks, self._players.copy(), outcomes)

    def _work_and_show(
        self,
        tasks: list[Task],
        encoder: ObservationEncoder,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
    ) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Perform tasks on all games, and show the games to `_players`, as `_show` does."""
        size = math.prod(shape) * dtype.itemsize
        memory = self._shown.take((size + self._masks.size,), np.int8)
        observations = memory[:size].view(dtype).reshape(shape)
        masks = memory[size:].reshape(self._masks.shape)
        address, plan = address_of(memory), encoder.gather_plan
        if plan is None:
            tasks.append((OBSERVE, address))
        else:
            words = plan.words(rows := plan.rows(self._team.num_threads), observations)
            tasks.append((plan.task, address_of(words)))
        if not encoder.renumbers_actions:
            tasks.append((COPY_MASKS, address + size))
        self._work(*tasks)
        if plan is not None:
            del rows
            plan.complete(observations)
        if encoder.renumbers_actions:
            encoder.write_masks(self._masks, self._players, masks)
        return observations, masks

    @no_concurrent_use
    def random_actions(self) -> NDArray[np.int64]:
        self._work((PICK, 0))
        return self._actions.copy()

    @no_concurrent_use
    def play_at_random(self, players: NDArray[np.int64]) -> None:
        self._players[:] = self._checked("players", players, 0, len(self.players))
        self._work((PLAY_AT_RANDOM, 0))

    @no_concurrent_use
    def let_play(
        self, play: Callable[[NDArray[np.void], NDArray[np.uint64], NDArray[np.int8]], object]
    ) -> None:
        """Let an agent's compiled code play.

        Masks and results are then recomputed from the states.

        Experimental: it may change in any minor version.

        Args:
            play: called with writeable `states`, the streams `OPPONENT` and `masks`; it must obey
                the rules.
        """
        try:
            play(self._states, self._streams[OPPONENT], self._masks)
        finally:
            self._work((REFRESH, 0))

    def notes(self, room: int) -> NDArray[np.int64]:
        """What players have noted about each game: int64 of shape (n, k), writeable.

        A row begins with the number of integers noted, which is 0 again when a game begins or is
        replaced.

        Experimental: it may change in any minor version.

        Args:
            room: the number of further integers that each row must have room for.
        """
        wanted = 1 + int(self._notes[:, 0].max()) + room
        if wanted > self._notes.shape[1]:
            self._notes = np.pad(self._notes, ((0, 0), (0, 2 * wanted - self._notes.shape[1])))
        return self._notes

    def _set_initial_positions(self, starts: InitialPositions[PlayedCompiled]) -> None:
        before = self._origin, self._starts.copy(), self._streams.copy()
        self._origin = starts if starts.opening_turns or starts.positions else None
        self._starts[:] = self._first_start
        try:
            self._prepare_starts(np.ones(self.num_games, np.bool_))
        except BaseException:
            self._origin, self._starts[:], self._streams[:] = before
            raise

    def _prepare_starts(self, mask: NDArray[np.bool_]) -> None:
        """Prepare the next starting positions of the selected games.

        Raises:
            ConfigError: if no random game outlasts its opening.
        """
        if self._origin is None:
            self._draw_starts(mask)
            return
        for _ in range(OPENINGS_TRIED):
            indices = mask.nonzero()[0]
            if not len(indices):
                return
            self._draw_origins(self._origin, mask)
            if self._origin.opening_turns:
                turns = self._starts["turn"][indices].astype(np.int64) + self._origin.opening_turns
                unused = np.zeros(self.num_actions, np.int8), np.zeros(0, np.int64)
                self.kernels.play_at_random(
                    self._starts, indices, NOBODY, turns, self._streams[OPENING], *unused
                )
            mask = mask & (self._starts["result"] != UNDECIDED)
        raise self._origin.no_lasting_opening_error()

    def _draw_origins(
        self, origin: InitialPositions[PlayedCompiled], mask: NDArray[np.bool_]
    ) -> None:
        """Draw where the selected games begin, before any random turns."""
        if not origin.positions:
            self._starts[mask] = self._first_start  # an opening was played there
            self._draw_starts(mask)
            return
        indices = mask.nonzero()[0]
        for index, number in zip(
            indices.tolist(),
            self._draw(indices, len(origin.positions), CHANCE).tolist(),
            strict=True,
        ):
            game = origin.games[number]
            if not origin.complete[number]:
                game = self.game_class.from_chance(
                    self.config, self._streams[CHANCE, index : index + 1], origin.positions[number]
                )
            self._starts[index] = game.state[0]

    def _seed(self, mask: NDArray[np.bool_], seeds: list[int]) -> None:
        self._streams[:, mask] = new_streams(seeds[number] for number in mask.nonzero()[0].tolist())
        self._prepare_starts(mask)

    def _play(self, actions: NDArray[np.int64]) -> None:
        self._actions[:] = actions
        self._work((PLAY, 0))
        self._end_play()

    def _end_play(self) -> None:
        """Prepare the next starts of the games that have just begun."""
        begun = self._actions == BEGIN
        if np.count_nonzero(begun):
            self._prepare_next(begun)

    def _prepare_next(self, mask: NDArray[np.bool_]) -> None:
        """Clear the notes about the selected games, which begin, and prepare their next starts."""
        if self._notes.shape[1] > 1:
            self._notes[mask, 0] = 0
        self._prepare_starts(mask)

    def _step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        self._actions[:] = actions
        self._work((STEP, address_of(observations)))
        if np.count_nonzero(self._results):
            self._prepare_next(self.over)

    def _observe(
        self,
        viewers: NDArray[np.int64],
        observations: NDArray[np.int8],
        indices: NDArray[np.int64] | None = None,
    ) -> None:
        if indices is None:
            self._players[:] = viewers
            self._work((OBSERVE, address_of(observations)))
        else:
            self._observe_states(select_states(self._states, indices), viewers, observations)

    def _gather(
        self,
        plan: GatherPlan,
        viewers: NDArray[np.int64],
        gathered: NDArray[Any],
        indices: NDArray[np.int64] | None = None,
    ) -> None:
        if indices is None:
            words = plan.words(rows := plan.rows(self._team.num_threads), gathered)
            self._players[:] = viewers
            self._work((plan.task, address_of(words)))
            del rows
            plan.complete(gathered)
        else:
            self._observe_states(select_states(self._states, indices), viewers, gathered, plan)

    def _observe_states(
        self,
        states: NDArray[np.void],
        viewers: NDArray[np.int64],
        observations: NDArray[Any],
        plan: GatherPlan | None = None,
    ) -> None:
        """Write what the viewers of these states see, through a plan if there is one."""
        rows, task, array = None, OBSERVE, observations
        if plan is not None:
            rows = plan.rows(1)
            task, array = plan.task, plan.words(rows, observations)
        self._work_apart(
            (task, array.ctypes.data),
            states,
            viewers.copy(),
            self._masks,
            self._results,
            self._illegal,
        )
        if plan is not None:
            plan.complete(observations)

    def _work_apart(
        self,
        task: Task,
        states: NDArray[np.void],
        numbers: NDArray[np.int64],
        masks: NDArray[np.int8],
        results: NDArray[np.int8],
        illegal: NDArray[np.bool_],
    ) -> None:
        """Perform a task on copies of games, on the calling thread alone.

        ``numbers`` are the actions or the viewers of these games.
        """
        copies = GameArrays(
            states=states,
            starts=states,
            actions=numbers,
            players=numbers,
            masks=masks,
            results=results,
            illegal=illegal,
            streams=self._streams,
        )
        row = np.array([task])
        self.kernels.work(new_control(len(states)), 0, 1, row.ctypes.data, *copies)

    def _work(self, *tasks: Task, alone: bool = False) -> None:
        """Perform tasks on all games, one after another in each; see `ThreadTeam.work`."""
        self._team.work(self.kernels.work, tasks, self._games, alone=alone)


def _digest(
    num_games: int,
    config: Any,
    num_threads: int,
    origin: tuple[Any, ...] | None,
    arrays: list[bytes],
) -> bytes:
    digest = hashlib.blake2b(repr((num_games, config, num_threads, origin)).encode())
    for content in arrays:
        digest.update(content)
    return digest.digest()


def _unpickle(
    batch_class: Callable[..., CompiledBatch[Any]],
    num_games: int,
    config: Any,
    num_threads: int,
    origin: tuple[Any, ...] | None,
    arrays: list[bytes],
    digest: bytes,
) -> CompiledBatch[Any]:
    if _digest(num_games, config, num_threads, origin, arrays) != digest:
        raise ArrayError("pickle", "altered bytes", "a batch as it was pickled")
    batch = batch_class(num_games, config, num_threads=num_threads)
    if origin is not None:
        batch._origin = InitialPositions(batch.game_class, batch.config, *origin)
    batch._notes = np.zeros(
        (num_games, len(arrays[-1]) // (batch._notes.itemsize * num_games)), np.int64
    )
    for name, content in zip(_PICKLED, arrays, strict=True):
        array = getattr(batch, name)
        array[...] = np.frombuffer(content, array.dtype).reshape(array.shape)
    return batch
