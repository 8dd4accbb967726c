"""The terms of the weighted evaluation: what each term counts, and its weight.

The weights were fitted to the results of games by ``python benchmarks/fit_evaluation.py --seed 1``:
three rounds of 4,000 games of alpha-beta at depth 2 against itself, each with the weights of the
round before, and logistic regression of the result on the terms (Buro, "Statistical feature
combination for the evaluation of game positions", 1995). They score 70% to 80% against the weights
set by hand that the fit started from, in each set of chapters.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.bits import count_bits
from tkm_env.compiled.decorators import inlined
from tkm_env.foundations.checks import checked_numbers
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
    TREE,
)


class EvaluationTerm(NamedTuple):
    """A term of the evaluation.

    Attributes:
        name: unique among the terms.
        counts: what the term counts.
        weights: what a count of 1 adds to the value for the side to act, in hundredths of a logit
            of its winning chance, by the chapters in play: none, growth (G), influence (I), G + I,
            memory (M), G + M, I + M, all three. The count of a term is 0 if its chapter is not in
            play.
        is_difference: whether the count is the side to act's less the opponent's.
    """

    name: str
    counts: str
    weights: tuple[int, int, int, int, int, int, int, int]
    is_difference: bool = True


#: All terms; the index of a term is also that of its count and its weights.
TERMS: Final = (
    EvaluationTerm(
        "tempo",
        "1, for the right to act",
        weights=(6, 5, 11, 10, 12, 8, 15, 11),
        is_difference=False,
    ),
    EvaluationTerm("eras", "eras with a copy", weights=(62, 68, 74, 65, 66, 83, 87, 67)),
    EvaluationTerm(
        "lone copies", "eras with exactly one copy", weights=(-23, -14, -14, -4, -8, -23, -14, -11)
    ),
    EvaluationTerm("corner copies", "copies in a corner", weights=(30, 35, 42, 35, 39, 37, 34, 35)),
    EvaluationTerm(
        "edge copies",
        "copies at an edge, except in a corner",
        weights=(38, 43, 50, 44, 43, 45, 46, 41),
    ),
    EvaluationTerm(
        "centre copies", "copies on the four inner spaces", weights=(52, 53, 60, 55, 59, 50, 63, 54)
    ),
    EvaluationTerm("past copies", "copies in the past", weights=(14, 8, 10, 14, 5, 14, 0, 17)),
    EvaluationTerm(
        "future copies", "copies in the future", weights=(-18, -41, -40, -25, -25, -37, -46, -25)
    ),
    EvaluationTerm("supply", "copies in supply", weights=(60, 72, 64, 54, 61, 65, 67, 59)),
    EvaluationTerm(
        "focus", "1 if the era of the focus holds a copy", weights=(46, 59, 68, 62, 65, 67, 70, 62)
    ),
    EvaluationTerm("choice", "1 if it holds two or more", weights=(5, 6, 11, 9, 8, 7, 17, 12)),
    EvaluationTerm(
        "attacks",
        "copies of the opponent that this turn could push off the board",
        weights=(18, 18, 22, 18, 15, 15, 16, 17),
        is_difference=False,
    ),
    EvaluationTerm(
        "attacks on lone copies",
        "those of them that are alone in their era",
        weights=(30, 29, 26, 21, 33, 37, 25, 23),
        is_difference=False,
    ),
    EvaluationTerm(
        "attacked",
        "copies of the side to act that the opponent's turn could push off the board",
        weights=(-7, -6, -7, -6, -7, -6, -4, -4),
        is_difference=False,
    ),
    EvaluationTerm(
        "attacked lone copies",
        "those of them that are alone in their era",
        weights=(-27, -27, -19, -22, -32, -31, -21, -23),
        is_difference=False,
    ),
    EvaluationTerm(
        "hard sides",
        "shrubs, fallen trees and elephants beside copies",
        weights=(-5, -6, -5, -2, -2, -4, -6, -6),
    ),
    EvaluationTerm(
        "trees", "standing trees beside copies", weights=(-8, 4, -8, -20, -8, -6, -8, -3)
    ),
    EvaluationTerm("statues", "statues beside copies", weights=(-4, -4, 1, -10, -4, -4, -4, -3)),
    EvaluationTerm(
        "unbuilt",
        "1 while the statue is still to be built",
        weights=(35, 35, 37, 34, 35, 35, 22, 39),
    ),
    EvaluationTerm(
        "hats", "elephants that wear a hat of the player's", weights=(9, 9, 9, 9, 12, 7, 12, 8)
    ),
    EvaluationTerm(
        "hat in focus",
        "1 if one of them is in the era of the focus, with a copy to command it",
        weights=(3, 3, 3, 3, 6, 4, 5, -5),
    ),
    EvaluationTerm(
        "tramples",
        "copies of the opponent within two steps of that elephant",
        weights=(34, 34, 34, 34, 32, 39, 28, 35),
        is_difference=False,
    ),
    EvaluationTerm(
        "trampled",
        "copies of the side to act within two steps of the opponent's elephant",
        weights=(-16, -16, -16, -16, -14, -15, -17, -22),
        is_difference=False,
    ),
)
NUM_TERMS: Final = len(TERMS)

_INDEX: Final = {term.name: index for index, term in enumerate(TERMS)}
_TEMPO: Final = _INDEX["tempo"]
_ERAS: Final = _INDEX["eras"]
_LONE: Final = _INDEX["lone copies"]
_CORNER: Final = _INDEX["corner copies"]
_EDGE: Final = _INDEX["edge copies"]
_CENTRE: Final = _INDEX["centre copies"]
_PAST: Final = _INDEX["past copies"]
_FUTURE: Final = _INDEX["future copies"]
_SUPPLY: Final = _INDEX["supply"]
_FOCUS: Final = _INDEX["focus"]
_CHOICE: Final = _INDEX["choice"]
_ATTACKS: Final = _INDEX["attacks"]
_ATTACKS_LONE: Final = _INDEX["attacks on lone copies"]
_ATTACKED: Final = _INDEX["attacked"]
_ATTACKED_LONE: Final = _INDEX["attacked lone copies"]
_HARD: Final = _INDEX["hard sides"]
_TREES: Final = _INDEX["trees"]
_STATUES: Final = _INDEX["statues"]
_UNBUILT: Final = _INDEX["unbuilt"]
_HATS: Final = _INDEX["hats"]
_HAT_IN_FOCUS: Final = _INDEX["hat in focus"]
_TRAMPLES: Final = _INDEX["tramples"]
_TRAMPLED: Final = _INDEX["trampled"]

#: The weights: int64 of shape (8, NUM_TERMS), by the bits of the chapters in play and by term.
WEIGHTS: Final = np.array([term.weights for term in TERMS], np.int64).T.copy()
#: With larger weights, a position might look like a proven win.
_MOST_WEIGHT: Final = 1000


def checked_weights(given: object) -> np.ndarray[Any, Any]:
    """Check weights that a caller gave, and return them as int64 of the shape of `WEIGHTS`.

    Raises:
        ArrayError: if they are not of that shape, or not integers from -1000 to 1000.
    """
    weights = checked_numbers("weights", given, WEIGHTS.shape, -_MOST_WEIGHT, _MOST_WEIGHT)
    return np.ascontiguousarray(weights, np.int64)


#: The four inner spaces, and the corners.
_INNER: Final = ALL_SPACES ^ int(np.bitwise_or.reduce(AT_WALL))
_CORNERS: Final = int((AT_WALL[NORTH] | AT_WALL[SOUTH]) & (AT_WALL[EAST] | AT_WALL[WEST]))


@inlined
def _in_all_eras(copies: Any, player: int, spaces: int) -> int:
    """Return the number of a player's copies on these spaces, over all eras."""
    held = 0
    for era in range(NUM_ERAS):
        held |= (copies[player, era] & spaces) << NUM_SPACES * era
    return count_bits(held)


@inlined
def _is_single(bits: int) -> bool:
    return (bits != 0) & (bits & (bits - 1) == 0)


@inlined
def _count_side(state: Any, player: int, sign: int, terms: Any, copies: Any) -> None:
    """Write a side's copies to ``copies`` as bits, and count most of the difference terms."""
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
    """Return the spaces where attackers could push a copy off the board.

    The attackers have two actions, or one after a travel.
    """
    near = attackers if has_travelled else attackers | beside(attackers)
    spaces = 0
    for direction in range(4):
        spaces |= one_step(near, direction) & AT_WALL[direction]
        if not has_travelled:
            spaces |= one_step(attackers, direction) & BEFORE_WALL[direction]
    return spaces


@inlined
def _count_attacks(state: Any, attacker: int, term: int, terms: Any, copies: Any) -> None:
    """Count the copies that the attacker could push off the board in its turn.

    It acts in the era of its focus, or in a neighbouring one after a travel. ``term`` counts these
    copies; the next term counts the ones that are alone in their era.
    """
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
    """Count objects beside a player's copies, less those beside the opponent's."""
    mine, theirs = 0, 0
    for direction in range(4):
        there = one_step(objects, direction)
        mine |= (there & copies[player, era]) << NUM_SPACES * direction
        theirs |= (there & copies[1 - player, era]) << NUM_SPACES * direction
    terms[term] += count_bits(mine) - count_bits(theirs)


@inlined
def _count_neighbours(state: Any, terms: Any, copies: Any) -> None:
    """Count the terms about objects beside copies."""
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
    """Count a player's hats, and the copies that its elephant in its focus could trample.

    These are the copies within two steps of the elephant; ``term`` counts them.
    """
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
    """Count every term for the side to act.

    Args:
        state: of dtype STATE, between two turns.
        terms: int64 of shape (NUM_TERMS,): overwritten by the counts.
        copies: int64 of shape (2, 3): overwritten by the spaces of each player's copies in each
            era, as bits.
    """
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
