"""Search one turn deep: the evaluation after each whole turn."""

from __future__ import annotations

from typing import Any, Final

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.random_numbers import draw
from tkm_env.games.tkm.engine.state import OVER, WON
from tkm_env.games.tkm.search.evaluation import Evaluator, evaluate
from tkm_env.games.tkm.search.turns import Walk, begin_walk, next_turn, pack_turn

#: The score of a turn that wins.
WINS: Final = 1_000_000


@inlined
def _score(walk: Walk, length: int, evaluator: Evaluator) -> int:
    """The value of the turn that `next_turn` found to the player who plays it."""
    state = walk.states[length]
    if state.step != OVER:
        return -evaluate(state, evaluator)
    return WINS if state.result == WON + state.to_act else 0


@kernel
def score_turns(walk: Walk, states: Any, evaluator: Evaluator, turns: Any, scores: Any) -> int:
    """Write the ways to play the turn in ``states[0]``, packed, and the evaluation after each, from that player's side.

    Returns how many there are. Shapes: ``turns`` and ``scores`` (n,) int64, of which no more than n are written.
    """
    count = 0
    begin_walk(walk, states, 0)
    length = next_turn(walk)
    while length >= 0 and count < turns.shape[0]:
        turns[count] = pack_turn(walk, length)
        scores[count] = _score(walk, length, evaluator)
        count += 1
        length = next_turn(walk)
    return count


@inlined
def _play_turn(walk: Walk, states: Any, game: int, streams: Any, best: Any, evaluator: Evaluator) -> None:
    """Play the turn of the highest value in one game; ties are broken at random from the game's stream."""
    begin_walk(walk, states, game)
    highest, equals = -WINS, 0
    length = next_turn(walk)
    while length >= 0:
        score = _score(walk, length, evaluator)
        if equals == 0 or score > highest:
            highest, equals = score, 1
            best[0] = walk.states[length]
        elif score == highest:
            # Each of k ties is kept with probability 1 / k.
            equals += 1
            if draw(streams, game, equals) == 0:
                best[0] = walk.states[length]
        length = next_turn(walk)
    states[game] = best[0]


@kernel
def play_greedily(walk: Walk, states: Any, players: Any, streams: Any, best: Any, evaluator: Evaluator) -> None:
    """Play the turns of the highest value in each game, until it is over or ``players[i]`` is to act.

    Shapes: ``states`` (n,) of dtype STATE, ``players`` (n,) int64, ``streams`` (n,) uint64, ``best`` (1,) of dtype STATE: a workspace.
    """
    for game in range(states.shape[0]):
        while states[game].step != OVER and states[game].to_act != players[game]:
            _play_turn(walk, states, game, streams, best, evaluator)
