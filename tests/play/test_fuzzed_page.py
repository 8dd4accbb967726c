"""Requests to the page are carried out, or refused with a reason and without effect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")

from flask.testing import FlaskClient
from hypothesis import example, given
from hypothesis import strategies as st

from tests.games.tkm.positions import REVEALED, VARIED
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.play.app import new_app
from tkm_env.play.session import Session
from tkm_env.play.shared_session import SharedSession
from tkm_env.play.tkm import adapter as tkm_play
from tkm_env.players import AlphaBetaAgent, MCTSAgent
from tkm_env.players.roster import ROSTERS
from tkm_env.players.terminus.ismcts import ISMCTSAgent

HOST = "127.0.0.1:8000"
LONGEST_MESSAGE = 40_000
OPPONENTS = [
    "person",
    "random",
    "greedy",
    "alphabeta",
    "alphabeta:depth=2,table_bits=4",
    "alphabeta:seconds=0.001",
    "mcts:iterations=20,exploration=0.7,turns=3,nodes=1000",
    "mcts:seconds=0.001",
    "ismcts:iterations=20,exploration=0.7",
    "bot.py:Bot",
]
#: Stand for the current version, and for an action that is legal then.
VERSION, ACTION = "\ue000version", "\ue000action"
#: Valid bodies for each address that takes one.
BODIES: dict[str, list[dict[str, Any]]] = {
    "play": [{"version": VERSION, "action": ACTION}],
    "undo": [{"version": VERSION}],
    "agent": [{"version": VERSION}],
    "take-back": [{"version": VERSION}],
    "rematch": [{}, {"opponent": "greedy"}],
    "next": [{}],
    "say": [{"version": VERSION, "step": "go on"}],
    "advice": [{}],
    "evaluation": [{}],
    "review": [{}],
    "look": [{"ply": 0}, {"ply": 0, "actions": ["choose 1"]}],
    "lines": [{"ply": 0}],
    "edit": [
        *({"position": position} for position in VARIED),
        *(
            {"position": VARIED[0], "field": field, "value": value}
            for field, value in (("P7", "B"), ("to act", "black"), ("chapters", "memory"))
        ),
    ],
    "new": [
        {"opponent": "person"},
        {
            "opponent": "greedy",
            "side": "black",
            "seed": 7,
            "chapters": "growth+memory",
            "edition": "2022",
            "first_player": "black",
        },
        {
            "opponent": "person",
            "handicap": "1,2",
            "powers": "doorway,none",
            "max_turns": 50,
            "concede": True,
            "draws": True,
        },
        {"opponent": "person", "clock": "5+3", "match": "series"},
        {"opponent": "greedy", "watch": "random"},
        {"opponent": "random", "side": "random", "timeline": "draft_powers", "power_set": REVEALED},
        {"opponent": "person", "side": "red", "seed": 2**63 - 1},
        {"opponent": "person", "position": "1:.I. r p 2,9,13/3,5,16 ?10 -/- 1 -"},
        *({"opponent": "person", "position": position} for position in VARIED),
        *({"opponent": opponent} for opponent in OPPONENTS),
    ],
}
PATHS = [
    "/",
    "/replay",
    "/api/state",
    "/api/settings",
    "/api/help",
    "/api/record",
    "/page/page.js",
    "/page/../server.py",
    "/nothing",
]
TRICKY = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        1,
        -1,
        1.0,
        2**63,
        10**400,
        1e308,
        "",
        "1",
        "\0",
        "\ud800",
        "-" * 3_000,
        "[" * 3_000,
        [],
        [1],
        {},
        {"a": []},
    ]
)
VALUES = (
    TRICKY
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.recursive(TRICKY, lambda inner: st.lists(inner, max_size=3))
)


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """Nobody thinks long."""
    with pytest.MonkeyPatch.context() as patched:
        for agent in (AlphaBetaAgent, MCTSAgent, ISMCTSAgent):
            patched.setattr(agent, "page_limits", {**agent.page_limits, "seconds": 0.002})
        patched.setattr(tkm_play, "_ANALYSIS_SECONDS", 0.002)
        patched.setattr(tkm_play, "_EVALUATION_SECONDS", 0.002)
        yield


@st.composite
def texts(draw: st.DrawFn, text: str) -> str:
    """A text like another: with characters taken out, put in, or taken from elsewhere."""
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(text)))
        until = draw(st.integers(place, min(len(text), place + 4)))
        text = (
            text[:place]
            + draw(st.text(max_size=3) | st.sampled_from("0123456789:,=-_. /") | st.just("-" * 400))
            + text[until:]
        )
    return text


@st.composite
def values(draw: st.DrawFn, value: Any) -> Any:
    """A value like another."""
    if isinstance(value, str) and draw(st.booleans()):
        return draw(texts(value))
    if isinstance(value, int) and draw(st.booleans()):
        return value + draw(st.integers(-2, 2))
    return draw(VALUES)


@st.composite
def bodies(draw: st.DrawFn, valid: dict[str, Any]) -> Any:
    """A body like a valid one: values changed, keys missing, added or swapped."""
    body = dict(valid)
    for _ in range(draw(st.integers(0, 2))):
        what = draw(st.sampled_from(["change", "change", "drop", "add", "replace"]))
        key = draw(st.sampled_from(sorted(body))) if body else None
        if what == "change" and key is not None:
            body[key] = draw(values(body[key]))
        elif what == "drop" and key is not None:
            del body[key]
        elif what == "add":
            body[
                draw(
                    st.sampled_from(
                        ["seed", "side", "position", "chapters", "deck", "version", "action"]
                    )
                    | st.text(max_size=9)
                )
            ] = draw(VALUES)
        elif what == "replace":
            return draw(VALUES)
    return body


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, str, str]:
    """An address, a body, mostly as it should be, and its encoding."""
    what = draw(
        st.sampled_from(
            [
                "play",
                "play",
                "undo",
                "take-back",
                "agent",
                "new",
                "new",
                "advice",
                "evaluation",
                "review",
                "edit",
                "edit",
            ]
        )
    )
    text = json.dumps(draw(bodies(draw(st.sampled_from(BODIES[what])))))
    how = draw(st.sampled_from(["as it is"] * 12 + ["cut", "deep", "noise", "inserted", "other"]))
    if how == "cut":
        text = text[: draw(st.integers(0, len(text)))]
    elif how == "deep":
        text = draw(st.sampled_from(["[", '{"version":', '[{"a":'])) * draw(st.integers(1, 2_000))
    elif how == "noise":
        text = draw(st.text(max_size=40))
    elif how == "inserted":
        place = draw(st.integers(0, len(text)))
        text = (
            text[:place]
            + draw(
                st.sampled_from(
                    ['"', ",", "NaN", "-", "1e999", "9" * 5_000, "\\ud800", "\0", '"version":1,']
                )
            )
            + text[place:]
        )
    return (
        what,
        text,
        draw(st.sampled_from(["utf-16", "utf-32", "utf-8-sig", "latin-1"]))
        if how == "other"
        else "utf-8",
    )


class Page:
    """An application with a session, and all that a refusal must not change."""

    def __init__(self, game: str) -> None:
        spec = {"tkm": TKM, "terminus": TERMINUS}[game]
        app = new_app(Session(spec, {}, opponent="person", seed=1))
        self.client: FlaskClient = app.test_client()
        self.holder: SharedSession = app.extensions["holder"]

    def everything(self) -> tuple[Any, ...]:
        holder, session = self.holder, self.holder.session
        return (
            holder.version,
            holder.is_changing,
            session,
            session.game,
            session.players,
            len(session._earlier),
            len(session._seconds),
        )

    def begin(self, position: str | None = None) -> None:
        self.holder.begin(
            Session(self.holder.session.spec, {}, opponent="person", seed=1, position=position)
        )

    def send(self, method: str, path: str, **request: Any) -> tuple[int, Any]:
        """Send a request; it is answered, refused with a reason, and then nothing has changed."""
        before = self.everything()
        # Without the browser's part: a test client passes on what a server would refuse. The path
        # is set beside it, since a test client takes one that begins with two slashes for a host.
        address = {
            "base_url": f"http://{HOST}",
            "environ_overrides": {"PATH_INFO": path.encode().decode("latin-1")},
        }
        with self.client.open(method=method, **address, **request) as answer:
            status, content = answer.status_code, answer.get_data()
        assert status < 500, f"{method} {path} {request}: {content[:500]!r}"
        if status >= 400:
            assert self.everything() == before, (
                f"{method} {path} {request} was refused, but something changed"
            )
            if method != "HEAD":
                refusal = json.loads(content)
                assert (
                    {"error", "message"}
                    <= set(refusal)
                    <= {"error", "message", "setting", "reason"}
                )
                assert 0 < len(refusal["message"]) < LONGEST_MESSAGE
        return status, json.loads(content) if status == 200 and path.startswith(
            "/api"
        ) and method in ("GET", "POST") else None

    def check_that_it_works(self) -> None:
        """A person's game goes on as ever."""
        self.begin()
        action = self.holder.session.game.legal_names()[0]
        status, state = self.send(
            "POST", "/api/play", json={"version": self.holder.version, "action": action}
        )
        assert (status, state["log"][-1]["action"]) == (200, action)


@pytest.fixture(scope="module", params=["tkm", "terminus"])
def page(request: pytest.FixtureRequest) -> Page:
    return Page(request.param)


@given(
    position=st.none() | st.sampled_from(VARIED),
    chosen=st.integers(0, 99),
    asked=st.lists(requests(), min_size=1, max_size=3),
)
def test_a_request_is_done_as_it_says_or_refused(
    page: Page, position: str | None, chosen: int, asked: list[Any]
) -> None:
    page.begin(position if page.holder.session.spec is TKM else None)
    for what, text, encoding in asked:
        names = page.holder.session.game.legal_names() or ["choose 1"]
        text = text.replace(json.dumps(VERSION), str(page.holder.version)).replace(
            json.dumps(ACTION), json.dumps(names[chosen % len(names)])
        )
        before = page.everything()
        content = text.encode(encoding, "replace" if encoding == "latin-1" else "surrogatepass")
        status, state = page.send(
            "POST", f"/api/{what}", data=content, content_type="application/json"
        )
        if status == 200:
            check(what, json.loads(content), state, before, page)
    page.check_that_it_works()


def check(what: str, body: dict[str, Any], state: Any, before: tuple[Any, ...], page: Page) -> None:
    """What was accepted is what was asked for."""
    session = page.holder.session
    if what in ("advice", "evaluation", "review", "look", "lines", "edit"):
        assert page.everything() == before
        return
    assert page.holder.version == before[0] + 1
    assert state["version"] == page.holder.version
    if what == "play":
        assert type(body["version"]) is int
        assert (body["version"], state["log"][-1]["action"]) == (before[0], body["action"])
    elif what == "new":
        assert session.game.history == []
        assert session.asked["opponent"] == body.get(
            "opponent", ROSTERS.of(session.spec).levels[0].player
        )
        own = body.get("watch", "person")
        assert {*session.players.values()} == {own, session.asked["opponent"]}
        if body.get("seed") is not None:
            assert session.seed == body["seed"]
            assert type(body["seed"]) is int
        if body.get("position") is not None:
            assert session.game.visible_position == body["position"]
        for keyword in {*body} - {
            "opponent",
            "side",
            "watch",
            "seed",
            "position",
            "clock",
            "match",
        }:
            assert session.asked[keyword] == body[keyword]


HEADERS = st.dictionaries(
    st.sampled_from(
        [
            "Host",
            "Origin",
            "Content-Type",
            "Content-Length",
            "Accept",
            "Cookie",
            "X-Forwarded-Host",
            "Range",
            "If-None-Match",
        ]
    ),
    st.sampled_from(
        [
            HOST,
            "evil.example",
            f"http://{HOST}",
            "null",
            "[",
            "application/json",
            "text/plain",
            "0",
            "-1",
            "9" * 30,
            "bytes=0-1",
        ]
    )
    | st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=20),
    max_size=3,
)
ADDRESSES = st.text(
    st.characters(exclude_characters="?#", exclude_categories=["Cs"]), max_size=20
).map("/".__add__)
METHODS = st.sampled_from(
    ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "BREW"]
)


@example(method="GET", path="//\x80", query={}, headers={}, content=b"")
@given(
    method=METHODS,
    path=st.sampled_from([*PATHS, *(f"/api/{what}" for what in BODIES)]) | ADDRESSES,
    query=st.dictionaries(
        st.sampled_from(["theme", "hints", "since"]) | st.text(max_size=4),
        st.text(max_size=9),
        max_size=3,
    ),
    headers=HEADERS,
    content=st.binary(max_size=40) | st.just(b'{"version": 1}'),
)
def test_a_request_of_any_form_is_answered_or_refused(
    page: Page,
    method: str,
    path: str,
    query: dict[str, str],
    headers: dict[str, str],
    content: bytes,
) -> None:
    page.send(method, path, query_string=query, headers={"Host": HOST} | headers, data=content)
