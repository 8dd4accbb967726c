"""Scores of single games and of games in pairs, their intervals, and the same in Elo."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

from tkm_env.core.outcome import Outcome
from tkm_env.evaluation.pair_likelihood import PairLikelihood


def points_of(result: str, player: int) -> float:
    """The points of a player for the result of a game, as a record has it: a draw or a truncated game is half a point each.

    Args:
        result: as `tkm_env.core.outcome.Outcome` reads it.
        player: 0 for the player of the side that is named first, 1 for the other.
    """
    return Outcome(result).points[player]


#: Normalised Elo for a score that is above one half by one standard deviation of a game's points.
ELO_PER_DEVIATION: Final = 800 / math.log(10)

_Z: Final = NormalDist().inv_cdf(0.975)


class Interval(NamedTuple):
    """A share, such as of points, 0 to 1, with the bounds of its confidence interval."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.1%} ({self.low:.1%} to {self.high:.1%})"


class Elo(NamedTuple):
    """A difference in Elo with the bounds of its confidence interval; infinite where nothing bounds it."""

    estimate: float
    low: float
    high: float

    def with_margin(self, sign: str = "-") -> str:
        """The estimate and half the width of its interval, which is symmetric."""
        return f"{round(self.estimate):{sign}} ±{self.high - self.estimate:.0f}"

    def __str__(self) -> str:
        estimate, low, high = (
            f"{round(value):+}" if math.isfinite(value) else f"{value:+}".replace("inf", "∞")
            for value in self
        )
        return f"{estimate} ({low} to {high})"


def elo_of(share: float) -> float:
    """The difference in Elo at which the stronger player expects this share of points, 0 to 1."""
    return (
        -math.inf
        if share <= 0
        else math.inf
        if share >= 1
        else 400 * math.log10(share / (1 - share))
    )


def design_effect(deviations: Iterable[tuple[Hashable, float]]) -> float:
    """By how much the variance of a sum is that of independent deviations, where those with the same start are not: at least 1.

    It is Kish's design effect, estimated by the sums over each start, as in the cluster-robust variance of Liang and Zeger (1986). With a
    single start there is nothing to estimate it from: it is 1.
    """
    sums: dict[Hashable, float] = defaultdict(float)
    squares, number = 0.0, 0
    for start, deviation in deviations:
        sums[start] += deviation
        squares += deviation**2
        number += 1
    starts = len(sums)
    if not squares or starts in (1, number):
        return 1.0
    return max(1.0, starts / (starts - 1) * sum(each**2 for each in sums.values()) / squares)


def share_of(seen: Sequence[tuple[Hashable, bool]]) -> Interval:
    """The share of observations that are true, each given with its start, and its interval by Agresti and Coull, as for
    `PairResults.score`, of as many independent observations as say the same as these by their `design_effect`.
    """
    share = sum(value for _, value in seen) / max(len(seen), 1)
    trials = len(seen) / design_effect((start, value - share) for start, value in seen)
    middle = (share * trials + _Z * _Z / 2) / (trials + _Z * _Z)
    half_width = _Z * math.sqrt(middle * (1 - middle) / (trials + _Z * _Z))
    return Interval(share, max(0.0, middle - half_width), min(1.0, middle + half_width))


class PairResults(NamedTuple):
    """One player's points in games in pairs: the two games of a pair have the same start, with sides swapped, and so depend on each other.
    Intervals therefore take a pair, not a game, for one observation, as chess engines' testers do with pentanomial counts.
    """

    counts: tuple[int, int, int, int, int] = (
        0,
        0,
        0,
        0,
        0,
    )  # how many pairs brought 0, ½, 1, 1½ and 2 points
    single: tuple[int, int, int] = (
        0,
        0,
        0,
    )  # how many games of incomplete pairs brought 0, ½ and 1 point
    shared: float = (
        1.0  # by how much starts that pairs have in common multiply the variance, from 1
    )

    @classmethod
    def of(
        cls,
        games: Iterable[tuple[Hashable, float]],
        starts: Mapping[Hashable, Hashable] | None = None,
    ) -> "PairResults":
        """The counts of games, each given as the pair to which it belongs and the points that it brought. ``starts`` are what pairs may
        have in common; without them, each has a start of its own.
        """
        halves: dict[Hashable, list[int]] = defaultdict(list)
        for pair, points in games:
            halves[pair].append(int(2 * points))
        shared = 1.0
        if starts is not None and halves:
            rows = [
                (starts[pair], sum(points) / 2, float(len(points)))
                for pair, points in halves.items()
            ]
            mean = sum(points for _, points, _ in rows) / sum(size for *_, size in rows)
            shared = design_effect((start, points - mean * size) for start, points, size in rows)
        sums = [sum(points) for points in halves.values() if len(points) == 2]
        alone = [points[0] for points in halves.values() if len(points) == 1]
        count = sums.count
        return cls(
            (count(0), count(1), count(2), count(3), count(4)),
            (alone.count(0), alone.count(1), alone.count(2)),
            shared,
        )

    @property
    def games(self) -> int:
        return 2 * sum(self.counts) + sum(self.single)

    @property
    def points(self) -> float:
        pairs, games = (
            sum(half * count for half, count in enumerate(counts))
            for counts in (self.counts, self.single)
        )
        return (pairs + games) / 2

    @property
    def score(self) -> Interval:
        """The share of points of at least one game with its 95% interval: that of Agresti and Coull, "Approximate Is Better than 'Exact'
        for Interval Estimation of Binomial Proportions" (1998), with pairs in the place of trials. z²/2 pairs lost twice and z²/2 pairs won
        twice are added; a game whose pair is not complete counts as a smaller observation (the variance is that of a ratio of sums).
        """
        added = _Z * _Z / 2
        observed = [
            (half / 2, 2, float(count), self.shared) for half, count in enumerate(self.counts)
        ]
        observed += [
            (half / 2, 1, float(count), self.shared) for half, count in enumerate(self.single)
        ]
        observed += [(0.0, 2, added, 1.0), (2.0, 2, added, 1.0)]
        games = sum(size * count for _, size, count, _ in observed)
        middle = sum(points * count for points, _, count, _ in observed) / games
        squares = sum(
            count * shared * (points - middle * size) ** 2
            for points, size, count, shared in observed
        )
        half_width = _Z * math.sqrt(squares) / games
        return Interval(
            self.points / self.games, max(0.0, middle - half_width), min(1.0, middle + half_width)
        )

    @property
    def elo(self) -> Elo:
        """The difference in Elo that goes with `score`."""
        return Elo(*map(elo_of, self.score))

    @property
    def normalized_elo(self) -> Elo:
        """The difference in normalised Elo (Van den Bergh, "Normalized Elo") with its 95% interval, from complete pairs: by
        how many standard deviations of a game's points the score is above one half, times `ELO_PER_DEVIATION`.

        The interval holds what the likelihood ratio does not reject. A test that compares two advantages by the same
        likelihood, `tkm_env.arena.sprt.SPRT`, therefore rejects none that the interval holds, as long as its bound is above
        1.92.
        """
        if not any(self.counts):
            return Elo(0.0, -math.inf, math.inf)
        likelihood, loss = PairLikelihood(self.counts), self.shared * _Z * _Z / 2
        advantages = likelihood.estimate, likelihood.lowest(loss), likelihood.highest(loss)
        return Elo(*(ELO_PER_DEVIATION * advantage for advantage in advantages))
