"""Ratings and tests of any games: numbers that make sense, or a refusal."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.refusals import accepted
from tkm_env.arena.rating import fit
from tkm_env.arena.sprt import SPRT

NAMES = st.sampled_from(["ada", "bob", "cleo", "dan", "eve", "", "…", "a" * 300])
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        "1",
        -1,
        0.3,
        math.nan,
        math.inf,
        1e308,
        10**400,
        (),
        [1],
        {},
        object(),
        "ada",
        5e-324,
    ]
)
GAME = st.tuples(NAMES, NAMES, st.sampled_from([0, 0.5, 1])) | st.tuples(
    NAMES, NAMES, st.sampled_from([0, 0.5, 1]), st.integers(1, 100) | st.floats(1e-3, 1e9)
)
GAMES = st.lists(GAME.filter(lambda game: game[0] != game[1]), max_size=30)
ODD_GAME = (
    st.tuples(NAMES | ODD, NAMES | ODD, st.sampled_from([0, 0.5, 1]) | ODD, st.integers(1, 9) | ODD)
    | ODD
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "anchor": st.tuples(NAMES | ODD, st.floats(-1e4, 1e4) | ODD) | ODD,
        "prior": st.floats(10, 1e4) | ODD,
    },
)


@given(GAMES)
def test_any_games_have_ratings_that_make_sense(games: list[Any]) -> None:
    if not games:
        return
    ratings = fit(games)
    assert ratings.converged
    assert ratings.games == pytest.approx(sum(game[3] if len(game) == 4 else 1 for game in games))
    names = {name for game in games for name in game[:2]}
    assert (
        {rating.player for rating in ratings.players}
        == {name for group in ratings.groups for name in group}
        == names
    )
    for group in ratings.groups:
        bounded = [rating for rating in map(ratings.of, group) if rating.is_bounded]
        assert sum(rating.elo.estimate for rating in bounded) == pytest.approx(0, abs=1e-3), (
            "the mean is that of who is bounded"
        )
        for name in group:
            estimate, low, high = ratings.difference(group[0], name)
            assert low <= estimate <= high
            assert math.isfinite(high - low)
            assert 0 <= ratings.expected(group[0], name) <= 1


@given(GAMES, st.lists(ODD_GAME, max_size=1), OPTIONS)
def test_odd_games_are_rated_or_refused(
    games: list[Any], odd: list[Any], options: dict[str, Any]
) -> None:
    given = [*games, *odd]
    ratings = accepted(lambda: fit(given, **options), lambda: list(map(repr, given)))
    if ratings is not None:
        assert all(math.isfinite(bound) for rating in ratings.players for bound in rating.elo)


@given(st.text(alphabet="elo01alphbt=,.-5e inf", max_size=40) | st.text(max_size=20))
def test_any_text_describes_a_test_or_is_refused(text: str) -> None:
    sprt = accepted(lambda: SPRT.from_text(text), lambda: text)
    if sprt is not None:
        assert sprt.elo0 < sprt.elo1
        low, high = sprt.bounds
        assert low < 0 < high
