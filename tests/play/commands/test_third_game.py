"""A third game, which the package does not know, in the terminal and on a replay's page."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from tests.games.test_third_game import WON, played
from tkm_env.cli.root_command import tkm
from tkm_env.render.replay import replay_page


def test_replay_page(tictactoe: str, tmp_path: Path) -> None:
    record = tmp_path / "game.json"
    record.write_text(
        json.dumps(played(*WON).to_record(players={"cross": "ann", "nought": "random"})), "utf-8"
    )
    result = CliRunner().invoke(tkm, ["replay", str(record), "-o", str(tmp_path / "game.html")])
    assert result.exit_code == 0, result.output
    page = (tmp_path / "game.html").read_text("utf-8")
    assert "ann against random" in page
    assert page == replay_page(played(*WON).replay({"cross": "ann", "nought": "random"}))


def test_terminal(tictactoe: str) -> None:
    arguments = ["play", "--game", "tictactoe", "--opponent", "person"]
    result = CliRunner().invoke(tkm, arguments, input="\n".join(WON) + "\n")
    assert result.exit_code == 0, result.output
    assert "turn 1: cross to act" in result.output
    assert "x x x" in result.output
    assert result.output.rstrip().endswith("over, cross won")
