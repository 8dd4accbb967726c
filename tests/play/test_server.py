"""The server behind the page: what it serves, what it refuses, and to which hosts it listens."""

from __future__ import annotations

import inspect
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")

from flask.testing import FlaskClient

from tests.games.tkm.positions import VARIED, WHITE_WINS
from tests.render.drawings import drawn_parts
from tkm_env import ConfigError, Game
from tkm_env.foundations.errors import PlayerError
from tkm_env.games.registry import TKM
from tkm_env.play import server
from tkm_env.play.adapter import ADAPTERS, MatchStatus
from tkm_env.play.app import MAX_RECORD_BYTES, new_app
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.match_file import MatchFile
from tkm_env.play.session import Session
from tkm_env.play.shared_session import MAX_THINKERS, SharedSession
from tkm_env.play.tkm.adapter import TKMAdapter
from tkm_env.players import MCTSAgent
from tkm_env.players.roster import ROSTERS
from tkm_env.web import web_server
from tkm_env.web.request_checks import MAX_REQUEST_BYTES, check_address, refusal

HOST = "127.0.0.1:8000"
SCRIPTS = sorted(file.stem for file in (Path(server.__file__).parent / "page").glob("*.js"))
#: A position with many legal actions for white, the win not near.
MANY = VARIED[3]


def client_of(settings: dict[str, Any] | None = None, **keywords: Any) -> FlaskClient:
    """A page's view of a new session."""
    session = Session(TKM, settings or {}, **{"seed": 1, **keywords})
    client = new_app(session).test_client()
    client.environ_base["HTTP_HOST"] = HOST
    return client


def state_of(client: FlaskClient, **asked: Any) -> dict[str, Any]:
    answer = client.get("/api/state", query_string=asked)
    assert answer.status_code == 200
    return answer.get_json()


def post(client: FlaskClient, what: str, **asked: Any) -> tuple[int, dict[str, Any]]:
    answer = client.post(f"/api/{what}", json=asked)
    return answer.status_code, answer.get_json()


def until(happens: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    for _ in range(6_000):
        if happens():
            return
        time.sleep(0.005)
    raise AssertionError("nothing happened")


def play(client: FlaskClient, *actions: str) -> dict[str, Any]:
    """Play these actions; the state after them."""
    for action in actions:
        status, content = post(client, "play", version=state_of(client)["version"], action=action)
        assert status == 200, content
    return state_of(client)


# What is served.


def test_the_page_and_its_parts_are_served() -> None:
    client = client_of()
    for path, kind in (
        ("/", "text/html"),
        ("/page/page.css", "text/css"),
        *((f"/page/{name}.js", "text/javascript") for name in SCRIPTS),
    ):
        with client.get(path) as answer:
            assert answer.status_code == 200, path
            assert answer.mimetype == kind


def test_the_page_asks_no_other_host_for_anything() -> None:
    client = client_of()
    for path in ("/", "/page/page.css", *(f"/page/{name}.js" for name in SCRIPTS)):
        with client.get(path) as answer:
            text = answer.get_data(as_text=True).replace("http://www.w3.org/2000/svg", "")
        assert "//" not in text.replace("// ", ""), f"{path} holds an address"


def test_the_state_reports_all_choices_with_their_places() -> None:
    client = client_of({"chapters": "growth"})
    state = play(client, "choose 1")
    game = Game(chapters="growth")
    game.play("choose 1")
    assert {choice["name"] for choice in state["choices"]} == set(game.legal_names())
    cells = {cell["name"] for board in state["boards"] for row in board["rows"] for cell in row}
    assert {choice["place"] for choice in state["choices"]} == {"P1", "P2", "P5"} < cells
    assert state["parts"] == drawn_parts(game, legal=True, last=False)
    assert state["situation"] == "white to act, 2 actions left"


def test_the_drawing_has_the_hints_that_were_asked_for() -> None:
    assert state_of(client_of(), hints=0)["parts"] == drawn_parts(Game(), legal=False)


def test_what_happened_is_reported_in_words() -> None:
    state = play(client_of(), "choose 1", "move east")
    assert state["log"][-1] == {
        "turn": 1,
        "player": "white",
        "action": "move east",
        "text": "the white copy walked from past 1 to 2",
        "moves": [["P1", "P2"]],
        "label": "",
        "is_quiet": False,
        "called": "move east",
    }


def test_there_are_no_choices_while_an_agent_is_to_act() -> None:
    state = state_of(client_of(opponent="random", side="black"))
    assert state["waits_for_agent"]
    assert state["choices"] == []


def test_nothing_is_reported_again_to_a_page_that_has_it() -> None:
    client = client_of()
    version = state_of(client)["version"]
    assert client.get("/api/state", query_string={"since": version}).status_code == 204
    play(client, "choose 1")
    assert client.get("/api/state", query_string={"since": version}).status_code == 200


def test_the_settings_are_those_of_the_table() -> None:
    content = client_of().get("/api/settings").get_json()
    assert [row["keyword"] for row in content["The game"]] == [
        setting.keyword for setting in TKM.settings
    ]
    assert [row["keyword"] for row in content["You"]] == [
        "opponent",
        "side",
        "watch",
        "match",
        "clock",
        "seed",
        "position",
    ]


def test_the_settings_tell_what_was_given_last() -> None:
    client = client_of({"chapters": "growth", "edition": None}, opponent="greedy", side="black")
    post(client, "new", opponent="random", handicap="0,2", concede=True)
    content = client.get("/api/settings").get_json()
    given = {
        row["keyword"]: row["given"]
        for rows in content.values()
        for row in rows
        if row["given"] is not None
    }
    assert given == {"opponent": "random", "handicap": "0,2", "concede": True, "draws": False}


def test_the_record_is_a_file_that_can_be_read_back() -> None:
    client = client_of({"chapters": "memory"})
    play(client, "choose 1", "move east")
    answer = client.get("/api/record")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="game.json"'
    assert Game.from_record(answer.get_json()).position == state_of(client)["position"]


def test_the_replay_shows_the_game_so_far() -> None:
    client = client_of()
    play(client, "choose 1", "move east")
    assert "the white copy walked from past 1 to 2" in client.get("/replay").get_data(as_text=True)


def test_advice_finds_a_win() -> None:
    client = client_of(position=WHITE_WINS)
    _, lines = post(client, "advice")
    assert lines[0]["worth"] == "wins this turn"
    assert lines[0]["why"] == "Wins: Black has copies only in the past."
    assert lines[0]["picture"]["words"] == "shift the focus to the present"
    assert lines[0]["turns"][0] == ["focus present"]


# What is done.


def test_help_has_the_pictures_of_what_is_in_play_and_leads_to_the_whole_rules() -> None:
    client = client_of({"chapters": "growth"})
    in_play, whole = (client.get(f"/api/help{query}").get_json() for query in ("", "?whole"))
    for answer, sections in (
        (in_play, TKM.rules_for(Game(chapters="growth").config)),
        (whole, TKM.rules_for()),
    ):
        assert [section["title"] for section in answer["sections"]] == [
            section.title for section in sections
        ]
        drawn = [len(section["pictures"]) for section in answer["sections"]]
        assert drawn == [len(section.examples) for section in sections]
    example = TKM.rules_for()[0].examples[0]
    assert whole["sections"][0]["pictures"][0]["parts"] == ADAPTERS.of(TKM).parts(
        example.played(Game), hints=False
    )
    assert (in_play["is_whole"], whole["is_whole"]) == (False, True)


def test_undo_takes_back() -> None:
    client = client_of()
    before = state_of(client)
    after = play(client, "choose 1")
    assert after["can_undo"]
    status, undone = post(client, "undo", version=after["version"])
    assert status == 200
    assert undone["position"] == before["position"]
    assert not undone["can_undo"]


def test_a_turn_is_taken_back_with_the_agents() -> None:
    client = client_of(opponent="greedy")
    start = state_of(client)["position"]
    state = play(client, "choose 1", "move east", "move south", "focus future")
    assert state["can_take_back"]
    _, state = post(client, "take-back", version=state["version"])
    assert state["position"] == start
    assert not state["can_take_back"]
    refused(
        client,
        "take-back",
        {"version": state["version"]},
        400,
        "IllegalActionError",
        "there is no turn to take back",
    )


def test_a_rematch_changes_sides_and_keeps_the_settings() -> None:
    client = client_of({"chapters": "growth"}, opponent="greedy", clock="5+3")
    status, state = post(client, "rematch")
    assert status == 200
    assert state["players"] == {"white": "greedy", "black": "person"}
    assert "seeds" in str(state["sides"])
    assert state["clock"] == {"white": 300, "black": 300}


def test_a_game_against_another_opponent_keeps_the_side_and_the_settings() -> None:
    client = client_of({"chapters": "growth"}, opponent="greedy", side="black", clock="5+3")
    _, state = post(client, "rematch", opponent="random")
    assert state["players"] == {"white": "random", "black": "person"}
    assert "seeds" in str(state["sides"])
    assert state["clock"] == {"white": 300, "black": 300}
    for opponent in (None, "cmd:rm", "fallible:depth=9"):
        assert post(client, "rematch", opponent=opponent)[0] == 400
    assert state_of(client) == state


def test_the_loser_goes_first_in_the_next_game_of_a_series() -> None:
    client = client_of()
    post(client, "new", opponent="person", match="series")
    refused(client, "next", {}, 400, "ConfigError", "it is not over")
    state = play(client, "choose 1", "concede")
    assert state["match"]["title"] == "Series, game 1"
    status, state = post(client, "next")
    assert (status, state["to_act"], state["log"]) == (200, "white", [])
    assert state["match"] == {
        "title": "Series, game 2",
        "lines": ["white 0 : black 1"],
        "name": "series",
        "called": "series",
    }
    assert not state["is_kept"], "the page names no files"


def test_a_match_begun_on_the_page_is_downloaded_as_the_file_that_the_command_continues(
    tmp_path: Path,
) -> None:
    client = client_of()
    assert client.get("/api/match").status_code == 400, "there is no match"
    post(client, "new", opponent="person", match="series")
    play(client, "choose 1", "concede")
    file = tmp_path / "series.json"
    file.write_bytes(client.get("/api/match").data)
    again = MatchFile(file).session(TKM, {}, match="series")
    assert again.match is not None
    assert again.match.status(again.game) == MatchStatus("Series, game 2", ["white 0 : black 1"])


def test_the_page_can_change_to_another_game() -> None:
    client = client_of()
    status, state = post(client, "switch", game="terminus")
    assert (status, state["title"]) == (200, "Terminus")
    assert client.get("/api/canvas").get_json()["game"] == "terminus"
    refused(client, "switch", {"game": "chess"}, 400, "ConfigError", "chess")


def test_a_campaign_goes_on_when_the_players_say_so() -> None:
    client = client_of()
    _, state = post(client, "new", opponent="person", match="campaign", seed=1)
    assert [step["name"] for step in state["steps"]] == ["go on"]
    play(client, "choose 1", "concede")
    _, state = post(client, "next")
    assert state["match"]["title"] == "Campaign, standard, game 2"
    _, state = post(client, "say", version=state["version"], step="go on")
    assert state["match"]["title"] == "Campaign, growth, game 1"
    assert state["position"].split(" ")[1] == "G"
    assert state["steps"] == []
    refused(
        client,
        "say",
        {"version": state["version"], "step": "go on"},
        400,
        "ConfigError",
        "it cannot be said now",
    )


def test_the_journey_of_a_campaign_is_not_a_setting() -> None:
    asked = {"opponent": "person", "match": "campaign", "chapters": "growth"}
    refused(
        client_of(), "new", asked, 400, "ConfigError", "in a campaign, the journey determines it"
    )


def test_every_level_can_be_chosen_and_is_named() -> None:
    client = client_of()
    for level in ROSTERS.of(TKM).levels:
        status, state = post(client, "new", opponent=level.player)
        assert status == 200, state
        assert state["names"] == {"white": "you", "black": level.name}


def test_the_level_above_the_opponents_is_told() -> None:
    levels = ROSTERS.of(TKM).levels
    for level, above in zip(levels, (*levels[1:], None), strict=True):
        told = state_of(client_of(opponent=level.player))["next_level"]
        assert told == (None if above is None else above._asdict())
    assert state_of(client_of())["next_level"] is None


def test_a_game_from_a_record_earns_no_next_level() -> None:
    level = ROSTERS.of(TKM).levels[0].player
    record = Game(concede=True).to_record(players={"white": "person", "black": level})
    client = client_of()
    _, state = post(client, "open", record=record)
    assert (state["players"]["black"], state["next_level"]) == (level, None)
    assert post(client, "rematch")[1]["next_level"] is not None


def test_a_game_is_reviewed_turn_by_turn() -> None:
    client = client_of(position=WHITE_WINS)
    play(client, "focus present")
    _, review = post(client, "review")
    assert (review["done"], review["of"]) == (2, 2)
    assert review["graph"].count("data-ply") == 2
    assert review["turning"] == []


def test_a_position_is_put_together_and_what_is_wrong_with_it_is_said() -> None:
    client = client_of({"chapters": "memory"})
    _, edited = post(client, "edit", position=state_of(client)["position"], field="P6", value="W")
    assert edited["problem"] == ""
    assert edited["labels"]["P6"] == "P6: white copy"
    _, edited = post(client, "edit", position=edited["position"], field="F13", value=".")
    assert edited["problem"] == "the future needs one light elephant, not 0"
    refused(client, "edit", {"position": "nowhere"}, 400, "PositionError", "nowhere")
    refused(
        client,
        "edit",
        {"position": edited["position"], "field": "P6", "value": "?"},
        400,
        "ConfigError",
        "no such value",
    )


def test_a_player_whose_time_is_up_has_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(TKM, {}, seed=1, clock="5+0")
    assert session.clock is not None
    session.play("choose 1")
    session.play("move east")
    now = time.monotonic()
    monkeypatch.setattr(session.clock, "_now", lambda: now + 301)
    client = new_app(session).test_client()
    state = state_of(client)
    assert (state["is_over"], state["winner"], state["ending"]) == (
        True,
        "black",
        "White ran out of time.",
    )
    refused(
        client,
        "play",
        {"version": 1, "action": "move east"},
        400,
        "IllegalActionError",
        "white has run out of time",
    )


def test_a_series_goes_on_after_a_player_whose_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[dict[str, Any]] = []
    session = Session(TKM, {"concede": True}, seed=1, clock="5+0", match="series", keep=kept.append)
    assert session.clock is not None
    session.play("choose 1")
    session.play("move east")
    now = time.monotonic()
    monkeypatch.setattr(session.clock, "_now", lambda: now + 301)
    client = new_app(session).test_client()
    assert state_of(client)["match"]["lines"] == ["white 0 : black 1"]
    status, state = post(client, "next")
    assert (status, state["match"]["title"], state["match"]["lines"]) == (
        200,
        "Series, game 2",
        ["white 0 : black 1"],
    )
    assert not state["is_over"], "the clock has been set again"
    assert [content["played"] for content in kept] == [
        {"games": [{"first_player": "white", "result": "0-1", "turns": 1}]}
    ]


def test_a_page_that_is_there_before_the_game_says_what_it_waits_for() -> None:
    app = new_app(None)
    client = app.test_client()
    with client.get("/") as page:
        assert page.status_code == 200
    answer = client.get("/api/state")
    assert (answer.status_code, answer.get_json()["error"]) == (503, "StartingError")
    assert "preparing the rules" in answer.get_json()["message"]
    app.extensions["holder"].start(Session(TKM, {}, seed=1))
    assert state_of(client)["version"] == 1


def test_what_is_wrong_with_a_session_is_said_before_the_page_is_opened() -> None:
    def make() -> Session[Game]:
        return Session(TKM, {}, opponent="clever")

    opened: list[str] = []
    with pytest.raises(ConfigError, match="opponent='clever' is invalid"):
        server.serve(make, ready=opened.append)
    assert opened == []


def test_the_agent_plays_one_action_at_a_time() -> None:
    client = client_of(opponent="random", side="black")
    _, state = post(client, "agent", version=state_of(client)["version"])
    assert len(state["log"]) == 1
    assert state["waits_for_agent"]


def test_a_new_game_takes_every_setting() -> None:
    client = client_of()
    status, state = post(
        client,
        "new",
        opponent="greedy",
        side="black",
        seed=7,
        chapters="growth+memory",
        edition="2022",
        first_player="black",
        handicap="1,2",
        powers="doorway,none",
        max_turns=50,
        concede=True,
        draws=True,
    )
    assert status == 200, state
    record = client.get("/api/record").get_json()
    assert record["players"] == {"white": "greedy", "black": "person"}
    assert record["seed"] == 7
    assert record["config"] == {
        "chapters": ["growth", "memory"],
        "edition": "2022",
        "first_player": "black",
        "handicap": [1, 2],
        "powers": ["doorway", None],
        "max_turns": 50,
        "concede": True,
        "draws": True,
    }


def test_a_new_game_can_be_drafted() -> None:
    _, state = post(
        client_of(), "new", opponent="person", timeline="power_share", power_set="tempo"
    )
    assert [choice["name"] for choice in state["choices"]] == [
        "draft 1",
        "draft 2",
        "draft 3",
        "draft 4",
    ]
    assert (state["choices"][0]["label"], state["choices"][0]["help"][:23]) == (
        "overtime",
        "overtime: Once per game",
    )


def test_a_new_game_can_begin_anywhere() -> None:
    _, state = post(client_of(), "new", position=WHITE_WINS)
    assert state["position"] == WHITE_WINS


def test_while_an_agent_thinks_the_page_is_answered_and_may_begin_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, may_answer = threading.Event(), threading.Event()

    class Thinker:
        def act(self, game: Game) -> int:
            begun.set()
            assert may_answer.wait(10)
            return game.legal_actions()[0]

    monkeypatch.setattr("tkm_env.play.session.make_agent", lambda *_, **__: Thinker())
    app = new_app(Session(TKM, {}, opponent="random", side="black", seed=1))
    client, other = (app.test_client() for _ in range(2))
    answers: list[tuple[int, dict[str, Any]]] = []
    before = state_of(client)
    thread = threading.Thread(
        target=lambda: answers.append(post(other, "agent", version=before["version"]))
    )
    thread.start()
    try:
        assert begun.wait(10)
        assert state_of(client) == before | {"is_thinking": True}
        for what in ("agent", "undo"):
            assert post(client, what, version=before["version"])[0] == 409, (
                "it waited, or did what was asked"
            )
        status, fresh = post(client, "new", opponent="person")
        assert status == 200
    finally:
        may_answer.set()
        thread.join()
    assert answers[0][0] == 200
    assert state_of(client) == fresh, "what the agent of the old game played got into the new one"


# What is refused.


def refused(
    client: FlaskClient, what: str, asked: dict[str, Any], status: int, error: str, message: str
) -> None:
    """The request is refused with this, and nothing changes."""
    before = state_of(client)
    got, content = post(client, what, **asked)
    assert got == status, content
    assert content["error"] == error
    assert message in content["message"]
    assert state_of(client) == before


def test_what_is_not_legal_is_refused() -> None:
    for action, error, message in (
        (
            "move north",
            "IllegalActionError",
            "'move north' is not legal for white at step c; legal: choose 1",
        ),
        ("jump", "UnknownActionError", "jump"),
        (0, "ConfigError", "action=0 is invalid"),
        (None, "ConfigError", "action=None is invalid"),
    ):
        client = client_of()
        refused(
            client,
            "play",
            {"version": state_of(client)["version"], "action": action},
            400,
            error,
            message,
        )


def test_what_was_meant_for_an_earlier_version_is_refused() -> None:
    for version in (0, "1", None, [1], True, 1.0):
        for what in ("play", "undo", "agent"):
            asked = {"version": version} | ({"action": "choose 1"} if what == "play" else {})
            refused(client_of(), what, asked, 409, "StaleError", "another window played")


def test_a_person_cannot_play_for_the_agent() -> None:
    client = client_of(opponent="random", side="black")
    version = state_of(client)["version"]
    refused(
        client,
        "play",
        {"version": version, "action": "choose 1"},
        400,
        "IllegalActionError",
        "random is to act for white",
    )


def test_an_undo_with_nothing_to_take_back_is_refused() -> None:
    client = client_of()
    refused(
        client,
        "undo",
        {"version": state_of(client)["version"]},
        400,
        "IllegalActionError",
        "nothing to undo",
    )


def test_settings_that_cannot_be_are_refused() -> None:
    for keyword, given in (
        ("chapters", "chapter one"),
        ("chapters", 9),
        ("chapters", {"a": 1}),
        ("edition", 2020),
        ("handicap", "9,9"),
        ("handicap", [1]),
        ("powers", "flight,none"),
        ("max_turns", 0),
        ("max_turns", "many"),
        ("concede", "yes"),
        ("opponent", "clever"),
        ("opponent", 5),
        ("opponent", "mcts:iterations=0"),
        ("opponent", f"mcts:iterations={'-' * 15_000}"),
        ("side", "green"),
        ("side", []),
        ("seed", -1),
        ("seed", 1.5),
        ("position", 5),
        ("colour", "red"),
    ):
        client = client_of()
        before = state_of(client)
        status, content = post(client, "new", **{keyword: given})
        assert status == 400, content
        assert keyword in content["message"] or keyword == "opponent", (keyword, given)
        assert state_of(client) == before, (keyword, given)


def test_a_position_that_is_none_is_refused() -> None:
    refused(client_of(), "new", {"position": "nowhere"}, 400, "PositionError", "nowhere")


def test_the_page_cannot_have_files_run(tmp_path: Any) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("raise AssertionError('it was run')")
    refused(
        client_of(), "new", {"opponent": f"{bot}:bot"}, 400, "ConfigError", "on the page it must be"
    )


def test_a_file_that_the_command_named_plays_again(tmp_path: Any) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def first(observation, info):\n    return info['action_mask'].argmax()\n")
    client = client_of(opponent=f"{bot}:first")
    assert post(client, "new", opponent=f"{bot}:first")[0] == 200


def test_requests_of_another_form_are_refused() -> None:
    for sent, status in (
        ({"data": "{", "content_type": "application/json"}, 400),
        ({"data": "[]", "content_type": "application/json"}, 400),
        ({"data": "{}", "content_type": "text/plain"}, 415),
        ({"data": {"action": "choose 1"}}, 415),
        ({"data": b"x" * 100_000, "content_type": "application/json"}, 413),
        ({"data": b"\xff", "content_type": "application/json"}, 400),
        ({"data": "[" * 16_000, "content_type": "application/json"}, 400),
        ({"data": '{"action":' * 1_600, "content_type": "application/json"}, 400),
        (
            {
                "data": '{"version": 1, "version": 1, "action": "choose 1"}',
                "content_type": "application/json",
            },
            400,
        ),
        ({"data": '{"version": 1' + "0" * 5_000 + "}", "content_type": "application/json"}, 400),
    ):
        client = client_of()
        before = state_of(client)
        answer = client.post("/api/play", **sent)
        assert answer.status_code == status, (sent, status)
        assert set(answer.get_json()) in (
            {"error", "message"},
            {"error", "message", "setting", "reason"},
        ), (sent, status)
        assert state_of(client) == before, (sent, status)


def test_what_does_not_exist_is_reported_as_json() -> None:
    assert client_of().get("/api/nothing").get_json()["error"] == "Not Found"


def test_a_mistake_of_ours_is_told_to_the_terminal_only(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client = client_of()

    def broken(*_: Any) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(Session, "undo", broken)
    before = state_of(client)
    status, content = post(client, "undo", version=before["version"])
    assert (status, content["error"]) == (500, "Internal Server Error")
    assert "secret" not in content["message"]
    assert [record.exc_info is not None for record in caplog.records] == [True], "it is logged once"
    assert state_of(client) == before
    assert play(client, "choose 1")["can_undo"]


# What an opponent may take.


def test_an_opponent_chosen_on_the_page_takes_no_more_than_its_limits() -> None:
    for line, option, most in (
        ("alphabeta:table_bits=28", "table_bits", "22"),
        ("alphabeta:depth=65", "depth", "64"),
        ("alphabeta:seconds=3600", "seconds", "60"),
        ("mcts:nodes=268435456", "nodes", "1048576"),
        ("mcts:iterations=1000000000000,seconds=1", "iterations", "10000000"),
        ("mcts:seconds=1e300", "seconds", "60"),
    ):
        given = line.partition(f"{option}=")[2].partition(",")[0]
        value = float(given) if "e" in given else given
        message = f"{option}={value} is invalid: on the page it must be at most {most}"
        refused(client_of(), "new", {"opponent": line}, 400, "ConfigError", message)


def test_options_that_the_page_cannot_set_are_refused() -> None:
    for line, message in (
        (
            "mcts:deep=3",
            "deep=3 is invalid: on the page mcts has the options "
            "iterations (at most 10000000), seconds",
        ),
        ("mcts:weights=3", "weights=3 is invalid: on the page mcts has the options"),
        ("greedy:seed=3", "seed=3 is invalid: on the page greedy has no options"),
        ("person:depth=3", "depth=3 is invalid: on the page person has no options"),
        ("mcts:nodes=True", "nodes=True is invalid"),
        ("mcts:nodes=nan", "nodes='nan' is invalid"),
        ("alphabeta:seconds=1e999", "seconds=inf is invalid"),
    ):
        refused(client_of(), "new", {"opponent": line}, 400, "ConfigError", message)


def test_what_the_command_named_is_not_limited_but_does_not_grow() -> None:
    line = "mcts:iterations=10,nodes=2000000"
    client = client_of(opponent=line)
    assert post(client, "new", opponent=line)[0] == 200
    more = line.replace("2000000", "2000001")
    refused(client, "new", {"opponent": more}, 400, "ConfigError", "nodes=2000001 is invalid")


def test_every_option_of_every_agent_has_a_limit() -> None:
    for game in ("tkm", "terminus"):
        for name, reference in ROSTERS.of(game).agents.items():
            agent = reference()
            files = {"file", "net"}  # which the page opens none of
            parameters = inspect.signature(agent).parameters.values()
            switches = {
                parameter.name for parameter in parameters if parameter.default is True
            }  # which it does not offer
            options = (
                {parameter.name for parameter in parameters}
                - {"seed", "weights"}
                - files
                - switches
            )
            assert {*getattr(agent, "page_limits", {})} == options, name


def test_an_opponent_chosen_on_the_page_answers_when_its_time_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(MCTSAgent, "page_limits", {"iterations": 2**62, "seconds": 0.05})
    client = client_of()
    _, before = post(
        client, "new", opponent=f"mcts:iterations={2**62}", side="black", position=MANY
    )
    status, state = post(client, "agent", version=before["version"])
    assert (status, len(state["log"])) == (200, 1)


def test_an_agent_without_a_limit_of_its_own_has_that_of_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float | None] = []
    monkeypatch.setattr(
        Session, "let_agent_play", lambda session, seconds=None: asked.append(seconds)
    )
    client = client_of(opponent="greedy", side="black")
    for line in ("fallible:depth=4", "random", "mcts:iterations=9", "greedy"):
        _, state = post(client, "new", opponent=line, side="black")
        assert post(client, "agent", version=state["version"])[0] == 200
    assert asked == [60, 60, 60, None], "greedy was named"
    refused(
        client, "new", {"opponent": "fallible:depth=5"}, 400, "ConfigError", "it must be at most 4"
    )


def test_a_new_game_ends_the_thinking_in_the_old_one() -> None:
    app = new_app(
        Session(TKM, {}, opponent=f"mcts:iterations={2**62}", side="black", seed=1, position=MANY)
    )
    client, other = (app.test_client() for _ in range(2))
    version = state_of(client)["version"]
    answers: list[tuple[int, dict[str, Any]]] = []
    thread = threading.Thread(target=lambda: answers.append(post(other, "agent", version=version)))
    thread.start()
    until(lambda: state_of(client)["is_thinking"])
    _, fresh = post(client, "new", opponent="person")
    thread.join()
    assert answers[0][0] == 200
    assert state_of(client) == fresh


def test_others_are_answered_while_as_many_think_as_may(monkeypatch: pytest.MonkeyPatch) -> None:
    may_answer, thinking = threading.Event(), threading.Semaphore(0)

    def advice(*_: Any) -> list[Any]:
        thinking.release()
        assert may_answer.wait(10)
        return []

    monkeypatch.setattr(TKMAdapter, "advice", advice)
    app = new_app(Session(TKM, {}, seed=1))
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(post(app.test_client(), "advice")[0]))
        for _ in range(MAX_THINKERS)
    ]
    for thread in threads:
        thread.start()
        assert thinking.acquire(timeout=10)
    client = app.test_client()
    status, content = post(client, "advice")
    assert (status, content["error"]) == (503, "BusyError")
    assert play(client, "choose 1")["log"]
    may_answer.set()
    for thread in threads:
        thread.join()
    assert answers == [200] * MAX_THINKERS
    assert post(client, "advice")[0] == 200


# Which hosts it listens to.


def test_this_machine_is_listened_to() -> None:
    for host in ("127.0.0.1:8000", "localhost:8000", "localhost", "[::1]:8000", "127.0.0.2"):
        assert refusal(host, None) is None, host
        assert refusal(host, f"http://{host}") is None, host


def test_a_name_that_another_site_could_have_is_refused() -> None:
    for path in ("/", "/api/state", "/api/record", "/page/page.js"):
        for host in (
            "evil.example",
            "localhost.evil.example:8000",
            "192.168.0.7:8000",
            "127.0.0.1.evil.example",
            "",
            "[",
            "127.0.0.1@evil",
        ):
            answer = client_of().get(path, headers={"Host": host})
            assert answer.status_code in (400, 403), (host, path)


def test_another_sites_page_is_refused() -> None:
    for origin in (
        "http://evil.example",
        "null",
        "http://127.0.0.1:9000",
        "https://127.0.0.1:8000",
        "",
    ):
        client = client_of()
        before = state_of(client)
        answer = client.post(
            "/api/play",
            json={"version": before["version"], "action": "choose 1"},
            headers={"Origin": origin},
        )
        assert answer.status_code == 403, origin
        assert "is not this page's" in answer.get_json()["message"], origin
        assert state_of(client) == before, origin


def test_where_other_machines_may_play_numbers_and_own_names_are_listened_to() -> None:
    assert refusal("192.168.0.7:8000", None, "0.0.0.0") is None
    assert refusal("box.example:8000", None, "box.example") is None
    assert (
        refusal("evil.example:8000", None, "0.0.0.0")
        == "the host 'evil.example:8000' is not this server's"
    )


def test_other_machines_must_be_allowed_explicitly() -> None:
    for host in ("0.0.0.0", "192.168.0.7", "::", "box.example", ""):
        with pytest.raises(
            ConfigError, match=f"host={host!r} is invalid: other machines could reach it"
        ):
            check_address(host, allow_remote=False)
        assert check_address(host, allow_remote=True), host


def test_every_answer_forbids_what_comes_from_elsewhere() -> None:
    for path in ("/", "/api/state", "/page/page.js", "/nothing"):
        with client_of().get(path) as answer:
            headers = answer.headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers


def test_what_is_still_being_written_can_be_seen_and_played_on(tmp_path: Path) -> None:
    """A page never shows a position with the version of the one before."""
    may_write, begun = threading.Event(), threading.Event()

    class SlowDisk(KeptGames):
        def keep(self, session: Session[Any]) -> None:
            begun.set()
            assert may_write.wait(30)
            super().keep(session)

    kept = SlowDisk(tmp_path)
    holder = SharedSession(Session(TKM, {}), kept)
    changes = [
        threading.Thread(
            target=holder.change,
            args=(version, lambda session, action=action: session.play(action)),
        )
        for version, action in enumerate(("choose 1", "move east"), 1)
    ]
    changes[0].start()
    assert begun.wait(30)
    assert (holder.version, holder.is_changing) == (2, False)
    changes[1].start()
    until(lambda: holder.version == 3)
    may_write.set()
    for change in changes:
        change.join()
    restored = KeptGames(tmp_path).session(holder.session.id)
    assert restored.game == holder.session.game


# Serving.


def test_it_serves_on_a_free_port_until_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    urls: list[str] = []

    class Interrupted(server.PageServer):
        def run(self) -> None:
            thread = threading.Thread(target=super().run)
            thread.start()
            with urllib.request.urlopen(f"{urls[0]}api/state") as answer:
                assert answer.status == 200
            self.stop()
            thread.join()
            raise KeyboardInterrupt

    monkeypatch.setattr(server, "PageServer", Interrupted)
    session = Session(TKM, {}, seed=1)
    assert server.serve(lambda: session, ready=urls.append) is session
    assert urls[0].startswith("http://127.0.0.1:")


def test_a_port_that_is_taken_is_reported() -> None:
    session = Session(TKM, {}, seed=1)
    taken = server.PageServer(session)
    port = int(taken.url.rstrip("/").rpartition(":")[2])
    try:
        with pytest.raises(
            ConfigError, match=f"port={port} is invalid: the server cannot listen on it"
        ):
            server.serve(lambda: session, port=port)
    finally:
        taken.close()


def test_an_address_that_is_not_this_machines_is_reported() -> None:
    for host in ("192.0.2.1", "no-such-host.invalid", "a" * 300, "box\0", "::zz"):
        with pytest.raises(
            ConfigError, match=r"host=.* is invalid: the server cannot listen on it"
        ):
            server.serve(lambda: Session(TKM, {}, seed=1), host=host, allow_remote=True)


def test_what_an_opponent_wrote_is_shown_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise PlayerError("bot", "it said \u202eevil\x1b[2J")

    monkeypatch.setattr(Session, "let_agent_play", fail)
    status, content = post(client_of(), "agent", version=1)
    assert status == 400
    assert r"it said \u202eevil\x1b[2J" in content["message"]


def test_the_document_says_what_the_limits_are() -> None:
    document = (Path(__file__).parents[2] / "docs/play.md").read_text("utf-8")
    for game in ("tkm", "terminus"):
        for name, reference in ROSTERS.of(game).agents.items():
            for option, most in getattr(reference(), "page_limits", {}).items():
                row = next(
                    line for line in document.splitlines() if line.startswith(f"| `{name}` |")
                )
                assert f"`{option}={most}`" in row
    for limit in (
        f"| {web_server.THREADS}, of which {MAX_THINKERS} ",
        f"| {web_server.CONNECTIONS};",
        f"within {web_server.REQUEST_SECONDS:g} seconds",
        f"within {web_server.ANSWER_SECONDS:g} seconds",
    ):
        assert limit in document
    assert MAX_REQUEST_BYTES == 16 * 1024


@pytest.mark.parametrize(
    "clock", ["0", "-1", "5+-1", "nan", "inf", "1e9", "5+9999", "5+nan", "", "five", "5+5+5", 5]
)
def test_a_clock_that_is_none_is_refused_at_its_field(clock: object) -> None:
    status, content = post(client_of(), "new", clock=clock)
    assert (status, content["setting"]) == (400, "clock")
    assert "minutes for each player" in content["reason"]


# Unfinished games, and games from files.


@pytest.fixture
def kept(tmp_path: Path) -> KeptGames:
    return KeptGames(tmp_path)


def client_that_keeps(kept: KeptGames, remote_name: str | None = None) -> FlaskClient:
    session = Session(TKM, {"concede": True}, seed=1)
    client = new_app(session, kept=kept, remote_name=remote_name).test_client()
    client.environ_base["HTTP_HOST"] = HOST
    return client


def test_a_game_is_kept_from_its_first_turn_to_its_end(kept: KeptGames) -> None:
    client = client_that_keeps(kept)
    play(client, "choose 1")
    assert kept.all() == []
    state = play(client, "move east")
    assert [game.id for game in kept.all()] == [state["session"]]
    play(client, "concede")
    assert kept.all() == []


def test_another_server_continues_a_game_that_was_kept(kept: KeptGames) -> None:
    before = play(client_that_keeps(kept), "choose 1", "move east")
    client = client_that_keeps(kept)
    (listed,) = client.get("/api/kept").get_json()["games"]
    assert listed["id"] == before["session"]
    assert "turn 1" in listed["label"]
    status, after = post(client, "continue", id=listed["id"])
    assert status == 200
    changing = ("version", "server")
    assert {key: value for key, value in after.items() if key not in changing} == {
        key: value for key, value in before.items() if key not in changing
    }
    assert after["server"] != before["server"]
    assert client.get("/api/kept").get_json()["games"] == [], "the current game is not listed"


def test_a_click_made_for_another_game_of_the_same_version_is_refused(kept: KeptGames) -> None:
    before = play(client_that_keeps(kept), "choose 1")
    client = client_that_keeps(kept)
    now = play(client, "choose 1")
    assert now["version"] == before["version"]
    asked = {"version": now["version"], "action": "move east"}
    for other in ("session", "server"):
        status, content = post(client, "play", **{other: before[other]}, **asked)
        assert (status, content["error"]) == (409, "StaleError")
    assert client.get(
        "/api/state", query_string={"since": now["version"], "session": before["session"]}
    ).get_json()
    assert post(client, "play", session=now["session"], **asked)[0] == 200


def test_a_kept_game_is_forgotten_if_it_is_not_the_current_one(kept: KeptGames) -> None:
    client = client_that_keeps(kept)
    current = play(client, "choose 1", "move east")["session"]
    post(client, "forget", id=current)
    assert [game.id for game in kept.all()] == [current]
    post(client, "new")
    post(client, "forget", id=current)
    assert kept.all() == []


def test_other_machines_see_no_list_but_continue_what_they_know(kept: KeptGames) -> None:
    before = play(client_that_keeps(kept), "choose 1", "move east")
    client = client_that_keeps(kept, remote_name="10.0.0.1")
    assert client.get("/api/kept").get_json()["games"] == []
    assert post(client, "continue", id=before["session"])[0] == 200


@pytest.mark.parametrize("given", [{}, {"id": 1}, {"id": "../x"}, {"id": "0" * 16}])
@pytest.mark.parametrize("is_keeping", [True, False])
def test_what_is_not_kept_cannot_be_continued(
    tmp_path: Path, is_keeping: bool, given: dict[str, Any]
) -> None:
    client = client_that_keeps(KeptGames(tmp_path if is_keeping else None))
    assert client.get("/api/kept").get_json()["is_keeping"] == is_keeping
    before = play(client, "choose 1")
    assert post(client, "continue", **given)[0] == 400
    assert state_of(client) == before


def test_the_page_says_why_games_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "games"
    for remote_name in (None, "10.0.0.1"):
        client = client_that_keeps(KeptGames(folder), remote_name)
        play(client, "choose 1", "move east")
        problem = client.get("/api/kept").get_json()["problem"]
        assert problem
        assert (str(tmp_path) in problem) == (remote_name is None), "strangers see no path"


def test_a_record_is_opened_after_any_of_its_actions(kept: KeptGames) -> None:
    game = Game(chapters="growth", handicap=(0, 2), concede=True)
    positions = [game.position]
    while game.result is None and len(positions) < 1_500:
        game.play(game.legal_names()[0])
        positions.append(game.position)
    record = game.to_record(players={"white": "greedy", "black": "person"})
    client = client_that_keeps(kept)
    for ply in (0, 1, 7, len(positions) - 1):
        status, state = post(client, "open", record=record, ply=ply)
        assert status == 200, state
        assert state["position"] == positions[ply]
        assert state["players"] == {"white": "greedy", "black": "person"}
    assert post(client, "open", record=record)[1]["position"] == positions[-1]


def test_a_record_that_is_none_is_refused_and_changes_nothing(kept: KeptGames) -> None:
    client = client_that_keeps(kept)
    before = play(client, "choose 1")
    record = Game().to_record()
    for asked in (
        {},
        {"record": [1]},
        {"record": {}},
        {"record": record | {"actions": ["fly"]}},
        {"record": record | {"game": "chess"}},
        {"record": record, "ply": 1},
        {"record": record, "ply": -1},
        {"record": record, "ply": "2"},
    ):
        status, content = post(client, "open", **asked)
        assert status == 400, (asked, content)
        assert state_of(client) == before
    for size, status in ((MAX_REQUEST_BYTES + 1, 400), (MAX_RECORD_BYTES + 1, 413)):
        sent = {"data": b"x" * size, "content_type": "application/json"}
        assert client.post("/api/open", **sent).status_code == status, size
