"""A third game, which the package does not know, in matches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tkm_env.arena.match import Match
from tkm_env.cli.root_command import tkm
from tkm_env.core.record_files import read_records


def by_seed(records: list[dict[str, Any]]) -> dict[int, list[str]]:
    return {record["seed"]: record["actions"] for record in records}


def test_matches(tictactoe: str, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    arguments = [
        "random",
        "random",
        "--games",
        "4",
        "--seed",
        "1",
        "--processes",
        "2",
        "--game",
        "tictactoe",
        "--save",
        str(file),
    ]
    result = CliRunner().invoke(tkm, ["match", *arguments])
    assert result.exit_code == 0, result.output
    assert "4 games" in result.output
    records = [record for _, record in read_records(file)]
    assert {record["game"] for record in records} == {"tictactoe"}
    again = list(Match("random", "random", 4, seed=1, game="tictactoe").play())
    assert by_seed(records) == by_seed(again), "two processes play what one does"


def test_the_help_of_matches_names_it(tictactoe: str) -> None:
    assert "tictactoe" in CliRunner().invoke(tkm, ["match", "--help"]).output
