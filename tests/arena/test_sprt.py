"""When to stop a match: the sequential test over pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkm_env import ConfigError
from tkm_env.arena.sprt import SPRT
from tkm_env.evaluation.score import ELO_PER_DEVIATION, PairResults
from tkm_env.foundations.errors import extra

with extra("arena"):
    from scipy.optimize import minimize

Counts = tuple[int, int, int, int, int]

COUNTS = st.tuples(*[st.integers(0, 10**6) | st.integers(0, 3)] * 5)
ELO = st.floats(-200, 200)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        ((39, 8843, 26675, 9240, 44), 0.5, 2.5, 2.9416752079894044),
        ((0, 0, 10, 0, 0), 0, 20, -0.06172283361415809),
        ((0, 3, 20, 9, 0), 0, 20, 0.6933408937967536),
        ((1, 4, 6, 9, 10), 0, 100, 4.531214969426605),
        ((30, 2, 1, 0, 0), -10, 10, -2.6030589088289937),
        ((0, 0, 0, 0, 40), 0, 20, 3.1206812404575293),
    ],
)
def test_ratios_are_those_of_openbench(
    counts: Counts, elo0: float, elo1: float, llr: float
) -> None:
    assert SPRT(elo0, elo1).llr(PairResults(counts)) == pytest.approx(llr, abs=1e-9)


@pytest.mark.filterwarnings(
    "ignore:Values in x were outside bounds:RuntimeWarning"
)  # scipy's, of its own steps, before 1.16
@pytest.mark.parametrize(
    "counts", [(39, 884, 2667, 924, 44), (3, 1, 10, 2, 5), (1, 4, 6, 9, 10)], ids=str
)
@pytest.mark.parametrize("elo", [-150, -10, 0, 20, 200])
def test_each_hypothesis_has_the_likelihood_of_its_most_likely_distribution(
    counts: Counts, elo: float
) -> None:
    """Against a general optimiser: the likelihood relative to that of the counts themselves."""
    shares, weights = np.arange(5) / 4, np.array(counts, float)

    def deviations(chances: Any) -> float:
        mean = chances @ shares
        return float((mean - 0.5) / math.sqrt(2 * chances @ (shares - mean) ** 2))

    constraints = (
        {"type": "eq", "fun": lambda chances: chances.sum() - 1},
        {"type": "eq", "fun": lambda chances: deviations(chances) - elo / ELO_PER_DEVIATION},
    )
    found = minimize(
        lambda chances: -weights @ np.log(chances) / weights.sum(),
        np.full(5, 0.2),
        bounds=[(1e-9, 1)] * 5,
        constraints=constraints,
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    own = ELO_PER_DEVIATION * deviations(weights / weights.sum())
    if abs(own - elo) < 1:
        return
    best = weights @ np.log(weights / weights.sum()) + found.fun * weights.sum()
    low, high = sorted((own, elo))
    ratio = SPRT(low, high).llr(PairResults(counts))
    assert abs(ratio) == pytest.approx(best, abs=1e-3)


@given(COUNTS, ELO, ELO)
def test_the_ratio_is_a_number_and_the_opponents_is_its_opposite(
    counts: Counts, one: float, other: float
) -> None:
    elo0, elo1 = sorted((one, other))
    if elo0 == elo1:
        return
    llr = SPRT(elo0, elo1).llr(PairResults(counts))
    assert math.isfinite(llr)
    assert SPRT(-elo1, -elo0).llr(PairResults(counts[::-1])) == pytest.approx(
        -llr, rel=1e-5, abs=1e-5
    )


@given(
    st.tuples(*[st.integers(0, 40) | st.just(0)] * 5),
    st.sampled_from([(0, 60), (-20, 0), (0, 200), (-5, 5)]),
)
def test_the_interval_holds_no_advantage_that_the_test_has_rejected(
    counts: Counts, hypotheses: tuple[int, int]
) -> None:
    test, pairs = SPRT(*hypotheses), PairResults(counts)
    _, low, high = pairs.normalized_elo
    accepted = test.accepted(pairs)
    assert accepted != "H1" or low > test.elo0
    assert accepted != "H0" or high < test.elo1


def test_bounds_are_walds() -> None:
    assert SPRT(0, 5).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert SPRT(0, 5, alpha=0.01, beta=0.1).bounds == pytest.approx(
        (math.log(0.1 / 0.99), math.log(90))
    )


def test_pairs_decide_once_the_ratio_reaches_a_bound() -> None:
    test = SPRT(0, 20)
    assert test.accepted(PairResults()) is None
    assert test.accepted(PairResults((0, 0, 0, 0, 37))) is None
    assert test.accepted(PairResults((0, 0, 0, 0, 38))) == "H1"
    assert test.accepted(PairResults((38, 0, 0, 0, 0))) == "H0"
    assert SPRT(0.5, 2.5).accepted(PairResults((39, 8843, 26675, 9240, 44))) is None, (
        "2.9417 is below the bound, 2.9444"
    )
    assert test.accepted(PairResults((0, 0, 0, 0, 37), (0, 0, 99))) is None, (
        "games whose pair is not complete do not count"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "wanted"), [(0.5, "H0"), (None, "H1")], ids=["H0 is true", "H1 is true"]
)
def test_a_true_hypothesis_is_rejected_at_most_once_in_twenty(
    mean: float | None, wanted: str, request: pytest.FixtureRequest
) -> None:
    test = SPRT(0, 150)
    chances = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    if mean is None:
        # Shifted until the advantage is that of H1.
        shares = np.arange(5) / 4
        for tilt in np.linspace(0, 3, 3001):
            tilted = chances * np.exp(tilt * shares)
            tilted /= tilted.sum()
            if (tilted @ shares - 0.5) / math.sqrt(
                2 * tilted @ (shares - tilted @ shares) ** 2
            ) >= 150 / ELO_PER_DEVIATION:
                chances = tilted
                break
    generator = np.random.default_rng(4)
    matches, wrong = max(100, request.config.getoption("--games")), 0
    for _ in range(matches):
        counts, accepted = [0] * 5, None
        while accepted is None:
            counts[generator.choice(5, p=chances)] += 1
            accepted = test.accepted(
                PairResults((counts[0], counts[1], counts[2], counts[3], counts[4]))
            )
        wrong += accepted != wanted
    assert wrong <= 0.05 * matches + 2 * math.sqrt(0.05 * 0.95 * matches), (
        f"{wrong} of {matches} matches were decided wrongly"
    )


def test_a_test_is_written_as_text() -> None:
    assert SPRT.from_text("elo0=0,elo1=20") == SPRT(0, 20)
    assert SPRT.from_text("elo1=2.5, elo0=-1,beta=.1,alpha=0.01") == SPRT(-1, 2.5, 0.01, 0.1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be written"),
        ("elo0=0", "must be written"),
        ("elo0=0,elo1=", "elo1="),
        ("elo0=0,elo1=five", "elo1='five'"),
        ("elo0=0,elo1=nan", "elo1="),
        ("elo0=0,elo1=inf", "elo1="),
        ("elo0=0,elo1=5,gamma=1", "must be written"),
        ("elo0=0,elo0=1,elo1=5", "'elo0' is given twice"),
        ("elo0=5,elo1=5", "elo1=5 is invalid: it must be above elo0"),
        ("elo0=0,elo1=400", "elo1=400 is invalid: it must be a number from -200"),
        ("elo0=0,elo1=5,alpha=0", "alpha=0 "),
        ("elo0=0,elo1=5,beta=0.5", "beta=0.5"),
    ],
)
def test_invalid_tests_are_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SPRT.from_text(text)


@pytest.mark.parametrize(
    "given", [True, "5", None, 10**400, float("nan")], ids=lambda given: type(given).__name__
)
def test_other_values_than_numbers_are_refused(given: Any) -> None:
    with pytest.raises(ConfigError, match="elo1="):
        SPRT(0, given)
