"""What a league says when its machine fails: full disks, busy and absent databases, its paths."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from tests.arena.league.leagues import BOT, archive, small_league
from tests.arena.league.test_league import client_of, send, states
from tests.arena.results_files import finished, written
from tkm_env.arena.league.league import League
from tkm_env.arena.league.refusals import without_places
from tkm_env.arena.league.store import Season
from tkm_env.foundations.errors import ConfigError


@pytest.fixture
def league(tmp_path: Path) -> League:
    return small_league(tmp_path / "league")


#: What may fail to write, and with which error of the system.
FULL: dict[str, tuple[Any, str, int]] = {
    "the upload": (shutil, "copyfileobj", errno.ENOSPC),
    "a quota of the system": (shutil, "copyfileobj", errno.EDQUOT),
    "a file of an archive": (Path, "open", errno.ENOSPC),
    "a read-only disk": (Path, "mkdir", errno.EROFS),
    "a folder without permission": (Path, "rename", errno.EACCES),
}


@pytest.mark.parametrize(("owner", "function", "number"), FULL.values(), ids=FULL)
def test_a_disk_that_cannot_be_written_blames_nobody(
    league: League, monkeypatch: pytest.MonkeyPatch, owner: Any, function: str, number: int
) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    with monkeypatch.context() as patched:

        def fail(*_: Any, **__: Any) -> None:
            raise OSError(number, os.strerror(number), str(league.folder))

        patched.setattr(owner, function, fail)
        answer = send(client, token, archive({"mine/bot.py": BOT}), "bot.zip")
    assert (answer.status_code, answer.json["error"]) == (507, "StorageError")
    assert "not your fault" in answer.json["message"]
    assert states(league, token) == [], "it counts for the quota"
    assert [*(league.folder / "bots").iterdir()] == []
    assert send(client, token, archive({"mine/bot.py": BOT}), "bot.zip").status_code == 201


def test_a_full_database_blames_nobody(league: League) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorname = "SQLITE_FULL"

    def fail(*_: Any) -> int:
        raise OperationalError("INSERT", {}, error) from error

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(league.store, "add_bot", fail)
        answer = send(client, token, BOT.encode())
    assert (answer.status_code, states(league, token)) == (507, [])
    assert [*(league.folder / "bots").iterdir()] == [], "the files of a bot that is none"


def test_a_busy_database_is_answered_within_two_seconds(league: League) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    client.post("/sign-in", data={"token": token})
    with closing(sqlite3.connect(league.folder / "league.sqlite", isolation_level=None)) as busy:
        busy.execute("BEGIN EXCLUSIVE")
        for path in ("/me", "/tables", "/api/league"):
            began = time.monotonic()
            answer = client.get(path)
            assert answer.status_code == 503, path
            assert "database" in answer.text
            assert time.monotonic() - began < 2, path
        began = time.monotonic()
        assert send(client, token, BOT.encode()).status_code == 503
        assert time.monotonic() - began < 2
        busy.execute("ROLLBACK")
        assert send(client, token, BOT.encode()).status_code == 201


def test_a_league_may_begin_before_its_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the database is a file in a folder that comes later."""
    small_league(tmp_path / "league")
    place = tmp_path / "later" / "league.sqlite"
    url = f"sqlite:///{place}"
    with pytest.raises(ConfigError, match="database="):
        League(tmp_path / "league", url)
    league = League(tmp_path / "league", url, waits=True)
    client = client_of(league)
    assert client.get("/me").status_code in (503, 507)
    place.parent.mkdir()
    assert client.get("/me").status_code == 200
    assert league.store.season() == Season(1, "open")


def test_no_page_and_no_message_names_a_place_on_the_server(league: League) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    place = str(league.folder / "bots" / "x" / "bot" / "bot.py")
    record = finished("ann", "greedy", fault="white")
    record["fault"]["seen"] = f"it ended: {place}, line 3"
    written(league.games_of(league.store.season()), [record])
    person = league.store.person(token)
    assert person is not None
    league.store.add_bot(person, "x")
    league.store.decide(league.store.bots("waiting")[0], f"{place}: line 3\n", None)
    client.post("/sign-in", data={"token": token})
    for path in ("/me", "/api/me", "/tables/season-1", "/tables/season-1/1.html"):
        text = client.get(path, headers={"Authorization": f"Bearer {token}"}).text
        assert str(league.folder) not in text, path
        assert ".../bots/x/bot/bot.py" in text, path
    assert str(league.folder) not in client.get("/api/tables/season-1/1").text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}/bots/a: no", ".../bots/a: no"),
        ("'{}'", "'...'"),
        ("{}er", "{}er"),
        ("/api{}", "/api{}"),
        ("{}", "..."),
    ],
)
def test_only_whole_paths_are_hidden(text: str, expected: str) -> None:
    folder = Path("/srv/a league/cup & \u00e9")
    assert without_places(text.format(folder), folder) == expected.format(folder)


def test_every_step_of_a_season_has_a_way_back(league: League) -> None:
    store = league.store
    with pytest.raises(ConfigError, match="no step before"):
        store.move_back()
    passed = [store.season()]
    for phase in ("frozen", "final", "open", "frozen", "open"):
        assert store.move_on(phase, dry_run=True) == store.move_on(phase) == store.season()
        passed.append(store.season())
    for season in passed[-2::-1]:
        assert store.move_back(dry_run=True) == season
        assert store.move_back() == season == store.season()
