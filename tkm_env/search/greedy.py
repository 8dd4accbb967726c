"""One turn deep: what each whole turn is worth at once. Imports `evaluation` and `turns`."""

from __future__ import annotations

from typing import Any, Final

from tkm_env.engine.compiled import entry_point
from tkm_env.engine.state import OVER, WON
from tkm_env.search.evaluation import evaluate
from tkm_env.search.turns import Walk, begin_walk, next_turn, pack_turn

__all__ = ["WINS", "score_turns"]

#: The score of a turn that wins.
WINS: Final = 1_000_000


@entry_point
def score_turns(walk: Walk, states: Any, weights: Any, terms: Any, copies: Any, turns: Any, scores: Any) -> int:
    """Write the ways to play the turn in ``states[0]``, packed, and the evaluation after each to the one who plays it.

    It answers how many there are. Shapes: ``turns`` and ``scores`` (n,) int64, of which no more than n are written; the others as
    for `evaluation.evaluate`.
    """
    count = 0
    begin_walk(walk, states, 0)
    length = next_turn(walk)
    while length >= 0 and count < turns.shape[0]:
        state = walk.states[length]
        turns[count] = pack_turn(walk, length)
        if state.step != OVER:
            scores[count] = -evaluate(state, weights, terms, copies)
        else:
            scores[count] = WINS if state.result == WON + state.to_act else 0
        count += 1
        length = next_turn(walk)
    return count
