"""The greedy player of Terminus."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.threads import in_ranges, useful_threads
from tkm_env.core.agent import TurnAgent
from tkm_env.foundations.concurrency import no_concurrent_use
from tkm_env.games.terminus.batch import TerminusBatch
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.players.terminus.search.greedy import best_turn, new_turn_search, play_greedily


class GreedyAgent(TurnAgent):
    """Plays the turn with the largest lead in visible victories; ties are broken at random.

    It wins if it can win at once, and does not consider the opponent's reply. Its choice does not
    depend on the order of the deck.

    Args:
        seed: the seed of its random numbers, or a generator to draw them from; None draws a seed
            from the system.

    Raises:
        ConfigError: if the seed is invalid.

    >>> GreedyAgent(seed=1).act(TerminusGame(seed=1)) in TerminusGame(seed=1).legal_actions()
    True
    """

    draws_from_streams: ClassVar = True

    def __init__(self, *, seed: int | np.random.Generator | None = None) -> None:
        #: One for each thread that has been of use.
        self._searches = [new_turn_search()]
        super().__init__("greedy", seed)

    def _plan_turn(self, game: TerminusGame) -> list[int]:
        search = self._searches[0]
        count = best_turn(search, game.state, self._stream)
        return search.best[:count].tolist()

    @no_concurrent_use
    def answer_all(self, batch: TerminusBatch, players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act.

        Compiled code plays, and draws from the games' own streams.

        Args:
            batch: the n games.
            players: int64 of shape (n,): for each game, the index of the player to leave to act.
        """
        wanted = players.astype(np.int64)

        def play(
            states: NDArray[np.void], streams: NDArray[np.uint64], masks: NDArray[np.int8]
        ) -> None:
            def play_some(thread: int, games: slice) -> None:
                search = self._searches[thread]
                play_greedily(search, states[games], wanted[games], streams[games], masks[games])

            in_ranges(play_some, batch.num_games, batch.num_threads)

        for _ in range(len(self._searches), useful_threads(batch.num_threads, batch.num_games)):
            self._searches.append(new_turn_search())
        batch.let_play(play)
