"""`tkm prove`: wins, kept in a file and checked."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from tests.players.tkm.test_proofs import win_in_three
from tkm_env.cli.root_command import tkm


def test_it_proves_keeps_and_checks_and_refuses_what_was_changed(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    found = CliRunner().invoke(
        tkm,
        [
            "prove",
            win_in_three().position,
            "--turns",
            "3",
            "--table-bits",
            "12",
            "--save",
            str(file),
        ],
    )
    assert found.exit_code == 0, found.output
    assert "white can force a win within 3 turns" in found.output
    assert "positions checked" in CliRunner().invoke(tkm, ["prove", "--check", str(file)]).output
    content = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**content, "turns": 1}), "utf-8")
    refused = CliRunner().invoke(tkm, ["prove", "--check", str(file)])
    assert refused.exit_code == 2
    assert "has not won here" in refused.output


def test_a_game_without_proofs_is_refused() -> None:
    refused = CliRunner().invoke(tkm, ["prove", "--game", "terminus"])
    assert refused.exit_code == 2
    assert "proofs are not available for this game" in refused.output
