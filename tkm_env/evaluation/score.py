"""Scores of single games and of games in pairs, with their intervals, also in Elo."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

from tkm_env.core.outcome import Outcome
from tkm_env.evaluation.pair_likelihood import PairLikelihood


def points_of(result: str, player: int) -> float:
    """The points of a player for the result of a game, as a record has it.

    Args:
        result: the result, as `tkm_env.core.outcome.Outcome` reads it.
        player: 0 for the player of the side named first, 1 for the other.

    Returns:
        1 for a win, 0 for a loss, 0.5 for a draw or a truncated game.
    """
    return Outcome(result).points[player]


#: The normalised Elo of a score one standard deviation of a game's points above one half.
ELO_PER_DEVIATION: Final = 800 / math.log(10)

_Z: Final = NormalDist().inv_cdf(0.975)


class Interval(NamedTuple):
    """A share, such as of points, from 0 to 1, with its confidence interval.

    Attributes:
        share: the estimate.
        low: the lower bound.
        high: the upper bound.
    """

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.1%} ({self.low:.1%} to {self.high:.1%})"


class Elo(NamedTuple):
    """A difference in Elo with its confidence interval.

    Attributes:
        estimate: the estimate.
        low: the lower bound; minus infinity if nothing bounds it.
        high: the upper bound; infinity if nothing bounds it.
    """

    estimate: float
    low: float
    high: float

    def with_margin(self, sign: str = "-") -> str:
        """The estimate and half the width of its interval, which must be symmetric.

        ``sign`` is the format's sign option, such as ``"+"``.
        """
        return f"{round(self.estimate):{sign}} ±{self.high - self.estimate:.0f}"

    def __str__(self) -> str:
        estimate, low, high = (
            f"{round(value):+}" if math.isfinite(value) else f"{value:+}".replace("inf", "∞")
            for value in self
        )
        return f"{estimate} ({low} to {high})"


def elo_of(share: float) -> float:
    """The difference in Elo at which the stronger player expects this share of points."""
    return (
        -math.inf
        if share <= 0
        else math.inf
        if share >= 1
        else 400 * math.log10(share / (1 - share))
    )


def design_effect(deviations: Iterable[tuple[Hashable, float]]) -> float:
    """The factor by which dependence between deviations multiplies the variance of their sum.

    Deviations with the same start depend on each other. This is Kish's design effect, estimated
    from the sums over each start, as in the cluster-robust variance of Liang and Zeger (1986). A
    single start gives nothing to estimate it from, and the effect is 1.

    Args:
        deviations: the start of each deviation, and the deviation.

    Returns:
        The factor, at least 1.
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
    """The share of observations that are true, with its interval.

    The interval is that of Agresti and Coull, as for `PairResults.score`, for the number of
    independent observations that would tell as much as these; see `design_effect`.

    Args:
        seen: the start of each observation, and whether it is true.

    Returns:
        The share and its interval.
    """
    share = sum(value for _, value in seen) / max(len(seen), 1)
    trials = len(seen) / design_effect((start, value - share) for start, value in seen)
    middle = (share * trials + _Z * _Z / 2) / (trials + _Z * _Z)
    half_width = _Z * math.sqrt(middle * (1 - middle) / (trials + _Z * _Z))
    return Interval(share, max(0.0, middle - half_width), min(1.0, middle + half_width))


class PairResults(NamedTuple):
    """One player's points in pairs of games with the same start and with sides swapped.

    The two games of a pair depend on each other. Intervals therefore take a pair, not a game, as
    one observation, as testers of chess engines do with pentanomial counts.

    Attributes:
        counts: the numbers of pairs that brought 0, ½, 1, 1½ and 2 points.
        single: the numbers of games in incomplete pairs that brought 0, ½ and 1 point.
        shared: the factor, from 1, by which starts that several pairs share multiply the variance.
    """

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    single: tuple[int, int, int] = (0, 0, 0)
    shared: float = 1.0

    @classmethod
    def of(
        cls,
        games: Iterable[tuple[Hashable, float]],
        starts: Mapping[Hashable, Hashable] | None = None,
    ) -> "PairResults":
        """Count the points of games.

        Args:
            games: the pair to which each game belongs, and the points that it brought: 0, 0.5 or 1.
            starts: the start of each pair, for pairs that may share one; None if each has its own.

        Returns:
            The counts.
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
        """The share of points, of at least one game, with its 95% interval.

        The interval is that of Agresti and Coull, "Approximate Is Better than 'Exact' for Interval
        Estimation of Binomial Proportions" (1998), with pairs instead of trials: z²/2 pairs lost
        twice and z²/2 pairs won twice are added. A game of an incomplete pair counts as a smaller
        observation; the variance is that of a ratio of sums.
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
        """The difference in Elo that corresponds to `score`."""
        return Elo(*map(elo_of, self.score))

    @property
    def normalized_elo(self) -> Elo:
        """The difference in normalised Elo with its 95% interval, from complete pairs.

        It is the number of standard deviations of a game's points by which the score exceeds one
        half, times `ELO_PER_DEVIATION` (Van den Bergh, "Normalized Elo").

        The interval holds what the likelihood ratio does not reject. A test that compares two
        advantages by the same likelihood, `tkm_env.arena.sprt.SPRT`, therefore rejects no advantage
        in the interval, as long as its bound is above 1.92.
        """
        if not any(self.counts):
            return Elo(0.0, -math.inf, math.inf)
        likelihood, loss = PairLikelihood(self.counts), self.shared * _Z * _Z / 2
        advantages = likelihood.estimate, likelihood.lowest(loss), likelihood.highest(loss)
        return Elo(*(ELO_PER_DEVIATION * advantage for advantage in advantages))
