"""Scores of players against each other, pair by pair.

They show where no order of strength explains the results, and which players are good against
everyone.
"""

from statistics import NormalDist
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tkm_env.arena.game_counts import Columns, GameCounts
from tkm_env.arena.rating import Ratings
from tkm_env.foundations.checks import describe
from tkm_env.foundations.errors import ArrayError, extra

#: A smaller share, on average over extreme equilibria, counts as 0.
_LEAST: float = 1e-9
#: Players that gain less than minus this against an equilibrium lose to it, given the precision of
#: linear programs.
_LOSES: Final = 1e-6
#: Equilibria whose shares differ by less count as one, given the precision of linear programs.
_SAME: float = 1e-6


def nash_average(advantages: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the mix of players that no player beats.

    This is the symmetric equilibrium of maximum entropy of the game in which both sides choose a
    player (Balduzzi et al., "Re-evaluating Evaluation", 2018). Copies of a player divide its share
    among them; the shares and advantages of the others stay the same, as long as there is only one
    equilibrium.

    Args:
        advantages: what the player of each row gains against that of each column, as points above
            one half: an antisymmetric array of shape (n, n).

    Returns:
        The shares of the players, which add up to 1, and each player's advantage over the mix,
            which is 0 for players with a share and at most 0 for all: float64 of shape (n,) each.

    Raises:
        ArrayError: if the array is not antisymmetric, or the optimisation fails.
        MissingExtraError: without the extra ``[arena]``.
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
    slack = 1e-12 * (1 + np.abs(gains).max())

    def corner_with_most(player: int) -> NDArray[np.float64]:
        """Return the equilibrium in which a player has the largest share."""
        found: NDArray[np.float64] = linprog(
            -np.eye(players)[player],
            A_ub=gains,
            b_ub=np.full(players, slack),
            A_eq=np.ones((1, players)),
            b_eq=[1],
        ).x
        return found

    # The equilibria form a polytope; the mean of some of its corners lies inside it.
    # Players that lose to one of them have a share in none.
    first = corner_with_most(0)
    corners = [first, *map(corner_with_most, np.flatnonzero(gains @ first > -_LOSES).tolist())]
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
            "advantages", describe(gains), f"an array that can be solved ({found.message})"
        )
    shares[has_share] = found.x / found.x.sum()
    return shares, gains @ shares


#: The number of imaginary games added for any two players, half of them won and half lost, as in
#: `tkm_env.evaluation.score.PairResults.score`.
_ADDED: Final = 4


class Cycle(NamedTuple):
    """Three players, each of whom beats the next, and the last of whom beats the first."""

    players: tuple[str, str, str]
    shares: tuple[float, float, float]  # the share of points of each against the next
    #: The chance of results at least as clear somewhere among all players if there is no cycle.
    p_value: float


class NashRow(NamedTuple):
    """A player in Nash averaging (`tkm_env.arena.report.head_to_head.nash_average`)."""

    player: str
    share: float  # its share of the mix that no player beats
    #: Its expected share of points against that mix: one half for players with a share, at most one
    #: half for all.
    score: float


class HeadToHead:
    """The results between any two players in some games.

    Args:
        games: the games.
        ratings: the ratings by these games, which give the expected score of two players who have
            not met.
    """

    def __init__(self, games: GameCounts, ratings: Ratings) -> None:
        self._ratings = ratings
        self._players = [rating.player for rating in ratings.players]
        #: For any two who met, in both orders, the share of points of the first, and its standard
        #: error.
        self.scores = _scores(games.columns())
        self.scores |= {
            (other, one): (1 - share, error) for (one, other), (share, error) in self.scores.items()
        }

    def cycle(self) -> Cycle | None:
        """Find the clearest cycle of three players; None if there is none.

        The p-value of a cycle is that of its least certain result (an intersection-union test,
        Berger 1982), times the number of possible cycles (Bonferroni). Both are conservative:
        where there is no cycle, one is flagged at 5% in fewer than one tournament of twenty.
        """
        number_of = {player: number for number, player in enumerate(self._players)}
        shares = np.full((len(number_of), len(number_of)), np.nan)
        clear = np.full(shares.shape, -np.inf)  # by how many errors a share exceeds one half
        for (one, other), (share, error) in self.scores.items():
            place = number_of[one], number_of[other]
            shares[place], clear[place] = share, (share - 0.5) / error
        # The clearest cycle in which the first player has the lowest number of the three.
        found, least = (0, 0, 0), 0.0
        for number in range(len(number_of) - 2):
            rest = slice(number + 1, None)
            around = np.minimum(
                clear[rest, rest], np.minimum(clear[number, rest, None], clear[None, rest, number])
            )
            row, column = np.unravel_index(around.argmax(), around.shape)
            if around[row, column] > least:
                least = float(around[row, column])
                found = number, number + 1 + int(row), number + 1 + int(column)
        if not least:
            return None
        met = np.isfinite(clear).astype(np.int64)
        possible = 2 * int((met @ met * met).sum()) // 6  # in both directions
        first, second, third = found
        return Cycle(
            (self._players[first], self._players[second], self._players[third]),
            (
                float(shares[first, second]),
                float(shares[second, third]),
                float(shares[third, first]),
            ),
            min(1.0, possible * (1 - NormalDist().cdf(least))),
        )

    def nash_average(self) -> tuple[NashRow, ...]:
        """Average the scores by Nash averaging, best first.

        For two players who have not met, the score expected by their ratings is used.

        Raises:
            ConfigError: if no games connect two of the players.
            MissingExtraError: without the extra ``[arena]``.
        """
        if len(self._ratings.groups) > 1:
            one, other = (group[0] for group in self._ratings.groups[:2])
            self._ratings.expected(one, other)  # refuses
        places = self._ratings.numbers_of(self._players)
        advantages = self._ratings.expected_by_ratings()[np.ix_(places, places)] - 0.5
        number_of = {player: number for number, player in enumerate(self._players)}
        for (one, other), (share, _) in self.scores.items():
            advantages[number_of[one], number_of[other]] = share - 0.5
        shares, skills = nash_average(advantages)
        rows = [
            NashRow(player, share, 0.5 + skill)
            for player, share, skill in zip(
                self._players, shares.tolist(), skills.tolist(), strict=True
            )
        ]
        return tuple(sorted(rows, key=lambda row: (-round(row.score, 6), -row.share, row.player)))


class Summary(NamedTuple):
    """What ratings, one number per player, cannot express."""

    nash: tuple[NashRow, ...]
    cycle: Cycle | None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The mix that no player beats, and the clearest cycle if it is significant at 5%."""
        mix = ", ".join(f"{row.player} {row.share:.0%}" for row in self.nash if row.share >= 0.005)
        found = [f"Nash averaging: no player beats the mix of {mix}"]
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
        """Return an object with the players, their shares of the mix and scores, and the cycle."""
        return {
            "nash": [row._asdict() for row in self.nash],
            "cycle": None if self.cycle is None else self.cycle._asdict(),
        }


def summarize(games: GameCounts, ratings: Ratings) -> Summary | None:
    """Summarize what games show beyond the ratings.

    Args:
        games: the games.
        ratings: the ratings by these games.

    Returns:
        The summary; None for two players, or if no games connect some of the players.

    Raises:
        MissingExtraError: without the extra ``[arena]``.
    """
    if len(ratings.players) < 3 or len(ratings.groups) > 1:
        return None
    results = HeadToHead(games, ratings)
    return Summary(results.nash_average(), results.cycle())


def _scores(columns: Columns) -> dict[tuple[str, str], tuple[float, float]]:
    """Compute the share of points between any two who met, and its standard error.

    The error is the greater of two: by games and by starts.

    Returns:
        By two names in alphabetical order, the share of the first one and its error.
    """
    names, pairs, _, starts, counts = columns
    swapped = pairs[:, 0] > pairs[:, 1]
    counts = np.where(swapped[:, None], counts[:, ::-1], counts)
    numbers = np.sort(pairs, 1) @ (len(names), 1)
    found, row = np.unique(numbers, return_inverse=True)

    def total(values: NDArray[np.float64], of: NDArray[np.int64] = row) -> NDArray[np.float64]:
        return np.bincount(of, values).astype(np.float64)

    played, points = counts.sum(1), counts @ (0.0, 0.5, 1.0)
    games = total(played) + _ADDED
    share = (total(points) + _ADDED / 2) / games
    alone = total((counts * (np.array([0.0, 0.5, 1.0]) - share[row, None]) ** 2).sum(1))
    clusters, cluster = np.unique(
        row * (starts.max(initial=-1) + 2) + starts + 1, return_inverse=True
    )
    deviations = total(points - share[row] * played, cluster)
    clustered = total(deviations**2, clusters // (starts.max(initial=-1) + 2))
    error = np.sqrt(np.maximum(alone, clustered) + _ADDED / 2 * (share**2 + (1 - share) ** 2))
    rows = zip(found.tolist(), share.tolist(), (error / games).tolist(), strict=True)
    return {
        (names[number // len(names)], names[number % len(names)]): (share, error)
        for number, share, error in rows
    }
