"""The players of Terminus that think. Imports `agents.protocol`, the search and `game`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.agents.protocol import checked_count, checked_number, new_stream
from tkm_env.terminus.batch import TerminusBatch
from tkm_env.terminus.game import TerminusGame
from tkm_env.terminus.search.greedy import best_turn, new_walk, play_greedily
from tkm_env.terminus.search.montecarlo import grow, most_visited, new_tree

__all__ = ["GreedyAgent", "ISMCTSAgent"]

_MOST_ITERATIONS: Final = 10**7


class GreedyAgent:
    """Looks at every way to play the whole turn, and plays the one after which it leads by most visible eras; of equals any.

    It wins when it can win at once, and does not see what the opponent will do. What it plays does not depend on the order of the deck.

    >>> GreedyAgent(seed=1).act(TerminusGame(seed=1)) in TerminusGame(seed=1).legal_actions()
    True
    """

    def __init__(self, *, seed: int | np.random.Generator | None = None) -> None:
        self.name = "greedy"
        self._walk = new_walk()
        self.reset(seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Draw from ``seed`` from now on."""
        self._stream = new_stream(seed)

    def act(self, game: TerminusGame) -> int:
        """The next action of the turn that looks best."""
        best_turn(self._walk, game.state, self._stream)
        return int(self._walk.best[0])

    def answer_all(self, batch: TerminusBatch, players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act, in compiled code; drawn from the games' own streams."""
        play_greedily(self._walk, batch.states, players.astype(np.int64), batch.streams, batch.masks)
        batch.refresh()


class ISMCTSAgent:
    """Grows a tree where random play promises most, over many orders of the deck, and plays what it visited most.

    It knows what its player may: which cards are left, and not in which order (`tkm_env.terminus.search.montecarlo`).

    Args:
        iterations: visits before each action.
        exploration: how much to try what was tried seldom (UCB1).
        seed: of the player's own random numbers.

    Raises:
        ConfigError: naming the keyword that cannot be.

    >>> ISMCTSAgent(iterations=100, seed=1).act(TerminusGame(seed=1)) in TerminusGame(seed=1).legal_actions()
    True
    """

    def __init__(self, *, iterations: int = 1000, exploration: float = 0.7, seed: int | np.random.Generator | None = None) -> None:
        self._iterations = checked_count("iterations", iterations, most=_MOST_ITERATIONS)
        self._exploration = checked_number("exploration", exploration)
        self.name = f"ismcts iterations={self._iterations}"
        self._tree: Any = new_tree(self._iterations)
        self.reset(seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Draw from ``seed`` from now on."""
        self._stream = new_stream(seed)

    def act(self, game: TerminusGame) -> int:
        """The action most visited."""
        legal = game.legal_actions()
        if len(legal) == 1:
            return legal[0]
        grow(self._tree, game.state, self._iterations, self._exploration, self._stream)
        return most_visited(self._tree)
