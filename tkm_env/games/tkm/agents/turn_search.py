"""What agents that search whole turns have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tkm_env.agents.turn_agent import TurnAgent
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.search.repetition import NO_HISTORY, history_keys


class TurnSearchAgent(TurnAgent):
    """A turn agent that searches, and avoids positions that the game has been through."""

    @abstractmethod
    def _search(self, states: NDArray[np.void], history: NDArray[np.int64] = NO_HISTORY) -> Sequence[int]:
        """The actions of a turn, or of the rest of one, from ``states[0]``; ``history`` is what `history_keys` returns."""

    def _plan_turn(self, game: Game) -> Sequence[int]:
        return self._search(game.state, history_keys(game.start.state, game.history))
