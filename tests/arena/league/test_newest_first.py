"""Every list of what happened begins with what happened last, on pages, in feeds, in JSON."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.arena.league.leagues import BOT, small_league
from tests.arena.league.test_league import client_of
from tests.arena.results_files import finished, written
from tkm_env.arena.league.casual_games import CasualGames
from tkm_env.arena.league.league import League
from tkm_env.arena.league.store import Season

#: The numbers of the games of Ann against Bob, of whom Bob loses two by a fault.
GAMES = (1, 2, 3)


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> League:
    """A league in which everything happened several times."""
    folder = tmp_path_factory.mktemp("newest") / "league"
    small_league(folder)
    text = (folder / "league.toml").read_text("utf-8")
    text = text.replace("final_pairs", "casual_games = 1\nfinal_pairs")
    (folder / "league.toml").write_text(text, "utf-8")
    league = League(folder)
    person = league.store.join("ann")
    for content in (BOT, f"{BOT}# better\n"):
        league.store.add_bot(person, league.receive(io.BytesIO(content.encode()), "bot.py"))
        (bot,) = league.store.bots("waiting")
        league.store.decide(bot, "", f"{bot.id}")
    records = [
        finished("ann", "bob", seed=2 * number, fault="white", ended=1_800_000_000.0 + number)
        for number in GAMES
    ]
    for number in (1, 2, 10):
        written(league.games_of(Season(number, "open")), records)
    written(league.games_of(Season(2, "final")), records)
    casual = CasualGames(league.store)
    for _ in range(2):
        number = casual.begin(
            person,
            "greedy",
            0,
            1,
            settings=league.settings[0].key,
            side="white",
            secret="1",
            waits=1,
        )
        casual.end(number, "You resigned.")
    return league


@pytest.fixture(scope="module")
def ann(league: League) -> Any:
    """Ann, signed in."""
    client, token = client_of(league), league.store.issue_token("ann")
    client.post("/sign-in", data={"token": token})
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client


def numbers(pattern: str, part: str = "") -> Callable[[str], list[int]]:
    """Find numbers in what comes after some text."""
    return lambda text: [int(found) for found in re.findall(pattern, text[text.index(part) :])]


def field(name: str, key: str) -> Callable[[str], list[Any]]:
    """Find a field of the rows in JSON."""
    return lambda text: [row[key] for row in json.loads(text)[name]]


#: The addresses of lists, each with what finds its numbers or times in the answer.
LISTS: dict[str, Callable[[str], list[Any]]] = {
    "/": numbers(r'aria-label="game (\d+)"'),
    "/tables/season-1/player?name=ann": numbers(r'aria-label="game (\d+)"', 'id="games"'),
    "/tables/season-1/player?name=bob": numbers(r'aria-label="won against ann, game (\d+)"'),
    "/tables/season-1/pair?one=ann&other=bob": numbers(r'aria-label="game (\d+)"'),
    "/api/tables/season-1/games": field("games", "number"),
    "/api/tables/season-1/games?player=ann": field("games", "number"),
    "/api/tables/season-1/games?player=ann&opponent=bob": field("games", "number"),
    "/feed.atom": numbers(r"<id>[^<]*/games/(\d+)</id>"),
    "/feed.json": field("items", "id"),
    "/api/me": field("bots", "id"),
    "/api/me#events": field("events", "id"),
    "/me": numbers(r"<h3>Bot (\d+)"),
    "/me#faults": numbers(r'">game (\d+)</a>, <bdi>ann', "through your bot's faults"),
    "/casual": numbers(r'href="/casual/(\d+)"'),
}


@pytest.mark.parametrize("address", LISTS)
def test_a_list_of_what_happened_begins_with_the_latest(ann: Any, address: str) -> None:
    answer = ann.get(address.partition("#")[0])
    assert answer.status_code == 200
    found = LISTS[address](answer.text)
    assert len(found) > 1
    assert found == sorted(found, reverse=True)


def test_tables_of_later_seasons_come_first_and_a_final_before_its_season(ann: Any) -> None:
    found = re.findall(r'<li><a href="/tables/([\w-]+)"', ann.get("/tables").text)
    assert found == ["season-10", "season-2-final", "season-2", "season-1"]
