"""The functions of assignments, as the grader computes them: what a submission returns is compared with these.

A value is the chance to win of the side to act, from -1 (it loses) to 1 (it wins). A position is a list of the numbers of its active
features; its value is the hyperbolic tangent of the sum of their weights (Sutton and Barto, "Reinforcement Learning", 2018, 9 and 12).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_FEATURES: Final = 40


def draw_chances(deck: int, wanted: int, draws: int) -> list[float]:
    """The probability of each number of wanted cards, from 0 to ``draws``, among the cards that are drawn: hypergeometric."""
    ways = [math.comb(wanted, found) * math.comb(deck - wanted, draws - found) for found in range(draws + 1)]
    return [number / math.comb(deck, draws) for number in ways]


def lambda_returns(values: Any, result: float, trace: float) -> list[float]:
    """What to learn each value from: the result at the end, else ``1 - trace`` of the next value and ``trace`` of the next target.

    >>> lambda_returns([0.5, 0.25], 1.0, 0.5)
    [0.625, 1.0]
    """
    targets = [float(result)] * len(values)
    for number in range(len(values) - 2, -1, -1):
        targets[number] = (1 - trace) * values[number + 1] + trace * targets[number + 1]
    return targets


def turn_chances(values: Any, temperature: float) -> NDArray[np.float64]:
    """The chance of each turn: proportional to the exponential of its value divided by the temperature.

    >>> turn_chances([0.1, 0.1, -1000], 0.5).tolist()
    [0.5, 0.5, 0.0]
    """
    scaled = np.asarray(values, np.float64) / temperature
    odds = np.exp(scaled - scaled.max())
    chances: NDArray[np.float64] = odds / odds.sum()
    return chances


def update(weights: Any, positions: Any, targets: Any, rate: float) -> NDArray[np.float64]:
    """The weights after a step along the gradient of half the squared errors, summed over the positions.

    >>> update([0.0, 0.0, 0.0], [[0, 2], [2]], [1, 0.5], 0.1).round(3).tolist()
    [0.1, 0.0, 0.15]
    """
    before = np.asarray(weights, np.float64)
    after: NDArray[np.float64] = before.copy()
    for active, target in zip(positions, targets, strict=True):
        value = math.tanh(before[active].sum())
        after[active] += rate * (target - value) * (1 - value * value)
    return after


def interval(points: Any) -> tuple[float, float]:
    """A 95% interval of a player's share of the points, from those of each pair of games, 0 to 2: 1.96 standard errors to both sides."""
    shares = np.asarray(points, np.float64) / 2
    margin = 1.96 * shares.std(ddof=1) / math.sqrt(len(shares))
    return max(0.0, shares.mean() - margin), min(1.0, shares.mean() + margin)


class FunctionTask(NamedTuple):
    """A function that a submission writes."""

    meaning: str  # what it returns, for people
    draw: Callable[[np.random.Generator], list[Any]]  # draws arguments of one call
    solve: Callable[..., Any]  # the function itself


def _draw_deck(generator: np.random.Generator) -> list[int]:
    deck = int(generator.integers(3, 17))
    return [deck, int(generator.integers(1, deck)), int(generator.integers(1, 4))]


def _draw_values(generator: np.random.Generator) -> list[float]:
    drawn: list[float] = generator.uniform(-1, 1, int(generator.integers(2, 30))).round(6).tolist()
    return drawn


def _draw_update(generator: np.random.Generator) -> list[Any]:
    count = int(generator.integers(2, 8))
    positions = [generator.choice(_FEATURES, int(generator.integers(3, 12)), replace=False).tolist() for _ in range(count)]
    weights, targets = generator.normal(0, 0.3, _FEATURES).round(6), generator.uniform(-1, 1, count).round(6)
    return [weights.tolist(), positions, targets.tolist(), float(generator.uniform(0.01, 0.2))]


#: By the name of the function.
TASKS: Final[Mapping[str, FunctionTask]] = {
    "draw_chances": FunctionTask(
        "`draw_chances(deck, wanted, draws)` returns the probability of each number of wanted cards among those drawn",
        _draw_deck,
        draw_chances,
    ),
    "lambda_returns": FunctionTask(
        "`lambda_returns(values, result, trace)` returns what each value of a game is to be learned from",
        lambda generator: [_draw_values(generator), float(generator.integers(-1, 2)), float(generator.uniform(0, 1))],
        lambda_returns,
    ),
    "turn_chances": FunctionTask(
        "`turn_chances(values, temperature)` returns the chance with which self-play chooses each turn",
        lambda generator: [_draw_values(generator), float(10 ** generator.uniform(-3.5, -0.3))],
        turn_chances,
    ),
    "update": FunctionTask(
        "`update(weights, positions, targets, rate)` returns the weights after a step of gradient descent",
        _draw_update,
        update,
    ),
    "interval": FunctionTask(
        "`interval(points)` returns both ends of a 95% interval of a player's share of the points",
        lambda generator: [(generator.integers(0, 5, int(generator.integers(4, 60))) / 2).tolist()],
        interval,
    ),
}
