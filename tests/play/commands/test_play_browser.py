"""`tkm play --browser`: it serves, keeps the game, and says what is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tkm_env.play
import tkm_env.web
from tkm_env import Game
from tkm_env.cli.root_command import tkm
from tkm_env.core.record_files import write_record
from tkm_env.core.turns import played
from tkm_env.games.registry import TKM
from tkm_env.play import server
from tkm_env.play.commands import play as play_command
from tkm_env.play.explorer import Explorer
from tkm_env.play.kept_games import KeptGames
from tkm_env.players.roster import ROSTERS


def test_the_command_serves_and_keeps_the_game(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    opened: list[str] = []

    def serve(make: Any, *, ready: Any, **keywords: Any) -> Any:
        session = make()
        assert (session.spec, session.players["black"]) == (TKM, ROSTERS.of(TKM).levels[0].player)
        assert session.game.config.concede, "people may concede"
        assert not session.game.config.draws, "there is nobody to agree to a draw with"
        assert keywords.pop("explorer") is None
        kept = keywords.pop("kept")
        assert isinstance(kept, KeptGames)
        assert keywords == {"host": "127.0.0.1", "port": 8765, "allow_remote": False}
        ready("http://127.0.0.1:8765/")
        session.play("choose 1")
        session.play("move east")
        return session

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(play_command.webbrowser, "open", opened.append)
    file = tmp_path / "games.jsonl"
    result = CliRunner().invoke(tkm, ["play", "--browser", "--port", "8765", "--save", str(file)])
    assert result.exit_code == 0, result.output
    assert "playing at http://127.0.0.1:8765/ until Ctrl-C is pressed" in result.output
    assert opened == ["http://127.0.0.1:8765/"]
    assert '"choose 1"' in file.read_text()
    CliRunner().invoke(tkm, ["play", "--browser", "--no-open", "--port", "8765"])
    assert len(opened) == 1, "--no-open opened a browser"


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for package, name in ((tkm_env.play, "server"), (tkm_env.web, "web_server")):
        monkeypatch.delitem(sys.modules, f"{package.__name__}.{name}")
        monkeypatch.delattr(package, name)
    monkeypatch.setitem(sys.modules, "waitress", None)
    result = CliRunner().invoke(tkm, ["play", "--browser"])
    assert result.exit_code == 2
    assert (
        result.output == "Error: waitress is not installed: python -m pip install -e '.[play]', "
        "in the folder of tkm_env\n"
    )


def test_the_command_does_not_open_the_game_to_other_machines_by_itself() -> None:
    result = CliRunner().invoke(tkm, ["play", "--browser", "--host", "0.0.0.0"])
    assert result.exit_code == 2
    assert "host='0.0.0.0' is invalid" in result.output


def test_two_agents_are_watched_beside_records(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "games.jsonl"
    write_record(file, played(Game(), ["choose 1", "move east"]).to_record())
    seen = {}

    def serve(make: Any, **keywords: Any) -> Any:
        seen["players"] = make().players
        seen["explorer"] = keywords["explorer"]

    monkeypatch.setattr(server, "serve", serve)
    command = ["play", "--browser", "--watch", "greedy", "--opponent", "random"]
    result = CliRunner().invoke(tkm, [*command, "--records", str(file)])
    assert result.exit_code == 0, result.output
    assert seen["players"] == {"white": "greedy", "black": "random"}
    assert isinstance(seen["explorer"], Explorer)


@pytest.mark.parametrize("option", ["--watch", "--records"])
def test_the_terminal_has_neither_watching_nor_records(option: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(tkm, ["play", option, str(tmp_path)])
    assert result.exit_code == 2
    assert "add --browser" in result.output
