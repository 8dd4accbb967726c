"""The Monte Carlo player."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

from tkm_env.core.rng import new_stream
from tkm_env.core.settings import checked_integer, checked_number
from tkm_env.core.states import copy_states
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.kernels import replay
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.search.evaluation import WEIGHTS
from tkm_env.games.tkm.search.montecarlo import ROOT, best_child, child_of, grow, keep, new_tree, plant

__all__ = ["MCTSAgent"]

# Time: iterations per second before they are measured; the share of the remaining time to spend before the clock is read again; the
# shortest time worth another piece, in seconds.
_SLOWEST: Final = 500.0
_PIECE: Final = 0.5
_LEAST_PIECE: Final = 0.001


class MCTSAgent:
    """Grows a tree of single decisions by UCB1, and plays the most visited action.

    Each visit ends with random play of some turns, by default none, and the evaluation of the best way to finish the turn. Wins and
    losses within the tree are proven. The subtree of the current position is kept from action to action.

    Args:
        iterations: visits before each action; 1000 if neither limit is given.
        seconds: how long to think about each action, in seconds.
        exploration: the weight of the exploration term (UCB1).
        turns: how many turns are played at random before the evaluation; with the turn limit or more, games are played to the end.
        nodes: the maximum number of nodes, 112 bytes each; a full tree stops growing, but visits continue.
        seed: of the player's own random numbers.
        weights: of the evaluation.

    Raises:
        ConfigError: naming the invalid keyword.

    >>> from tkm_env import Game
    >>> MCTSAgent(iterations=100, seed=1).act(Game())
    0
    """

    def __init__(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploration: float = 0.08,
        turns: int = 0,
        nodes: int = 1 << 18,
        weights: np.ndarray[Any, Any] = WEIGHTS,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        if iterations is None and seconds is None:
            iterations = 1000
        self._iterations = None if iterations is None else checked_integer("iterations", iterations, 1, 2**62)
        self._seconds = None if seconds is None else checked_number("seconds", seconds)
        self._exploration = checked_number("exploration", exploration)
        self._turns = checked_integer("turns", turns, 0, 2**62)
        self._tree = new_tree(checked_integer("nodes", nodes, NUM_ACTIONS + 1, 1 << 28), new_stream(seed), weights)
        limits = {"iterations": self._iterations, "seconds": self._seconds}
        self.name = " ".join(["mcts", *(f"{name}={limit}" for name, limit in limits.items() if limit is not None)])
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self._scratch = new_scratch()
        self.reset(seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Forget the last game, and draw from ``seed`` from now on."""
        self._tree.streams[:] = new_stream(seed)
        self._history: list[int] | None = None
        self._rate = _SLOWEST

    def act(self, game: Game) -> int:
        """The most visited action, or one that is proven to win."""
        legal = game.legal_actions()
        if len(legal) == 1:
            return legal[0]
        self._go_to(game)
        self._grow()
        return best_child(self._tree, ROOT)[0]

    def _go_to(self, game: Game) -> None:
        """Make the game's position the root, of its subtree if it is in the tree, else of a new tree."""
        history, states, tree = game.history, game.state, self._tree
        node: int | None = None
        if self._history is not None and history[: len(self._history)] == self._history:
            node, trial = ROOT, copy_states(tree.states[:1])
            for action in history[len(self._history) :]:
                child = None if node is None else child_of(tree, node, action)
                node = child
                if node is None:
                    break
                replay(trial, np.array([action]), self._mask, self._scratch)
            if trial.tobytes() != states.tobytes():
                node = None
        if node is None:
            plant(tree, states)
        else:
            keep(tree, node)
            tree.states[0] = states[0]
        self._history = history

    def _grow(self) -> None:
        deadline = None if self._seconds is None else time.perf_counter() + self._seconds
        left, grown = self._iterations, False
        while left is None or left > 0:
            began = time.perf_counter()
            iterations = left
            if deadline is not None:
                if grown and deadline - began < _LEAST_PIECE:
                    break
                timed = max(1, int(self._rate * (deadline - began) * _PIECE))
                iterations = timed if left is None else min(left, timed)
            assert iterations is not None
            done, grown = grow(self._tree, iterations, self._exploration, self._turns), True
            self._rate = min(done / (time.perf_counter() - began), 8 * self._rate)
            if left is not None:
                left -= done
            if done < iterations:
                break
