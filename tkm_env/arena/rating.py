"""Ratings: the strengths of many players, from all their games at once."""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tkm_env.arena.game_counts import Columns, GameCounts, Played
from tkm_env.evaluation.score import Elo, Interval
from tkm_env.foundations.checks import checked_number
from tkm_env.foundations.errors import ConfigError, extra, repr_of

#: Elo for a factor of e in the odds of a win against a loss.
_SCALE: Final = 400 / math.log(10)
#: The standard deviation of the prior, in Elo.
_PRIOR: Final = 1000.0
_Z: Final = NormalDist().inv_cdf(0.975)
#: The fit has converged within this many squared standard errors of the maximum.
_PRECISION: Final = 1e-8
_ITERATIONS: Final = 200

_Floats = NDArray[np.float64]
_UNCONNECTED: Final = (
    "No games connect the players below with those above: their ratings cannot be compared."
)
_WEAKER: Final = "The players above won everything against those below."
_UNORDERED: Final = (
    "No results tell whether the players above or those below are stronger, or by how much."
)


@dataclasses.dataclass(frozen=True)
class Rating:
    """The rating of a player."""

    player: str
    #: With its 95% interval, relative to the anchor or to the mean of the bounded players; the
    #: anchor's own interval has no width.
    elo: Elo
    games: float  # the number of games that the player played
    points: float  # the points from these games
    #: Whether results bound the rating on both sides, which they do not for a player that won or
    #: lost everything against the bounded players of its group.
    is_bounded: bool = True


class Part(NamedTuple):
    """Players whose ratings bound each other: each has a result against each, through others.

    Attributes:
        ratings: their ratings, best first.
        why: a sentence on what sets them apart from the part before; empty for the first.
        gap: the lower bound of the 95% interval of the Elo by which the last player of the part
            before is stronger than the first of this one; None if their games give none.
    """

    ratings: list[Rating]
    why: str = ""
    gap: float | None = None


@dataclasses.dataclass(frozen=True)
class Ratings:
    """The ratings of all players, and what `fit` found besides them."""

    #: Best first, part by part. Whoever won everything against others, directly or through others,
    #: stands above them; ratings of players in different groups cannot be compared.
    players: tuple[Rating, ...]
    first_move: Elo  # the advantage of the first move, with its 95% interval
    draws: Interval  # the expected share of draws between equals, with its 95% interval
    games: float
    #: The players' names, in groups that no game connects; one group if all can be compared.
    groups: tuple[tuple[str, ...], ...]
    converged: bool  # whether the fit reached the maximum
    _parameters: _Floats = dataclasses.field(repr=False, compare=False)
    _covariance: _Floats = dataclasses.field(repr=False, compare=False)
    _clustered: _Floats = dataclasses.field(repr=False, compare=False)
    _number_of: Mapping[str, int] = dataclasses.field(repr=False, compare=False)
    _tiers: Sequence["_Tier"] = dataclasses.field(repr=False, compare=False)

    def of(self, player: str) -> Rating:
        """Return a player's rating.

        Raises:
            ConfigError: if there is no such player.
        """
        self._number(player)
        return next(rating for rating in self.players if rating.player == player)

    @property
    def parts(self) -> list[Part]:
        """The ratings in parts within which they bound each other, in the order of `players`."""
        rows = iter(self.players)
        return [
            Part([next(rows) for _ in range(tier.size)], tier.why, tier.gap) for tier in self._tiers
        ]

    @property
    def origin(self) -> str:
        """Whose mean rating is 0 without an anchor, as a sentence; empty if it is that of all."""
        if len(self.groups) > 1:
            return "The mean of each group is 0."
        bounded = sum(rating.is_bounded for rating in self.players)
        if bounded == len(self.players):
            return ""
        return f"The mean of the {bounded} players who have scored against each other is 0."

    def rank(self, player: str) -> int:
        """Return the place of a player in `players`, from 1.

        Raises:
            ConfigError: if there is no such player.
        """
        return 1 + self.players.index(self.of(player))

    def difference(self, player: str, other: str) -> Elo:
        """Estimate how much stronger one player is than another.

        The interval is not the sum of the intervals of the two ratings, since uncertainty that both
        share cancels out.

        Args:
            player: the name of the player.
            other: the name of the other player.

        Returns:
            The difference of their ratings, with its 95% interval.

        Raises:
            ConfigError: if there is no such player, or the two cannot be compared.
        """
        one, two = self._comparable(player, other)
        contrast = np.zeros(len(self._parameters))
        contrast[one] += 1
        contrast[two] -= 1
        return _estimate(contrast, self._parameters, (self._covariance, self._clustered))

    def connects(self, player: str, other: str) -> bool:
        """Whether games connect two players, perhaps through others, so that they can be compared.

        Args:
            player: the name of the player.
            other: the name of the other player.

        Returns:
            Whether both are in the same group.
        """
        return any(player in group and other in group for group in self.groups)

    def expected(self, first: str, second: str) -> float:
        """Compute the share of points that a player can expect in a game against another.

        Args:
            first: the name of the player that moves first.
            second: the name of the other player.

        Returns:
            The expected points of the first player, from 0 to 1.

        Raises:
            ConfigError: if there is no such player, or the two cannot be compared.
        """
        one, two = self._comparable(first, second)
        *strengths, first_move, draw = self._parameters.tolist()
        lead = strengths[one] - strengths[two] + first_move
        win, drawn, _ = _chances(np.array(lead), draw)
        return float(win + drawn / 2)

    def expected_by_ratings(self) -> _Floats:
        """Compute the share of points that each player can expect against each other one.

        Returns:
            float64 of shape (n, n), from 0 to 1: of the player of the row against that of the
            column, by their indices in `names`, averaged over who moves first. It means nothing for
            players who cannot be compared.
        """
        strengths, (first_move, draw) = self._parameters[:-2], self._parameters[-2:].tolist()
        leads = np.subtract.outer(strengths, strengths)
        shares = np.zeros(leads.shape)
        for lead, sign in ((leads + first_move, 1), (-leads + first_move, -1)):
            win, drawn, loss = _chances(lead, draw)
            shares += drawn / 2 + (win if sign > 0 else loss)
        return shares / 2

    def design(self, pairs: ArrayLike, pending: ArrayLike = (), *, alike: float = 0.0) -> "Design":
        """Compute what pairs of games would tell, by Bayesian D-optimal design.

        See Chaloner and Verdinelli, "Bayesian Experimental Design: A Review" (1995).

        Args:
            pairs: int of shape (pairs, 2): the players of each candidate pair of games, by their
                indices in `names`.
            pending: int of shape (others, 2): the players of pairs of games that are played before
                the candidates.
            alike: the difference, in Elo, up to which players count as equal.

        Returns:
            The design, from which the best pairs can be taken.
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
        """Return the players of pairs of games, and the information of two such games."""
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
        """The players' names, in the order of their indices."""
        return [*self._number_of]

    def numbers_of(self, players: Iterable[str]) -> list[int]:
        """Return the indices of these players in `names`, as `design` takes them."""
        return [self._number(player) for player in players]

    def _number(self, player: str) -> int:
        if player not in self._number_of:
            raise ConfigError("player", player, f"the players are {repr_of([*self._number_of])}")
        return self._number_of[player]


class Design:
    """The most informative pairs of games, one after another.

    Each is chosen by the covariance of the strengths after the pairs already taken, whatever their
    results.

    Args:
        one: int64 of shape (pairs,): the index of one player of each pair.
        two: int64 of shape (pairs,): the index of the other player.
        weights: float64 of shape (pairs,): the information of two games about the difference.
        covariance: float64 of shape (players, players): the covariance of the strengths so far.

    Attributes:
        open: bool of shape (pairs,): whether each pair may be chosen; callers change it.
        taken: the number of pairs of games taken.
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
        """The expected gain of information from each pair of games, in nats.

        It is float64 of shape (pairs,): half the logarithm of one plus the information of two
        games, one with each first move, times the variance of the difference so far.
        """
        gains: _Floats = 0.5 * np.log1p(self._weights * self._variances.clip(0.0))
        return gains

    def best(self) -> tuple[float, int]:
        """Return the highest gain of an open pair, and its index; both -1 if none is open."""
        if not self.open.any():
            return -1.0, -1
        gains = np.where(self.open, self.gains, -1.0).round(9)
        number = int(gains.argmax())
        return float(gains[number]), number

    def take(self, number: int, times: int = 1) -> None:
        """Take a pair of games, and update the covariance.

        Args:
            number: the index of the pair.
            times: the number of times that it is taken.
        """
        self.taken += times
        one, two = self.one[number], self.two[number]
        weight, column = times * self._weights[number], self.covariance[one] - self.covariance[two]
        share = weight / (1 + weight * (column[one] - column[two]))
        self.covariance -= np.outer(share * column, column)
        self._variances -= share * (column[self.one] - column[self.two]) ** 2


def fit(
    games: GameCounts | Iterable[Played | tuple[str, str, float] | tuple[str, str, float, float]],
    *,
    anchor: tuple[str, float] | None = None,
    prior: float = _PRIOR,
    players: Iterable[str] = (),
) -> Ratings:
    """Find the ratings under which games are most likely.

    The model, which ``docs/ratings.md`` explains, is that of Davidson, "On Extending the
    Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments" (1970), with the order
    effect of Davidson and Beaver (1977). The odds of a win, a draw and a loss of the player that
    moves first are 10^(d/800) to v to 10^(-d/800), where d is the difference of the ratings plus
    the advantage of the first move; games that a fault ended lack that advantage. The prior is a
    normal distribution of each group about its mean, so weak that it weighs less than one game.

    The mean of a group is the mean of its largest part in which everyone has scored against
    everyone,
    perhaps through others, so that players that won or lost everything do not widen the intervals
    of others. Intervals are the wider of two: by Laplace's approximation, for games that are
    independent given the ratings, and by the sandwich estimator with starts as clusters (Liang and
    Zeger, "Longitudinal Data Analysis Using Generalized Linear Models", 1986).

    Args:
        games: the games, at least one unless players are named.
        anchor: a player and its Elo; without one, and in groups without it, the mean is 0.
        prior: the standard deviation of the prior, 1 to 1e6 Elo.
        players: the names of players that may have played no game; only the prior rates those.

    Returns:
        The ratings.

    Raises:
        ConfigError: if there are no games, one is malformed or of a player against itself, or the
            anchor has played none.
        MissingExtraError: without the extra ``[arena]``.
    """
    deviation = checked_number("prior", prior, 1, 1e6, from_low=True)
    columns = (games if isinstance(games, GameCounts) else GameCounts(games)).columns(players)
    names = columns.names
    if not names:
        raise ConfigError("games", [], "there must be at least one game")
    number_of = {name: number for number, name in enumerate(names)}
    anchored = None if anchor is None else checked_anchor(anchor)
    if anchored is not None and anchored[0] not in names:
        raise ConfigError(
            "anchor", anchored[0], f"it has played no game; the players are {repr_of(names)}"
        )
    posterior = _Posterior(columns, deviation / _SCALE)
    parameters, converged = posterior.maximum()
    covariance: _Floats = np.linalg.inv(posterior.curvature(parameters)).astype(np.float64)
    clustered = covariance @ posterior.spread_of_scores(parameters) @ covariance
    both = covariance, clustered
    groups = _groups(names, columns.pairs)
    totals = _totals(columns)
    ratings: dict[str, Rating] = {}
    order = _Order(columns)
    for group in groups:
        bounded = order.largest_part(group)
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
            ratings[name] = Rating(name, elo, *totals[name], name in bounded)
    tiers = order.tiers(groups, ratings)
    *_, first_move, _ = np.eye(len(parameters))
    draw, half = parameters[-1], _Z * math.sqrt(max(each[-1, -1] for each in both))
    return Ratings(
        players=tuple(ratings[name] for tier in tiers for name in tier.players),
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
        _tiers=tiers,
    )


def _variances(covariance: _Floats, players: Sequence[int], others: Sequence[int]) -> _Floats:
    """Compute the variances of the differences between these players and the others' mean."""
    mixed = covariance[np.ix_(players, others)].mean(1)
    spread: _Floats = (
        covariance[players, players] - 2 * mixed + covariance[np.ix_(others, others)].mean()
    )
    return spread.clip(0.0)


def checked_anchor(given: object) -> tuple[str, float]:
    """Check a pair of a player's name and a rating.

    Raises:
        ConfigError: if it is anything else.
    """
    if not isinstance(given, tuple) or len(given) != 2 or not isinstance(given[0], str):
        raise ConfigError("anchor", given, "it must be a player's name and a number")
    return given[0], checked_number("anchor", given[1], -1e6, 1e6, from_low=True)


def _totals(columns: Columns) -> dict[str, tuple[float, float]]:
    """Return the number of games of each player, and its points."""
    games, points = np.zeros((2, len(columns.names)))
    lost, drawn, won = columns.counts.T
    for side, gained in ((0, won + drawn / 2), (1, lost + drawn / 2)):
        np.add.at(games, columns.pairs[:, side], lost + drawn + won)
        np.add.at(points, columns.pairs[:, side], gained)
    rows = zip(games.tolist(), points.tolist(), strict=True)
    return dict(zip(columns.names, rows, strict=True))


def _groups(
    names: Sequence[str], edges: NDArray[np.int64], connection: str = "weak"
) -> tuple[tuple[str, ...], ...]:
    """Group the players that edges connect; a strong connection needs both directions."""
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


class _Tier(NamedTuple):
    """The players of a `Part`, best first, with what sets them apart from the tier before."""

    players: tuple[str, ...]
    why: str = ""
    gap: float | None = None

    @property
    def size(self) -> int:
        return len(self.players)


class _Order:
    """Who is stronger than whom by the results alone, without any bound: a partial order.

    Players who have won or drawn against each other, perhaps through others, are one part. A part
    is stronger than another if its players have only won against those of the other, directly or
    through further parts.

    Args:
        columns: the games.
    """

    def __init__(self, columns: Columns) -> None:
        names, pairs = columns.names, columns.pairs
        lost, drawn, won = columns.counts.T
        scored = np.concatenate([pairs[won + drawn > 0], pairs[lost + drawn > 0, ::-1]])
        keys = np.unique(scored @ (len(names), 1))
        results = np.column_stack(np.divmod(keys, len(names)))
        self._parts = _groups(names, results, "strong")
        self._part_of = {name: part for part in self._parts for name in part}
        self._weaker: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
        for winner, loser in results.tolist():
            better, worse = self._part_of[names[winner]], self._part_of[names[loser]]
            if better != worse:
                self._weaker[better].add(worse)
        self._columns = columns

    def largest_part(self, group: Sequence[str]) -> tuple[str, ...]:
        """Return the bounded players of a group: its largest part, or all if none is larger."""
        largest = max((self._part_of[name] for name in group), key=len)
        return largest if len(largest) > 1 else tuple(group)

    def tiers(self, groups: Sequence[Sequence[str]], ratings: Mapping[str, Rating]) -> list[_Tier]:
        """Put the parts of all groups in order.

        Args:
            groups: the players of each group, which no results connect.
            ratings: the ratings, which decide where results do not.
        """

        def key(name: str) -> tuple[float, str]:
            return -ratings[name].elo.estimate, name

        tiers: list[_Tier] = []
        for group in groups:
            left = {part: min(map(key, part)) for part in {self._part_of[name] for name in group}}
            above: tuple[str, ...] | None = None
            while left:
                beaten = set[tuple[str, ...]]().union(*(self._weaker[part] for part in left))
                part = min(left.keys() - beaten, key=left.__getitem__)
                del left[part]
                players = tuple(sorted(part, key=key))
                if above is not None:
                    is_weaker = part in self._all_weaker(above)
                    why = _WEAKER if is_weaker else _UNORDERED
                    tiers.append(
                        _Tier(
                            players,
                            why,
                            self._gap(tiers[-1].players[-1], players[0]) if is_weaker else None,
                        )
                    )
                else:
                    tiers.append(_Tier(players, _UNCONNECTED if tiers else ""))
                above = part
        return tiers

    def _all_weaker(self, part: tuple[str, ...]) -> set[tuple[str, ...]]:
        """Return the parts that are weaker than one, directly or through others."""
        found: set[tuple[str, ...]] = set()
        waiting = [part]
        while waiting:
            new = self._weaker[waiting.pop()] - found
            found |= new
            waiting += new
        return found

    def _gap(self, above: str, below: str) -> float | None:
        """Return a lower bound of the Elo between a player and one that never scored against it.

        It follows from the share of points that explains that many wins in a row with a chance of
        2.5%. Games from the same start count as one.

        Returns:
            The bound; None if it is not above 0, or the two have not met.
        """
        columns = self._columns
        two = sorted(map(columns.names.index, (above, below)))
        theirs = (np.sort(columns.pairs, 1) == two).all(1)
        alone = columns.starts < 0
        observed = float(columns.counts[theirs & alone].sum())
        observed += len(np.unique(columns.starts[theirs & ~alone]))
        if observed <= 0:
            return None
        share = (1 - NormalDist().cdf(_Z)) ** (1 / observed)
        return 400 * math.log10(share / (1 - share)) if share > 0.5 else None


def _estimate(contrast: _Floats, parameters: _Floats, covariances: Iterable[_Floats]) -> Elo:
    """Estimate a combination of parameters with the widest of its intervals, in Elo."""
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
    """Compute the chances of a win, a draw and a loss of a player with this lead.

    ``draw`` is the logarithm of the draw parameter.
    """
    logits = np.stack([lead / 2, np.full_like(lead, draw), -lead / 2])
    odds = np.exp(logits - logits.max(0))
    win, drawn, loss = odds / odds.sum(0)
    return win, drawn, loss


class _Posterior:
    """The negative logarithm of the posterior, with its derivatives.

    It is a convex function of the players' strengths and the advantage of the first move, in units
    of `_SCALE`, and of the logarithm of the draw parameter.

    Args:
        columns: the games.
        prior: the standard deviation of the prior, in units of `_SCALE`.
    """

    def __init__(self, columns: Columns, prior: float) -> None:
        with extra("arena"):
            from scipy.sparse import coo_array
        names, pairs, by_fault, self._starts, self._counts = columns
        players = len(names)
        # Only the spread of scores needs the starts; the likelihood is a sum over all of them.
        _, begins, self._kind = np.unique(
            2 * (pairs @ (players, 1)) + by_fault, return_index=True, return_inverse=True
        )
        pairs, by_fault = pairs[begins], by_fault[begins]
        self._lost, self._drawn, self._won = (
            np.bincount(self._kind, column, len(begins)).astype(np.float64)
            for column in self._counts.T
        )
        rows = np.repeat(np.arange(len(pairs)), 3)
        parameters = np.column_stack([pairs, np.full(len(pairs), players)]).ravel()
        #: The share of each parameter in each pair's lead.
        shares = np.column_stack([np.ones(len(pairs)), -np.ones(len(pairs)), ~by_fault]).ravel()
        self._leads = coo_array(
            (shares, (rows, parameters)), shape=(len(pairs), players + 1)
        ).tocsr()
        self._of_pair = self._lost + self._drawn + self._won
        self.games = float(self._counts.sum())
        self._precision = np.full(players + 2, prior**-2)

    def maximum(self) -> tuple[_Floats, bool]:
        """Find the most likely parameters, and return them with whether the search converged.

        This is Newton's method, whose steps are halved until they lead down.
        """
        parameters = np.zeros(len(self._precision))
        value = self.value(parameters)
        for _ in range(_ITERATIONS):
            gradient = self.gradient(parameters)
            step = np.linalg.solve(self.curvature(parameters), gradient)
            if gradient @ step < _PRECISION:
                return parameters - step, True
            share = 1.0
            slack = 1e-12 * abs(value) + 1e-14 * self.games  # for rounding errors
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
        """Compute the information of these numbers of games per row, with the prior."""
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
        """Estimate the covariance of the gradient.

        It is observed between starts, and the expected one for the prior and for games without a
        start.
        """
        with extra("arena"):
            from scipy.sparse import coo_array, hstack
            from scipy.special import stdtrit
        alone, kinds = self._starts < 0, len(self._of_pair)
        independent = np.bincount(self._kind[alone], self._counts[alone].sum(1), kinds)
        spread = self._information(parameters, independent.astype(np.float64))
        starts = int(self._starts.max(initial=-1)) + 1
        if starts > 1:
            win, drawn, loss = _chances(self._leads @ parameters[:-1], parameters[-1])
            start, kind = self._starts[~alone], self._kind[~alone]
            lost, tied, won = self._counts[~alone].T
            games = lost + tied + won
            of_leads = coo_array(
                ((won - lost - games * (win - loss)[kind]) / 2, (start, kind)),
                shape=(starts, kinds),
            ).tocsr()
            of_draw = np.bincount(start, tied - games * drawn[kind], starts)
            scores = hstack([of_leads @ self._leads, of_draw[:, None]]).tocsr()
            # A few starts say little about how starts differ, so the t distribution is used.
            spread += (
                starts
                / (starts - 1)
                * (stdtrit(starts - 1, 0.975) / _Z) ** 2
                * (scores.T @ scores).toarray()
            )
        return spread
