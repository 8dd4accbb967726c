"""Swiss tournaments and knockouts: who meets whom, round by round."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tkm_env import ConfigError, GameConfig
from tkm_env.arena.playing.schedule import Entrant, ScheduledGame
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.arena.tournament.tournament_plan import most_rounds
from tkm_env.evaluation.starts import Settings

#: The result of a game, by the names of white and black.
Outcome = Callable[[str, str], str]


def tournament(players: int, kind: str, **changes: Any) -> Tournament:
    entrants = tuple(Entrant(f"player {number}", "random") for number in range(players))
    return Tournament(
        entrants, (Settings(config=GameConfig(max_turns=6)),), kind, 1, seed=3, **changes
    )


def better_wins(white: str, black: str) -> str:
    return "1-0" if int(white.split()[1]) < int(black.split()[1]) else "0-1"


def played(
    plan: Tournament, outcome: Outcome = better_wins
) -> tuple[list[ScheduledGame], list[dict[str, Any]]]:
    """The games of a tournament, and their records with these results, as a schedule needs them."""
    schedule, games, records = plan.schedule(), list[ScheduledGame](), list[dict[str, Any]]()
    for number in itertools.count():
        game = schedule.fixture(number, records)
        if number:
            assert game is None or schedule.fixture(number, records[:-1]) in ("wait", game)
        if game is None:
            assert len(records) == schedule.games or plan.kind == "knockout"
            return games, records
        assert isinstance(game, ScheduledGame)
        games.append(game)
        digests = dict(
            zip(game.players, (entrant.digest for entrant in game.contestants), strict=True)
        )
        records.append(
            {
                "players": game.players,
                "result": outcome(*game.players.values()),
                "digest": digests,
                "seed": game.seed,
            }
        )
    raise AssertionError


def encounters(games: list[ScheduledGame]) -> list[tuple[str, ...]]:
    """Who meet, in order; each pair of games once."""
    assert [game.seed % 2 for game in games] == [0, 1] * (len(games) // 2)
    return [tuple(sorted(game.players.values())) for game in games[::2]]


@pytest.mark.parametrize("players", range(2, 14))
def test_in_a_swiss_tournament_nobody_meets_anybody_twice_or_sits_out_twice_in_any_number_of_rounds(
    players: int,
) -> None:
    for rounds in (None, most_rounds(players)):
        met = encounters(played(tournament(players, "swiss", rounds=rounds))[0])
        assert len(met) == len({*met})
        each_round = players // 2
        count = len(met) // each_round
        assert count == (rounds or min((players - 1).bit_length(), most_rounds(players)))
        for first in range(0, len(met), each_round):
            assert (
                len({name for two in met[first : first + each_round] for name in two})
                == 2 * each_round
            )
        games = Counter(name for two in met for name in two)
        assert {*games.values()} <= {count, count - players % 2}


def test_in_a_swiss_tournament_equals_meet_and_the_best_is_found() -> None:
    games, records = played(tournament(16, "swiss", rounds=5))
    met = encounters(games)
    wins: Counter[str] = Counter()
    gaps = []
    for first in range(0, len(met), 8):
        gaps.append(sum(abs(wins[one] - wins[other]) for one, other in met[first : first + 8]) / 8)
        wins.update(
            min(two, key=lambda name: int(name.split()[1])) for two in met[first : first + 8]
        )
    assert max(gaps[:4]) <= 0.5, "who meet have won as many games"
    assert wins.most_common(1) == [("player 0", 5)]


@pytest.mark.parametrize("players", [2, 3, 5, 8, 11])
def test_in_a_knockout_who_loses_is_out_and_the_best_is_left(players: int) -> None:
    plan = tournament(players, "knockout")
    games, records = played(plan)
    met = encounters(games)
    assert len(met) == players - 1
    out = [max(two, key=lambda name: int(name.split()[1])) for two in met]
    assert len({*out}) == players - 1
    for number, two in enumerate(met):
        assert not {*out[:number]} & {*two}
    assert plan.winner(records) == "player 0"
    assert plan.winner(records[:-1]) is None
    assert tournament(players, "swiss", rounds=1).winner([]) is None


def at_random(seed: int) -> Outcome:
    generator = np.random.default_rng(seed)
    return lambda white, black: str(generator.choice(["1-0", "0-1", "1/2"]))


def matches_of(records: list[dict[str, Any]]) -> dict[tuple[str, ...], Counter[str]]:
    """The points of both players of each match, in order."""
    found: dict[tuple[str, ...], Counter[str]] = {}
    for record in records:
        white, black = record["players"].values()
        points = found.setdefault(tuple(sorted((white, black))), Counter())
        gained = {"1-0": 2, "0-1": 0, "1/2": 1}[record["result"]]
        points.update({white: gained, black: 2 - gained})
    return found


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("players", [2, 3, 6, 9])
def test_a_swiss_table_is_ordered_by_matches_then_opponents_then_points(
    players: int, seed: int
) -> None:
    plan = tournament(players, "swiss")
    _, records = played(plan, at_random(seed))
    matches, names = matches_of(records), [entrant.name for entrant in plan.players]
    rounds = 2 * len(matches) // (players - players % 2)

    def match_points(name: str) -> float:
        mine = [
            (points[name], points.total() - points[name])
            for two, points in matches.items()
            if name in two
        ]
        return sum((own > other) + (own == other) / 2 for own, other in mine) + rounds - len(mine)

    def opponents(name: str) -> float:
        met = [other for two in matches if name in two for other in two if other != name]
        return sum(map(match_points, met)) + (rounds - len(met)) * match_points(name)

    def is_stronger(one: str, other: str) -> bool:
        for measure in (
            match_points,
            opponents,
            lambda name: sum(each[name] for each in matches.values()),
        ):
            if measure(one) != measure(other):
                return bool(measure(one) > measure(other))
        return False

    table = plan.event_table(records)
    assert table is not None
    assert table.is_over
    assert sorted(row.player for row in table.rows) == sorted(names)
    for rank, name, cells in table.rows:
        assert rank == 1 + sum(is_stronger(other, name) for other in names)
        assert float(cells[0]) == match_points(name)
    assert [row.rank for row in table.rows] == sorted(row.rank for row in table.rows)
    half = plan.event_table(records[: len(records) // 2])
    assert half is not None
    assert not half.is_over


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("players", [2, 3, 6, 9])
def test_a_knockout_table_is_ordered_by_how_long_players_were_left(players: int, seed: int) -> None:
    plan = tournament(players, "knockout")
    _, records = played(plan, at_random(seed))
    order = list(matches_of(records))
    last = {name: two for two in order for name in two}
    depth = dict.fromkeys(order, 0)  # the number of matches that follow from a match
    for two in order[::-1]:
        depth[two] = max(
            (1 + depth[later] for later in order[order.index(two) + 1 :] if {*later} & {*two}),
            default=0,
        )
    table = plan.event_table(records)
    assert table is not None
    assert table.rows[0].player == plan.winner(records)
    for rank, name, cells in table.rows[1:]:
        assert rank == 1 + sum(
            other == table.rows[0].player or depth[last[other]] < depth[last[name]]
            for other in last
        )
        assert cells[1].endswith(f"against {next(other for other in last[name] if other != name)}")


def test_games_of_another_tournament_make_no_table() -> None:
    _, records = played(tournament(4, "swiss"))
    with pytest.raises(ConfigError, match="another tournament"):
        tournament(5, "swiss").event_table(records)
    assert tournament(4, "round robin").event_table(records) is None


def test_who_are_level_play_as_many_pairs_again_and_then_the_one_drawn_first_goes_on() -> None:
    games, _ = played(tournament(2, "knockout"), lambda white, black: "1/2")
    assert len(games) == 2 * 2
    assert len({game.seed for game in games}) == 4
    seen: list[str] = []

    def level_first(white: str, black: str) -> str:
        seen.append(white)
        return "1/2" if len(seen) <= 2 else better_wins(white, black)

    games, records = played(plan := tournament(2, "knockout"), level_first)
    assert len(games) == 4
    assert plan.winner(records) == "player 0"
    plan = tournament(4, "knockout")
    games, records = played(plan, lambda white, black: "*")
    assert plan.winner(records) in games[-1].players.values()
    assert len(encounters(games)) == 2 * 2 + 2


def test_the_seed_draws_the_first_round() -> None:
    first = {
        seed: encounters(
            played(Tournament(**{**vars_of(tournament(8, "swiss")), "seed": seed}))[0]
        )[:4]
        for seed in range(5)
    }
    assert len({str(sorted(met)) for met in first.values()}) > 1


def vars_of(plan: Tournament) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in ("players", "settings", "kind", "pairs")}


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        ("swiss", {"rounds": 3}, "rounds=3 is invalid: it must be an integer from 1 to 2"),
        ("swiss", {"rounds": 0}, "rounds=0 is invalid"),
        ("knockout", {"rounds": 2}, "it is only for swiss tournaments"),
        ("round robin", {"rounds": 2}, "it is only for swiss tournaments"),
        ("swiss", {"games_per_player": 4}, "it is only for continuous tournaments"),
    ],
)
def test_what_does_not_fit_is_refused(kind: str, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        tournament(4, kind, **changes)


def test_everyone_plays_all_games_of_a_tournament_in_rounds() -> None:
    players = (Entrant("Ann", "random"), Entrant("Bob", "random", "tkm"))
    with pytest.raises(ConfigError, match="in a knockout tournament everyone plays all games"):
        Tournament(players, (Settings(), Settings("terminus")), "knockout")
    assert Tournament(players, (Settings(),), "knockout").games is None
