"""Scores and their intervals: single games, and games in pairs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkm_env.evaluation.score import ELO_PER_DEVIATION, PairResults, elo_of

#: How a pair's 0, ½, 1, 1½ and 2 points are distributed: both games alike, a side that nearly
#: always wins, many draws.
DISTRIBUTIONS = {
    "independent games": (1 / 16, 0, 6 / 16, 0, 9 / 16),
    "the start decides who wins": (0.3, 0, 0, 0, 0.7),
    "the side decides who wins": (0.05, 0, 0.85, 0, 0.1),
    "draws": (0.05, 0.2, 0.45, 0.25, 0.05),
    "hopeless": (0.85, 0.05, 0.08, 0.01, 0.01),
}

Counts = tuple[int, int, int, int, int]

COUNTS = st.tuples(*[st.integers(0, 10**6) | st.integers(0, 3)] * 5)
SINGLE = st.tuples(*[st.integers(0, 20)] * 3)


def test_games_are_counted_in_their_pairs_in_any_order() -> None:
    games = [
        (7, 1.0),
        (3, 0.0),
        (9, 0.5),
        (7, 0.5),
        (4, 0.5),
        (3, 0.0),
        (4, 0.5),
        (1, 1.0),
        (8, 0.0),
    ]
    assert (
        PairResults.of(games)
        == PairResults.of(games[::-1])
        == PairResults((1, 0, 1, 1, 0), (1, 1, 1))
    )
    assert PairResults.of(games).games == len(games)
    assert PairResults.of(games).points == sum(points for _, points in games)


@pytest.mark.parametrize("won", [0, 1, 17, 29, 30])
def test_pairs_that_always_end_alike_are_as_many_trials_of_agresti_and_coull(won: int) -> None:
    pairs, z = 30, 1.959963984540054
    middle = (won + z * z / 2) / (pairs + z * z)
    half = z * math.sqrt(middle * (1 - middle) / (pairs + z * z))
    interval = PairResults((pairs - won, 0, 0, 0, won)).score
    assert interval == pytest.approx((won / pairs, max(0, middle - half), min(1, middle + half)))


def test_many_pairs_have_the_interval_of_their_own_variance() -> None:
    counts = (390, 8_843, 26_675, 9_240, 440)
    shares = np.repeat(np.arange(5) / 4, counts)
    half = 1.96 * shares.std() / math.sqrt(len(shares))
    assert PairResults(counts).score == pytest.approx(
        (shares.mean(), shares.mean() - half, shares.mean() + half), abs=1e-4
    )


def test_pairs_split_by_the_sides_tell_more_than_single_games_and_pairs_that_end_alike_less() -> (
    None
):
    def width(interval: tuple[float, float, float]) -> float:
        return interval[2] - interval[1]

    single = 2 * 1.96 * math.sqrt(0.25 / 200)
    assert width(PairResults((0, 0, 100, 0, 0)).score) < 0.5 * single
    assert width(PairResults((50, 0, 0, 0, 50)).score) > 1.3 * single


@pytest.mark.parametrize("pairs", [10, 40, 200])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_intervals_from_pairs_hold_the_score_nineteen_times_in_twenty(
    name: str, pairs: int
) -> None:
    chances = np.array(DISTRIBUTIONS[name])
    generator = np.random.default_rng(pairs)
    drawn = [
        PairResults(tuple(counts))
        for counts in generator.multinomial(pairs, chances, 2000).tolist()
    ]
    mean = chances @ np.arange(5) / 4
    held = np.mean([counts.score.low <= mean <= counts.score.high for counts in drawn])
    assert held >= 0.92, f"{held:.1%} of the intervals hold the score"


#: Where most matches end with pairs that are all alike.
LOPSIDED = {
    "nearly always won": (0.01, 0, 0.04, 0, 0.95),
    "always but once": (0, 0, 0.02, 0, 0.98),
    "level": (0, 0.02, 0.96, 0.02, 0),
}


@pytest.mark.parametrize(
    "name", [*LOPSIDED, *(pytest.param(name, marks=pytest.mark.nightly) for name in DISTRIBUTIONS)]
)
def test_intervals_of_normalised_elo_hold_it_nineteen_times_in_twenty(name: str) -> None:
    chances = np.array((DISTRIBUTIONS | LOPSIDED)[name])
    mean = chances @ np.arange(5) / 4
    true = (
        ELO_PER_DEVIATION * (mean - 0.5) / math.sqrt(2 * chances @ (np.arange(5) / 4 - mean) ** 2)
    )
    for pairs in (10, 40):
        generator, held, matches = np.random.default_rng(pairs), 0, 400
        rows, times = np.unique(
            generator.multinomial(pairs, chances, matches), axis=0, return_counts=True
        )
        for counts, often in zip(rows.tolist(), times.tolist(), strict=True):
            elo = PairResults(tuple(counts)).normalized_elo
            held += often * (elo.low <= true <= elo.high)
        assert held >= 0.9 * matches, (
            f"{held / matches:.1%} of the intervals after {pairs} pairs hold it"
        )


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ((0, 0, 0, 0, 14), "+∞ (+272 to +∞)"),
        ((14, 0, 0, 0, 0), "-∞ (-∞ to -272)"),
        ((0, 0, 0, 14, 0), "+∞ (+150 to +∞)"),
        ((0, 0, 14, 0, 0), "+0 (-94 to +94)"),
        ((7, 0, 0, 0, 7), "+0 (-138 to +138)"),
        ((0, 0, 0, 0, 1), "+∞ (-247 to +∞)"),
        ((0, 0, 0, 1, 13), "+1840 (+261 to +7506)"),
        ((1, 0, 0, 0, 13), "+409 (+121 to +1875)"),
        ((0, 0, 0, 0, 0), "+0 (-∞ to +∞)"),
    ],
    ids=str,
)
def test_pairs_that_all_ended_alike_bound_normalised_elo_from_one_side(
    counts: Counts, shown: str
) -> None:
    assert str(PairResults(counts).normalized_elo) == shown


@pytest.mark.parametrize(
    "counts", [(39, 8843, 26675, 9240, 44), (60, 200, 420, 260, 60), (300, 0, 200, 0, 500)], ids=str
)
def test_many_pairs_have_the_normalised_elo_of_engine_testers(counts: Counts) -> None:
    """The same value as fastchess prints: the score's deviations from one half.

    The interval is that of the delta method.
    """
    shares = np.repeat(np.arange(5) / 4, counts)
    each = (shares - shares.mean()) / shares.std()
    deviations = (shares.mean() - 0.5) / shares.std()
    variance = 1 - deviations * (each**3).mean() + deviations**2 / 4 * ((each**4).mean() - 1)
    half = 1.96 * math.sqrt(variance / len(shares))
    scale = ELO_PER_DEVIATION / math.sqrt(2)
    elo = PairResults(counts).normalized_elo
    assert elo.estimate == pytest.approx(scale * deviations)
    assert elo == pytest.approx(
        (elo.estimate, elo.estimate - scale * half, elo.estimate + scale * half),
        abs=0.02 * scale * half,
    )


def test_a_likelihood_ratio_scaled_by_shared_starts_widens_the_interval() -> None:
    alone, shared = (
        PairResults((2, 5, 6, 9, 8), shared=shared).normalized_elo for shared in (1.0, 4.0)
    )
    assert alone.estimate == shared.estimate
    assert shared.high - shared.low == pytest.approx(2 * (alone.high - alone.low), rel=0.1)


def test_pairs_that_share_a_start_count_as_little_as_they_say() -> None:
    """Deterministic players: whatever is played again from a start ends as before."""
    generator = np.random.default_rng(7)
    chances, starts, times = np.array([0.3, 0.05, 0.2, 0.05, 0.4]), 40, 5
    mean = chances @ np.arange(5) / 4
    held = {"starts known": 0, "as if independent": 0}
    for _ in range(1000):
        outcomes = generator.choice(5, starts, p=chances) / 4
        games = [
            ((start, time), outcome)
            for start, outcome in enumerate(outcomes)
            for time in range(times)
            for _ in range(2)
        ]
        start_of = {pair: pair[0] for pair, _ in games}
        for name, pairs in (
            ("starts known", PairResults.of(_halved(games), start_of)),
            ("as if independent", PairResults.of(_halved(games))),
        ):
            held[name] += pairs.score.low <= mean <= pairs.score.high
    assert held["starts known"] >= 930, held
    assert held["as if independent"] < 800, held


def _halved(games: list[tuple[tuple[int, int], float]]) -> list[tuple[tuple[int, int], float]]:
    """Pairs of these points, given as two games each of the same share."""
    seen: set[tuple[int, int]] = set()
    halved = []
    for pair, share in games:
        # The first game takes what it can, the second one the rest.
        first = min(1.0, 2 * share)
        halved.append((pair, 2 * share - first if pair in seen else first))
        seen.add(pair)
    return halved


def test_a_game_whose_pair_is_not_complete_counts_as_less_than_a_pair() -> None:
    before = PairResults((2, 5, 6, 5, 2)).score
    after, complete = (
        PairResults((2, 5, 6, 5, 2), (0, 0, 1)).score,
        PairResults((2, 5, 6, 5, 3)).score,
    )
    assert before.share < after.share < complete.share
    assert after.share == 20.5 / 41 + 0.5 / 41
    alone = PairResults((0, 0, 0, 0, 0), (0, 0, 1)).score
    assert alone.share == alone.high == 1
    assert alone.low < 0.2065, "Wilson's bound for one game that was won"


@given(COUNTS, SINGLE)
def test_every_interval_holds_the_share_and_mirrors_the_opponents(
    counts: tuple[int, int, int, int, int], single: tuple[int, int, int]
) -> None:
    pairs = PairResults(counts, single)
    if not pairs.games:
        return
    share, low, high = pairs.score
    assert 0 <= low <= share <= high <= 1
    assert low < high
    opponents = PairResults(counts[::-1], single[::-1])
    assert opponents.score == pytest.approx((1 - share, 1 - high, 1 - low))
    assert opponents.elo.estimate == pytest.approx(-pairs.elo.estimate)
    if any(counts):
        estimate, low, high = pairs.normalized_elo
        assert low <= estimate <= high
        assert opponents.normalized_elo == pytest.approx((-estimate, -high, -low), abs=1e-6)


def test_elo_is_infinite_where_nothing_bounds_it() -> None:
    assert [elo_of(share) for share in (0, 0.5, 1)] == [-math.inf, 0, math.inf]
    assert str(PairResults((0, 0, 0, 0, 10)).elo).startswith("+∞ (+")
    assert str(PairResults((0, 0, 0, 0, 10)).elo).endswith(" to +∞)")
    assert elo_of(10 / 11) == pytest.approx(400)


def test_normalized_elo_is_the_same_for_the_same_evidence_whatever_the_share_of_draws() -> None:
    """As many standard deviations above one half, once without draws, once with."""
    pairs = 10**6
    for counts in ((0, 0, 0.5, 0, 0.5), (0.01, 0.05, 0.5, 0.38, 0.06)):
        chances = np.array(counts)
        mean = chances @ np.arange(5) / 4
        deviation = math.sqrt(2 * chances @ (np.arange(5) / 4 - mean) ** 2)
        whole = tuple(int(pairs * chance) for chance in counts)
        elo = PairResults(whole).normalized_elo
        assert elo.estimate == pytest.approx(ELO_PER_DEVIATION * (mean - 0.5) / deviation, rel=1e-4)


@pytest.mark.parametrize(("pairs", "least"), [(10, 0.90), (20, 0.92), (100, 0.93)])
def test_intervals_hold_the_true_score_at_least_nine_times_in_ten(pairs: int, least: float) -> None:
    """Exactly, by all results of the pairs, over a grid of probabilities."""
    results = np.array(
        [
            (lost, split, pairs - lost - split)
            for lost in range(pairs + 1)
            for split in range(pairs + 1 - lost)
        ]
    )
    intervals = np.array([PairResults((a, 0, b, 0, c)).score for a, b, c in results.tolist()])
    ways = math.lgamma(pairs + 1) - np.vectorize(math.lgamma)(results + 1).sum(1)
    grid = [0.001, 0.01, *np.linspace(0.02, 0.98, 49)]
    for lost, split in itertools.product(grid, repeat=2):
        if lost + split >= 1:
            continue
        shares = np.array([lost, split, 1 - lost - split])
        chances = np.exp(ways + results @ np.log(shares))
        true = shares @ [0, 0.5, 1]
        holds = (intervals[:, 1] <= true + 1e-12) & (true - 1e-12 <= intervals[:, 2])
        assert chances[holds].sum() >= least, shares
