"""Many games whose rules are compiled: arrays of an engine's records, processed by several threads."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.core.batch import BaseBatch
from tkm_env.core.compiled_game import CompiledGame
from tkm_env.core.exclusive import exclusive
from tkm_env.core.kernels import BEGIN, OBSERVE, PICK, PLAY, PLAY_AT_RANDOM, REFRESH, STEP, draw_all
from tkm_env.core.rng import new_streams, unseeded_streams
from tkm_env.core.states import copy_states, select_states
from tkm_env.core.thread_team import ThreadTeam

__all__ = ["CompiledBatch", "Kernels"]


class Kernels(NamedTuple):
    """The compiled functions that play a game; a game's ``engine/kernels.py`` describes their arguments."""

    work: Callable[..., None]
    observe_all: Callable[..., None]


PlayedCompiled = TypeVar("PlayedCompiled", bound=CompiledGame)


class CompiledBatch(BaseBatch[PlayedCompiled]):
    """Games side by side under the same settings; see the classes that derive from this.

    Args:
        num_games: how many, 1 to 16,777,216.
        config: the settings.
        num_threads: the maximum number of cores, 1 to 256.
        workspaces: the scratch memory of a compiled function, if it needs any: an array of one record.

    Attributes:
        states: the games, of the engine's dtype; copy a row to keep a game.
        streams: uint64 of shape (n,): each game's own random numbers.
    """

    kernels: ClassVar[Kernels]

    def __init__(self, num_games: int, config: Any, num_threads: int, workspaces: tuple[np.ndarray, ...] = ()) -> None:
        super().__init__(num_games, config, num_threads)
        self._team = ThreadTeam(self._num_threads, self.num_games)
        self._starts = self._first_starts()
        self.states = copy_states(self._starts)
        self.streams = unseeded_streams(self.num_games)
        self._actions, self._players = np.zeros((2, self.num_games), np.int64)
        self._workspaces = tuple(np.repeat(workspace, self._team.num_threads) for workspace in workspaces)
        self._draw_starts(np.ones(self.num_games, np.bool_))
        self.begin(np.ones(self.num_games, np.bool_))

    @abstractmethod
    def _first_starts(self) -> NDArray[np.void]:
        """An array for each game's next starting position."""

    @abstractmethod
    def _draw_starts(self, mask: NDArray[np.bool_]) -> None:
        """Draw the next starting positions of the selected games from their own streams."""

    @property
    def to_act(self) -> NDArray[np.int64]:
        """The player to act in each game, as an index into `players`; in a game that is over, the player whose turn ended it. A view."""
        to_act: NDArray[np.int64] = self.states["to_act"]
        return to_act

    def _game(self, number: int) -> PlayedCompiled:
        return self.game_class.from_state(self.states[[number]], self.config)

    def _draw(self, indices: NDArray[np.int64], below: int) -> NDArray[np.int64]:
        drawn = np.empty(len(indices), np.int64)
        draw_all(self.streams, indices, below, drawn)
        return drawn

    @exclusive
    def random_actions(self) -> NDArray[np.int64]:
        self._work(PICK)
        actions: NDArray[np.int64] = self._actions.copy()
        return actions

    @exclusive
    def play_at_random(self, players: NDArray[np.int64]) -> None:
        self._players[:] = self._checked("players", players, 0, len(self.players))
        self._work(PLAY_AT_RANDOM)

    @exclusive
    def refresh(self) -> None:
        """Recompute `masks` and `results` after other code changed rows of `states`."""
        self._work(REFRESH)

    def _seed(self, mask: NDArray[np.bool_], seeds: list[int]) -> None:
        self.streams[mask] = new_streams(seeds[number] for number in mask.nonzero()[0].tolist())
        self._draw_starts(mask)

    def _play(self, actions: NDArray[np.int64]) -> None:
        self._actions[:] = actions
        self._work(PLAY)
        self._draw_starts(self._actions == BEGIN)

    def _step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        self._actions[:] = actions
        self._work(STEP, observations)
        self._draw_starts(self.over)

    def _observe(self, viewers: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        self._players[:] = viewers
        self._work(OBSERVE, observations)

    def _observe_some(self, indices: NDArray[np.int64], viewers: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        self.kernels.observe_all(select_states(self.states, indices), viewers, observations)

    def _work(self, task: int, observations: NDArray[np.int8] | None = None) -> None:
        """Have the engine perform a task on all games."""
        self._team.work(
            *(self.kernels.work, task, 0 if observations is None else observations.ctypes.data),
            *(self.states, self._starts, self._actions, self._players, self.masks, self.results, self.illegal, self.streams),
            *self._workspaces,
        )
