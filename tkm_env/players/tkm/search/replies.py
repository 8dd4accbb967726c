"""The most promising turns, each with the opponent's best reply.

A turn that looks best by the position after it may lose to a reply. Of the turns that look best,
this finds the one after whose best reply the position is best. It ends as soon as no other turn
looks better than that, even before a reply. So quiet positions take little time, and it looks far
down the list where most turns lose to the same reply.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.state import OVER, STATE
from tkm_env.games.tkm.engine.turn_generator import (
    NO_TURN,
    TurnGenerator,
    begin_turns,
    new_turn_generator,
    next_turn,
    pack_turn,
)
from tkm_env.players.tkm.search.evaluation import WINS, Evaluator, value_after
from tkm_env.players.tkm.search.repetition import is_repetition, value_of_repetition

#: The most turns whose replies are looked at.
MAX_CANDIDATES: Final = 64


class Candidates(NamedTuple):
    """The k turns that look best so far, the best first, and a workspace for replies."""

    states: NDArray[np.void]  # (k,) STATE: the position after each turn
    turns: NDArray[np.int64]  # (k,): the turns, packed
    values: NDArray[np.int64]  # (k,): the value of the position after each
    repeats: NDArray[np.bool_]  # (k,): whether the game has had that position
    replies: TurnGenerator


def new_candidates(count: int) -> Candidates:
    """Allocate the memory for a number of turns."""
    return Candidates(
        np.zeros(count, STATE),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.bool_),
        new_turn_generator(),
    )


@inlined
def _insert(
    candidates: Candidates, found: int, state: Any, turn: int, value: int, repeats: bool
) -> int:
    """Put a turn behind those that look at least as good, if there is room.

    Args:
        candidates: the turns that look best so far.
        found: their number.
        state: the position after the turn.
        turn: the turn, packed.
        value: the value of the position.
        repeats: whether the game has had that position.

    Returns:
        The number of candidates now.
    """
    room = candidates.values.shape[0]
    place = min(found, room)
    while place > 0 and value > candidates.values[place - 1]:
        place -= 1
    if place == room:
        return found
    for later in range(min(found, room - 1), place, -1):
        candidates.states[later] = candidates.states[later - 1]
        candidates.turns[later] = candidates.turns[later - 1]
        candidates.values[later] = candidates.values[later - 1]
        candidates.repeats[later] = candidates.repeats[later - 1]
    candidates.states[place] = state
    candidates.turns[place] = turn
    candidates.values[place] = value
    candidates.repeats[place] = repeats
    return min(found + 1, room)


@inlined
def _value_of_reply(candidates: Candidates, number: int, evaluator: Evaluator, enough: int) -> int:
    """The value of the best reply to a candidate; one that is enough ends the search."""
    replies = candidates.replies
    begin_turns(replies, candidates.states, number)
    best = -WINS
    while best < enough and next_turn(replies):
        best = max(best, value_after(replies.states[replies.length[0]], evaluator))
    return best


@inlined
def find_best_by_replies(
    turns: TurnGenerator,
    states: Any,
    game: int,
    candidates: Candidates,
    best: Any,
    evaluator: Evaluator,
    history: Any,
) -> tuple[int, int]:
    """Find the turn of a game with the highest value after the opponent's best reply.

    Only the turns that look best without a reply are considered, as long as they look better than
    the best one so far is after its reply; and of equals the one among them that looks better.

    Args:
        turns: the generator of turns, as a workspace.
        states: STATE of shape (n,): the games.
        game: the index of a game that is not over.
        candidates: memory for the turns to consider.
        best: STATE of shape (1,): overwritten by the position after the turn.
        evaluator: evaluates positions between turns.
        history: int64 of shape (m,): the keys of the game's earlier positions.

    Returns:
        The turn, packed, and its value.
    """
    begin_turns(turns, states, game)
    found = 0
    while next_turn(turns):
        state = turns.states[turns.length[0]]
        value = value_after(state, evaluator)
        repeats = is_repetition(history, turns.words, turns.length[0])
        if repeats:
            value = value_of_repetition(value)
        found = _insert(candidates, found, state, pack_turn(turns), value, repeats)
    highest, chosen = -WINS - 1, 0
    for number in range(found):
        value = candidates.values[number]
        if value <= highest:
            break
        if candidates.states[number].step != OVER:
            value = -_value_of_reply(candidates, number, evaluator, -highest)
            if candidates.repeats[number]:
                value = value_of_repetition(value)
        if value > highest:
            highest, chosen = value, number
    best[0] = candidates.states[chosen]
    return candidates.turns[chosen] if found else NO_TURN, highest
