"""Agents that think in whole turns: a turn is planned once, then played action by action."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tkm_env.agents.base import game_over_error
from tkm_env.checks import checked_seed
from tkm_env.compiled.kernels import NO_ACTION
from tkm_env.concurrency import no_concurrent_use
from tkm_env.game.state_arrays import copy_states
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.search.repetition import NO_HISTORY, history_keys


class TurnAgent(ABC):
    """An agent that plans a turn and follows the plan as long as the game does. One thread at a time may use it."""

    def __init__(self, name: str, seed: int | np.random.Generator | None) -> None:
        self.name = name
        self._users: dict[int, int] = {}
        self.reset(seed)

    @no_concurrent_use
    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Forget the last game, and draw from ``seed`` from now on."""
        self._generator = np.random.default_rng(checked_seed(seed))
        #: The position in which the plan goes on, and the actions left; replaced as one, since an interrupt may come at any call.
        self._plan: tuple[Game | None, Sequence[int]] = None, ()

    @no_concurrent_use
    def act(self, game: Game) -> int:
        """The next planned action; a new turn is planned if there is none, or the game has left the plan."""
        if game.result is not None:
            raise game_over_error()
        expected, actions = self._plan
        if not actions or game != expected:
            actions = self._plan_turn(game)
        after = game.copy()
        after.play(actions[0])
        self._plan = after, actions[1:]
        return actions[0]

    @abstractmethod
    def _plan_turn(self, game: Game) -> Sequence[int]:
        """The actions of a whole turn, or of the rest of one."""


class TurnSearchAgent(TurnAgent):
    """A turn agent that searches, and avoids positions that the game has been through."""

    @abstractmethod
    def _search(self, states: NDArray[np.void], history: NDArray[np.int64] = NO_HISTORY) -> Sequence[int]:
        """The actions of a turn, or of the rest of one, from ``states[0]``; ``history`` is what `history_keys` returns."""

    def _plan_turn(self, game: Game) -> Sequence[int]:
        return self._search(game.state, history_keys(game.start.state, game.history))

    @no_concurrent_use
    def answer_all(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Play in each game of a batch until it is over or ``players[i]`` is to act, a turn at a time.

        A batch does not know the history of its games, so repetitions are not avoided.
        """
        _answer_in_turns(batch, self._search, players)


@no_concurrent_use
def _answer_in_turns(batch: Batch, search: Callable[[NDArray[np.void]], Sequence[int]], players: NDArray[np.int64]) -> None:
    while len(waiting := (~batch.over & (batch.to_act != players)).nonzero()[0]):
        turns = {number: search(copy_states(batch.states[number : number + 1])) for number in waiting.tolist()}
        for step in range(max(map(len, turns.values()))):
            actions = np.full(batch.num_games, NO_ACTION)
            for number, turn in turns.items():
                if step < len(turn):
                    actions[number] = turn[step]
            batch.play(actions)
