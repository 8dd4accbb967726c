"""The player that errs like people: it looks a little ahead, and overlooks turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np

from tkm_env.compiled.decorators import kernel
from tkm_env.compiled.random_numbers import draw, draw_from
from tkm_env.core.agent import TurnAgent, agent_name
from tkm_env.foundations.checks import checked_integer, checked_number
from tkm_env.games.tkm.engine.turn_generator import (
    NO_TURN,
    TurnGenerator,
    begin_turns,
    new_turn_generator,
    next_turn,
    pack_turn,
    unpack_turn,
)
from tkm_env.games.tkm.game import Game
from tkm_env.players.tkm.search.alphabeta import MAX_DEPTH, Searcher
from tkm_env.players.tkm.search.evaluation import (
    WINS,
    Evaluator,
    expectation_of,
    new_evaluator,
    value_after,
)
from tkm_env.players.tkm.search.repetition import history_keys

#: The number of turns that are noticed in any case.
HANDFUL: Final = 3
#: Shares are drawn in steps of this.
_STEPS: Final = 10_000
#: The size of the transposition table: the searches are shallow.
_TABLE_BITS: Final = 14


@kernel
def best_noticed_turn(
    turns: TurnGenerator, states: Any, streams: Any, evaluator: Evaluator, notices: int
) -> tuple[int, int]:
    """Find the best of the turns that are noticed, by the position after each.

    A handful of turns, drawn at random, are always noticed.

    Args:
        turns: the generator of turns, as a workspace.
        states: STATE of shape (1,): the game, which is not over; unchanged.
        streams: uint64 of shape (1,): its stream of random numbers.
        evaluator: evaluates the positions after turns.
        notices: how many of `_STEPS` other turns are noticed.

    Returns:
        The turn, packed, and its value.
    """
    begin_turns(turns, states, 0)
    left = 0
    while next_turn(turns):
        left += 1
    begin_turns(turns, states, 0)
    best, highest, still = NO_TURN, -WINS, HANDFUL
    while next_turn(turns):
        is_in_handful = draw(streams, 0, left) < still
        is_noticed = draw(streams, 0, _STEPS) < notices
        left -= 1
        if is_in_handful:
            still -= 1
        if not is_in_handful and not is_noticed:
            continue
        value = value_after(turns.states[turns.length[0]], evaluator)
        if best == NO_TURN or value > highest:
            best, highest = pack_turn(turns), value
    return best, highest


class FallibleAgent(TurnAgent):
    """Looks a few turns ahead, and sometimes plays at a glance, overlooking turns.

    It plays what it believes to be best of what it sees: its errors are turns that it did not
    see, and consequences that it did not look for. The levels of the page are made of it.

    Args:
        depth: the number of turns to look ahead, counting both sides.
        blunder: the probability of playing a turn at a glance: only the position after it counts.
        notices: the share of its turns that it sees at a glance, besides three drawn at random.
        seed: the seed of its random numbers, or a generator to draw them from; None draws a seed
            from the system.

    Raises:
        ConfigError: naming the invalid keyword.

    >>> FallibleAgent(depth=2, blunder=0.3, seed=1).act(Game())
    0
    """

    page_limits: ClassVar[Mapping[str, float]] = {"depth": 4, "blunder": 1, "notices": 1}

    def __init__(
        self,
        *,
        depth: int = 1,
        blunder: float = 0.0,
        notices: float = 1.0,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        self._depth = checked_integer("depth", depth, 1, MAX_DEPTH)
        self._blunder = _in_steps("blunder", blunder)
        self._notices = _in_steps("notices", notices)
        self._turn_generator = new_turn_generator()
        self._evaluator = new_evaluator(knows_endgames=False)
        self._searcher = Searcher(table_bits=_TABLE_BITS, evaluator=self._evaluator)
        self.time_budget = self._searcher.time_budget
        options = {"depth": (depth, 1), "blunder": (blunder, 0.0), "notices": (notices, 1.0)}
        super().__init__(agent_name("fallible", **options), seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Forget the last game, and start a new stream of random numbers from ``seed``."""
        super().reset(seed)
        self._searcher.forget()

    def _plan_turn(self, game: Game) -> list[int]:
        states = game.state
        if draw_from(self._stream, _STEPS) < self._blunder:
            turn, value = best_noticed_turn(
                self._turn_generator, states, self._stream, self._evaluator, self._notices
            )
            self.expectation = expectation_of(value)
            return unpack_turn(turn)
        found = self._searcher.search(states, depth=self._depth, history=history_keys(game))
        self.expectation = expectation_of(found.score)
        return list(found.turn)


def _in_steps(keyword: str, share: object) -> int:
    """A share, from 0 to 1, in steps."""
    return round(_STEPS * checked_number(keyword, share, high=1, from_low=True))
