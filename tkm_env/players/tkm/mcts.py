"""The Monte Carlo player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np

from tkm_env.compiled.random_numbers import new_stream
from tkm_env.core.agent import Thought, agent_name, game_over_error
from tkm_env.core.state_arrays import copy_states
from tkm_env.foundations.checks import checked_flag, checked_integer, checked_number
from tkm_env.foundations.concurrency import no_concurrent_use
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.kernels import replay
from tkm_env.games.tkm.engine.state import WHITE
from tkm_env.games.tkm.engine.turn_generator import NO_TURN, unpack_turn
from tkm_env.games.tkm.game import Game
from tkm_env.players.tkm.search.evaluation import expectation_of, new_evaluator
from tkm_env.players.tkm.search.evaluation_terms import WEIGHTS, checked_weights
from tkm_env.players.tkm.search.mcts import best_action, child_of, grow, move_root, set_root
from tkm_env.players.tkm.search.repetition import NO_HISTORY, history_keys
from tkm_env.players.tkm.search.tree import ROOT, mean_value, new_tree, proven_turn
from tkm_env.players.tkm.tree_lines import best_lines

#: The assumed speed before the first measurement, in visits per second.
_SLOWEST: Final = 500.0
_MAX_ITERATIONS: Final = 2**62


class MCTSAgent:
    """Grows a tree of single decisions by UCB1, and plays the most visited action.

    Each visit ends with a rollout of some turns, by default none, and the evaluation of the best
    way to finish the current turn (`tkm_env.players.tkm.search.mcts`). Wins and losses within the
    tree are proven. The subtree of the current position is kept from action to action. Repeating a
    position of the game counts as worse than a draw. Only one thread at a time may use it.

    Args:
        iterations: the number of visits before each action; 1000 if neither limit is given.
        seconds: the time for each action, in seconds.
        exploration: the weight of the exploration term of UCB1.
        turns: the number of random turns before the evaluation; if they reach the turn limit, games
            are played to the end.
        nodes: the maximum number of nodes, 48 bytes each, and twice that while a subtree is copied;
            a full tree stops growing, but visits continue.
        history: whether it knows the game's earlier positions; otherwise it may go in circles.
        endgames: whether it looks positions up in the table of solved endgames.
        seed: the seed of its random numbers, or a generator to draw them from; None draws a seed
            from the system.
        weights: the weights of the evaluation, int64 of shape (8, 23): by the chapters in play and
            by term.

    Attributes:
        time_budget: its ``deadline`` ends an `act` early, from any thread.
        expectation: as for `tkm_env.core.agent.Agent`.

    Raises:
        ConfigError: naming the invalid keyword.
        ArrayError: if the weights are invalid.

    >>> from tkm_env import Game
    >>> MCTSAgent(iterations=100, seed=1).act(Game())
    0
    """

    expectation: float | None = None
    page_limits: ClassVar[Mapping[str, float]] = {
        "iterations": 10**7,
        "seconds": 60,
        "exploration": 100,
        "turns": 10**4,
        "nodes": 1 << 20,
    }

    def __init__(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploration: float = 0.08,
        turns: int = 0,
        nodes: int = 1 << 18,
        history: bool = True,
        endgames: bool = True,
        weights: np.ndarray[Any, Any] = WEIGHTS,
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
        self._turns = checked_integer("turns", turns, 0, _MAX_ITERATIONS)
        self._knows_history = checked_flag("history", history)
        evaluator = new_evaluator(
            checked_weights(weights), knows_endgames=checked_flag("endgames", endgames)
        )
        self._tree = new_tree(checked_integer("nodes", nodes, NUM_ACTIONS + 1, 1 << 28), evaluator)
        limits = {"iterations": (self._iterations, None), "seconds": (self._seconds, None)}
        self.name = agent_name("mcts", **limits, history=(history, True), endgames=(endgames, True))
        self._users: dict[int, int] = {}
        self.time_budget = TimeBudget(_SLOWEST)
        self.reset(seed)

    @no_concurrent_use
    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Forget the last game, and start a new stream of random numbers from ``seed``."""
        self._stream = new_stream(seed)
        self.expectation = None
        self._history: list[int] | None = None
        self._has_searched = False

    @no_concurrent_use
    def act(self, game: Game) -> int:
        """Search, and return the most visited action, or one that is proven to win.

        Raises:
            IllegalActionError: if the game is over.
        """
        legal = game.legal_actions()
        self._has_searched = False
        if not legal:
            raise game_over_error()
        if len(legal) == 1:
            return legal[0]
        known, value = proven_turn(self._tree, game.state)
        if known != NO_TURN:
            self.expectation = expectation_of(value)
            return unpack_turn(known)[0]
        self._go_to(game)
        history = history_keys(game) if self._knows_history else NO_HISTORY
        self.time_budget.spend(
            lambda visits: grow(
                self._tree, visits, self._exploration, self._turns, history, self._stream
            ),
            self._iterations or _MAX_ITERATIONS,
            self.time_budget.after(self._seconds),
        )
        action = best_action(self._tree)
        index = child_of(self._tree, ROOT, action)
        assert index is not None
        chance = mean_value(self._tree, index, WHITE)
        self.expectation = 2 * (chance if game.to_act == game.players[WHITE] else 1 - chance) - 1
        self._has_searched = True
        return action

    def thoughts(self) -> list[Thought]:
        """The most visited lines of the last search; nothing if `act` needed none."""
        if not self._has_searched:
            return []
        return best_lines(self._tree, best_action(self._tree), lambda move: (move,))

    def _go_to(self, game: Game) -> None:
        """Make the game's position the root, with its subtree if it is in the tree."""
        history, states, tree = game.history, game.state, self._tree
        # An interrupt may come in between, so the tree belongs to no game until it is complete.
        earlier, self._history = self._history, None
        node: int | None = None
        if earlier is not None and history[: len(earlier)] == earlier:
            node, trial, played = ROOT, copy_states(tree.states[:1]), history[len(earlier) :]
            for action in played:
                node = node if node is None else child_of(tree, node, action)
            if node is not None:
                replay(trial, np.array(played, np.int64), tree.masks[0], tree.turns.scratch)
                if trial.tobytes() != states.tobytes():
                    node = None
        if node is None:
            set_root(tree, states)
        else:
            move_root(tree, node, states)
        self._history = history
