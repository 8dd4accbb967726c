"""A third game, which the package does not know, on the page."""

from __future__ import annotations

import pytest

from tests.games.test_third_game import WON
from tests.games.tictactoe import SPEC, TicTacToe
from tkm_env.play.session import Session


def test_page(tictactoe: str) -> None:
    flask = pytest.importorskip("flask", reason="needs the extra [play]")
    assert flask
    from tkm_env.play.app import new_app

    client = new_app(Session(SPEC, {}, opponent="person", seed=1)).test_client()
    state = client.get("/api/state").get_json()
    assert state["title"] == "Tic-tac-toe"
    assert [choice["name"] for choice in state["choices"]] == [*TicTacToe.action_names]
    for action in WON:
        answer = client.post("/api/play", json={"version": state["version"], "action": action})
        state = answer.get_json()
    assert state["situation"] == "over, cross won"
    assert [entry["action"] for entry in state["log"]] == [*WON]
    assert client.get("/replay").status_code == 200
