"""Search one turn deep: the evaluation after each whole turn."""

from __future__ import annotations

from typing import Any, Final

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.random_numbers import draw
from tkm_env.games.tkm.engine.state import OVER, WON
from tkm_env.games.tkm.search.evaluation import Evaluator, evaluate
from tkm_env.games.tkm.search.turns import TurnGenerator, begin_turns, next_turn, pack_turn

#: The value of a turn that wins.
WINS: Final = 1_000_000


@inlined
def value_after(state: Any, evaluator: Evaluator) -> int:
    """The value of the position after a turn, without search, to the player of that turn."""
    if state.step != OVER:
        return -evaluate(state, evaluator)
    return WINS if state.result == WON + state.to_act else 0


@kernel
def evaluate_turns(turns: TurnGenerator, states: Any, evaluator: Evaluator, packed: Any, values: Any) -> int:
    """Write the ways to play the turn in ``states[0]``, packed, and the value after each to its player.

    Returns how many there are. Shapes: ``packed`` and ``values`` (n,) int64, of which no more than n are written.
    """
    count = 0
    begin_turns(turns, states, 0)
    while count < packed.shape[0] and next_turn(turns):
        packed[count] = pack_turn(turns)
        values[count] = value_after(turns.states[turns.length[0]], evaluator)
        count += 1
    return count


@inlined
def _play_turn(turns: TurnGenerator, states: Any, game: int, streams: Any, best: Any, evaluator: Evaluator) -> None:
    """Play the turn of the highest value in one game; ties are broken at random from the game's stream."""
    begin_turns(turns, states, game)
    highest, ties = -WINS, 0
    while next_turn(turns):
        state = turns.states[turns.length[0]]
        value = value_after(state, evaluator)
        if ties == 0 or value > highest:
            highest, ties = value, 1
            best[0] = state
        elif value == highest:
            # Each of k ties is kept with probability 1 / k.
            ties += 1
            if draw(streams, game, ties) == 0:
                best[0] = state
    states[game] = best[0]


@kernel
def play_greedily(turns: TurnGenerator, states: Any, players: Any, streams: Any, best: Any, evaluator: Evaluator) -> None:
    """Play the turns of the highest value in each game, until it is over or ``players[i]`` is to act.

    Shapes: ``states`` (n,) of dtype STATE, ``players`` (n,) int64, ``streams`` (n,) uint64, ``best`` (1,) of dtype STATE: a workspace.
    """
    for game in range(states.shape[0]):
        while states[game].step != OVER and states[game].to_act != players[game]:
            _play_turn(turns, states, game, streams, best, evaluator)
