"""The alpha-beta player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np

from tkm_env.core.agent import Thought, TurnAgent, agent_name
from tkm_env.core.turns import played
from tkm_env.foundations.checks import checked_integer, checked_number
from tkm_env.foundations.concurrency import no_concurrent_use
from tkm_env.games.tkm.game import Game
from tkm_env.players.tkm.evaluators import SHIPPED, Evaluators
from tkm_env.players.tkm.search.alphabeta import MAX_DEPTH, MAX_NODES, Searcher, SearchResult
from tkm_env.players.tkm.search.analysis import analyse
from tkm_env.players.tkm.search.evaluation import expectation_of
from tkm_env.players.tkm.search.repetition import history_keys

#: How long `AlphaBetaAgent.thoughts` looks for the continuation of a line, in seconds.
_CONTINUATION_SECONDS: Final = 0.2


class AlphaBetaAgent(TurnAgent):
    """Searches whole turns by iterative deepening and plays the first turn of the best line.

    The search is `tkm_env.players.tkm.search.alphabeta`. It sees every win and every loss within
    its depth. Repeating a position of the game counts as worse than a draw, so it goes in circles
    only when it is well behind. It is deterministic: without a time limit, its play depends on the
    game alone; with one, also on the machine. In a lost position it plays the line that holds out
    longest. Only one thread at a time may use it.

    Args:
        depth: the number of turns to look ahead, counting both sides; 5 if no limit is given.
        seconds: the time for a turn, in seconds.
        nodes: the number of positions between turns to search before a turn, 1 or more; unlike
            ``seconds``, this is the same effort on every machine.
        table_bits: the transposition table has 2**``table_bits`` entries of 48 bytes.
        net: the file of a value network, or ``"shipped"`` for the networks that come with the
            package; None for the weighted terms.
        endgames: whether it looks positions up in the table of solved endgames.
        weights: the weights of the terms, int64 of shape (8, 23); if given, the terms replace the
            networks that come with the package.
        seed: ignored; there is no randomness.

    Attributes:
        time_budget: its ``deadline`` ends an `act` early, from any thread.

    Raises:
        ConfigError: naming the invalid keyword.
        ArrayError: if the weights are invalid.
        FileError: if the file cannot be read or holds no network for this game.

    >>> AlphaBetaAgent(depth=3).name
    'alphabeta depth=3'
    """

    page_limits: ClassVar[Mapping[str, float]] = {
        "depth": MAX_DEPTH,
        "seconds": 60,
        "nodes": 10**8,
        "table_bits": 22,
    }

    def __init__(
        self,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        table_bits: int = 18,
        net: str | None = SHIPPED,
        endgames: bool = True,
        weights: np.ndarray[Any, Any] | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        if depth is None and seconds is None and nodes is None:
            depth = 5
        self._depth = None if depth is None else checked_integer("depth", depth, 1, MAX_DEPTH)
        self._seconds = None if seconds is None else checked_number("seconds", seconds)
        self._nodes = None if nodes is None else checked_integer("nodes", nodes, 1, MAX_NODES)
        self._evaluators = Evaluators(net, weights, endgames=endgames)
        table_bits = checked_integer("table_bits", table_bits, 1, 28)
        self._searcher = Searcher(table_bits=table_bits, evaluator=self._evaluators.evaluators[0])
        self.time_budget = self._searcher.time_budget
        limits = {
            "depth": (self._depth, None),
            "seconds": (self._seconds, None),
            "nodes": (self._nodes, None),
        }
        super().__init__(
            agent_name("alphabeta", **limits, net=(net, SHIPPED), endgames=(endgames, True)), seed
        )

    @no_concurrent_use
    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Forget the last game. There is no randomness to seed."""
        super().reset(seed)
        self._searcher.forget()

    def _plan_turn(self, game: Game) -> tuple[int, ...]:
        states, history = game.state, history_keys(game)
        self._searcher.evaluate_with(self._evaluators.evaluator_for(states))
        found = self._searcher.search(
            states, depth=self._depth, seconds=self._seconds, nodes=self._nodes, history=history
        )
        self.expectation = expectation_of(found.score)
        self._found: tuple[Game, SearchResult] = game.copy(), found
        return found.turn

    def thoughts(self) -> list[Thought]:
        """The planned turn with its best continuation, which is searched for anew."""
        if not self._planned:
            return []
        game, found = self._found
        after = played(game, found.turn)
        line = list(found.turn)
        if after.result is None and found.depth > 1:
            best = analyse(
                after.state, lines=1, depth=found.depth - 1, seconds=_CONTINUATION_SECONDS
            )
            line += [game.action_index(name) for turn in best[0].turns for name in turn]
        return [Thought(tuple(line), self.expectation, depth=found.depth)]
