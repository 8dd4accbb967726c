"""How often intervals hold is computed rightly, and the page has what the program computes."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter

import numpy as np
import pytest

from benchmarks import intervals
from tkm_env.evaluation.score import PairResults


@pytest.mark.parametrize("dependence", intervals.DEPENDENCES)
@pytest.mark.parametrize(("share", "draws"), [(0.5, 0.0), (0.5, 0.6), (0.8, 0.3), (0.995, 0.0)])
def test_a_pair_expects_what_its_games_do_however_they_depend(
    share: float, draws: float, dependence: float
) -> None:
    chances = intervals.pair_chances(share, draws, dependence)
    assert chances.min() >= 0
    assert chances.sum() == pytest.approx(1)
    assert chances @ np.arange(5) / 4 == pytest.approx(share)


def test_one_sided_starts_split_pairs_and_suitable_ones_end_them_alike() -> None:
    assert intervals.pair_chances(0.5, 0, -1) == pytest.approx([0, 0, 1, 0, 0])
    assert intervals.pair_chances(0.87, 0, -1) == pytest.approx([0, 0, 0.26, 0, 0.74])
    assert intervals.pair_chances(0.5, 0.2, -1) == pytest.approx([0, 0, 1, 0, 0])
    assert intervals.pair_chances(0.7, 0.2, 1) == pytest.approx([0.2, 0, 0.2, 0, 0.6])


def test_coverage_is_that_of_all_results_counted_one_by_one() -> None:
    pairs, chances = 4, intervals.pair_chances(0.8, 0.2, -0.5)
    held = 0.0
    for halves in itertools.product(range(5), repeat=pairs):
        lost, less, split, more, won = (halves.count(each) for each in range(5))
        score = PairResults((lost, less, split, more, won)).score
        held += math.prod(chances[list(halves)]) * (score.low <= 0.8 <= score.high)
    assert intervals.Scores(pairs).held(chances) == pytest.approx(held)


@pytest.mark.parametrize("pairs", [5, pytest.param(20, marks=pytest.mark.slow)])
def test_the_page_has_the_coverage_that_the_program_computes(pairs: int) -> None:
    kept = json.loads(intervals.FIGURES.read_text("utf-8"))
    assert kept[f"score of {pairs} pairs"] == intervals.of_scores(pairs)


def test_players_meet_in_pairs_from_different_starts() -> None:
    results = intervals.tournament(np.random.default_rng(1), pairs=3, starts=8, deviation=300.0)
    games = [*intervals.games_of(results)]
    pairings = Counter(frozenset((game.first, game.second)) for game in games)
    assert {*pairings.values()} == {6}
    assert len(pairings) == 15
    assert {*Counter((game.start, game.first, game.second) for game in games).values()} == {1}
    for game in games:
        back = (game.start, game.second, game.first)
        assert any(back == (other.start, other.first, other.second) for other in games)


def test_a_start_that_is_drawn_twice_counts_twice() -> None:
    results = intervals.tournament(np.random.default_rng(2), pairs=2, starts=5, deviation=0.0)
    times = np.array([0, 2, 1, 1, 1])
    expected = Counter[tuple[str, str, float]]()
    for game in intervals.games_of(results):
        expected[game.first, game.second, game.points] += int(times[game.start])
    counted = {
        (game.first, game.second, game.points): game.games
        for game in intervals.counted(results, times)
    }
    assert counted == {game: number for game, number in expected.items() if number}


def test_the_bootstrap_of_starts_that_suit_nobody_is_about_as_wide_as_our_intervals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(intervals, "RESAMPLES", 60)
    generator = np.random.default_rng(3)
    results = intervals.tournament(generator, pairs=40, starts=40, deviation=0.0)
    ours = intervals.differences(intervals.fit(intervals.games_of(results)))
    low, high = intervals.bootstrapped(generator, results).T
    assert ((low < ours[:, 0]) & (ours[:, 0] < high)).all()
    assert 0.7 < np.median((high - low) / (ours[:, 2] - ours[:, 1])) < 1.2
