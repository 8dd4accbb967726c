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
    assert "season 1 is frozen\n" in run("season", folder, "freeze", "--yes")
    assert "season 1 is already frozen" in run("season", folder, "freeze", "--yes", code=2)
    assert "season 2 is open\n" in run("season", folder, "new", "--yes")
    run("backup", folder, tmp_path / "cup.zip")
    run("restore", tmp_path / "cup.zip", tmp_path / "again")
    assert League(tmp_path / "again").store.season() == Season(2, "open")


@pytest.mark.parametrize("phase", ["freeze", "final", "new"])
def test_a_season_moves_on_only_after_a_question_and_has_a_way_back(
    tmp_path: Path, phase: str
) -> None:
    folder = tmp_path / "cup"
    store = small_league(folder).store
    assert "Go on?" in run("season", folder, phase, code=1)
    assert "Go on?" not in run("season", folder, phase, "--dry-run")
    assert store.season() == Season(1, "open")
    assert "tkm league season" in run("season", folder, phase, "--yes")
    assert store.season() != Season(1, "open")
    while store.season() != Season(1, "open"):
        run("season", folder, "back", "--yes")
    assert "no step before" in run("season", folder, "back", "--yes", code=2)


def test_a_frozen_season_is_opened_again(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    store = small_league(folder).store
    assert "it is open, not frozen" in run("unfreeze", folder, code=2)
    store.move_on("frozen")
    assert run("unfreeze", folder) == "season 1 is open\n"
    assert store.season() == Season(1, "open")


def test_playing_begins_once_the_database_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, later = tmp_path / "cup", tmp_path / "later"
    small_league(folder, games=2)
    monkeypatch.setattr("time.sleep", lambda _: later.mkdir(exist_ok=True))
    url = f"sqlite:///{later / 'league.sqlite'}"
    output = run("play", folder, "--database", url, "--once", "--processes", "1")
    assert "waiting for the database" in output
    assert (folder / "games" / "season-1.jsonl").read_bytes().count(b"\n") >= 2


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
