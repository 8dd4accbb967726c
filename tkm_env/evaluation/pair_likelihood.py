"""The likelihood of results of pairs of games, given the first player's advantage.

Tests and intervals of normalised Elo rest on it.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

#: A pair's possible results: its share of two points, less one half.
_RESULTS: Final = (-0.5, -0.25, 0.0, 0.25, 0.5)
#: The number of pairs assumed for a result that did not occur.
_UNSEEN: Final = 1e-3
#: The number of pieces into which to cut an interval in which a function may cross zero several
#: times.
_PIECES: Final = 12
_ITERATIONS: Final = 60
_PRECISION: Final = 1e-10


class PairLikelihood:
    """The likelihood of an advantage after pairs of games.

    It is the likelihood of the most likely distribution of a pair's points that has this advantage
    (Van den Bergh, "Comments on Normalized Elo"). An advantage is the number of standard deviations
    of a game's points by which their mean exceeds one half.

    Args:
        counts: the numbers of pairs that brought 0, ½, 1, 1½ and 2 points, at least one pair in
            all. A result that did not occur counts as a thousandth of a pair.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        self._counts = counts
        self._weights = [max(count, _UNSEEN) for count in counts]
        self._mean, self._deviation = _moments(self._weights)

    @property
    def estimate(self) -> float:
        """The most likely advantage, given the results that occurred.

        It is plus or minus infinity if all pairs brought the same number of points, other than 1.
        """
        mean, deviation = _moments(self._counts)
        if deviation == 0:
            return math.copysign(math.inf, mean) if mean else 0.0
        return mean / deviation / math.sqrt(2)

    def loss(self, advantage: float) -> float:
        """How far the logarithm of the likelihood is below its maximum."""
        # A pair's mean has half the variance of a game's points.
        return self._loss(math.sqrt(2) * advantage)

    def highest(self, loss: float) -> float:
        """The highest advantage whose loss is no more than ``loss``.

        It is infinite if `estimate` is.
        """
        if self.estimate == math.inf:
            return math.inf

        # The square root of the loss is close to a straight line.
        def missing(height: float) -> float:
            return math.sqrt(max(0.0, self._loss(math.sinh(height)))) - math.sqrt(loss)

        low, at_low = math.asinh(self._mean / self._deviation), -math.sqrt(loss)
        step = math.sqrt(2 * loss / sum(self._weights))
        while (at_high := missing(high := low + step)) < 0:
            low, at_low, step = high, at_high, 2 * step
        return math.sinh(
            _crossing(missing, (low, at_low), (high, at_high), _PRECISION)
        ) / math.sqrt(2)

    def lowest(self, loss: float) -> float:
        """The lowest advantage whose loss is no more than ``loss``.

        It is minus infinity if `estimate` is.
        """
        return -PairLikelihood(self._counts[::-1]).highest(loss)

    def _loss(self, deviations: float) -> float:
        """The loss if the mean of a pair's results is this number of their standard deviations.

        In other words, the mean is a multiple, below 1, of the root of their mean square *q*. This
        root is the least of (c + q / c) / 2 over all c, so each c gives a condition that is linear
        in the probabilities. To make the mean lower than it was, all conditions must hold; to make
        it higher, the most favourable one must. Where the likelihood is greatest, c² = q.
        """
        if deviations < 0:
            return PairLikelihood(self._counts[::-1])._loss(-deviations)
        if deviations == 0:
            return self._tilted(_RESULTS)[0]

        def excess(height: float) -> float:
            return height - math.log(self._tilted(_terms(deviations, height))[1]) / 2

        size = math.hypot(self._mean, self._deviation)
        excess_ratio = self._mean / size * math.hypot(1.0, deviations) / deviations
        if excess_ratio == 1:
            return 0.0
        if excess_ratio > 1:
            middle, reach = math.log(size), math.acosh(excess_ratio)
            heights = [
                _crossing(excess, (middle - reach, -reach), (middle + reach, reach), _PRECISION)
            ]
        else:  # farther from all results above one half, no distribution qualifies
            reach = math.asinh(1 / deviations)
            parts = [(middle - reach, middle + reach) for middle in map(math.log, _RESULTS[3:])]
            if parts[0][1] > parts[1][0]:
                parts = [(parts[0][0], parts[1][1])]
            heights = [height for part in parts for height in _crossings(excess, *part, reach)]
        return min(self._tilted(_terms(deviations, height))[0] for height in heights)

    def _tilted(self, terms: Sequence[float]) -> tuple[float, float]:
        """The most likely distribution for which the mean of these terms is 0.

        Each probability is divided by 1 + x times its term, with x such that the terms' mean is 0
        (Li, Liu and Ying, 2014).

        Returns:
            Its loss, and the mean square of its results.
        """
        most, least = max(terms), min(terms)

        def missing(x: float) -> float:  # its poles, at both ends, removed: almost straight
            mean = sum(
                weight * term / (1 + x * term)
                for weight, term in zip(self._weights, terms, strict=True)
            )
            return -mean * (1 + x * most) * (1 + x * least)

        def at_end(end: float, other: float) -> float:
            weight = sum(
                weight for weight, term in zip(self._weights, terms, strict=True) if term == end
            )
            return weight * (other - end)

        x = _crossing(missing, (-1 / most, at_end(most, least)), (-1 / least, at_end(least, most)))
        divisors = [1 + x * term for term in terms]
        loss = sum(
            weight * math.log(divisor)
            for weight, divisor in zip(self._weights, divisors, strict=True)
        )
        rows = zip(self._weights, _RESULTS, divisors, strict=True)
        return loss, sum(weight * result**2 / divisor for weight, result, divisor in rows) / sum(
            self._weights
        )


def _moments(weights: Sequence[float]) -> tuple[float, float]:
    """The mean of a pair's results, less one half, and their standard deviation."""
    pairs = sum(weights)
    mean = sum(weight * result for weight, result in zip(weights, _RESULTS, strict=True)) / pairs
    squares = sum(
        weight * (result - mean) ** 2 for weight, result in zip(weights, _RESULTS, strict=True)
    )
    return mean, math.sqrt(squares / pairs)


def _terms(deviations: float, height: float) -> list[float]:
    """Terms whose mean is 0 if that of the results is the right multiple of (c + q / c) / 2.

    The multiple is the one that the mean is of the root of q at this number of standard deviations.
    ``height`` is the logarithm of c. The terms stay exact for many deviations.
    """
    reach = math.asinh(1 / deviations)
    terms = []
    for result in _RESULTS:
        distance = height - math.log(abs(result)) if result else 0.0
        if result > 0:
            terms.append(
                result * 2 * math.sinh((reach + distance) / 2) * math.sinh((reach - distance) / 2)
            )
        elif result == 0:
            terms.append(-math.exp(height) / 2)
        else:
            terms.append(result * (math.cosh(reach) + math.cosh(distance)))
    return terms


def _crossings(
    function: Callable[[float], float], low: float, high: float, end: float
) -> list[float]:
    """Where a function rises above 0 in an open interval; its ends' values are -end and end."""
    inner = [low + (high - low) * part / _PIECES for part in range(1, _PIECES)]
    points = [(low, -end), *((x, function(x)) for x in inner), (high, end)]
    return [
        _crossing(function, *piece, _PRECISION)
        for piece in pairwise(points)
        if piece[0][1] <= 0 < piece[1][1]
    ]


def _crossing(
    function: Callable[[float], float],
    low: tuple[float, float],
    high: tuple[float, float],
    precision: float = 0.0,
) -> float:
    """Where a function is 0, or close enough, between two points of opposite signs.

    The points are given with their values, first the negative one. The method is the Illinois
    method: regula falsi, but the value at an end that stays for a second time is halved.
    """
    (left, at_left), (right, at_right), middle, was_negative = low, high, math.nan, None
    for _ in range(_ITERATIONS):
        last, middle = middle, (left * at_right - right * at_left) / (at_right - at_left)
        value = function(middle)
        if abs(value) <= precision or middle == last:
            break
        if value < 0:
            left, at_left, at_right = middle, value, at_right / (2 if was_negative is True else 1)
        else:
            right, at_right, at_left = middle, value, at_left / (2 if was_negative is False else 1)
        was_negative = value < 0
    return middle
