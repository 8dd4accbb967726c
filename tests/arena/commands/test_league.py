"""The command ``tkm league`` but for what it serves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.arena.league.leagues import small_league
from tkm_env.arena.league.league import League
from tkm_env.arena.league.store import Season
from tkm_env.cli.root_command import tkm


def run(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(tkm, ["league", *map(str, words)])
    assert result.exit_code == code, result.output
    return result.output


def test_an_organiser_makes_a_league_hands_out_tokens_ends_a_season_and_keeps_it_in_a_file(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "cup"
    run("new", folder, "--title", 'The "Cup"')
    assert League(folder).rules.title == 'The "Cup"'
    assert "this league already exists" in run("new", folder, code=2)
    small_league(folder)
    lines = run("token", folder, "ann", "bob").splitlines()
    store = League(folder).store
    assert [(store.person(line.split()[0]) or ["", ""])[1] for line in lines] == ["ann", "bob"]
    assert run("season", folder, "freeze") == "season 1 is frozen\n"
    assert "season 1 is already frozen" in run("season", folder, "freeze", code=2)
    assert run("season", folder, "new") == "season 2 is open\n"
    run("backup", folder, tmp_path / "cup.zip")
    run("restore", tmp_path / "cup.zip", tmp_path / "again")
    assert League(tmp_path / "again").store.season() == Season(2, "open")


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in sys.modules if name.startswith("tkm_env.arena.league.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    assert "'.[league]'" in run("new", tmp_path / "cup", code=2)


def test_other_machines_are_let_in_on_request_only(tmp_path: Path) -> None:
    small_league(tmp_path / "cup")
    assert "other machines could reach it" in run(
        "serve", tmp_path / "cup", "--host", "0.0.0.0", code=2
    )
