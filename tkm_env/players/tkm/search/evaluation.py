"""Static evaluation: the value of a position between two turns, without search.

Three things may say it: a table of solved endgames, if it has the position; a value network, if the
evaluator has one; otherwise the weighted terms (`tkm_env.players.tkm.search.evaluation_terms`).
Values are to the side to act, in hundredths of a logit of its winning chance.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.network import NO_NETWORK, Network, Workspace, new_workspace, output_of
from tkm_env.games.tkm.engine.geometry import NUM_ERAS
from tkm_env.games.tkm.engine.state import OVER, WON
from tkm_env.players.tkm.search.endgames import (
    UNKNOWN,
    Endgames,
    endgames,
    no_endgames,
    turns_to_decision,
)
from tkm_env.players.tkm.search.evaluation_terms import NUM_TERMS, WEIGHTS, write_terms
from tkm_env.players.tkm.search.network_inputs import MAX_INPUTS, write_inputs

#: How many units of a value are a logit.
HUNDREDTHS: Final = 100
#: The value of a turn that wins; a win known to take n turns is worth n less.
WINS: Final = 1_000_000
#: No estimate reaches this; a value that does is a proven win.
PROVEN: Final = WINS - 1000
#: A drawn endgame is worth this fraction, 1 / 32, of its estimate, so that the more promising ones
#: are preferred.
_DRAWN: Final = 32
#: No network's value is larger: it is a chance of one in 10^22 to lose.
_MOST_VALUE: Final = 50 * HUNDREDTHS


class Evaluator(NamedTuple):
    """How positions are evaluated, and the workspace for one evaluation at a time."""

    weights: NDArray[np.int64]  # as `WEIGHTS`
    terms: NDArray[np.int64]  # (NUM_TERMS,)
    copies: NDArray[np.int64]  # (2, 3)
    network: Network  # `NO_NETWORK` if the weighted terms are used
    inputs: NDArray[np.int16]  # (MAX_INPUTS,)
    hidden: Workspace
    endgames: Endgames


#: The inputs and the workspace of `NO_NETWORK`, which never runs.
_NO_INPUTS: Final = np.zeros(MAX_INPUTS, np.int16), new_workspace(NO_NETWORK)


def new_evaluator(
    weights: NDArray[np.int64] = WEIGHTS,
    network: Network | None = None,
    *,
    knows_endgames: bool = True,
) -> Evaluator:
    """A new evaluator, with a workspace of its own.

    Args:
        weights: of the terms, as `WEIGHTS`: int64 of shape (8, NUM_TERMS). A network takes their
            place.
        network: a value network; None for the weighted terms.
        knows_endgames: whether the table of solved endgames comes first.

    Raises:
        FileError: if the table of endgames cannot be read.
    """
    terms, copies = np.zeros(NUM_TERMS, np.int64), np.zeros((2, NUM_ERAS), np.int64)
    known = endgames() if knows_endgames else no_endgames()
    if network is None:
        return Evaluator(weights, terms, copies, NO_NETWORK, *_NO_INPUTS, known)
    return Evaluator(
        weights,
        terms,
        copies,
        network,
        np.zeros(MAX_INPUTS, np.int16),
        new_workspace(network),
        known,
    )


@inlined
def evaluate(state: Any, evaluator: Evaluator) -> int:
    """The value of a position to the side to act.

    Args:
        state: of dtype STATE, between two turns and not over.
        evaluator: whose workspace is written to.

    Returns:
        Hundredths of a logit of its winning chance; ``WINS - n`` for a win in n turns that is
        proven, and the opposite for a loss.
    """
    turns = turns_to_decision(state, evaluator.endgames)
    if turns > 0:
        return WINS - turns if turns & 1 else turns - WINS
    value = _estimate(state, evaluator)
    return value if turns == UNKNOWN else value // _DRAWN


@inlined
def chance_of(value: float) -> float:
    """The winning chance, from 0 to 1, that a value stands for."""
    return 1.0 / (1.0 + math.exp(-max(-_MOST_VALUE, min(_MOST_VALUE, value)) / HUNDREDTHS))


@inlined
def _estimate(state: Any, evaluator: Evaluator) -> int:
    """The value of a position by the network or the weighted terms."""
    if evaluator.network.first.shape[0]:
        count = write_inputs(state, evaluator.inputs)
        # tanh(output) is 2 * chance - 1, so the logit of the winning chance is twice the output.
        logit = np.float32(2 * HUNDREDTHS) * output_of(
            evaluator.network, evaluator.inputs, count, evaluator.hidden
        )
        return int(max(np.float32(-_MOST_VALUE), min(np.float32(_MOST_VALUE), logit)))
    write_terms(state, evaluator.terms, evaluator.copies)
    value = 0
    for term in range(NUM_TERMS):
        value += evaluator.weights[state.chapters, term] * evaluator.terms[term]
    return value


@inlined
def value_after(state: Any, evaluator: Evaluator) -> int:
    """The value of the position after a turn, or of the end of the game, to that turn's player."""
    if state.step != OVER:
        return -evaluate(state, evaluator)
    return WINS if state.result == WON + state.to_act else 0


@kernel
def _value_of(states: Any, evaluator: Evaluator) -> int:
    return _estimate(states[0], evaluator)


def value_of(states: NDArray[np.void]) -> int:
    """The value of ``states[0]`` to the side to act, by the weighted terms."""
    return int(_value_of(states, new_evaluator()))
