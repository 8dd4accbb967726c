"""What a league shows to everyone: the overview, players, pairs, games, feeds; JSON; metrics."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.arena.league.leagues import small_league
from tests.arena.league.test_league import client_of
from tests.arena.results_files import finished, written
from tkm_env.arena.league.app import new_app
from tkm_env.arena.league.league import League
from tkm_env.arena.league.openapi import PATHS

#: A name that has to be escaped everywhere: in addresses, HTML, XML and JSON.
ODD = 'A/b & <i>"c"?#'


def records() -> list[dict[str, Any]]:
    """42 games, in each of which the first player wins; Ann has two versions."""
    games = []
    for number in range(42):
        white, black = (("ann", "bob"), ("bob", ODD), (ODD, "ann"))[number % 3]
        digest = {
            side: f"{name}{number >= 21 and name == 'ann'}"
            for side, name in (("white", white), ("black", black))
        }
        games.append(
            finished(
                white,
                black,
                seed=2 * number,
                fault="black",
                digest=digest,
                ended=1_800_000_000.0 + 60 * number,
            )
        )
    return games


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> League:
    league = small_league(tmp_path_factory.mktemp("onlookers") / "league")
    written(league.games_of(league.store.season()), records())
    return league


@pytest.fixture(scope="module")
def client(league: League) -> Any:
    return client_of(league)


def test_the_overview_says_what_this_is_who_leads_and_what_was_played(client: Any) -> None:
    text = client.get("/").text
    assert "That Time You Killed Me" in text
    assert "42 games have been played" in text
    leaders = re.search(r'<ol class="leaders">(.*?)</ol>', text, re.DOTALL)
    assert leaders is not None
    table = client.get("/api/tables/season-1").json["report"]["sections"][0]["parts"][0]
    ranked = [row["player"] for row in table["players"]]
    shown = re.findall(r"<bdi>([^<]*)</bdi>", leaders[1])
    assert [html.unescape(name) for name in shown] == ranked
    assert re.findall(r'aria-label="game (\d+)"', text) == [str(n) for n in range(42, 34, -1)]
    assert text.count("<figure data-seed") == 4, "a board for each pair of players"


def test_a_player_has_a_page_with_versions_curve_opponents_and_games(client: Any) -> None:
    text = client.get("/tables/season-1/player?name=ann").text
    assert "28 games in" in text
    for words in ("ann@2", "polyline", "Best wins", "2027-01-15"):
        assert words in text, words
    best, worst = (
        re.findall(
            r'aria-label="game (\d+)"', text.partition(f'id="{part}"')[2].partition("</ol>")[0]
        )
        for part in ("best", "worst")
    )
    assert len(best) == len(worst) == 3
    assert all(int(number) % 3 == 1 for number in best), "Ann won against Bob"
    assert all(int(number) % 3 == 0 for number in worst), "and lost against the other"
    games = text.partition('id="games"')[2]
    for mark, rest in (("gained", 1), ("given", 0)):
        marked = re.findall(rf'<li class="{mark}"><a class="of" href="[^"]*/(\d+)"', games)
        assert marked, mark
        assert all(int(number) % 3 == rest for number in marked), mark
    assert client.get("/tables/season-1/player?name=ann&page=2").status_code == 404
    only = client.get("/tables/season-1/player?name=ann@2").text
    assert "28 games in" not in only
    assert client.get("/tables/season-1/player?name=nobody").status_code == 404


def test_a_players_page_begins_with_rank_rating_and_last_results(client: Any) -> None:
    text = client.get("/tables/season-1/player?name=ann").text
    head = text.partition('<dl class="standing">')[2].partition("</dl>")[0]
    (part,) = client.get("/api/tables/season-1").json["report"]["sections"][0]["parts"]
    order = [row["player"] for row in part["players"]]
    assert f"<dd>{order.index('ann@2') + 1} <small>of {len(order)}<" in head, "the latest version"
    assert 'title="95% interval' in head
    results = re.findall(r'aria-label="(\w+) against ([^"]*), game (\d+)">(\w)<', head)
    expected = [
        ("won", "bob", number, "W") if number % 3 == 1 else ("lost", ODD, number, "L")
        for number in range(42, 0, -1)
        if number % 3 != 2
    ]
    assert [(verb, html.unescape(name), int(n), w) for verb, name, n, w in results] == expected[:10]


def test_many_games_are_on_several_pages(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tkm_env.arena.league.onlooker_pages._GAMES", 10)
    found = []
    for page in (1, 2, 3):
        text = client.get(f"/tables/season-1/player?name=ann&page={page}").text
        assert f"Page {page} of 3" in text
        found += re.findall(r'aria-label="game (\d+)"', text.partition('id="games"')[2])
    assert len(found) == len({*found}) == 28
    assert found == sorted(found, key=int, reverse=True)
    for wrong in ("0", "4", "x", "\u0661", "9" * 30):
        query = {"name": "ann", "page": wrong}
        assert client.get("/tables/season-1/player", query_string=query).status_code == 404


@pytest.mark.parametrize("name", ["ann", "bob", ODD])
def test_every_link_of_a_players_page_leads_somewhere(client: Any, name: str) -> None:
    page = client.get("/tables/season-1/player", query_string={"name": name})
    addresses = {*re.findall(r'(?:href|src)="(/[^"]*)"', page.text)}
    assert any("/pair?" in address for address in addresses)
    for address in sorted(addresses)[:40]:
        found = client.get(address.replace("&amp;", "&"), buffered=True)
        assert found.status_code == 200, address
        assert found.mimetype != "text/html" or "<i>" not in found.text, address


def test_a_pair_has_a_page_with_score_and_games(client: Any) -> None:
    text = client.get("/tables/season-1/pair", query_string={"one": "ann", "other": ODD}).text
    assert "14 games" in text
    assert "A/b &amp; &lt;i&gt;" in text
    for other in ("ann", "nobody", ""):
        found = client.get("/tables/season-1/pair", query_string={"one": "ann", "other": other})
        assert found.status_code == 404, other


def test_a_game_has_a_page_with_both_ratings_at_its_time(client: Any) -> None:
    early, late = (client.get(f"/tables/season-1/games/{number}").text for number in (1, 41))
    assert "rated" not in early
    assert late.count("at the time") == 2
    assert "ended by a fault" in late
    assert 'src="/tables/season-1/41.html"' in late
    framed = client.get("/tables/season-1/41.html")
    assert "frame-ancestors 'self'" in framed.headers["Content-Security-Policy"]
    assert "games/42" in late
    assert "games/43" not in client.get("/tables/season-1/games/42").text


def test_the_latest_games_are_a_feed_in_atom_and_in_json(client: Any) -> None:
    answer = client.get("/feed.atom")
    assert answer.mimetype == "application/atom+xml"
    feed = ElementTree.fromstring(answer.data)
    space = "{http://www.w3.org/2005/Atom}"
    entries = feed.findall(f"{space}entry")
    items = client.get("/feed.json").json["items"]
    assert len(entries) == len(items) == 42
    for entry, item in zip(entries, items, strict=True):
        assert entry.findtext(f"{space}title") == item["title"]
        assert entry.findtext(f"{space}id") == item["id"] == item["url"]
        assert entry.findtext(f"{space}updated") == item["date_published"]
    assert entries[0].findtext(f"{space}updated") == feed.findtext(f"{space}updated")
    assert items[0]["url"].endswith("/tables/season-1/games/42")
    assert any(ODD in item["title"] for item in items)


def test_behind_a_proxy_feeds_name_the_public_address(league: League) -> None:
    client = new_app(league, public_url="https://cup.example").test_client()
    feed = client.get("/feed.json", headers={"Host": "cup.example"}).json
    assert feed["items"][0]["url"].startswith("https://cup.example/tables/")


def test_games_are_found_by_player_and_by_pair_page_by_page(client: Any) -> None:
    def numbers(**query: Any) -> list[int]:
        found = client.get("/api/tables/season-1/games", query_string=query).json
        return [game["number"] for game in found["games"]]

    def played_by(*names: str) -> list[int]:
        return [
            number
            for number, record in [*enumerate(records(), 1)][::-1]
            if {*names} <= {*record["players"].values()}
        ]

    assert numbers() == [*range(42, 0, -1)]
    assert numbers(player="bob") == numbers(opponent="bob") == played_by("bob")
    assert numbers(player="ann", opponent=ODD) == played_by("ann", ODD)
    assert numbers(player="nobody") == []
    assert [n for page in range(1, 6) for n in numbers(page=page, size=9)] == [*range(42, 0, -1)]
    assert numbers(page=10**6, size=9) == []
    answer = client.get("/api/tables/season-1/games?size=9").json
    assert (answer["total"], answer["pages"], answer["page"]) == (42, 5, 1)
    for wrong in ({"page": 0}, {"page": "x"}, {"size": 501}, {"size": -1}, {"page": "\u0661"}):
        found = client.get("/api/tables/season-1/games", query_string=wrong)
        assert found.status_code == 400, wrong


def test_every_address_of_the_interface_is_described(league: League) -> None:
    app = new_app(league)
    described = {(path, method.upper()) for path, methods in PATHS.items() for method in methods}
    found = {
        (re.sub(r"<(?:int:)?(\w+)>", r"{\1}", rule.rule), method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/") or rule.rule in ("/bots", "/requests", "/withdraw")
    }
    assert found == described


def test_prometheus_can_read_the_metrics(client: Any) -> None:
    answer = client.get("/metrics")
    assert answer.mimetype == "text/plain"
    found = {
        (sample.name, sample.labels.get("state", "")): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    assert found["tkm_league_games", ""] == 42
    assert found["tkm_league_bots", "playing"] == 0


def test_only_an_organiser_can_change_the_league_and_only_after_a_question(tmp_path: Path) -> None:
    league = small_league(tmp_path / "league")
    store, client = league.store, client_of(league)
    tokens = {name: store.issue_token(name) for name in ("ann", "eve")}
    store.appoint("eve")
    step = {"what": "ban", "name": "ann", "why": "spam <b>"}
    assert client.get("/organiser").status_code == 401
    client.post("/sign-in", data={"token": tokens["ann"]})
    assert "/organiser" not in client.get("/me").text
    for answer in (
        client.get("/organiser"),
        client.post("/organiser", data={**step, "confirmed": "yes"}),
    ):
        assert answer.status_code == 403
    client.post("/sign-in", data={"token": tokens["eve"]})
    assert "/organiser" in client.get("/me").text
    question = client.post("/organiser", data=step).text
    assert "ann is banned" in question
    assert "spam &lt;b&gt;" in question
    assert store.ban_of(store.named("ann")) is None
    assert client.post("/organiser", data={**step, "confirmed": "yes"}).status_code == 303
    assert store.ban_of(store.named("ann")) == "spam <b>"
    assert "Lift the ban" in client.get("/organiser").text
    for what, phase in (("freeze", "frozen"), ("back", "open"), ("final", "final")):
        client.post("/organiser", data={"what": what, "confirmed": "yes"})
        assert store.season().phase == phase
    assert client.post("/organiser", data={"what": "nonsense"}).status_code == 400
    client.post("/sign-in", data={"token": tokens["ann"]})
    assert "You are banned: <bdi>spam" in client.get("/me").text
