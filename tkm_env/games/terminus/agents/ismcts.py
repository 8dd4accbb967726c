"""The Monte Carlo player of Terminus, which uses public information only."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.agents.protocol import nothing_to_play
from tkm_env.checks import checked_integer, checked_number
from tkm_env.core.rng import new_stream
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.search.montecarlo import grow, most_visited, new_tree

__all__ = ["ISMCTSAgent"]

_MOST_ITERATIONS: Final = 10**7


class ISMCTSAgent:
    """Grows a search tree over many orders of the deck by UCB1, and plays the most visited action.

    It knows what its player may know: which cards are left, but not their order (`tkm_env.games.terminus.search.montecarlo`).

    Args:
        iterations: visits before each action.
        exploration: the weight of the exploration term (UCB1).
        seed: of the player's own random numbers.

    Raises:
        ConfigError: naming the invalid keyword.

    >>> ISMCTSAgent(iterations=100, seed=1).act(TerminusGame(seed=1)) in TerminusGame(seed=1).legal_actions()
    True
    """

    def __init__(self, *, iterations: int = 1000, exploration: float = 0.7, seed: int | np.random.Generator | None = None) -> None:
        self._iterations = checked_integer("iterations", iterations, 1, _MOST_ITERATIONS)
        self._exploration = checked_number("exploration", exploration)
        self.name = f"ismcts iterations={self._iterations}"
        self._tree: Any = new_tree(self._iterations)
        self.reset(seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Draw from ``seed`` from now on."""
        self._stream = new_stream(seed)

    def act(self, game: TerminusGame) -> int:
        """The most visited action."""
        legal = game.legal_actions()
        if not legal:
            raise nothing_to_play()
        if len(legal) == 1:
            return legal[0]
        grow(self._tree, game.state, self._iterations, self._exploration, self._stream)
        return most_visited(self._tree)
