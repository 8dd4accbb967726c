"""The Gumbel player."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import draw_seed
from tkm_env.core.agent import Thought, TurnAgent, agent_name
from tkm_env.foundations.checks import checked_integer, checked_number
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.games.tkm.engine.turn_generator import MAX_TURNS, NO_TURN, unpack_turn
from tkm_env.games.tkm.game import Game
from tkm_env.players.tkm.evaluators import SHIPPED, Evaluators
from tkm_env.players.tkm.search.evaluation import expectation_of
from tkm_env.players.tkm.search.gumbel import LOST, policy_logits, set_root, visit
from tkm_env.players.tkm.search.repetition import NO_HISTORY, history_keys
from tkm_env.players.tkm.search.tree import ROOT, children_of, mean_value, new_tree, proven_turn
from tkm_env.players.tkm.tree_lines import best_lines

#: The assumed speed before the first measurement, in visits per second.
_SLOWEST: Final = 500.0
_MAX_ITERATIONS: Final = 2**62


class GumbelAgent(TurnAgent):
    """Searches whole turns by Gumbel AlphaZero, with the values of a network as the prior.

    This is Gumbel AlphaZero (Danihelka et al., "Policy improvement by planning with Gumbel", 2022;
    `tkm_env.players.tkm.search.gumbel`). The visits are divided among the turns that the network
    values most; then the better half of these is kept, repeatedly. Wins and losses within the tree
    are proven. Repeating a position of the game counts as worse than a draw. Only one thread at a
    time may use it.

    Args:
        iterations: the number of visits before each turn, mctx's ``num_simulations``; 400 if
            neither limit is given.
        seconds: the time for a turn, in seconds.
        candidates: the number of turns that share the visits at first, mctx's
            ``max_num_considered_actions``.
        gumbel_scale: the scale of the Gumbel noise that is added to the logits of the turns: 0
            plays what looks best, 1 samples from the improved policy.
        nodes: the maximum number of nodes, 48 bytes each; a full tree stops growing, but visits
            continue.
        net: the file of a value network, or ``"shipped"`` for the networks that come with the
            package; None for the weighted terms.
        endgames: whether it looks positions up in the table of solved endgames.
        seed: the seed of the noise, or a generator to draw it from; None draws a seed from the
            system.

    Attributes:
        time_budget: its ``deadline`` ends an `act` early, from any thread.

    Raises:
        ConfigError: naming the invalid keyword, or, at play, if the network has not learned such
            games.
        FileError: if the file cannot be read or holds no network for this game.

    >>> from tkm_env import Game
    >>> GumbelAgent(iterations=50).act(Game())
    0
    """

    page_limits: ClassVar[Mapping[str, float]] = {
        "iterations": 10**7,
        "seconds": 60,
        "candidates": 1000,
        "gumbel_scale": 100,
        "nodes": 1 << 20,
    }

    def __init__(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        candidates: int = 16,
        gumbel_scale: float = 0,
        nodes: int = 1 << 18,
        net: str | None = SHIPPED,
        endgames: bool = True,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        if iterations is None and seconds is None:
            iterations = 400
        self._iterations = (
            None
            if iterations is None
            else checked_integer("iterations", iterations, 1, _MAX_ITERATIONS)
        )
        self._seconds = None if seconds is None else checked_number("seconds", seconds)
        self._candidates = checked_integer("candidates", candidates, 1, MAX_TURNS)
        self._gumbel_scale = checked_number("gumbel_scale", gumbel_scale, from_low=True)
        self._evaluators = Evaluators(net, endgames=endgames)
        nodes = checked_integer("nodes", nodes, MAX_TURNS + 1, 1 << 28)
        self._tree = new_tree(nodes, self._evaluators.evaluators[0])
        self.time_budget = TimeBudget(_SLOWEST)
        limits = {"iterations": (self._iterations, None), "seconds": (self._seconds, None)}
        super().__init__(
            agent_name("gumbel", **limits, net=(net, SHIPPED), endgames=(endgames, True)), seed
        )

    def _plan_turn(self, game: Game) -> list[int]:
        return self._search(game.state, history_keys(game))

    def _search(
        self, states: np.ndarray[Any, Any], history: NDArray[np.int64] = NO_HISTORY
    ) -> list[int]:
        tree = self._tree = self._tree._replace(evaluator=self._evaluators.evaluator_for(states))
        known, value = proven_turn(tree, states)
        self._chosen: int | None = None
        if known != NO_TURN:
            self.expectation = expectation_of(value)
            return unpack_turn(known)
        count = set_root(tree, states, history)
        noise = np.zeros(count)
        if self._gumbel_scale:
            noise += self._gumbel_scale * np.random.default_rng(draw_seed(self._stream)).gumbel(
                size=count
            )
        best = self._halve(noise) if count > 1 else 0
        index = int(tree.nodes[ROOT].first) + best
        self.expectation = 2 * mean_value(tree, index, int(states["to_act"][0])) - 1
        self._chosen = int(tree.nodes[index].move)
        return unpack_turn(self._chosen)

    def thoughts(self) -> list[Thought]:
        """The most visited lines of the last search; only the turn if the table proved it."""
        if not self._planned or self._chosen is None:
            return super().thoughts()
        return best_lines(self._tree, self._chosen, lambda move: tuple(unpack_turn(move)))

    def _halve(self, noise: NDArray[np.float64]) -> int:
        """Divide the visits among the turns by sequential halving.

        Args:
            noise: float64 of shape (n,): added to the logits of the n turns.

        Returns:
            The index of the turn that is left.
        """
        tree, every_turn = self._tree, np.arange(len(noise))

        def best(turns: NDArray[np.int64], count: int) -> NDArray[np.int64]:
            logits = policy_logits(tree) + noise
            if logits[turns].max() <= LOST:
                turns = every_turn
            return turns[np.argsort(-logits[turns], kind="stable")[:count]]

        kept = best(every_turn, self._candidates)
        rounds = max(1, math.ceil(math.log2(len(kept))))
        began, done = self.time_budget.after(0), 0

        def visit_kept(visits: int) -> int:
            return int(visit(tree, kept, visits, NO_HISTORY))

        for halving in range(1, rounds + 1):
            left = (self._iterations or _MAX_ITERATIONS) * halving // rounds - done
            until = began + (self._seconds or math.inf) * halving / rounds
            done += self.time_budget.spend(visit_kept, left, until)
            kept = best(kept, math.ceil(len(kept) / 2))
        # If all the turns that were kept are proven to lose, the one that is left now has not been
        # visited, and may lose at once.
        while children_of(tree, ROOT)[kept[0]].visits == 0 and visit(tree, kept[:1], 1, NO_HISTORY):
            kept = best(kept, 1)
        return int(kept[0])
