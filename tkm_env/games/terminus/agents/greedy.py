"""The greedy player of Terminus."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.agents.base import game_over_error
from tkm_env.compiled.random_numbers import new_stream
from tkm_env.games.terminus.batch import TerminusBatch
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.search.greedy import best_turn, new_turn_search, play_greedily
from tkm_env.time_budget import TimeBudget

#: Games of a batch in which it plays per second, before that is measured.
_SLOWEST: Final = 500.0


class GreedyAgent:
    """Plays the turn after which it leads by the most visible eras; ties are broken at random.

    It wins if it can win at once, and does not consider the opponent's reply. Its choice does not depend on the order of the deck.

    >>> GreedyAgent(seed=1).act(TerminusGame(seed=1)) in TerminusGame(seed=1).legal_actions()
    True
    """

    def __init__(self, *, seed: int | np.random.Generator | None = None) -> None:
        self.name = "greedy"
        self._search = new_turn_search()
        self._time_budget = TimeBudget(_SLOWEST)
        self.reset(seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Draw from ``seed`` from now on."""
        self._stream = new_stream(seed)

    def act(self, game: TerminusGame) -> int:
        """The next action of the turn that looks best."""
        if game.result is not None:
            raise game_over_error()
        best_turn(self._search, game.state, self._stream)
        return int(self._search.best[0])

    def answer_all(self, batch: TerminusBatch, players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act, in compiled code, drawing from the games' own streams."""
        wanted = players.astype(np.int64)

        def play(states: NDArray[np.void], streams: NDArray[np.uint64], masks: NDArray[np.int8]) -> None:
            for games in self._time_budget.slices(batch.num_games):
                play_greedily(self._search, states[games], wanted[games], streams[games], masks[games])

        batch.let_play(play)
