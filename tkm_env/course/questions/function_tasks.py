"""The functions that questions ask a submission to write, with the grader's own solutions.

A value says how likely the side to act is to win, from -1 (it loses) to 1 (it wins). A position is
a list of the indices of its active features; its value is the hyperbolic tangent of the sum of
their weights (Sutton and Barto, "Reinforcement Learning", 2018, chapters 9 and 12).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: The number of features in the arguments that are drawn.
_FEATURES: Final = 40


class FunctionTask(NamedTuple):
    """A function that a submission writes."""

    meaning: str  # what it returns, in a sentence
    solve: Callable[..., ArrayLike]  # the grader's own solution
    draw: Callable[[np.random.Generator], list[Any]]  # draws the arguments of one call


def draw_chances(deck: int, wanted: int, draws: int) -> list[float]:
    """Compute the hypergeometric distribution.

    Args:
        deck: the number of cards.
        wanted: the number of wanted cards among them.
        draws: the number of cards drawn, without replacement.

    Returns:
        The probability of each number of wanted cards among those drawn, from 0 to ``draws``.

    >>> draw_chances(deck=4, wanted=2, draws=1)
    [0.5, 0.5]
    """
    ways = [
        math.comb(wanted, found) * math.comb(deck - wanted, draws - found)
        for found in range(draws + 1)
    ]
    return [number / math.comb(deck, draws) for number in ways]


def _arguments_of_draw_chances(generator: np.random.Generator) -> list[Any]:
    deck = int(generator.integers(3, 17))
    return [deck, int(generator.integers(1, deck)), int(generator.integers(1, 4))]


def lambda_returns(values: Sequence[float], result: float, trace: float) -> list[float]:
    """Compute the λ-returns of a game: the targets from which its values are learned.

    Args:
        values: the values of the game's positions, in order.
        result: the result of the game, from -1 to 1.
        trace: λ, from 0 (learn from the next value) to 1 (learn from the result).

    Returns:
        The target of each value. The last target is the result; each earlier one is ``1 - trace``
            times the next value plus ``trace`` times the next target.

    >>> lambda_returns([0.0, 0.5], result=1.0, trace=0.5)
    [0.75, 1.0]
    """
    targets = [float(result)] * len(values)
    for index in range(len(values) - 2, -1, -1):
        targets[index] = (1 - trace) * values[index + 1] + trace * targets[index + 1]
    return targets


def _arguments_of_lambda_returns(generator: np.random.Generator) -> list[Any]:
    values = _draw_values(generator)
    return [values, float(generator.integers(-1, 2)), float(generator.uniform(0, 1))]


def turn_chances(values: Sequence[float], temperature: float) -> NDArray[np.float64]:
    """Compute the softmax by which self-play chooses a turn.

    Args:
        values: the values of the turns.
        temperature: the divisor of the values, above 0.

    Returns:
        The chance of each turn, float64, proportional to ``exp(value / temperature)``.
    """
    scaled = np.asarray(values, np.float64) / temperature
    odds = np.exp(scaled - scaled.max())
    chances: NDArray[np.float64] = odds / odds.sum()
    return chances


def _arguments_of_turn_chances(generator: np.random.Generator) -> list[Any]:
    return [_draw_values(generator), float(10 ** generator.uniform(-3.5, -0.3))]


def update(
    weights: ArrayLike, positions: Sequence[Sequence[int]], targets: Sequence[float], rate: float
) -> NDArray[np.float64]:
    """Take a step of gradient descent on half the squared errors, summed over the positions.

    Args:
        weights: the weights of all features; unchanged.
        positions: the indices of the active features of each position.
        targets: what the value of each position should be.
        rate: the learning rate.

    Returns:
        The weights after the step, float64.
    """
    before = np.asarray(weights, np.float64)
    after: NDArray[np.float64] = before.copy()
    for active, target in zip(positions, targets, strict=True):
        value = math.tanh(before[active].sum())
        after[active] += rate * (target - value) * (1 - value * value)
    return after


def _arguments_of_update(generator: np.random.Generator) -> list[Any]:
    count = int(generator.integers(2, 8))
    positions = [
        generator.choice(_FEATURES, int(generator.integers(3, 12)), replace=False).tolist()
        for _ in range(count)
    ]
    weights = generator.normal(0, 0.3, _FEATURES).round(6)
    targets = generator.uniform(-1, 1, count).round(6)
    return [weights.tolist(), positions, targets.tolist(), float(generator.uniform(0.01, 0.2))]


def interval(points: Sequence[float]) -> tuple[float, float]:
    """Compute a 95% interval of a player's share of the points: 1.96 standard errors each way.

    Args:
        points: the player's points in each pair of games, from 0 to 2.

    Returns:
        Both ends, from 0 to 1.
    """
    shares = np.asarray(points, np.float64) / 2
    margin = 1.96 * shares.std(ddof=1) / math.sqrt(len(shares))
    return max(0.0, shares.mean() - margin), min(1.0, shares.mean() + margin)


def _arguments_of_interval(generator: np.random.Generator) -> list[Any]:
    return [(generator.integers(0, 5, int(generator.integers(4, 60))) / 2).tolist()]


def _draw_values(generator: np.random.Generator) -> list[float]:
    drawn: list[float] = generator.uniform(-1, 1, int(generator.integers(2, 30))).round(6).tolist()
    return drawn


#: The tasks, by the name of the function.
TASKS: Final[Mapping[str, FunctionTask]] = {
    "draw_chances": FunctionTask(
        "`draw_chances(deck, wanted, draws)` returns the probability of each number of wanted "
        "cards among those drawn",
        draw_chances,
        _arguments_of_draw_chances,
    ),
    "lambda_returns": FunctionTask(
        "`lambda_returns(values, result, trace)` returns the target from which each value of a "
        "game is learned",
        lambda_returns,
        _arguments_of_lambda_returns,
    ),
    "turn_chances": FunctionTask(
        "`turn_chances(values, temperature)` returns the chance with which self-play chooses each "
        "turn",
        turn_chances,
        _arguments_of_turn_chances,
    ),
    "update": FunctionTask(
        "`update(weights, positions, targets, rate)` returns the weights after a step of gradient "
        "descent",
        update,
        _arguments_of_update,
    ),
    "interval": FunctionTask(
        "`interval(points)` returns both ends of a 95% interval of a player's share of the points",
        interval,
        _arguments_of_interval,
    ),
}
