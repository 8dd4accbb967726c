"""The greedy player."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.checks import checked_seed
from tkm_env.core.pace import Pace
from tkm_env.games.tkm.agents.planning import Plan
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.engine.state import STATE
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.search.evaluation import NUM_TERMS, WEIGHTS, checked_weights
from tkm_env.games.tkm.search.greedy import play_greedily, score_turns
from tkm_env.games.tkm.search.turns import new_walk, unpack_turn

__all__ = ["GreedyAgent"]

_MOST_TURNS: Final = 1 << 14
#: Games of a batch in which it plays per second, before that is measured.
_SLOWEST: Final = 500.0


class GreedyAgent:
    """Evaluates the position after every way to play the whole turn, and plays the best; ties are broken at random.

    It wins if it can win at once, and does not consider the opponent's reply. The evaluation is `tkm_env.games.tkm.search.evaluation`.

    Args:
        seed: of the player's own random numbers.
        weights: of the evaluation.

    Raises:
        ConfigError: if the seed is invalid.
        ArrayError: if the weights are invalid.

    >>> from tkm_env import Game
    >>> GreedyAgent(seed=1).act(Game())
    0
    """

    def __init__(self, *, seed: int | np.random.Generator | None = None, weights: np.ndarray[Any, Any] = WEIGHTS) -> None:
        self.name = "greedy"
        self._weights = checked_weights(weights)
        self._walk = new_walk()
        self._terms, self._copies = np.zeros(NUM_TERMS, np.int64), np.zeros((2, 3), np.int64)
        self._turns, self._scores = np.zeros(_MOST_TURNS, np.int64), np.zeros(_MOST_TURNS, np.int64)
        self._best = np.zeros(1, STATE)
        self._plan = Plan(self._think)
        self._pace = Pace(_SLOWEST)
        self.reset(seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Forget the last game, and draw from ``seed`` from now on."""
        self._generator = np.random.default_rng(checked_seed(seed))
        self._plan.forget()

    def act(self, game: Game) -> int:
        """The next action of the turn that looks best."""
        return self._plan.next_action(game)

    def _think(self, game: Game) -> list[int]:
        count = score_turns(self._walk, game.state, self._weights, self._terms, self._copies, self._turns, self._scores)
        best = (self._scores[:count] == self._scores[:count].max()).nonzero()[0]
        return unpack_turn(int(self._turns[best[self._generator.integers(len(best))]]))

    def answer_all(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act, in compiled code, drawing from the games' own streams."""
        wanted, workspace = players.astype(np.int64), (self._best, self._weights, self._terms, self._copies)

        def play(states: NDArray[np.void], streams: NDArray[np.uint64], masks: NDArray[np.int8]) -> None:
            for games in self._pace.slices(batch.num_games):
                play_greedily(self._walk, states[games], wanted[games], streams[games], *workspace)

        batch.let_play(play)
