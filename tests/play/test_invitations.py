"""Over an invitation, each seat may do what it may do, and nobody else anything."""

from __future__ import annotations

import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tkm_env import ConfigError
from tkm_env.core.registry import GameSpec
from tkm_env.foundations.errors import IllegalActionError
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.play.app import new_app
from tkm_env.play.invitation_routes import Presence, right_of
from tkm_env.play.invitations import RIGHTS, Invitation, Right, Seat
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.session import Session

HOST = "127.0.0.1:8000"
COOKIE = "tkm-seat-8000"
#: The seats that pass each right's check while the game is played; a turn is checked later.
ALLOWED = {
    Right.NOTHING: {*Seat, None},
    Right.SEAT: {*Seat},
    Right.PLAYER: {Seat.HOST, Seat.GUEST},
    Right.TURN: {Seat.HOST, Seat.GUEST},
    Right.HOST: {Seat.HOST},
    Right.ANALYST: set(),
    Right.NOBODY: set(),
}


class Browser(FlaskClient):
    """Asks the address of the page, and reads each answer to its end."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        return super().open(*args, **{"base_url": f"http://{HOST}", "buffered": True, **kwargs})


class Table:
    """An application with an invitation, and a browser on each seat.

    Args:
        spec: the game.
        kept: as for the application.
        **options: further ones of the session.
    """

    def __init__(self, spec: GameSpec = TKM, kept: KeptGames | None = None, **options: Any) -> None:
        settings = options.pop("settings", {"concede": True, "draws": True} if spec is TKM else {})
        self.session: Session[Any] = Session(spec, settings, **{"seed": 1, **options})
        self.invitation = Invitation.drawn({"game": spec.name})
        self.app = new_app(self.session, kept=kept, invitation=self.invitation)
        self.app.test_client_class = Browser
        self.holder = self.app.extensions["holder"]

    def browser(self, seat: Seat | None = None) -> Any:
        """A browser that has opened the link of a seat; of none if it is None."""
        client = self.app.test_client()
        if seat is not None:
            assert client.get(f"/join/{self.invitation.codes[seat]}").status_code == 200
        return client

    def play(self, *actions: str) -> None:
        """Play actions, each from the seat that is to act."""
        for action in actions:
            session = self.holder.session
            seat = next(one for one in Seat if session.side_of(one) == session.game.to_act)
            asked = {"version": self.holder.version, "action": action}
            answer = self.browser(seat).post("/api/play", json=asked)
            assert answer.status_code == 200, answer.json


@pytest.fixture
def table() -> Table:
    return Table()


def routes(app: Flask) -> Iterator[tuple[str, str, str]]:
    """The path, a method and the endpoint of everything that may be asked for."""
    for rule in app.url_map.iter_rules():
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            path = rule.rule.replace("<path:filename>", "page.js")
            yield path.replace("<language>", "es").replace("<code>", "0"), method, rule.endpoint


def test_every_route_has_a_right(table: Table) -> None:
    assert {endpoint.rpartition(".")[2] for *_, endpoint in routes(table.app)} == {*RIGHTS}


def test_a_route_without_a_right_is_refused_to_everybody(table: Table) -> None:
    table.app.add_url_rule("/api/secrets", "page.secrets", lambda: "secret")
    for seat in (*Seat, None):
        assert table.browser(seat).get("/api/secrets").status_code == 403


@pytest.mark.parametrize("seat", [*Seat, None])
def test_a_seat_may_ask_for_what_its_rights_name_and_for_nothing_else(seat: Seat | None) -> None:
    for path, method, endpoint in routes(Table().app):
        if endpoint == "invitation.join":
            continue
        table = Table()
        answer = table.browser(seat).open(path, method=method, json={})
        is_refused = answer.status_code == 403
        assert is_refused == (seat not in ALLOWED[right_of(endpoint)]), (path, answer.data)


def test_a_guest_makes_the_server_read_no_file_and_run_no_agent() -> None:
    risky = ("open_record", "continue_game", "kept_games", "new", "settings", "switch", "agent")
    thinking = ("lines", "advice", "evaluation", "review", "look")
    for name in (*risky, *thinking, "edit", "exercise", "forget_game", "take_back", "match"):
        assert Seat.GUEST not in ALLOWED[RIGHTS[name]], name


def test_without_a_right_code_nothing_is_shown_but_words(table: Table) -> None:
    stranger = table.browser()
    for path in ("/", "/join/wrong", "/join/", "/page/page.js", "/replay", "/elsewhere"):
        answer = stranger.get(path)
        assert answer.status_code == 403, path
        assert "open the link that you were sent" in answer.text
        assert "Set-Cookie" not in answer.headers
    stranger.set_cookie(COOKIE, "wrong\u00e9", domain="127.0.0.1")
    assert stranger.get("/api/state").status_code == 403
    answer = stranger.get("/", headers={"Accept-Language": "es"})
    assert "abre el enlace" in answer.text


def test_a_link_moves_its_code_into_a_cookie_that_no_script_reads(table: Table) -> None:
    code = table.invitation.codes[Seat.GUEST]
    answer = table.browser().get(f"/join/{code}")
    assert answer.status_code == 200, "a redirection would not send a strict cookie along"
    cookie = answer.headers["Set-Cookie"]
    for part in (f"{COOKIE}={code}", "HttpOnly", "SameSite=Strict", "Path=/"):
        assert part in cookie
    assert "Secure" not in cookie
    assert code not in answer.text
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"


def test_through_a_tunnel_with_encryption_the_cookie_keeps_to_it() -> None:
    invitation, url = Invitation.drawn({}), "https://games.example"
    app = new_app(Session(TKM, {}), invitation=invitation, public_url=url)
    path = f"/join/{invitation.codes[Seat.GUEST]}"
    answers = {
        host: app.test_client().get(path, headers={"Host": host})
        for host in ("games.example", HOST, "evil.example")
    }
    assert "Secure" in answers["games.example"].headers["Set-Cookie"]
    assert "Secure" not in answers[HOST].headers["Set-Cookie"]
    assert answers["evil.example"].status_code == 403


def test_links_lead_to_where_others_reach_the_page(table: Table) -> None:
    asked = table.browser(Seat.HOST).get("/api/links").json
    assert asked == {
        "opponent": f"http://{HOST}/join/{table.invitation.codes[Seat.GUEST]}",
        "spectators": f"http://{HOST}/join/{table.invitation.codes[Seat.SPECTATOR]}",
        "is_local": True,
    }


def test_no_answer_but_the_hosts_links_has_a_code(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for seat in (*Seat, None):
        browser = table.browser(seat)
        for path, method, endpoint in routes(table.app):
            if endpoint in ("invitation.links", "invitation.renew_links") and seat is Seat.HOST:
                continue
            answer = browser.open(path, method=method, json={})
            for code in table.invitation.codes.values():
                assert code not in answer.text, path
    for code in table.invitation.codes.values():
        assert code not in caplog.text + repr(table.invitation)


def test_a_seat_plays_its_own_turns_only(table: Table) -> None:
    host, guest = table.browser(Seat.HOST), table.browser(Seat.GUEST)
    asked = {"version": 1, "action": "choose 1"}
    refused = guest.post("/api/play", json=asked)
    assert (refused.status_code, refused.json["message"]) == (403, "it is not your turn")
    assert guest.get("/api/state").json["choices"] == []
    assert host.post("/api/play", json=asked).status_code == 200
    assert guest.post("/api/undo", json={"version": 2}).status_code == 403
    table.play("move east", "move east", "focus present")
    assert table.session.game.to_act == "black"
    assert host.post("/api/play", json={"version": 5, "action": "choose 1"}).status_code == 403
    assert host.get("/api/state").json["obvious"] is None
    assert guest.get("/api/state").json["choices"]


def test_whose_turn_it_is_counts_when_the_change_is_made(table: Table) -> None:
    """A request that was let in during a turn, and comes last, does not play the next one."""
    table.play("choose 1", "move east", "move east", "focus present")
    holder = table.holder
    with pytest.raises(Exception, match="it is not your turn"):
        holder.change(holder.version, lambda session: session.play("choose 1"), Seat.HOST)
    assert not holder.is_changing


def test_each_page_has_words_for_whoever_reads_it(table: Table) -> None:
    named = {seat: table.browser(seat).get("/api/state").json["names"] for seat in Seat}
    assert named == {
        Seat.HOST: {"white": "you", "black": "your opponent"},
        Seat.GUEST: {"white": "your opponent", "black": "you"},
        Seat.SPECTATOR: {"white": "person", "black": "person"},
    }


def test_nobody_has_a_search_before_the_end_and_only_the_host_has_one_then(table: Table) -> None:
    host, guest = table.browser(Seat.HOST), table.browser(Seat.GUEST)
    assert not host.get("/api/state").json["can_evaluate"]
    assert guest.post("/api/resign", json={"session": table.session.id}).status_code == 200
    assert host.get("/api/state").json["can_evaluate"]
    assert not guest.get("/api/state").json["can_evaluate"]
    assert host.post("/api/look", json={"ply": 0}).status_code == 200
    assert guest.post("/api/look", json={"ply": 0}).status_code == 403


@pytest.mark.parametrize("spec", [TKM, TERMINUS], ids=["tkm", "terminus"])
def test_a_player_resigns_whoever_is_to_act(spec: GameSpec) -> None:
    for seat in (Seat.HOST, Seat.GUEST):
        table = Table(spec, clock="5+0")
        loser = table.session.side_of(seat)
        browser = table.browser(seat)
        assert browser.post("/api/resign", json={"session": "another"}).status_code == 409
        assert browser.post("/api/resign", json={"session": table.session.id}).status_code == 200
        state = browser.get("/api/state").json
        assert state["is_over"]
        assert state["winner"] not in (None, loser)
        assert state["runs"] is None
        again = browser.post("/api/resign", json={"session": table.session.id})
        assert (again.status_code, again.json["message"]) == (400, "the game is over")


def test_who_resigns_in_turn_concedes_by_the_rules(table: Table) -> None:
    names = [
        choice["name"] for choice in table.browser(Seat.HOST).get("/api/state").json["choices"]
    ]
    assert "concede" not in names, "one button is enough"
    assert "offer draw" in names
    table.session.resign("white")
    assert (table.session.game.result, table.session.resigned) == ("0-1", None)


def test_who_resigns_out_of_turn_loses_outside_the_rules(table: Table) -> None:
    table.session.resign("black")
    assert (table.session.game.result, table.session.winner) == (None, "white")
    with pytest.raises(IllegalActionError, match="black has resigned"):
        table.session.play("choose 1")
    state = table.browser(Seat.SPECTATOR).get("/api/state").json
    assert state["ending"] == "Black resigned."


def test_in_a_match_a_player_resigns_only_in_turn() -> None:
    table = Table(match="series")
    guest = table.browser(Seat.GUEST)
    assert not guest.get("/api/state").json["seat"]["can_resign"]
    refused = guest.post("/api/resign", json={"session": table.session.id})
    assert refused.json["message"] == "in a series you can resign on your own turn"
    assert table.browser(Seat.HOST).get("/api/state").json["seat"]["can_resign"]


def test_two_players_agree_to_a_draw(table: Table) -> None:
    table.play("offer draw", "accept draw")
    assert table.session.game.result == "1/2"


def test_a_draw_can_be_offered_though_the_page_has_chosen_the_only_copy(table: Table) -> None:
    host = table.browser(Seat.HOST)
    state = host.get("/api/state").json
    assert state["earlier"] == []
    table.play(state["obvious"])
    (offer,) = host.get("/api/state").json["earlier"]
    assert offer["name"] == "offer draw"
    assert table.browser(Seat.GUEST).get("/api/state").json["earlier"] == []
    host.post("/api/undo", json={"version": table.holder.version})
    table.play(offer["name"], "decline draw", "choose 1")
    assert host.get("/api/state").json["earlier"] == [], "it is offered once in a turn"


def test_no_clock_runs_before_somebody_has_done_more_than_what_the_page_does() -> None:
    table = Table(clock="5+0")
    running = []
    for action in ("choose 1", "move east", "move east", "focus present"):
        table.play(action)
        running.append(table.session.clock.running)
    assert running == [None, "white", "white", "black"]


def test_the_host_begins_the_next_game_with_sides_swapped(table: Table) -> None:
    host, guest = table.browser(Seat.HOST), table.browser(Seat.GUEST)
    assert guest.post("/api/rematch", json={}).status_code == 403
    state = host.post("/api/rematch", json={}).json
    assert state["names"] == {"white": "your opponent", "black": "you"}
    assert guest.get("/api/state").json["choices"]
    assert host.post("/api/new", json={"chapters": "growth"}).json["names"]["white"] == "you"


def test_the_host_cannot_give_the_other_seat_to_an_agent(table: Table) -> None:
    host = table.browser(Seat.HOST)
    asked = [row["keyword"] for rows in host.get("/api/settings").json.values() for row in rows]
    assert not {"opponent", "watch"} & {*asked}
    for path, keyword in (("new", "opponent"), ("new", "watch"), ("rematch", "opponent")):
        assert host.post(f"/api/{path}", json={keyword: "greedy"}).status_code == 400
    assert {*table.holder.session.players.values()} == {"person"}


def test_new_links_replace_the_old_ones_but_the_hosts(table: Table) -> None:
    browsers = {seat: table.browser(seat) for seat in Seat}
    links = browsers[Seat.HOST].post("/api/links", json={}).json
    statuses = {seat: one.get("/api/state").status_code for seat, one in browsers.items()}
    assert statuses == {Seat.HOST: 200, Seat.GUEST: 403, Seat.SPECTATOR: 403}
    guest = browsers[Seat.GUEST]
    guest.get(links["opponent"].removeprefix(f"http://{HOST}"))
    assert guest.get("/api/state").json["seat"]["side"] == "black"


def test_another_site_cannot_act_through_a_players_browser(table: Table) -> None:
    asked = {"version": 1, "action": "choose 1"}
    answer = table.browser(Seat.HOST).post(
        "/api/play", json=asked, headers={"Origin": "https://evil.example"}
    )
    assert answer.status_code == 403
    assert table.holder.version == 1


def test_who_is_here_is_who_asked_for_something_recently() -> None:
    now = [0.0]
    presence = Presence(lambda: now[0])
    assert not presence.is_here(Seat.GUEST)
    presence.note(Seat.GUEST)
    now[0] = 9.0
    assert presence.is_here(Seat.GUEST)
    assert not presence.is_here(Seat.HOST)
    now[0] = 11.0
    assert not presence.is_here(Seat.GUEST)


def test_everybody_sees_who_is_here(table: Table) -> None:
    host = table.browser(Seat.HOST)
    assert host.get("/api/here").json == {
        "players": {"white": True, "black": False},
        "is_watched": False,
    }
    table.browser(Seat.GUEST)  # to open the link is not yet to be on the page
    assert not host.get("/api/here").json["players"]["black"]
    table.browser(Seat.GUEST).get("/")
    table.browser(Seat.SPECTATOR).get("/")
    assert host.get("/api/here").json == {
        "players": {"white": True, "black": True},
        "is_watched": True,
    }


@pytest.mark.parametrize("spec", [TKM, TERMINUS], ids=["tkm", "terminus"])
def test_before_the_end_no_seat_is_told_what_the_rules_hide(spec: GameSpec) -> None:
    table = Table(spec)
    for _ in range(12):
        table.play(table.holder.session.game.legal_names()[0])
    hidden = table.session.game.position
    is_secret = hidden != table.session.game.visible_position
    for seat in Seat:
        browser = table.browser(seat)
        for path in ("/api/state", "/replay", "/api/record", "/api/canvas", "/api/help"):
            answer = browser.get(path)
            assert (hidden in answer.text) <= (not is_secret), path
        assert browser.get("/api/record").status_code == (403 if is_secret else 200)


# What is kept.


def test_a_server_goes_on_with_the_same_links_where_another_stopped(tmp_path: Path) -> None:
    kept = KeptGames(tmp_path)
    table = Table(kept=kept)
    (game,) = kept.all()
    assert game.id == table.session.id, "links are kept before anything is played"
    table.play("choose 1", "move east")
    found = KeptGames(tmp_path)
    assert found.invitation(game.id) == table.invitation
    after = new_app(found.session(game.id), invitation=found.invitation(game.id))
    guest: Any = after.test_client()
    guest.get(f"/join/{table.invitation.codes[Seat.GUEST]}")
    assert guest.get("/api/state").json["position"] == table.session.game.position


def test_only_its_owner_reads_a_file_with_codes(tmp_path: Path) -> None:
    table = Table(kept=KeptGames(tmp_path))
    (file,) = tmp_path.glob("*.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    table.browser(Seat.HOST).post("/api/links", json={})
    codes = json.loads(file.read_text())["invitation"]["codes"]
    assert codes["guest"] != table.invitation.codes[Seat.GUEST], "new links are kept at once"


def test_a_page_that_anybody_may_use_never_tells_codes(tmp_path: Path) -> None:
    kept = KeptGames(tmp_path)
    table = Table(kept=kept)
    table.play("choose 1", "move east")
    client = new_app(Session(TKM, {}), kept=kept).test_client()
    told = (
        client.get("/api/kept").text
        + client.post("/api/continue", json={"id": table.session.id}).text
    )
    assert table.session.id in told
    for code in table.invitation.codes.values():
        assert code not in told
    assert client.get(f"/join/{table.invitation.codes[Seat.HOST]}").status_code == 404


def test_a_game_that_was_resigned_stays_so(tmp_path: Path) -> None:
    kept = KeptGames(tmp_path)
    table = Table(kept=kept, clock="5+0")
    table.browser(Seat.GUEST).post("/api/resign", json={"session": table.session.id})
    assert kept.all() == []
    restored = kept.session(table.session.id)
    assert (restored.resigned, restored.winner, restored.is_over) == ("black", "white", True)


@pytest.mark.parametrize(
    "change",
    [
        {"codes": {"host": "a", "guest": "b"}},
        {"codes": {"host": "a", "guest": "b", "spectator": ""}},
        {"codes": "abc"},
        {"asked": []},
        {"more": 1},
    ],
)
def test_a_damaged_invitation_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as refused:
        Invitation.from_dict({**Invitation.drawn({}).to_dict(), **change})
    assert "'a'" not in str(refused.value), "errors tell no codes"
