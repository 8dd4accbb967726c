"""Static evaluation: the terms, their weights, and the function that adds them up, or runs a network or asks a table instead.

The weights were fitted to the results of games, by ``python benchmarks/fit_evaluation.py --seed 1``: three rounds of 4,000 games of
alpha-beta at depth 2 against itself, each with the weights of the previous one, and logistic regression of the result on the terms (Buro,
1995). They score 70% to 80% against the hand-set weights that the fit started from, in each set of chapters.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.bits import count_bits
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.network import NO_NETWORK, Network, Workspace, new_workspace, output_of
from tkm_env.foundations.checks import checked_numbers
from tkm_env.foundations.files import packaged_json
from tkm_env.games.tkm.engine.bitboards import (
    ALL_SPACES,
    AT_WALL,
    BEFORE_WALL,
    beside,
    one_step,
    where,
    where_below,
)
from tkm_env.games.tkm.engine.geometry import (
    EAST,
    FUTURE,
    NORTH,
    NOWHERE,
    NUM_ERAS,
    NUM_SPACES,
    PAST,
    SOUTH,
    WEST,
)
from tkm_env.games.tkm.engine.state import (
    COPY,
    ELEPHANT,
    IMMOVABLE,
    INFLUENCE,
    MEMORY,
    ORANGE,
    OVER,
    TREE,
    WON,
)
from tkm_env.players.tkm.search.endgames import (
    UNKNOWN,
    Endgames,
    endgames,
    no_endgames,
    turns_to_decision,
)
from tkm_env.players.tkm.search.network_inputs import MAX_INPUTS, write_inputs

#: Every term: its name, what is counted, and its weights. A count is the side to act's minus the opponent's, except where a star stands.
#: Weights are hundredths of a logit of the side to act's winning chance, by the chapters in play: none, growth (G), influence (I), G + I,
#: memory (M), G + M, I + M, all. Terms of a chapter that is not in play are zero.
TERMS: Final[list[dict[str, Any]]] = packaged_json(__package__, "terms.json")
NUM_TERMS: Final = len(TERMS)
_TEMPO, _ERAS, _LONE, _CORNER, _EDGE, _CENTRE, _PAST, _FUTURE, _SUPPLY, _FOCUS, _CHOICE = range(11)
_ATTACKS, _ATTACKS_LONE, _ATTACKED, _ATTACKED_LONE = range(11, 15)
_HARD, _TREES, _STATUES, _UNBUILT, _HATS, _HAT_IN_FOCUS, _TRAMPLES, _TRAMPLED = range(15, NUM_TERMS)

#: The weights as an array, by the bits of the chapters and by term.
WEIGHTS: Final = np.array([term["weights"] for term in TERMS], np.int64).T.copy()
#: The unit of an evaluation: so many are a logit.
HUNDREDTHS: Final = 100
#: The value of a turn that wins; a win known to take n turns is worth n less.
WINS: Final = 1_000_000
#: No estimate reaches this; a value that does is a proven win.
PROVEN: Final = WINS - 1000
#: Among drawn endgames the more promising is worth more, by this part of what it would be worth otherwise.
_DRAWN: Final = 32
#: No network's evaluation is larger: a chance to lose of one in 10^22.
_MOST_VALUE: Final = 50 * HUNDREDTHS
#: With larger weights a position might look like a proven win.
_MOST_WEIGHT: Final = 1000


def checked_weights(given: object) -> np.ndarray[Any, Any]:
    """Weights of the shape of `WEIGHTS`, int64. Raises an `ArrayError` if they are not whole numbers from -1000 to 1000."""
    weights = checked_numbers("weights", given, WEIGHTS.shape, -_MOST_WEIGHT, _MOST_WEIGHT)
    return np.ascontiguousarray(weights, np.int64)


#: The four inner spaces, and the corners.
_INNER: Final = ALL_SPACES ^ int(np.bitwise_or.reduce(AT_WALL))
_CORNERS: Final = int((AT_WALL[NORTH] | AT_WALL[SOUTH]) & (AT_WALL[EAST] | AT_WALL[WEST]))


@inlined
def _in_all_eras(copies: Any, player: int, spaces: int) -> int:
    """How many of these spaces hold a copy of the player's, over all eras."""
    held = 0
    for era in range(NUM_ERAS):
        held |= (copies[player, era] & spaces) << NUM_SPACES * era
    return count_bits(held)


@inlined
def _is_single(bits: int) -> bool:
    return (bits != 0) & (bits & (bits - 1) == 0)


@inlined
def _count_side(state: Any, player: int, sign: int, terms: Any, copies: Any) -> None:
    """Store the spaces of a side's copies as bits, and count the terms that are differences between the sides."""
    for era in range(NUM_ERAS):
        bits = where(state, era, COPY + player)
        copies[player, era] = bits
        terms[_ERAS] += sign * (bits != 0)
        terms[_LONE] += sign * _is_single(bits)
    terms[_CORNER] += sign * _in_all_eras(copies, player, _CORNERS)
    terms[_EDGE] += sign * _in_all_eras(copies, player, ALL_SPACES ^ _CORNERS ^ _INNER)
    terms[_CENTRE] += sign * _in_all_eras(copies, player, _INNER)
    terms[_PAST] += sign * count_bits(copies[player, PAST])
    terms[_FUTURE] += sign * count_bits(copies[player, FUTURE])
    terms[_SUPPLY] += sign * state.supply[player]
    focus = state.focus[player]
    if focus != NOWHERE and copies[player, focus]:
        terms[_FOCUS] += sign
        if not _is_single(copies[player, focus]):
            terms[_CHOICE] += sign


@inlined
def _pushed_off(attackers: int, has_travelled: bool) -> int:
    """The spaces whose copies these attackers could push over an edge: in two actions, or in one, after a travel."""
    near = attackers if has_travelled else attackers | beside(attackers)
    spaces = 0
    for direction in range(4):
        spaces |= one_step(near, direction) & AT_WALL[direction]
        if not has_travelled:
            spaces |= one_step(attackers, direction) & BEFORE_WALL[direction]
    return spaces


@inlined
def _count_attacks(state: Any, attacker: int, term: int, terms: Any, copies: Any) -> None:
    """Count the copies that the attacker could push over an edge from the era of their focus, including after one travel."""
    focus = state.focus[attacker]
    if focus == NOWHERE or copies[attacker, focus] == 0:
        return
    attackers = copies[attacker, focus]
    for era in range(max(PAST, focus - 1), min(FUTURE, focus + 1) + 1):
        if era < focus and state.supply[attacker] == 0:
            continue
        victims = copies[1 - attacker, era]
        attacked = count_bits(victims & _pushed_off(attackers, era != focus))
        terms[term] += attacked
        if _is_single(victims):
            terms[term + 1] += attacked


@inlined
def _count_beside(objects: int, term: int, player: int, era: int, terms: Any, copies: Any) -> None:
    """Count these objects beside copies of the player's, less those beside the opponent's."""
    mine, theirs = 0, 0
    for direction in range(4):
        there = one_step(objects, direction)
        mine |= (there & copies[player, era]) << NUM_SPACES * direction
        theirs |= (there & copies[1 - player, era]) << NUM_SPACES * direction
    terms[term] += count_bits(mine) - count_bits(theirs)


@inlined
def _count_neighbours(state: Any, terms: Any, copies: Any) -> None:
    """Count the objects beside copies."""
    for era in range(NUM_ERAS):
        trees = where(state, era, TREE)
        hard = ALL_SPACES ^ where_below(state, era, IMMOVABLE)
        statues = ALL_SPACES ^ where_below(state, era, ORANGE) ^ hard
        _count_beside(trees, _TREES, state.to_act, era, terms, copies)
        _count_beside(statues, _STATUES, state.to_act, era, terms, copies)
        _count_beside(hard, _HARD, state.to_act, era, terms, copies)


@inlined
def _count_elephants(
    state: Any, player: int, sign: int, term: int, terms: Any, copies: Any
) -> None:
    """Count hats, and in the era of the focus the copies that an elephant with a hat could trample within two commands."""
    focus = state.focus[player]
    for elephant in range(2):
        for era in range(NUM_ERAS):
            if state.hat[elephant, era] != player:
                continue
            terms[_HATS] += sign
            if era != focus or copies[player, era] == 0:
                continue
            terms[_HAT_IN_FOCUS] += sign
            here = where(state, era, ELEPHANT + elephant)
            near = here | beside(here)
            terms[term] += count_bits(copies[1 - player, era] & (near | beside(near)))


@inlined
def write_terms(state: Any, terms: Any, copies: Any) -> None:
    """Write every term's count, seen by the side to act, to ``terms`` (NUM_TERMS,) int64; ``copies`` (2, 3) int64 is to work in."""
    for term in range(NUM_TERMS):
        terms[term] = 0
    terms[_TEMPO] = 1
    player = state.to_act
    _count_side(state, player, 1, terms, copies)
    _count_side(state, 1 - player, -1, terms, copies)
    _count_attacks(state, player, _ATTACKS, terms, copies)
    _count_attacks(state, 1 - player, _ATTACKED, terms, copies)
    if state.chapters:
        _count_neighbours(state, terms, copies)
    if state.chapters & INFLUENCE:
        terms[_UNBUILT] = state.unbuilt[player] - state.unbuilt[1 - player]
    if state.chapters & MEMORY:
        _count_elephants(state, player, 1, _TRAMPLES, terms, copies)
        _count_elephants(state, 1 - player, -1, _TRAMPLED, terms, copies)


class Evaluator(NamedTuple):
    """How positions are evaluated, and the workspace for one evaluation at a time."""

    weights: NDArray[np.int64]  # as `WEIGHTS`
    terms: NDArray[np.int64]  # (NUM_TERMS,)
    copies: NDArray[np.int64]  # (2, 3)
    network: Network  # one without inputs where the weighted terms are used
    inputs: NDArray[np.int16]  # (MAX_INPUTS,)
    hidden: Workspace
    endgames: Endgames


#: In place of a network's inputs and workspace, where none runs.
_NO_INPUTS: Final = np.zeros(MAX_INPUTS, np.int16), new_workspace(NO_NETWORK)


def new_evaluator(
    weights: NDArray[np.int64] = WEIGHTS,
    network: Network | None = None,
    *,
    knows_endgames: bool = True,
) -> Evaluator:
    """An evaluator that runs the network if there is one, otherwise adds up the weighted terms, and asks the table of endgames first."""
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
    """The value of a position between two turns to the side to act, in hundredths of a logit; a win proven in n turns is ``WINS - n``."""
    turns = turns_to_decision(state, evaluator.endgames)
    if turns > 0:
        return WINS - turns if turns & 1 else turns - WINS
    value = _estimate(state, evaluator)
    return value if turns == UNKNOWN else value // _DRAWN


@inlined
def chance_of(value: float) -> float:
    """The winning chance that a value stands for, from 0 to 1."""
    return 1.0 / (1.0 + math.exp(-max(-_MOST_VALUE, min(_MOST_VALUE, value)) / HUNDREDTHS))


@inlined
def _estimate(state: Any, evaluator: Evaluator) -> int:
    """The value of a position without a table."""
    if evaluator.network.first.shape[0]:
        count = write_inputs(state, evaluator.inputs)
        # A value is the hyperbolic tangent of the output, and twice the winning chance less 1: so the logit is twice the output.
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
    """The value of the position after a turn, without search, to the player of that turn."""
    if state.step != OVER:
        return -evaluate(state, evaluator)
    return WINS if state.result == WON + state.to_act else 0


@kernel
def _value_of(states: Any, evaluator: Evaluator) -> int:
    return _estimate(states[0], evaluator)


def value_of(states: NDArray[np.void]) -> int:
    """The value of ``states[0]`` to the side to act, by the weighted terms."""
    return int(_value_of(states, new_evaluator()))
