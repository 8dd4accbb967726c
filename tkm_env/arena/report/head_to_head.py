"""What players scored against each other, two by two.

It shows where no order of strength explains the results, and which players are good against
everyone.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tkm_env.arena.rating import Played, Ratings
from tkm_env.foundations.checks import describe
from tkm_env.foundations.errors import ArrayError, extra

#: A smaller share, on average over extreme equilibria, is taken for none.
_LEAST: float = 1e-9
#: Equilibria whose shares differ by less are one, as far as linear programs tell.
_SAME: float = 1e-6


def nash_average(advantages: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mix of players that no player beats: their shares, which add up to 1, and each player's
    advantage over the mix, 0 for those who have a share and at most 0 for all; float64 of shape
    (n,).

    Balduzzi et al., "Re-evaluating Evaluation" (2018): the symmetric equilibrium of maximum entropy
    where both sides choose a player. Copies of a player share what it had; nobody else's share or
    advantage changes, as long as there is one equilibrium only.

    The ``advantages`` are what the player of each row gains against that of each column, as points
    above one half: antisymmetric, of shape (n, n), else an `ArrayError` is raised; without the
    extra ``[arena]`` a `MissingExtraError`.
    """
    with extra("arena"):
        from scipy.optimize import LinearConstraint, linprog, minimize
    gains = np.asarray(advantages, np.float64)
    if (
        gains.ndim != 2
        or gains.shape != gains.T.shape
        or not len(gains)
        or not np.allclose(gains, -gains.T)
    ):
        raise ArrayError("advantages", f"shape {gains.shape}", "an antisymmetric matrix")
    players = len(gains)
    # The shares of the equilibria: a polytope, from whose corners a point within it is made.
    slack = 1e-12 * (1 + np.abs(gains).max())
    corners = [
        linprog(
            -corner, A_ub=gains, b_ub=np.full(players, slack), A_eq=np.ones((1, players)), b_eq=[1]
        ).x
        for corner in np.eye(players)
    ]
    inside = np.mean(corners, axis=0)
    if np.ptp(corners, axis=0).max() < _SAME:  # the usual case
        shares = np.where(inside > _SAME, inside, 0.0)
        shares /= shares.sum()
        return shares, gains @ shares
    has_share = inside > _LEAST
    among = gains[:, has_share]
    begin = inside[has_share] / inside[has_share].sum()
    found = minimize(
        lambda shares: float(shares @ np.log(shares)),
        begin,
        jac=lambda shares: np.log(shares) + 1,
        method="SLSQP",
        bounds=[(_LEAST / 10, 1)] * len(begin),
        constraints=[
            LinearConstraint(np.ones((1, len(begin))), 1, 1),
            LinearConstraint(among, -np.inf, slack),
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    shares = np.zeros(players)
    if not found.success:
        raise ArrayError(
            "advantages", describe(gains), f"one that the optimisation can solve ({found.message})"
        )
    shares[has_share] = found.x / found.x.sum()
    return shares, gains @ shares


#: Added to the games of each two players, half of them won and half lost, as in
#: `tkm_env.evaluation.score.PairResults.score`.
_ADDED: Final = 4


class Cycle(NamedTuple):
    """Three players, each of whom beats the next one, and the last the first."""

    players: tuple[str, str, str]
    shares: tuple[float, float, float]  # what each scored against the next one
    #: How likely results like these, or clearer ones, are somewhere among all players if there is
    #: no such cycle.
    p_value: float


class NashRow(NamedTuple):
    """A player in Nash averaging (`tkm_env.arena.report.head_to_head.nash_average`)."""

    player: str
    share: float  # of the mix that nobody beats
    #: Its expected share of points against that mix; one half for those who have a share, at most
    #: one half for all.
    score: float


class HeadToHead:
    """The results of each two players in all these games, from whose ratings follow those that
    are expected of two who have not met.
    """

    def __init__(self, games: Iterable[Played], ratings: Ratings) -> None:
        results: dict[tuple[str, str], list[tuple[Hashable, float, float]]] = defaultdict(list)
        for game in games:
            one, other = sorted((game.first, game.second))
            points = game.points if one == game.first else 1 - game.points
            results[one, other].append((game.start, points, game.games))
        self._ratings = ratings
        self._players = [rating.player for rating in ratings.players]
        #: For each two who met, both ways round, the share of points of the first, and its standard
        #: error.
        self.scores = {players: _score_of(rows) for players, rows in results.items()}
        self.scores |= {
            (other, one): (1 - share, error) for (one, other), (share, error) in self.scores.items()
        }

    def cycle(self) -> Cycle | None:
        """The clearest cycle of three players; None if no three go round.

        That each beats the next is as sure as the least sure of the three (an intersection-union
        test, Berger 1982), times the number of cycles that there could be (Bonferroni), both of
        which err on the safe side: where there is none, one is flagged at 5% in less than one
        tournament of twenty.
        """
        found: Cycle | None = None
        possible = 0
        for trio in combinations(self._players, 3):
            for one, two, three in (trio, trio[::-1]):
                around = (one, two), (two, three), (three, one)
                if not all(pair in self.scores for pair in around):
                    continue
                known = [self.scores[pair] for pair in around]
                possible += 1
                least = min((share - 0.5) / error for share, error in known)
                if least > 0 and (found is None or 1 - NormalDist().cdf(least) < found.p_value):
                    first, second, third = (share for share, _ in known)
                    found = Cycle(
                        (one, two, three), (first, second, third), 1 - NormalDist().cdf(least)
                    )
        return None if found is None else found._replace(p_value=min(1.0, possible * found.p_value))

    def nash_average(self) -> tuple[NashRow, ...]:
        """Nash averaging of the scores, best first; two who have not met score what their ratings
        let expect.

        Raises a `ConfigError` if no games connect two of the players, and a `MissingExtraError`
        without the extra ``[arena]``.
        """
        advantages = np.zeros((len(self._players), len(self._players)))
        for row, player in enumerate(self._players):
            for column, other in enumerate(self._players[:row]):
                share, _ = self.scores.get((player, other), (None, None))
                if share is None:  # it is what ratings let expect, from both sides
                    share = (
                        self._ratings.expected(player, other)
                        + 1
                        - self._ratings.expected(other, player)
                    ) / 2
                advantages[row, column], advantages[column, row] = share - 0.5, 0.5 - share
        shares, skills = nash_average(advantages)
        rows = [
            NashRow(player, share, 0.5 + skill)
            for player, share, skill in zip(
                self._players, shares.tolist(), skills.tolist(), strict=True
            )
        ]
        return tuple(sorted(rows, key=lambda row: (-round(row.score, 6), -row.share, row.player)))


class Summary(NamedTuple):
    """What ratings, one number for each player, cannot say."""

    nash: tuple[NashRow, ...]
    cycle: Cycle | None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The mix that nobody beats, and the clearest cycle if it is significant at 5%."""
        mix = ", ".join(f"{row.player} {row.share:.0%}" for row in self.nash if row.share >= 0.005)
        found = [f"Nash averaging: nobody beats the mix of {mix}"]
        if self.cycle is not None and self.cycle.p_value < 0.05:
            players = self.cycle.players
            beaten = zip(players, (*players[1:], players[0]), self.cycle.shares, strict=True)
            words = ", ".join(
                f"{player} beats {other} ({share:.0%})" for player, other, share in beaten
            )
            found.append(
                f"No rating can express this cycle (p = {self.cycle.p_value:.2g}): {words}"
            )
        return tuple(found)

    def as_json(self) -> dict[str, Any]:
        """As an object: the players with their share of the mix and their score against it, and
        the cycle, or None.
        """
        return {
            "nash": [row._asdict() for row in self.nash],
            "cycle": None if self.cycle is None else self.cycle._asdict(),
        }


def summarize(games: Iterable[Played], ratings: Ratings) -> Summary | None:
    """What games say beside the ratings.

    Args:
        games: the games.
        ratings: the ratings by these games.

    Returns:
        What they say; None for two players, or if no games connect some of them.

    Raises:
        MissingExtraError: without the extra ``[arena]``.
    """
    if len(ratings.players) < 3 or len(ratings.groups) > 1:
        return None
    results = HeadToHead(games, ratings)
    return Summary(results.nash_average(), results.cycle())


def _score_of(rows: Sequence[tuple[Hashable, float, float]]) -> tuple[float, float]:
    """A share of points with the greater of its standard errors, by games and by starts, from
    rows of start, points and number of games.
    """
    games = sum(number for *_, number in rows) + _ADDED
    share = (sum(points * number for _, points, number in rows) + _ADDED / 2) / games
    alone = sum(number * (points - share) ** 2 for _, points, number in rows)
    sums: dict[Hashable, float] = defaultdict(float)
    for start, points, number in rows:
        sums[start] += number * (points - share)
    clustered = sum(each**2 for each in sums.values())
    return share, math.sqrt(
        max(alone, clustered) + _ADDED / 2 * (share**2 + (1 - share) ** 2)
    ) / games
