"""A league whose database is PostgreSQL: a server of the test's own, where the system has one."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena.league.leagues import small_league
from tests.arena.league.postgresql import SERVER, Server
from tkm_env.arena.league.app import new_app
from tkm_env.arena.league.database import BENCHED, PLAYING, WAITING
from tkm_env.arena.league.league import League
from tkm_env.arena.league.store import QuotaError, Season
from tkm_env.foundations.errors import ConfigError

pytest.importorskip("psycopg", reason="needs psycopg")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One with an empty database."""
    if SERVER is None:
        pytest.skip("needs PostgreSQL")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        server = Server(Path(folder, "server"))
        yield server
        server.end(signal.SIGTERM)


@pytest.mark.slow
def test_a_league_moves_to_postgresql_by_its_backup_and_goes_on(
    server: Server, tmp_path: Path
) -> None:
    before = small_league(tmp_path / "league")
    ann, bob = (before.store.issue_token(name) for name in ("ann", "bob"))
    person = before.store.person(ann)
    assert person is not None
    before.store.add_bot(person, "x")
    before.back_up(tmp_path / "backup.zip")
    League.restore(tmp_path / "backup.zip", tmp_path / "again", server.url)
    store = League(tmp_path / "again", server.url).store
    assert store.dump() == before.store.dump()
    assert store.person(bob) is not None
    (bot,) = store.bots(WAITING)
    store.decide(bot, "log\n", "digest")
    assert [one.log for one in store.bots(PLAYING)] == ["log\n"]
    store.bench("ann", "digest", "it lost")
    assert [one.log for one in store.bots(BENCHED)] == ["log\nit lost\n"]
    assert store.person(store.issue_token("cem")) is not None, (
        "numbers go on after those that were restored"
    )
    assert store.add_bot(person, "y") == 2
    with pytest.raises(QuotaError):
        store.check_quota(person, 2)
    assert store.move_on("open") == Season(2, "open")


@pytest.mark.slow
def test_a_service_whose_database_is_killed_says_so_and_goes_on_with_it(
    server: Server, tmp_path: Path
) -> None:
    league = small_league(tmp_path / "league", database=server.url)
    client, token = new_app(league).test_client(), league.store.issue_token("ann")
    client.environ_base["HTTP_HOST"] = "127.0.0.1"
    server.end(signal.SIGKILL)
    answers = {
        path: client.get(path, headers={"Authorization": f"Bearer {token}"})
        for path in ("/api/me", "/tables")
    }
    page = client.get("/me")
    server.start()
    assert [answer.status_code for answer in (*answers.values(), page)] == [503] * 3
    assert "database" in answers["/api/me"].text
    assert "database" in page.text, "people read why"
    assert client.get("/api/me", headers={"Authorization": f"Bearer {token}"}).status_code == 200


@pytest.mark.slow
def test_a_league_may_begin_before_its_database(server: Server, tmp_path: Path) -> None:
    server.end(signal.SIGTERM)
    with pytest.raises(ConfigError, match="database="):
        small_league(tmp_path / "league", database=server.url)
    client = new_app(League(tmp_path / "league", server.url, waits=True)).test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1"
    before = client.get("/me")
    server.start()
    assert (before.status_code, client.get("/me").status_code) == (503, 200)


def test_a_database_that_is_not_there_is_named_without_its_password(tmp_path: Path) -> None:
    for wrong in (
        "postgresql+psycopg://me:secret@127.0.0.1:1/x",
        "nonsense",
        "oracle+nothing://me:secret@x",
    ):
        with pytest.raises(ConfigError) as caught:
            small_league(tmp_path / "league", database=wrong)
        assert "secret" not in str(caught.value), wrong
