"""Static evaluation: the value of a position between two turns, without search.

The value comes from a table of solved endgames, if it has the position; else from a value network,
if the evaluator has one; else from the weighted terms
(`tkm_env.players.tkm.search.evaluation_terms`). Values are to the side to act, in hundredths of a
logit of its winning chance.
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

#: The number of units of a value in a logit.
HUNDREDTHS: Final = 100
#: The value of a turn that wins; a win known to take n turns is worth n less.
WINS: Final = 1_000_000
#: The least value of a proven win, which no estimate reaches.
PROVEN: Final = WINS - 1000
#: The estimate of a drawn endgame is divided by this, so that the more promising draws are
#: preferred.
_DRAWN: Final = 32
#: The largest value of a network, at which the chance to lose is one in 10^22.
_MOST_VALUE: Final = 50 * HUNDREDTHS


class Evaluator(NamedTuple):
    """How positions are evaluated, and the workspace for one evaluation at a time."""

    weights: NDArray[np.int64]  # as `WEIGHTS`
    terms: NDArray[np.int64]  # (NUM_TERMS,)
    copies: NDArray[np.int64]  # (2, 3)
    network: Network  # `NO_NETWORK` if the weighted terms are used
    knows_powers: bool  # whether the network's inputs know which copies a power endangers
    inputs: NDArray[np.int16]  # (MAX_INPUTS,)
    hidden: Workspace
    endgames: Endgames


#: The inputs and the workspace of `NO_NETWORK`, which never runs.
_NO_INPUTS: Final = np.zeros(MAX_INPUTS, np.int16), new_workspace(NO_NETWORK)


def new_evaluator(
    weights: NDArray[np.int64] = WEIGHTS,
    network: Network | None = None,
    *,
    knows_powers: bool = True,
    knows_endgames: bool = True,
) -> Evaluator:
    """Make an evaluator with its own workspace.

    Args:
        weights: the weights of the terms, like `WEIGHTS`: int64 of shape (8, NUM_TERMS). They are
            not used with a network.
        network: a value network; None for the weighted terms.
        knows_powers: whether the network's inputs know which copies a power endangers.
        knows_endgames: whether to look positions up in the table of solved endgames first.

    Returns:
        The evaluator.

    Raises:
        FileError: if the table of endgames cannot be read.
    """
    terms, copies = np.zeros(NUM_TERMS, np.int64), np.zeros((2, NUM_ERAS), np.int64)
    known = endgames() if knows_endgames else no_endgames()
    if network is None:
        return Evaluator(weights, terms, copies, NO_NETWORK, False, *_NO_INPUTS, known)
    return Evaluator(
        weights,
        terms,
        copies,
        network,
        knows_powers,
        np.zeros(MAX_INPUTS, np.int16),
        new_workspace(network),
        known,
    )


def with_own_workspace(evaluator: Evaluator) -> Evaluator:
    """The same evaluator with a workspace of its own, for another thread."""
    return evaluator._replace(
        terms=np.zeros_like(evaluator.terms),
        copies=np.zeros_like(evaluator.copies),
        inputs=np.zeros_like(evaluator.inputs),
        hidden=new_workspace(evaluator.network),
    )


@inlined
def evaluate(state: Any, evaluator: Evaluator) -> int:
    """Return the value of a position to the side to act.

    Args:
        state: a STATE between two turns that is not over.
        evaluator: the evaluator, whose workspace is overwritten.

    Returns:
        The winning chance in hundredths of a logit; ``WINS - n`` for a proven win in n turns, and
            the opposite for a loss.
    """
    turns = turns_to_decision(state, evaluator.endgames)
    if turns > 0:
        return WINS - turns if turns & 1 else turns - WINS
    value = _estimate(state, evaluator)
    return value if turns == UNKNOWN else value // _DRAWN


@inlined
def chance_of(value: float) -> float:
    """Return the winning chance, from 0 to 1, that a value stands for."""
    return 1.0 / (1.0 + math.exp(-max(-_MOST_VALUE, min(_MOST_VALUE, value)) / HUNDREDTHS))


def expectation_of(value: int) -> float:
    """Return the expected result, from -1 (a loss) to 1 (a win), that a value stands for."""
    return math.tanh(value / (2 * HUNDREDTHS))


@inlined
def _estimate(state: Any, evaluator: Evaluator) -> int:
    """Return the value of a position by the network or the weighted terms."""
    if evaluator.network.first.shape[0]:
        count = write_inputs(state, evaluator.inputs, evaluator.knows_powers)
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
    """Return the value after a turn to the player of that turn.

    Args:
        state: the STATE after the turn, which may be over.
        evaluator: the evaluator, whose workspace is overwritten.

    Returns:
        The value, as in `evaluate`; at the end of the game, `WINS` for a win and 0 otherwise.
    """
    if state.step != OVER:
        return -evaluate(state, evaluator)
    return WINS if state.result == WON + state.to_act else 0


@kernel
def _value_of(states: Any, evaluator: Evaluator) -> int:
    return _estimate(states[0], evaluator)


def value_of(states: NDArray[np.void]) -> int:
    """Return the value of ``states[0]`` to the side to act, by the weighted terms."""
    return int(_value_of(states, new_evaluator()))
