"""Ratings: the strengths of many players, from all their games at once."""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tkm_env.evaluation.score import Elo, Interval
from tkm_env.foundations.checks import checked_number
from tkm_env.foundations.errors import ConfigError, extra, repr_of

#: Elo for a factor of e in the odds of a win against a loss.
_SCALE: Final = 400 / math.log(10)
#: The standard deviation of the prior, in Elo.
_PRIOR: Final = 1000.0
_Z: Final = NormalDist().inv_cdf(0.975)
#: The fit has converged within this many standard errors of the maximum, squared.
_PRECISION: Final = 1e-8
_ITERATIONS: Final = 200

_Floats = NDArray[np.float64]
_UNCONNECTED: Final = (
    "No games connect the players below with those above: their ratings cannot be compared."
)
_UNBOUNDED: Final = "The players below won everything or lost everything against those above, and could be any stronger or weaker."


class Played(NamedTuple):
    """A game, or several with the same result."""

    first: str  # who moved first
    second: str
    points: float  # what the first player got: 0, 0.5 or 1
    games: float = 1  # how many such games there were, from 1e-6 to 1e9
    #: What games from the same start have in common; None for games that depend on no others.
    start: Hashable = None
    #: Whether a player's fault ended it, so that it says nothing about the first move.
    by_fault: bool = False


@dataclasses.dataclass(frozen=True)
class Rating:
    player: str
    #: With its 95% interval, relative to the anchor or to the mean of the bounded; the anchor's own
    #: interval has no width.
    elo: Elo
    games: float  # how many the player played
    points: float  # how many points they brought
    #: Whether others bound it on both sides; not of who won or lost everything, like all others of
    #: its kind.
    is_bounded: bool = True


@dataclasses.dataclass(frozen=True)
class Ratings:
    #: Best first; ratings of players of different groups cannot be compared.
    players: tuple[Rating, ...]
    first_move: Elo  # by how much the first move makes a player stronger, with its 95% interval
    draws: Interval  # the expected share of draws between equals, with its 95% interval
    games: float
    #: The players' names, in groups that no game connects; one group if all can be compared.
    groups: tuple[tuple[str, ...], ...]
    converged: bool  # whether the fit reached the maximum
    _parameters: _Floats = dataclasses.field(repr=False, compare=False)
    _covariance: _Floats = dataclasses.field(repr=False, compare=False)
    _clustered: _Floats = dataclasses.field(repr=False, compare=False)
    _number_of: Mapping[str, int] = dataclasses.field(repr=False, compare=False)

    def of(self, player: str) -> Rating:
        """A player's rating. Raises a `ConfigError` if there is no such player."""
        self._number(player)
        return next(rating for rating in self.players if rating.player == player)

    def parts(self) -> Iterator[tuple[str, list[Rating]]]:
        """The ratings that belong side by side, best first.

        Yields:
            A sentence on what sets the part apart from the one before, and its ratings.
        """
        for number, group in enumerate(self.groups):
            rows = [rating for rating in self.players if rating.player in group]
            yield _UNCONNECTED if number else "", [rating for rating in rows if rating.is_bounded]
            if unbounded := [rating for rating in rows if not rating.is_bounded]:
                yield _UNBOUNDED, unbounded

    def difference(self, player: str, other: str) -> Elo:
        """How much stronger one player is than another, with its 95% interval.

        The interval is not the sum of those of the two ratings: what is uncertain about both alike
        cancels out.

        Args:
            player: the name of the one.
            other: the name of the other.

        Raises:
            ConfigError: if there is no such player, or the two cannot be compared.
        """
        one, two = self._comparable(player, other)
        contrast = np.zeros(len(self._parameters))
        contrast[one] += 1
        contrast[two] -= 1
        return _estimate(contrast, self._parameters, (self._covariance, self._clustered))

    def connects(self, player: str, other: str) -> bool:
        """Whether games, perhaps through others, connect two players, so that they can be compared.

        Args:
            player: the name of the one.
            other: the name of the other.
        """
        return any(player in group and other in group for group in self.groups)

    def expected(self, first: str, second: str) -> float:
        """The share of points, 0 to 1, that a player can expect from a game against another.

        Args:
            first: the name of the player that moves first.
            second: the name of the other.

        Raises:
            ConfigError: if there is no such player, or the two cannot be compared.
        """
        one, two = self._comparable(first, second)
        *strengths, first_move, draw = self._parameters.tolist()
        lead = strengths[one] - strengths[two] + first_move
        win, drawn, _ = _chances(np.array(lead), draw)
        return float(win + drawn / 2)

    def design(self, pairs: ArrayLike, pending: ArrayLike = (), *, alike: float = 0.0) -> "Design":
        """What pairs of games would tell: Bayesian D-optimal design.

        See Chaloner and Verdinelli, "Bayesian Experimental Design: A Review" (1995).

        Args:
            pairs: int of shape (pairs, 2), the players of each pair of games, by their numbers in
                the order of their names.
            pending: int of shape (others, 2), the players of pairs of games that are played before.
            alike: Elo by which players may differ and still count as equal.
        """
        covariance = self._covariance[:-2, :-2]
        one, two, weights = self._weights(pending, alike)
        columns = covariance[:, one] - covariance[:, two]
        inner = np.diag(1 / weights) + columns[one] - columns[two]
        return Design(
            *self._weights(pairs, alike), covariance - columns @ np.linalg.solve(inner, columns.T)
        )

    def _weights(
        self, pairs: ArrayLike, alike: float
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], _Floats]:
        """The players of these pairs of games, and what two such games say about their
        difference.
        """
        *strengths, first_move, draw = self._parameters.tolist()
        one, two = np.asarray(pairs, np.int64).reshape(-1, 2).T
        leads = np.array(strengths)[one] - np.array(strengths)[two]
        leads -= leads.clip(-alike / _SCALE, alike / _SCALE)
        weights = np.full(len(leads), 1e-12)
        for lead in (leads + first_move, leads - first_move):
            win, _, loss = _chances(lead, draw)
            weights += (win + loss) / 4 - ((win - loss) / 2) ** 2
        return one, two, weights

    def _comparable(self, player: str, other: str) -> tuple[int, int]:
        numbers = self._number(player), self._number(other)
        if not self.connects(player, other):
            raise ConfigError(
                "player",
                other,
                f"no games, not even through others, connect it with {repr_of(player)}",
            )
        return numbers

    @property
    def names(self) -> list[str]:
        """The players' names, in the order of their numbers."""
        return [*self._number_of]

    def numbers_of(self, players: Iterable[str]) -> list[int]:
        """The numbers of these players, as `design` takes them."""
        return [self._number(player) for player in players]

    def _number(self, player: str) -> int:
        if player not in self._number_of:
            raise ConfigError("player", player, f"the players are {repr_of([*self._number_of])}")
        return self._number_of[player]


class Design:
    """Which pairs of games tell most, one after another.

    Each is chosen by the covariance of the strengths after those that were taken, however these
    end.

    Args:
        one: int64 of shape (pairs,), the number of the one player of each pair.
        two: int64 of shape (pairs,), the number of the other.
        weights: float64 of shape (pairs,), what two games say about their difference.
        covariance: float64 of shape (players, players), of the strengths so far.

    Attributes:
        open: bool of shape (pairs,), which of them may be chosen; it is changed from outside.
        taken: how many pairs of games were taken.
    """

    def __init__(
        self, one: NDArray[np.int64], two: NDArray[np.int64], weights: _Floats, covariance: _Floats
    ) -> None:
        self.one, self.two, self.covariance = one, two, covariance
        self.open = np.ones(len(one), np.bool_)
        self.taken = 0
        self._weights = weights
        variances = np.diag(covariance)
        self._variances: _Floats = variances[one] + variances[two] - 2 * covariance[one, two]

    @property
    def gains(self) -> _Floats:
        """The expected gain of information from each pair of games, in nats, float64 of shape
        (pairs,).

        It is half the logarithm of one plus the information of two games, one with each first move,
        times the variance of the difference so far.
        """
        gains: _Floats = 0.5 * np.log1p(self._weights * self._variances.clip(0.0))
        return gains

    def best(self) -> tuple[float, int]:
        """The highest gain of an open pair, and its number; with a gain of -1, if none is open."""
        if not self.open.any():
            return -1.0, -1
        gains = np.where(self.open, self.gains, -1.0).round(9)
        number = int(gains.argmax())
        return float(gains[number]), number

    def take(self, number: int, times: int = 1) -> None:
        """Have a pair of games played.

        Args:
            number: its index.
            times: how often.
        """
        self.taken += times
        one, two = self.one[number], self.two[number]
        weight, column = times * self._weights[number], self.covariance[one] - self.covariance[two]
        share = weight / (1 + weight * (column[one] - column[two]))
        self.covariance -= np.outer(share * column, column)
        self._variances -= share * (column[self.one] - column[self.two]) ** 2


def fit(
    games: Iterable[Played | tuple[str, str, float] | tuple[str, str, float, float]],
    *,
    anchor: tuple[str, float] | None = None,
    prior: float = _PRIOR,
    players: Iterable[str] = (),
) -> Ratings:
    """The ratings under which games are most likely.

    The model, which ``docs/ratings.md`` explains, is that of Davidson, "On Extending the
    Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments" (1970), with the order
    effect of Davidson and Beaver (1977): a win, a draw and a loss of the player that moves first
    are as likely as 10^(d/800) to v to 10^(-d/800), where d is the difference of the ratings plus
    the advantage of the first move, which games that a fault ended do not have. The prior is
    normal, of each group about its mean, and so weak that it weighs less than one game.

    The mean of a group is that of its largest part in which everyone has beaten everyone, perhaps
    through others, so that players that won or lost everything widen nobody's interval. Intervals
    are the wider of two: by Laplace's approximation, for games that are independent given the
    ratings, and by the sandwich with starts as clusters (Liang and Zeger, "Longitudinal Data
    Analysis Using Generalized Linear Models", 1986).

    Args:
        games: the games, at least one unless players are named.
        anchor: a player and its Elo; without one, and in groups without it, the mean is 0.
        prior: the standard deviation of the prior, 1 to 1e6 Elo.
        players: names of players that may be without a game; of those only the prior is known.

    Returns:
        The ratings.

    Raises:
        ConfigError: if there are no games, one is malformed or of a player against itself, or the
            anchor has played none.
        MissingExtraError: without ``[arena]``.
    """
    deviation = checked_number("prior", prior, 1, 1e6, from_low=True)
    counts = _count(games)
    names = sorted(
        {name for _, first, second, _ in counts for name in (first, second)} | set(players)
    )
    if not names:
        raise ConfigError("games", [], "there must be at least one")
    number_of = {name: number for number, name in enumerate(names)}
    anchored = None if anchor is None else checked_anchor(anchor)
    if anchored is not None and anchored[0] not in names:
        raise ConfigError(
            "anchor", anchored[0], f"it has played no game; the players are {repr_of(names)}"
        )
    pairs = np.array(
        [(number_of[first], number_of[second]) for _, first, second, _ in counts], dtype=np.int64
    ).reshape(-1, 2)
    by_fault = np.array([by_fault for *_, by_fault in counts], dtype=np.bool_)
    known_starts = dict.fromkeys(start for start, *_ in counts if start is not None)
    number_of_start = {start: number for number, start in enumerate(known_starts)}
    starts = np.array([number_of_start.get(start, -1) for start, *_ in counts], dtype=np.int64)
    numbers = np.array(list(counts.values())).reshape(-1, 3)
    posterior = _Posterior(len(names), pairs, by_fault, starts, numbers, deviation / _SCALE)
    parameters, converged = posterior.maximum()
    covariance: _Floats = np.linalg.inv(posterior.curvature(parameters)).astype(np.float64)
    clustered = covariance @ posterior.spread_of_scores(parameters) @ covariance
    both = covariance, clustered
    groups = _groups(names, pairs)
    totals = _totals(counts)
    ratings = []
    for group, bounded in zip(groups, _bounded(names, groups, pairs, numbers), strict=True):
        reference, origin = (
            (bounded, 0.0)
            if anchored is None or anchored[0] not in group
            else ((anchored[0],), anchored[1])
        )
        here, others = [[number_of[name] for name in some] for some in (group, reference)]
        middles = parameters[here] - parameters[others].mean()
        variances = np.maximum(*(_variances(each, here, others) for each in both))
        for name, middle, half in zip(group, middles, _Z * np.sqrt(variances), strict=True):
            elo = Elo(
                *(
                    origin + _SCALE * float(value)
                    for value in (middle, middle - half, middle + half)
                )
            )
            ratings.append(Rating(name, elo, *totals.get(name, (0.0, 0.0)), name in bounded))
    *_, first_move, _ = np.eye(len(parameters))
    draw, half = parameters[-1], _Z * math.sqrt(max(each[-1, -1] for each in both))
    return Ratings(
        players=tuple(sorted(ratings, key=lambda rating: (-rating.elo.estimate, rating.player))),
        first_move=_estimate(first_move, parameters, both),
        draws=Interval(
            *(
                float(_chances(np.array(0.0), value)[1])
                for value in (draw, draw - half, draw + half)
            )
        ),
        games=posterior.games,
        groups=groups,
        converged=converged,
        _parameters=parameters,
        _covariance=covariance,
        _clustered=clustered,
        _number_of=number_of,
    )


def _variances(covariance: _Floats, players: Sequence[int], others: Sequence[int]) -> _Floats:
    """The variances of the differences between these players and the mean of the others."""
    mixed = covariance[np.ix_(players, others)].mean(1)
    spread: _Floats = (
        covariance[players, players] - 2 * mixed + covariance[np.ix_(others, others)].mean()
    )
    return spread.clip(0.0)


def checked_anchor(given: object) -> tuple[str, float]:
    """A player's name, and a rating. Raises a `ConfigError` if it is anything else."""
    if not isinstance(given, tuple) or len(given) != 2 or not isinstance(given[0], str):
        raise ConfigError("anchor", given, "it must be a player's name and a number")
    return given[0], checked_number("anchor", given[1], -1e6, 1e6, from_low=True)


#: What games have in common that are counted together: start, first player, second player, whether
#: a fault ended them.
_Row = tuple[Hashable, str, str, bool]


def _count(games: Iterable[Sequence[Any]]) -> dict[_Row, list[float]]:
    """How many games from each start the first player of each two lost, drew and won."""
    counts: dict[_Row, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for row in games:
        try:
            game = Played(*row)
        except TypeError:
            form = "a game is the first player, the second, the first's points and how many such games there were"
            raise ConfigError("games", row, form) from None
        if not isinstance(game.first, str) or not isinstance(game.second, str):
            raise ConfigError("games", row, "players have names")
        if game.first == game.second:
            raise ConfigError(
                "games", row, "a player's games against itself say nothing about its strength"
            )
        if isinstance(game.points, bool) or game.points not in (0, 0.5, 1):
            raise ConfigError("games", row, "points are 0, 0.5 or 1")
        number = checked_number("games", game.games, 1e-6, 1e9, from_low=True)
        counts[game.start, game.first, game.second, bool(game.by_fault)][
            round(2 * game.points)
        ] += number
    return dict(counts)


def _totals(counts: Mapping[_Row, Sequence[float]]) -> dict[str, tuple[float, float]]:
    totals: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for (_, first, second, _), (lost, drawn, won) in counts.items():
        for name, gained in ((first, won + drawn / 2), (second, lost + drawn / 2)):
            games, points = totals[name]
            totals[name] = games + (lost + drawn + won), points + gained
    return totals


def _groups(
    names: Sequence[str], edges: NDArray[np.int64], connection: str = "weak"
) -> tuple[tuple[str, ...], ...]:
    """The players whom edges connect, in groups; with a strong connection in both directions."""
    with extra("arena"):
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components
    graph = coo_array(
        (np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(len(names), len(names))
    )
    number, labels = connected_components(graph, connection=connection)
    return tuple(
        tuple(name for name, label in zip(names, labels, strict=True) if label == group)
        for group in range(number)
    )


def _bounded(
    names: Sequence[str],
    groups: Sequence[tuple[str, ...]],
    pairs: NDArray[np.int64],
    counts: _Floats,
) -> Iterator[tuple[str, ...]]:
    """Of each group the largest part in which everyone has beaten or held everyone, perhaps
    through others; all of it if there is none.
    """
    lost, drawn, won = counts.T
    parts = _groups(
        names, np.concatenate([pairs[won + drawn > 0], pairs[lost + drawn > 0, ::-1]]), "strong"
    )
    for group in groups:
        largest = max((part for part in parts if part[0] in group), key=len)
        yield largest if len(largest) > 1 else group


def _estimate(contrast: _Floats, parameters: _Floats, covariances: Iterable[_Floats]) -> Elo:
    """A combination of parameters with the widest of its intervals, in Elo."""
    middle = _SCALE * float(contrast @ parameters)
    half = (
        _Z
        * _SCALE
        * math.sqrt(
            max(0.0, *(float(contrast @ covariance @ contrast) for covariance in covariances))
        )
    )
    return Elo(middle, middle - half, middle + half)


def _chances(lead: _Floats, draw: float) -> tuple[_Floats, _Floats, _Floats]:
    """The chances of a win, a draw and a loss of a player with this lead, where ``draw`` is the
    logarithm of the draw parameter.
    """
    logits = np.stack([lead / 2, np.full_like(lead, draw), -lead / 2])
    odds = np.exp(logits - logits.max(0))
    win, drawn, loss = odds / odds.sum(0)
    return win, drawn, loss


class _Posterior:
    """The negative logarithm of the posterior, with its derivatives: a convex function of the
    players' strengths and the advantage of the first move, in units of `_SCALE`, and of the
    logarithm of the draw parameter.

    ``pairs`` (rows, 2) are who moves first and who else, ``starts`` (rows,) numbers, -1 for games
    that depend on no others, ``counts`` (rows, 3) how many the first player lost, drew and won.
    """

    def __init__(
        self,
        players: int,
        pairs: NDArray[np.int64],
        by_fault: NDArray[np.bool_],
        starts: NDArray[np.int64],
        counts: _Floats,
        prior: float,
    ) -> None:
        with extra("arena"):
            from scipy.sparse import coo_array
        rows = np.repeat(np.arange(len(pairs)), 3)
        columns = np.column_stack([pairs, np.full(len(pairs), players)]).ravel()
        #: What each pair's lead is made of.
        shares = np.column_stack([np.ones(len(pairs)), -np.ones(len(pairs)), ~by_fault]).ravel()
        self._leads = coo_array((shares, (rows, columns)), shape=(len(pairs), players + 1)).tocsr()
        self._starts = starts
        self._lost, self._drawn, self._won = counts.T
        self._of_pair = counts.sum(1)
        self.games = float(counts.sum())
        self._precision = np.full(players + 2, prior**-2)

    def maximum(self) -> tuple[_Floats, bool]:
        """The most likely parameters, by Newton's method with steps halved until they lead down;
        and whether they were found.
        """
        parameters = np.zeros(len(self._precision))
        value = self.value(parameters)
        for _ in range(_ITERATIONS):
            gradient = self.gradient(parameters)
            step = np.linalg.solve(self.curvature(parameters), gradient)
            if gradient @ step < _PRECISION:
                return parameters - step, True
            share = 1.0
            slack = 1e-12 * abs(value) + 1e-14 * self.games  # what rounding leaves open
            while (after := self.value(parameters - share * step)) > value + slack and share > 1e-6:
                share /= 2
            parameters, value = parameters - share * step, after
        return parameters, False

    def value(self, parameters: _Floats) -> float:
        win, drawn, loss = _chances(self._leads @ parameters[:-1], parameters[-1])
        tiny = np.finfo(float).tiny
        likelihood = (
            self._won @ np.log(win + tiny)
            + self._drawn @ np.log(drawn + tiny)
            + self._lost @ np.log(loss + tiny)
        )
        return float(self._precision @ parameters**2 / 2 - likelihood)

    def gradient(self, parameters: _Floats) -> _Floats:
        win, drawn, loss = _chances(self._leads @ parameters[:-1], parameters[-1])
        of_leads = (self._of_pair * (win - loss) - (self._won - self._lost)) / 2
        of_draw = self._of_pair @ drawn - self._drawn.sum()
        gradient: _Floats = self._precision * parameters + np.append(
            self._leads.T @ of_leads, of_draw
        )
        return gradient

    def curvature(self, parameters: _Floats) -> _Floats:
        return self._information(parameters, self._of_pair)

    def _information(self, parameters: _Floats, games: _Floats) -> _Floats:
        """What so many games of each row say about the parameters, with the prior."""
        win, drawn, loss = _chances(self._leads @ parameters[:-1], parameters[-1])
        of_leads = games * (win + loss - (win - loss) ** 2) / 4
        mixed = self._leads.T @ (-games * (win - loss) * drawn / 2)
        information = np.diag(self._precision)
        information[:-1, :-1] += (
            self._leads.T @ (self._leads.multiply(of_leads[:, None]))
        ).toarray()
        information[:-1, -1] = information[-1, :-1] = mixed
        information[-1, -1] += games @ (drawn * (1 - drawn))
        return information

    def spread_of_scores(self, parameters: _Floats) -> _Floats:
        """The covariance of the gradient as the games show it: from start to start, and as
        expected of the prior and of games without.
        """
        with extra("arena"):
            from scipy.sparse import coo_array, hstack
            from scipy.special import stdtrit
        spread = self._information(parameters, np.where(self._starts < 0, self._of_pair, 0.0))
        starts = int(self._starts.max(initial=-1)) + 1
        if starts > 1:
            win, drawn, loss = _chances(self._leads @ parameters[:-1], parameters[-1])
            of_leads = (self._won - self._lost - self._of_pair * (win - loss)) / 2
            of_draw = self._drawn - self._of_pair * drawn
            named = np.flatnonzero(self._starts >= 0)
            of_start = coo_array(
                (np.ones(len(named)), (self._starts[named], named)),
                shape=(starts, len(self._starts)),
            ).tocsr()
            scores = hstack(
                [of_start @ self._leads.multiply(of_leads[:, None]), (of_start @ of_draw)[:, None]]
            ).tocsr()
            # Few starts say little about how they differ: theirs are intervals of the t
            # distribution.
            spread += (
                starts
                / (starts - 1)
                * (stdtrit(starts - 1, 0.975) / _Z) ** 2
                * (scores.T @ scores).toarray()
            )
        return spread
