"""Positions are studied: the best lines, the table's verdict, and what was played in records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")

from flask.testing import FlaskClient

from tkm_env import ConfigError, Game
from tkm_env.core.record_files import write_record
from tkm_env.core.registry import GameSpec
from tkm_env.core.turns import played
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.play.app import new_app
from tkm_env.play.explorer import Explorer
from tkm_env.play.session import Session

OPENING = ("choose 1", "move east", "move south", "focus present")
#: Another way to the same position.
ROUND = ("choose 1", "move south", "move east", "focus present")
REPLY = ("choose 16", "move west", "move north", "focus past")
#: Two copies against two.
ENDGAME = (
    "W.../..../..../....|W.../..../..../...B|..../..../..../...B - w c PF - 0/0 - ---/--- -/- 1"
)


def client_of(
    spec: GameSpec = TKM,
    explorer: Explorer | None = None,
    remote_name: str | None = None,
    **keywords: Any,
) -> FlaskClient:
    session: Session[Any] = Session(spec, {}, **{"seed": 1, **keywords})
    client = new_app(session, explorer=explorer, remote_name=remote_name).test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1:8000"
    return client


def ask(client: FlaskClient, what: str, **body: Any) -> Any:
    answer = client.post(f"/api/{what}", json=body)
    assert answer.status_code == 200, answer.get_json()
    return answer.get_json()


def test_the_best_lines_are_stepped_through() -> None:
    client = client_of()
    lines = ask(client, "lines", ply=0)
    assert len(lines) == 3
    game = Game()
    for turn in lines[0]["turns"]:
        assert (turn["player"], turn["short"].startswith(("past ", "present ", "future "))) == (
            game.to_act,
            True,
        )
        game = played(game, turn["actions"])
    actions = [action for turn in lines[0]["turns"] for action in turn["actions"]]
    assert ask(client, "look", ply=0, actions=actions)["position"] == game.position


def test_looking_changes_nothing_and_looks_anywhere() -> None:
    client = client_of()
    state = client.get("/api/state").get_json()
    for number, action in enumerate(OPENING):
        client.post("/api/play", json={"version": state["version"] + number, "action": action})
    before = client.get("/api/state").get_json()
    assert ask(client, "look", ply=0)["position"] == Game().position
    assert ask(client, "look", ply=4, actions=REPLY)["position"] == (
        played(Game(), (*OPENING, *REPLY)).position
    )
    assert client.get("/api/state").get_json() == before


@pytest.mark.parametrize(
    "body",
    [{}, {"ply": -1}, {"ply": 1}, {"ply": 0, "actions": "choose 1"}, {"ply": 0, "actions": [1]}],
    ids=str,
)
def test_a_position_that_the_game_has_not_is_refused(body: dict[str, Any]) -> None:
    for what in ("look", "lines"):
        assert client_of().post(f"/api/{what}", json=body).status_code == 400


def test_a_turn_is_written_shortly_with_its_deaths() -> None:
    adapter = Session(TKM, {}).adapter
    assert adapter.short(Game(), OPENING) == "past 1→2→6, focus present"
    growth = Game(chapters="growth")
    assert adapter.short(growth, ("choose 1", "plant here", "move east", "focus future")) == (
        "past 1, plant here, 1→2, focus future"
    )
    at_the_wall = Game(
        position="..WB/..../..../....|W.../..../..../...B|..../..../..../...B "
        "- w c PF - 3/2 - ---/--- -/- 1"
    )
    killing = adapter.short(at_the_wall, ("choose 3", "move east"))
    assert killing == "past 3→4\N{MULTIPLICATION SIGN}"


def test_the_table_gives_its_verdict() -> None:
    found = ask(client_of(position=ENDGAME), "look", ply=0)
    assert found["verdict"].startswith("Solved: ")
    assert ask(client_of(), "look", ply=0)["verdict"] == ""


def test_a_line_that_would_reveal_cards_is_refused() -> None:
    client = client_of(TERMINUS)
    assert ask(client, "look", ply=0)["verdict"] == ""
    action = client.get("/api/state").get_json()["choices"][0]["name"]
    answer = client.post("/api/look", json={"ply": 0, "actions": [action]})
    assert (answer.status_code, answer.get_json()["error"]) == (403, "HiddenError")


# Records.


def record_of(*actions: str, white: str = "ann", black: str = "bea") -> dict[str, Any]:
    return played(Game(concede=True), actions).to_record(players={"white": white, "black": black})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "records"
    folder.mkdir()
    write_record(folder / "a.jsonl", record_of(*OPENING, *REPLY, "concede"))
    write_record(folder / "a.jsonl", record_of(*OPENING, "concede", white="cleo"))
    write_record(folder / "b.jsonl", record_of(*ROUND, *REPLY))
    (folder / "c.json").write_text("{}")
    return folder


def test_what_was_played_is_told_with_how_it_ended_and_by_whom(folder: Path) -> None:
    explorer = Explorer(folder)
    explorer.read()
    assert (explorer.num_read, explorer.is_complete, len(explorer.problems)) == (3, True, 1)
    found = ask(client_of(explorer=explorer), "look", ply=0)["records"]
    by_end = {turn["short"]: turn for turn in found["turns"]}
    first = by_end.pop("past 1→2→6, focus present")
    assert (first["games"], first["won"], first["players"]) == (3, [1, 1], ["ann", "cleo"])
    assert not by_end, "another way to the same position counts by itself"


def test_replies_are_found_whatever_way_led_there(folder: Path) -> None:
    explorer = Explorer(folder)
    explorer.read()
    found = explorer.turns_from(played(Game(concede=True), ROUND))
    assert [(turn.actions, turn.games) for turn in found] == [(REPLY, 2), (("concede",), 1)]
    assert explorer.turns_from(Game(chapters="growth")) == []


def test_what_the_settings_of_the_game_rule_out_is_left_out(folder: Path) -> None:
    explorer = Explorer(folder)
    explorer.read()
    found = explorer.turns_from(played(Game(concede=False), OPENING))
    assert [(turn.actions, turn.games) for turn in found] == [(REPLY, 2)]


def test_only_the_turns_that_are_told_are_played_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = Explorer(folder)
    explorer.read()
    replayed: list[tuple[str, ...]] = []

    def counted(game: Any, actions: tuple[str, ...]) -> Any:
        replayed.append(actions)
        return played(game, actions)

    monkeypatch.setattr("tkm_env.play.explorer.played", counted)
    (turn,) = explorer.turns_from(Game(concede=True))
    assert (turn.games, replayed) == (3, [OPENING]), "ROUND leads to the same position"


def test_a_turn_that_was_broken_off_is_left_out(tmp_path: Path) -> None:
    for actions in ((*OPENING, "choose 16", "move west"), ("choose 1",), ()):
        write_record(tmp_path / "a.jsonl", record_of(*actions))
    explorer = Explorer(tmp_path)
    explorer.read()
    client = client_of(explorer=explorer)
    found = ask(client, "look", ply=0)["records"]
    assert (found["read"], [turn["games"] for turn in found["turns"]]) == (3, [1])
    assert ask(client, "look", ply=0, actions=OPENING)["records"]["turns"] == []


def test_a_few_problems_are_told_but_no_paths_over_a_network(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"{number}.json").write_text("{}")
    explorer = Explorer(tmp_path)
    explorer.read()

    def problems(remote_name: str | None) -> list[str]:
        client = client_of(explorer=explorer, remote_name=remote_name)
        told: list[str] = ask(client, "look", ply=0)["records"]["problems"]
        return told

    *first, rest = problems(None)
    assert [str(tmp_path / f"{number}.json") in one for number, one in enumerate(first)] == (
        [True] * 5
    )
    assert rest == "3 more files could not be read"
    assert problems("127.0.0.1") == ["8 files could not be read"]


def test_a_place_without_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no records"):
        Explorer(tmp_path)
