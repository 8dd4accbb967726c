"""The command ``tkm league`` but for what it serves."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner

from tests.arena.league.leagues import BOT, small_league
from tkm_env.arena.league.casual_games import CasualGames
from tkm_env.arena.league.league import League
from tkm_env.arena.league.playing import check_waiting
from tkm_env.arena.league.store import Season
from tkm_env.cli.root_command import tkm
from tkm_env.core.record_files import read_records
from tkm_env.foundations.errors import ConfigError


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


@pytest.mark.parametrize(
    "url",
    ["cup.example.org", "ftp://x", "https://", "https://x/league", "https://a@x", "https://x:y"],
)
def test_a_public_address_that_no_browser_can_have_is_refused(tmp_path: Path, url: str) -> None:
    small_league(tmp_path / "cup")
    assert "such as https://cup.example.org" in run(
        "serve", tmp_path / "cup", "--url", url, "--no-play", code=2
    )


def test_a_database_of_another_kind_is_refused(tmp_path: Path) -> None:
    small_league(tmp_path / "cup")
    output = run("people", tmp_path / "cup", "--database", "mysql://x/y", code=2)
    assert "it is none of sqlite, postgresql" in output


def test_a_new_league_says_what_comes_next(tmp_path: Path) -> None:
    small_league(tmp_path / "cup")
    assert "tkm league token" in run("people", tmp_path / "cup")
    assert "there are no bots yet" in run("bots", tmp_path / "cup")


def test_the_list_of_bots_begins_with_the_latest(tmp_path: Path) -> None:
    league = small_league(tmp_path / "cup")
    for number in (1, 2):
        league.store.add_bot(league.store.join("ann"), f"{number}")
    assert re.findall(r"^ *(\d+) +ann", run("bots", league.folder, "--all"), re.MULTILINE) == [
        "2",
        "1",
    ]


def test_an_organiser_sees_people_and_bots_and_can_take_everything_back(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    league = small_league(folder)
    store = league.store
    run("token", folder, "ann")
    run("token", folder, "eve", "--organiser")
    person = store.named("ann")
    store.add_bot(person, league.receive(io.BytesIO(BOT.encode()), "bot.py"))
    store.decide(*store.bots("waiting"), "passed\n", "digest")
    assert re.search(r"ann +1 +20\d\d-.* UTC", run("people", folder))
    assert re.search(r"eve +0 +organiser", run("people", folder))
    assert re.search(r"1 +ann +playing", run("bots", folder))
    assert "did you mean 'ann'?" in run("ban", folder, "anna", "--why", "x", code=2)

    def state() -> str:
        return store.bots(person=person)[-1].state

    for command in ("ban", "remove"):
        why = ("--why", "it floods the log")
        run(command, folder, "ann", *why, "--dry-run")
        run(command, folder, "ann", *why, code=1)  # the question has no answer
        assert state() == "playing"
        assert "is told the reason" in run(command, folder, "ann", "--yes", code=2)
        run(command, folder, "ann", *why, "--yes")
        assert state() == "benched"
        run(command, folder, "ann", *why, "--yes", code=2)
        if command == "ban":
            assert "banned: it floods the log" in run("people", folder)
            with pytest.raises(ConfigError, match="you are banned: it floods the log"):
                store.check_quota(person, 9)
            assert "is banned" in run("remove", folder, "ann", "--back", code=2)
            run("ban", folder, "ann", "--back")
        run("remove", folder, "ann", "--back")
        assert state() == "playing"
        run(command, folder, "ann", "--back", code=2)
    lines = run("log", folder, "ann").splitlines()
    assert [line.partition("UTC  ann ")[2] for line in reversed(lines)] == [
        "got a new token",
        "uploaded bot 1",
        "bot 1 passed its check",
        "was banned: it floods the log",
        "is no longer banned",
        "bot 1 plays again",
        "bot was removed: it floods the log",
        "bot 1 plays again",
    ]
    assert len(run("log", folder, "--last", "3").splitlines()) == 3


def test_casual_games_are_shown_with_who_is_to_play(tmp_path: Path) -> None:
    league = small_league(tmp_path / "league")
    person, games = league.store.join("ann"), CasualGames(league.store)
    games.begin(person, "greedy", 0, 1, settings="[]", side="white", secret="1", waits=1)
    shown = run("workers", league.folder)
    assert re.search(r"casual game 1: ann against greedy, begun .* UTC, ann to play", shown)


def test_what_the_workers_do_is_shown(tmp_path: Path) -> None:
    league = small_league(tmp_path / "cup", games=2)
    assert "wait for their check: 0" in run("workers", league.folder)
    run("play", league.folder, "--once", "--processes", "1")
    assert re.search(rf"-{os.getpid()}: \w+ against \w+, turn", run("workers", league.folder))


def test_a_database_with_a_league_is_replaced_only_after_a_question(tmp_path: Path) -> None:
    small_league(tmp_path / "cup").store.issue_token("ann")
    run("backup", tmp_path / "cup", tmp_path / "cup.zip")
    url = f"sqlite:///{tmp_path / 'other.sqlite'}"
    given = ("restore", tmp_path / "cup.zip", tmp_path / "again", "--database", url)
    assert "would" not in run(*given, "--dry-run")
    assert not (tmp_path / "again").exists()
    run(*given)
    again = ("restore", tmp_path / "cup.zip", tmp_path / "third", "--database", url)
    assert "with 1 people, is replaced" in run(*again, code=1)
    run(*again, "--yes")


def test_a_restored_league_plays_on_with_the_same_games(tmp_path: Path) -> None:
    league = small_league(tmp_path / "cup", games=6)
    person = league.store.join("ann")
    league.store.add_bot(person, league.receive(io.BytesIO(BOT.encode()), "bot.py"))
    check_waiting(league)
    season = league.store.season()
    games = league.games_of(season)
    playing = cast(
        Generator[Any, None, None], league.tournament(season, league.store.bench).play(games)
    )
    with contextlib.closing(playing):
        assert len([*itertools.islice(playing, 5)]) == 5
    run("backup", league.folder, tmp_path / "cup.zip")
    run("restore", tmp_path / "cup.zip", tmp_path / "again")
    for folder in (league.folder, tmp_path / "again"):
        run("play", folder, "--once", "--processes", "1")
    results = [
        [
            {key: record[key] for key in ("players", "seed", "actions", "result")}
            for _, record in read_records(folder / "games" / "season-1.jsonl")
        ]
        for folder in (league.folder, tmp_path / "again")
    ]
    assert results[0] == results[1]
    assert len(results[0]) > 5


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
