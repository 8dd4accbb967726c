"""Games that somebody requests in a continuous tournament, and in a league by its page."""

from __future__ import annotations

import io
import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.arena.league.leagues import BOT, small_league
from tests.arena.league.test_league import client_of
from tkm_env import GameConfig
from tkm_env.arena.league.league import League
from tkm_env.arena.league.playing import play
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.playing.workers import local_workers
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.arena.tournament.tournament_plan import RequestedGames
from tkm_env.evaluation.starts import Settings

NAMES = [f"player {number}" for number in range(4)]


def played(
    requests: list[RequestedGames], *, begin: int = 0, **changes: Any
) -> Counter[tuple[str, ...]]:
    """The number of games of each two players, if requests are made after some games."""
    plan = Tournament(
        tuple(Entrant(name, "random") for name in NAMES),
        (Settings(config=GameConfig(max_turns=6)),),
        "continuous",
        seed=3,
        block=1,
        games_per_player=8,
        ahead=2,
        requests=lambda: requests if len(records) >= begin else [],
        **changes,
    )
    records: list[dict[str, Any]] = []
    schedule, met = plan.schedule(), Counter[tuple[str, ...]]()
    for number in itertools.count():
        game = schedule.fixture(number, records)
        if game is None:
            return met
        assert game != "wait"
        records.append({"players": game.players, "result": "1-0", "digest": {}})
        met[tuple(sorted(game.players.values()))] += 1
    raise AssertionError


@pytest.mark.parametrize("begin", [0, 6, 16])
def test_requested_games_are_played_and_no_more_of_them(begin: int) -> None:
    two = tuple(NAMES[:2])
    before = played([])[two]
    wanted = before // 2 + 3
    found = played([RequestedGames(NAMES[1], NAMES[0], wanted)], begin=begin)
    assert found[two] >= 2 * wanted
    assert found[two] <= 2 * wanted + before
    assert played([RequestedGames(*two, 0)]) == played([])


def test_requests_against_players_that_do_not_play_change_nothing() -> None:
    nobody = [RequestedGames(NAMES[0], name, 9) for name in ("nobody", NAMES[0])]
    assert played(nobody) == played([])


def test_a_pair_plays_no_more_than_the_tournament_allows() -> None:
    found = played([RequestedGames(*NAMES[:2], 9)], pairs=2)
    assert found[tuple(NAMES[:2])] == 4


@pytest.fixture
def league(tmp_path: Path) -> League:
    """A league in which Ann's bot plays."""
    league = small_league(tmp_path / "league", games=4)
    league.store.add_bot(
        league.store.join("ann"), league.receive(io.BytesIO(BOT.encode()), "bot.py")
    )
    return league


def games_between(league: League, *names: str) -> int:
    def workers_for(tournament: Tournament, _: Path) -> Any:
        return local_workers(tournament.conditions, 1)

    records = [*play(league, workers_for, once=True)]
    return sum({*record["players"].values()} == {*names} for record in records)


@pytest.mark.slow
def test_an_author_requests_games_by_the_page(league: League) -> None:
    before = games_between(league, "ann", "greedy")
    client, token = client_of(league), league.store.issue_token("ann")
    client.post("/sign-in", data={"token": token})
    assert "<option>greedy</option>" in client.get("/me").text
    for _ in range(2):
        assert client.post("/requests", data={"opponent": "greedy"}).status_code == 303
    assert games_between(league, "ann", "greedy") == before + 4
    assert "requested games against greedy" in client.get("/me").text


def test_requests_have_a_quota_and_need_a_bot_that_plays(league: League) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    headers = {"Authorization": f"Bearer {token}"}

    def ask(opponent: str) -> int:
        answer = client.post("/requests", data={"opponent": opponent}, headers=headers)
        return int(answer.status_code)

    assert ask("greedy") == 400, "it waits for its check"
    league.store.decide(*league.store.bots("waiting"), "", "digest")
    assert [ask(name) for name in ("nobody", "ann", "")] == [400] * 3
    assert [ask("greedy") for _ in range(11)] == [201] * 10 + [429]
    assert [each.pairs for each in league.store.requests()] == [*range(1, 11)]
    league.store.move_on("open")
    assert league.store.requests() == [], "they were for the season before"
