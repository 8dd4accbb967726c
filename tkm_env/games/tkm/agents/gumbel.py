"""The Gumbel player."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.checks import checked_integer, checked_number, checked_seed
from tkm_env.concurrency import no_concurrent_use
from tkm_env.games.tkm.agents.evaluators import SHIPPED, evaluators_of
from tkm_env.games.tkm.agents.planning import Plan, answer_in_turns
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.search.gumbel import LOST, new_gumbel_tree, plant, ranks, root_is_proven, turn_of, visit, visits_of
from tkm_env.games.tkm.search.history import NOTHING_SEEN, positions_seen
from tkm_env.games.tkm.search.turns import MOST_WAYS, unpack_turn
from tkm_env.time_budget import TimeBudget

#: Visits per second, before they are measured.
_SLOWEST: Final = 500.0
_MOST_ITERATIONS: Final = 2**62


class GumbelAgent:
    """Grows a tree of whole turns whose prior is a value network, and plays the turn that is left after sequential halving.

    The visits are shared among the turns that the network values most, and time and again the better half of these is kept
    (`tkm_env.games.tkm.search.gumbel`). Wins and losses within the tree are proven. A turn back to a position that the game has been
    through counts as worse than a draw. One thread at a time may use it.

    Args:
        iterations: visits before each turn; 400 if neither limit is given.
        seconds: how long to think about a turn, in seconds.
        candidates: among how many turns the visits are shared at first.
        gumbel_scale: of the noise added to the logits of the turns; 0 plays what looks best, 1 samples from the improved policy, as
            self-play does.
        nodes: the maximum number of nodes, 64 bytes each; a full tree stops growing, but visits continue.
        net: the file of a value network, or ``"shipped"`` for those that come with the package; None for the weighted terms.
        seed: of the noise.

    Attributes:
        time_budget: its ``deadline`` ends an `act` early, from any thread.

    Raises:
        ConfigError: naming the invalid keyword, or, at play, if the network has not learned such games.
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
        seed: int | np.random.Generator | None = None,
    ) -> None:
        if iterations is None and seconds is None:
            iterations = 400
        self._iterations = None if iterations is None else checked_integer("iterations", iterations, 1, _MOST_ITERATIONS)
        self._seconds = None if seconds is None else checked_number("seconds", seconds)
        self._candidates = checked_integer("candidates", candidates, 1, MOST_WAYS)
        self._gumbel_scale = checked_number("gumbel_scale", gumbel_scale, from_low=True)
        self._evaluators = evaluators_of(net)
        self._tree = new_gumbel_tree(checked_integer("nodes", nodes, MOST_WAYS + 1, 1 << 28), self._evaluators.evaluators[0])
        limits = {"iterations": self._iterations, "seconds": self._seconds, "net": None if net == SHIPPED else net}
        self.name = " ".join(["gumbel", *(f"{name}={limit}" for name, limit in limits.items() if limit is not None)])
        self._plan = Plan(self._answer)
        self._users: dict[int, int] = {}
        self.time_budget = TimeBudget(_SLOWEST)
        self.reset(seed)

    @no_concurrent_use
    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Forget the last game, and draw from ``seed`` from now on."""
        self._generator = np.random.default_rng(checked_seed(seed))
        self._plan.forget()

    @no_concurrent_use
    def act(self, game: Game) -> int:
        """The next action of the turn that is left."""
        return self._plan.next_action(game)

    @no_concurrent_use
    def answer_all(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Play in each game of a batch until it is over or ``players[i]`` is to act, a turn at a time.

        A batch does not know what its games have been through, which makes no difference to the search then.
        """
        answer_in_turns(batch, self._think, players)

    def _answer(self, game: Game) -> list[int]:
        return self._think(game.state, positions_seen(game.start.state, game.history))

    def _think(self, states: np.ndarray[Any, Any], seen: NDArray[np.int64] = NOTHING_SEEN) -> list[int]:
        tree = self._tree = self._tree._replace(evaluator=self._evaluators.evaluator_for(states))
        count = plant(tree, states, seen)
        noise = self._gumbel_scale * self._generator.gumbel(size=count)
        return unpack_turn(turn_of(tree, self._halve(noise) if count > 1 else 0))

    def _halve(self, noise: NDArray[np.float64]) -> int:
        """Share the visits among the turns by sequential halving; returns which of them is left."""
        tree, everything = self._tree, np.arange(len(noise))

        def best(turns: NDArray[np.int64], count: int) -> NDArray[np.int64]:
            found = ranks(tree) + noise
            if found[turns].max() <= LOST:
                turns = everything
            return turns[np.argsort(-found[turns], kind="stable")[:count]]

        kept = best(everything, self._candidates)
        parts = max(1, math.ceil(math.log2(len(kept))))
        began, done = self.time_budget.after(0), 0
        for part in range(1, parts + 1):
            left = (self._iterations or _MOST_ITERATIONS) * part // parts - done
            for amount in self.time_budget.pieces(began + (self._seconds or math.inf) * part / parts):
                visits = visit(tree, kept, min(amount, left), NOTHING_SEEN)
                done, left = done + visits, left - visits
                if left == 0 or visits == 0:
                    break
            kept = best(kept, math.ceil(len(kept) / 2))
            if root_is_proven(tree):
                break
        # Where all that were kept are proven to lose, another one is left, which may lose at once.
        while visits_of(tree)[kept[0]] == 0 and visit(tree, kept[:1], 1, NOTHING_SEEN):
            kept = best(kept, 1)
        return int(kept[0])
