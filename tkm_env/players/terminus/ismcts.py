"""The Monte Carlo player of Terminus, which uses public information only."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np

from tkm_env.compiled.random_numbers import new_stream
from tkm_env.core.agent import Thought, agent_name, game_over_error
from tkm_env.foundations.checks import checked_integer, checked_number
from tkm_env.foundations.concurrency import no_concurrent_use
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.players.terminus.search.ismcts import clear, grow, most_visited, new_tree, root_actions

_MAX_ITERATIONS: Final = 10**7
#: The assumed speed before the first measurement, in visits per second.
_SLOWEST: Final = 500.0
_MOST_THOUGHTS: Final = 3


class ISMCTSAgent:
    """Information set Monte Carlo tree search over random orders of the deck.

    The tree grows by UCB1, and the agent plays the most visited action (Cowling, Powley and
    Whitehouse, 2012; `tkm_env.players.terminus.search.ismcts`). It knows only what its player may
    know: which cards are left, but not their order. Only one thread at a time may use it.

    Args:
        iterations: the number of visits before each action, from 1 to 10,000,000; 1000 if neither
            limit is given.
        seconds: the time for each action, in seconds.
        exploration: the weight of the exploration term of UCB1.
        seed: the seed of its random numbers, or a generator to draw them from; None draws a seed
            from the system.

    Attributes:
        time_budget: its ``deadline`` ends an `act` early, from any thread.

    Raises:
        ConfigError: naming the invalid keyword.

    >>> game = TerminusGame(seed=1)
    >>> ISMCTSAgent(iterations=100, seed=1).act(game) in game.legal_actions()
    True
    """

    page_limits: ClassVar[Mapping[str, float]] = {
        "iterations": 10**6,
        "seconds": 60,
        "exploration": 100,
    }

    def __init__(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploration: float = 0.7,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        if iterations is None and seconds is None:
            iterations = 1000
        self._iterations = (
            None
            if iterations is None
            else checked_integer("iterations", iterations, 1, _MAX_ITERATIONS)
        )
        self._seconds = None if seconds is None else checked_number("seconds", seconds)
        self._exploration = checked_number("exploration", exploration)
        self.name = agent_name(
            "ismcts", iterations=(self._iterations, None), seconds=(self._seconds, None)
        )
        self._tree: Any = new_tree(self._iterations or _MAX_ITERATIONS)
        self._users: dict[int, int] = {}
        self.time_budget = TimeBudget(_SLOWEST)
        self.reset(seed)

    @no_concurrent_use
    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Start a new stream of random numbers from ``seed``."""
        self._stream = new_stream(seed)
        self._searched_for: str | None = None

    @no_concurrent_use
    def act(self, game: TerminusGame) -> int:
        """Search, and return the most visited action.

        Raises:
            IllegalActionError: if the game is over.
        """
        legal = game.legal_actions()
        self._searched_for = None
        if not legal:
            raise game_over_error()
        if len(legal) == 1:
            return legal[0]
        clear(self._tree)
        states = game.state
        self.time_budget.spend(
            lambda visits: grow(self._tree, states, visits, self._exploration, self._stream),
            self._iterations or _MAX_ITERATIONS,
            self.time_budget.after(self._seconds),
        )
        self._searched_for = game.to_act
        return most_visited(self._tree)

    def thoughts(self) -> list[Thought]:
        """The most visited actions of the last search; nothing if `act` needed none."""
        if self._searched_for is None:
            return []
        is_red = self._searched_for == TerminusGame.players[0]
        found = [
            Thought((action,), (1 if is_red else -1) * (2 * wins / visits - 1), visits)
            for action, visits, wins in root_actions(self._tree)
        ]
        return sorted(found, key=lambda thought: -(thought.visits or 0))[:_MOST_THOUGHTS]
