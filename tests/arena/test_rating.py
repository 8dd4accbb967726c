"""Ratings: what the fit recovers, how sure it is, and what it refuses."""

from __future__ import annotations

import math
import sys
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from tkm_env import ConfigError
from tkm_env.arena.game_counts import Played
from tkm_env.arena.rating import fit
from tkm_env.evaluation.score import elo_of
from tkm_env.foundations.errors import MissingExtraError

STRENGTHS = {"ada": 0.0, "bob": 60.0, "cleo": 200.0, "dan": 500.0, "hopeless": -900.0}
FIRST_MOVE = 35.0
DRAW = 0.6


def from_openings(
    generator: np.random.Generator, strengths: list[float], pairs: int, openings: int
) -> list[Played]:
    """A round robin from openings, each of which suits players more or less, by 300 Elo."""
    suits = generator.normal(0, 300, (openings, len(strengths)))
    return [
        Played(
            f"p{one}",
            f"p{two}",
            generator.choice(3, p=chances(lead + FIRST_MOVE, 0.3)) / 2,
            1,
            int(opening),
        )
        for first in range(len(strengths))
        for second in range(first)
        for opening in generator.permutation(openings)[:pairs]
        for one, two in ((first, second), (second, first))
        for lead in [strengths[one] + suits[opening, one] - strengths[two] - suits[opening, two]]
    ]


@pytest.mark.nightly
def test_intervals_hold_the_truth_where_openings_suit_some_players() -> None:
    """Nineteen times in twenty; as if games were independent, they did less than nine in ten."""
    generator = np.random.default_rng(3)
    strengths = [0.0, 50, 100, 200, 300, -150]
    truth = fit(
        [game._replace(start=None) for game in from_openings(generator, strengths, 3000, 3000)]
    )
    two = [(f"p{one}", f"p{other}") for one in range(6) for other in range(one)]
    for pairs, openings in ((10, 100), (50, 100), (20, 20)):
        held, held_alone = [], []
        for _ in range(75):
            games = from_openings(generator, strengths, pairs, openings)
            for kept, ratings in (
                (held, fit(games)),
                (held_alone, fit([game._replace(start=None) for game in games])),
            ):
                differences = [ratings.difference(*names) for names in two]
                true = [truth.difference(*names).estimate for names in two]
                kept += [
                    found.low <= value <= found.high
                    for found, value in zip(differences, true, strict=True)
                ]
        assert np.mean(held) >= 0.935, (
            f"{pairs} pairs from {openings} openings: {np.mean(held):.1%}"
        )
        assert np.mean(held_alone) < 0.9, (
            f"{pairs} pairs from {openings} openings: {np.mean(held_alone):.1%} as if independent"
        )


def test_intervals_are_never_narrower_for_knowing_the_starts() -> None:
    games = from_openings(np.random.default_rng(1), [0.0, 100, 200], 5, 8)
    known, unknown = fit(games), fit([game._replace(start=None) for game in games])
    for rating in known.players:
        alone = unknown.of(rating.player)
        assert rating.elo.estimate == pytest.approx(alone.elo.estimate)
        assert rating.elo.high - rating.elo.low >= alone.elo.high - alone.elo.low - 1e-6


def chances(lead: float, draw: float) -> list[float]:
    """The chances of a loss, a draw and a win of a player with this lead, in Elo."""
    odds = [10 ** (-lead / 800), draw, 10 ** (lead / 800)]
    return [each / sum(odds) for each in odds]


def played(
    strengths: dict[str, float],
    games: int,
    seed: int,
    first_move: float = FIRST_MOVE,
    draw: float = DRAW,
) -> list[Played]:
    """A round robin with the given number of games of each pair from each side."""
    generator = np.random.default_rng(seed)
    return [
        Played(first, second, halves / 2, int(count))
        for first in strengths
        for second in strengths
        if first != second
        for halves, count in enumerate(
            generator.multinomial(
                games, chances(strengths[first] - strengths[second] + first_move, draw)
            )
        )
        if count
    ]


def test_known_strengths_are_within_their_intervals_nineteen_times_in_twenty(
    request: pytest.FixtureRequest,
) -> None:
    tournaments = max(100, request.config.getoption("--games"))
    held: dict[str, list[bool]] = {}

    def note(what: str, interval: tuple[float, float, float], truth: float) -> None:
        held.setdefault(what, []).append(interval[1] <= truth <= interval[2])

    mean = float(np.mean([*STRENGTHS.values()]))
    for seed in range(tournaments):
        ratings = fit(played(STRENGTHS, 30, seed))
        assert ratings.converged
        note("the first move", ratings.first_move, FIRST_MOVE)
        note("draws", ratings.draws, DRAW / (2 + DRAW))
        for player, strength in STRENGTHS.items():
            note(player, ratings.of(player).elo, strength - mean)
            for other, its in STRENGTHS.items():
                if player < other:
                    note(f"{player} and {other}", ratings.difference(player, other), strength - its)
    shares = {what: np.mean(each) for what, each in held.items()}
    slack = 3 * math.sqrt(0.95 * 0.05 / tournaments)
    assert min(shares.values()) >= 0.95 - slack, shares
    assert 0.94 <= np.mean([*shares.values()]) <= 0.97, shares


def test_a_player_who_lost_everything_has_a_rating_that_says_how_little_is_known() -> None:
    games = [
        *played({"ada": 100, "bob": 0}, 20, seed=1),
        Played("ada", "lost", 1, 10),
        Played("lost", "ada", 0, 10),
    ]
    ratings = fit(games)
    difference = ratings.difference("ada", "lost")
    assert 300 < difference.estimate < 1500
    assert difference.low > 0
    assert difference.high - difference.low > 500
    assert ratings.of("lost").points == 0
    assert (
        fit([("ada", "lost", 1, 10), ("lost", "ada", 0, 10)]).difference("ada", "lost").estimate
        < 1500
    )


def test_who_lost_everything_widens_nobodys_interval_and_stands_apart() -> None:
    games = played({"ada": 100, "bob": 0, "cem": -100}, 40, seed=1)
    alone = fit(games)
    hopeless = [Played(name, "lost", 1, 200) for name in ("ada", "bob", "cem")] + [
        Played("lost", "also", 1)
    ]
    ratings = fit([*games, *hopeless])
    assert [[rating.player for rating in part.ratings] for part in ratings.parts] == [
        ["ada", "bob", "cem"],
        ["lost"],
        ["also"],
    ]
    for name in ("ada", "bob", "cem"):
        before, after = (fitted.of(name).elo for fitted in (alone, ratings))
        assert after.high - after.low == pytest.approx(before.high - before.low, rel=0.02), name
    first, *apart = ratings.parts
    assert all(
        part.why == "The players above won everything against those below." for part in apart
    )
    assert not any(rating.is_bounded for part in apart for rating in part.ratings)
    assert all(rating.is_bounded for rating in first.ratings)


def test_who_beat_everyone_stands_first_by_at_least_what_so_many_wins_prove() -> None:
    weak = ["first", "second", "third", "fourth"]
    games = [Played(*pair, points, 3) for pair in combinations(weak, 2) for points in (0, 1)]
    wins = [Played("best", name, 1, 8) for name in weak]
    ratings = fit([*games, *wins])
    assert ratings.players[0].player == "best"
    assert ratings.rank("best") == 1
    (best, others) = ratings.parts
    assert [rating.player for rating in best.ratings] == ["best"]
    # The next one has lost 8 games to it: a chance of 2.5% if the share of points is 0.6306.
    assert others.gap == pytest.approx(400 * math.log10(0.6306 / 0.3694), abs=1)
    assert ratings.origin == "The mean of the 4 players who have scored against each other is 0."
    alike = fit([*games, *(game._replace(start=number) for number, game in enumerate(wins))])
    assert alike.parts[1].gap is None, "games from the same start tell as much as one"


def test_a_gap_is_that_of_the_two_players_beside_it() -> None:
    """Others' wins say nothing about these two."""
    equal = [Played("ada", "bob", points, 10) for points in (0, 0.5, 1)]
    met = fit([*equal, Played("ada", "lost", 1, 100), Played("bob", "ada", 0, 9)])
    assert [rating.player for rating in met.players] == ["ada", "bob", "lost"]
    assert met.parts[1].gap is None, "bob, who stands beside it, has not met the player below"


def test_players_whom_no_results_order_say_so() -> None:
    ratings = fit([("ada", "lost", 1, 9), ("bob", "lost", 1, 4)])
    assert [(part.ratings[0].player, part.why[:30]) for part in ratings.parts] == [
        ("ada", ""),
        ("bob", "No results tell whether the pl"),
        ("lost", "The players above won everythi"),
    ]


@pytest.mark.parametrize("seed", range(20))
def test_whoever_only_won_stands_above_whom_they_beat_also_through_others(seed: int) -> None:
    """Stronger: some chain of wins and draws leads there, and none leads back."""
    generator = np.random.default_rng(seed)
    names = [f"player {number}" for number in range(7)]
    games, scored = [], {(name, name) for name in names}
    for _ in range(int(generator.integers(3, 14))):
        first, second = generator.choice(names, 2, replace=False).tolist()
        points = float(generator.choice([0, 0.5, 1]))
        games.append((first, second, points))
        scored |= {(first, second)} if points else set()
        scored |= {(second, first)} if points < 1 else set()
    for middle, one, other in product(names, repeat=3):  # Warshall's closure
        if (one, middle) in scored and (middle, other) in scored:
            scored.add((one, other))
    ratings = fit(games, players=names)
    order = [rating.player for rating in ratings.players]
    assert sorted(order) == names
    for one, other in product(names, repeat=2):
        if (one, other) in scored and (other, one) not in scored:
            assert order.index(one) < order.index(other), (one, other, games)
    for part in ratings.parts:
        elo = [rating.elo.estimate for rating in part.ratings]
        assert elo == sorted(elo, reverse=True)
        for rating, against in product(part.ratings, repeat=2):
            assert (rating.player, against.player) in scored


def test_games_that_a_fault_ended_say_nothing_about_the_first_move() -> None:
    games = played({"ada": 100, "bob": 0}, 40, seed=1)
    expected = fit(games).first_move.estimate
    crashes = [("ada", "bob", 0, 60), ("bob", "ada", 0, 60)]  # always of who moves first
    assert (
        abs(
            fit([*games, *(Played(*row, by_fault=True) for row in crashes)]).first_move.estimate
            - expected
        )
        < 15
    )
    assert fit([*games, *crashes]).first_move.estimate < expected - 100


@pytest.mark.parametrize(("won", "lost"), [(50, 50), (75, 25), (99, 1), (10, 30)])
def test_two_players_without_draws_differ_by_the_logit_of_the_score(won: int, lost: int) -> None:
    games = [
        ("ada", "bob", 1, won),
        ("ada", "bob", 0, lost),
        ("bob", "ada", 0, won),
        ("bob", "ada", 1, lost),
    ]
    ratings = fit(games, prior=1e5)
    assert ratings.difference("ada", "bob").estimate == pytest.approx(
        elo_of(won / (won + lost)), abs=0.01
    )
    # The curvature of a logit: 1 / (n p q).
    half = (
        1.959964
        * 400
        / math.log(10)
        / math.sqrt(2 * (won + lost) * (won / (won + lost)) * (lost / (won + lost)))
    )
    assert ratings.difference("ada", "bob").high - ratings.difference(
        "ada", "bob"
    ).estimate == pytest.approx(half, rel=1e-3)
    assert ratings.first_move.estimate == pytest.approx(0, abs=0.01)


def test_two_players_with_draws_have_davidsons_closed_form() -> None:
    """The odds of wins against losses, and the draws as a multiple of the mean of both."""
    games = [("ada", "bob", 1, 40), ("ada", "bob", 0.5, 50), ("ada", "bob", 0, 10)]
    mirrored = [(second, first, 1 - points, count) for first, second, points, count in games]
    ratings = fit([*games, *mirrored], prior=1e5)
    assert ratings.difference("ada", "bob").estimate == pytest.approx(
        400 * math.log10(40 / 10), abs=0.05
    )
    draw = 50 / math.sqrt(40 * 10)
    assert ratings.draws.share == pytest.approx(draw / (2 + draw), abs=1e-3)
    assert ratings.expected("ada", "bob") == pytest.approx(0.65, abs=1e-3)


def test_equals_differ_by_the_first_move() -> None:
    games = [
        (first, second, points, count)
        for first, second in (("ada", "bob"), ("bob", "ada"))
        for points, count in ((1, 60), (0, 40))
    ]
    ratings = fit(games, prior=1e5)
    assert ratings.first_move.estimate == pytest.approx(elo_of(0.6), abs=0.01)
    assert ratings.difference("ada", "bob").estimate == pytest.approx(0, abs=0.01)
    assert (
        ratings.expected("ada", "bob")
        == ratings.expected("bob", "ada")
        == pytest.approx(0.6, abs=1e-4)
    )


def test_counts_are_as_many_single_games_in_any_order() -> None:
    counted = played(STRENGTHS, 6, seed=3)
    single = [
        (game.first, game.second, game.points) for game in counted for _ in range(int(game.games))
    ]
    np.random.default_rng(1).shuffle(single)
    one, other = fit(counted), fit(single)
    assert one.games == other.games == len(single)
    for rating in one.players:
        assert other.of(rating.player).elo == pytest.approx(rating.elo, abs=1e-6)
        assert (other.of(rating.player).games, other.of(rating.player).points) == (
            rating.games,
            rating.points,
        )


def test_a_hundred_times_the_games_say_the_same_ten_times_as_surely() -> None:
    few = played({"ada": 0, "bob": 100, "cleo": 150}, 400, seed=5)
    many = [game._replace(games=100 * game.games) for game in few]
    one, other = (fit(games).difference("cleo", "ada") for games in (few, many))
    assert other.estimate == pytest.approx(one.estimate, abs=0.1)
    assert other.high - other.low == pytest.approx((one.high - one.low) / 10, rel=0.01)


def test_an_anchor_moves_all_ratings_and_no_difference() -> None:
    games = played(STRENGTHS, 20, seed=7)
    free, anchored = fit(games), fit(games, anchor=("bob", 1500))
    assert np.mean([rating.elo.estimate for rating in free.players]) == pytest.approx(0, abs=1e-9)
    assert anchored.of("bob").elo == pytest.approx((1500, 1500, 1500))
    for player in STRENGTHS:
        assert anchored.difference(player, "bob") == pytest.approx(free.difference(player, "bob"))
        assert anchored.of(player).elo == pytest.approx(
            [1500 + bound for bound in free.difference(player, "bob")]
        )
    assert [rating.player for rating in anchored.players] == [
        "dan",
        "cleo",
        "bob",
        "ada",
        "hopeless",
    ]


def test_who_swaps_names_swaps_ratings() -> None:
    games = played(STRENGTHS, 10, seed=8)
    names = dict(zip(STRENGTHS, reversed(STRENGTHS), strict=True))
    swapped = fit(
        [(names[game.first], names[game.second], game.points, game.games) for game in games]
    )
    for rating in fit(games).players:
        assert swapped.of(names[rating.player]).elo == pytest.approx(rating.elo, abs=1e-6)


def test_draws_counted_as_half_wins_would_shrink_the_differences() -> None:
    strengths = {"ada": 0.0, "bob": 400.0, "cleo": 800.0, "dan": 1200.0}
    games = played(strengths, 2000, seed=2, draw=3.0)
    halved = [
        Played(game.first, game.second, points, game.games / 2)
        for game in games
        if game.points == 0.5
        for points in (0, 1)
    ] + [game for game in games if game.points != 0.5]
    ours, theirs = fit(games).difference("dan", "ada"), fit(halved).difference("dan", "ada")
    assert ours.low <= 1200 <= ours.high
    assert ours.high - ours.low < 100
    assert theirs.high < 1000, f"with halves, 1200 Elo become {theirs}"


def test_players_whom_no_games_connect_are_in_groups_and_are_not_compared() -> None:
    games = [
        ("ada", "bob", 1, 6),
        ("bob", "ada", 1, 4),
        ("cleo", "dan", 1, 9),
        ("dan", "cleo", 1, 1),
        ("dan", "eve", 0.5, 3),
    ]
    ratings = fit(games, anchor=("bob", 1000))
    assert ratings.groups == (("ada", "bob"), ("cleo", "dan", "eve"))
    assert ratings.of("bob").elo.estimate == pytest.approx(1000)
    assert sum(
        ratings.of(player).elo.estimate for player in ("cleo", "dan", "eve")
    ) == pytest.approx(0, abs=1e-6)
    for compare in (ratings.difference, ratings.expected):
        with pytest.raises(ConfigError, match="connect it with 'ada'"):
            compare("ada", "eve")
    assert fit([*games, ("bob", "eve", 1)]).groups == (("ada", "bob", "cleo", "dan", "eve"),)


@pytest.mark.parametrize("count", [1, 10**6, 10**9])
def test_games_that_all_end_alike_converge(count: int) -> None:
    for points in (0, 0.5, 1):
        ratings = fit([("ada", "bob", points, count), ("bob", "cleo", 1, 1)])
        assert ratings.converged
        assert all(math.isfinite(bound) for rating in ratings.players for bound in rating.elo)


@pytest.mark.parametrize(
    ("games", "keywords", "message"),
    [
        ([], {}, "games=.* there must be at least one"),
        ([("ada", "ada", 1)], {}, "against itself"),
        ([("ada", "bob", 0.7)], {}, "points must be 0, 0.5 or 1"),
        ([("ada", "bob", True)], {}, "points must be 0, 0.5 or 1"),
        ([("ada", "bob", "1-0")], {}, "points must be 0, 0.5 or 1"),
        ([("ada", "bob", [1])], {}, "points must be 0, 0.5 or 1"),
        ([("ada", 5, 1)], {}, "players must be given by name"),
        ([("ada", "bob")], {}, "a game is the first player"),
        ([5], {}, "a game is the first player"),
        ([("ada", "bob", 1, 0)], {}, "games=0"),
        ([("ada", "bob", 1, -1)], {}, "games=-1"),
        ([("ada", "bob", 1, math.nan)], {}, "games=nan"),
        (
            [("ada", "bob", 1)],
            {"anchor": ("eve", 0)},
            r"anchor='eve' .* the players are \['ada', 'bob'\]",
        ),
        ([("ada", "bob", 1)], {"anchor": ("bob", math.inf)}, "anchor=inf"),
        (
            [("ada", "bob", 1)],
            {"anchor": "bob"},
            "anchor='bob' is invalid: it must be a player's name and a number",
        ),
        ([("ada", "bob", 1)], {"prior": 0}, "prior=0"),
    ],
    ids=str,
)
def test_what_cannot_be_rated_is_refused(
    games: Any, keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        fit(games, **keywords)


def test_without_scipy_a_fit_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(MissingExtraError, match=r"pip install -e '\.\[arena\]'"):
        fit([("ada", "bob", 1)])


def test_players_who_are_not_there_are_named() -> None:
    ratings = fit([("ada", "bob", 1)])
    for ask in (
        ratings.of,
        lambda player: ratings.difference("ada", player),
        lambda player: ratings.expected(player, "bob"),
    ):
        with pytest.raises(
            ConfigError, match=r"player='eve' is invalid: the players are \['ada', 'bob'\]"
        ):
            ask("eve")


def test_pairs_are_taken_one_after_another_by_what_is_known_after_those_before() -> None:
    ratings = fit(
        [("a", "b", 1, 30), ("a", "b", 0, 10), ("b", "c", 1, 5), ("b", "c", 0.5, 5)], players=["d"]
    )
    pairs = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    design = ratings.design([ratings.numbers_of(pair) for pair in pairs])
    taken: list[tuple[str, str]] = []
    for _ in range(8):
        expected = ratings.design(
            [*map(ratings.numbers_of, pairs)], [*map(ratings.numbers_of, taken)]
        ).gains
        gain, number = design.best()
        assert gain == pytest.approx(expected.max(), abs=1e-6)
        assert design.gains == pytest.approx(expected, abs=1e-6)
        taken.append(pairs[number])
        design.take(number)
    design.open[:] = False
    assert design.best()[1] == -1
