"""Results two by two: Nash averaging, which copies do not bend, and cycles."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tkm_env import ArrayError
from tkm_env.arena.game_counts import GameCounts, Played
from tkm_env.arena.rating import fit
from tkm_env.arena.report.head_to_head import HeadToHead, Summary, nash_average


def drawn(
    strengths: dict[str, float],
    games: int,
    seed: int,
    bonus: dict[tuple[str, str], float] | None = None,
) -> list[Played]:
    """A round robin; ``bonus`` is an extra advantage in Elo of one player over another."""
    generator = np.random.default_rng(seed)
    played = []
    for one, other in combinations(strengths, 2):
        extra = (bonus or {}).get((one, other), 0.0) - (bonus or {}).get((other, one), 0.0)
        chance = 1 / (1 + 10 ** (-(strengths[one] - strengths[other] + extra) / 400))
        for first, second in ((one, other), (other, one)):
            won = generator.random(games // 2) < (chance if first == one else 1 - chance)
            played += [
                Played(first, second, float(each), start=number) for number, each in enumerate(won)
            ]
    return played


def head_to_head(games: list[Played]) -> HeadToHead:
    return HeadToHead(GameCounts(games), fit(games))


@pytest.mark.parametrize("players", [3, 6, 15])
def test_a_copy_of_a_player_changes_nothing_for_the_others(players: int) -> None:
    generator = np.random.default_rng(players)
    gains = generator.normal(size=(players, players)) / 8
    gains -= gains.T
    shares, skills = nash_average(gains)
    assert skills.max() == pytest.approx(0, abs=1e-8)
    for copied in range(players):
        numbers = [*range(players), copied]
        with_copy, skills_with_copy = nash_average(gains[np.ix_(numbers, numbers)])
        with_copy[copied] += with_copy[-1]
        assert with_copy[:-1] == pytest.approx(shares, abs=1e-6)
        assert skills_with_copy[:-1] == pytest.approx(skills, abs=1e-6)


def test_nash_averaging_agrees_with_openspiel() -> None:
    pytest.importorskip("cvxpy", reason="needs cvxpy")
    theirs = pytest.importorskip(
        "open_spiel.python.algorithms.nash_averaging", reason="needs the extra [openspiel]"
    )
    pyspiel = pytest.importorskip("pyspiel", reason="needs the extra [openspiel]")
    generator = np.random.default_rng(2)
    for players in (3, 5, 8):
        gains = generator.normal(size=(players, players))
        gains -= gains.T
        (shares, skills), *_ = (
            theirs.nash_averaging(pyspiel.create_matrix_game(gains, -gains), eps=0.0),
            None,
        )
        ours = nash_average(gains)
        assert ours[0] == pytest.approx(np.ravel(shares), abs=1e-4)
        assert ours[1] == pytest.approx(np.ravel(skills), abs=1e-4)


def test_many_players_who_are_nearly_equal_have_a_mix() -> None:
    upper = np.triu(np.random.default_rng(58).normal(0, 0.05, (30, 30)), 1)
    shares, skills = nash_average(upper - upper.T)
    assert shares.sum() == pytest.approx(1)
    assert skills.max() < 1e-6


def test_equal_players_have_equal_shares_and_the_strongest_of_an_order_has_all() -> None:
    assert nash_average(np.zeros((4, 4)))[0] == pytest.approx([0.25] * 4)
    gains = np.array([[0, 0.1, 0.2], [-0.1, 0, 0.1], [-0.2, -0.1, 0]])
    assert nash_average(gains)[0] == pytest.approx([1, 0, 0])


@pytest.mark.parametrize(
    "given", [np.ones((2, 2)), np.zeros((2, 3)), np.zeros(3), np.zeros((0, 0))]
)
def test_what_is_not_antisymmetric_is_refused(
    given: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> None:
    with pytest.raises(ArrayError, match="antisymmetric"):
        nash_average(given)


def test_rock_paper_scissors_is_flagged_and_shared_alike() -> None:
    cycle = {("rock", "scissors"): 150.0, ("scissors", "paper"): 150.0, ("paper", "rock"): 150.0}
    results = head_to_head(
        drawn({"rock": 0.0, "paper": 0.0, "scissors": 0.0, "stick": -300.0}, 200, 1, cycle)
    )
    found = results.cycle()
    assert found is not None
    assert {*found.players} == {"rock", "paper", "scissors"}
    assert found.p_value < 0.01
    beats = dict(zip(found.players, [*found.players[1:], found.players[0]], strict=True))
    assert beats["rock"] == "scissors"
    cycle_told = Summary(results.nash_average(), found).sentences[1]
    assert cycle_told.startswith("No rating can express this cycle (p = ")
    assert "paper beats rock" in cycle_told
    rows = {row.player: row for row in results.nash_average()}
    assert rows["stick"].share == pytest.approx(0, abs=1e-6)
    assert all(0.15 < rows[name].share < 0.6 for name in found.players)


def test_an_order_of_strength_is_flagged_as_a_cycle_in_less_than_one_of_twenty() -> None:
    flagged = 0
    strengths = {f"p{number}": 15.0 * number for number in range(6)}
    ratings = fit(drawn(strengths, 40, 0))
    for seed in range(300):
        found = HeadToHead(GameCounts(drawn(strengths, 40, seed)), ratings).cycle()
        flagged += found is not None and found.p_value < 0.05
    assert flagged <= 15, flagged


def test_two_who_have_not_met_score_what_their_ratings_let_expect() -> None:
    games = [
        game
        for game in drawn({"a": 0.0, "b": 100.0, "c": 200.0}, 400, 3)
        if {game.first, game.second} != {"a", "c"}
    ]
    results = head_to_head(games)
    assert ("a", "c") not in results.scores
    best, *_ = results.nash_average()
    assert (best.player, best.share) == ("c", pytest.approx(1))
