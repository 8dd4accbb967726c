"""A league whose database is PostgreSQL: a server of the test's own, where the system has one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.league.leagues import small_league, wait_until
from tkm_env.errors import ConfigError
from tkm_env.league.league import League
from tkm_env.league.store import BENCHED, PLAYING, WAITING, QuotaError, Season, Store

pytest.importorskip("psycopg", reason="needs psycopg, which connects to PostgreSQL")
_BINARIES = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), *map(Path, os.environ["PATH"].split(":"))]
_SERVER = next((folder / "postgres" for folder in _BINARIES if (folder / "initdb").exists()), None)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of an empty database."""
    if _SERVER is None:
        pytest.skip("needs PostgreSQL, Debian's package postgresql")
    user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []  # it refuses to run as root
    if user and shutil.which("runuser") is None:
        pytest.skip("needs runuser, since PostgreSQL does not run as root")
    with tempfile.TemporaryDirectory() as place:
        if user:
            shutil.chown(place, "postgres")
        data, name = f"{place}/data", "postgres"
        subprocess.run([*user, _SERVER.with_name("initdb"), "-D", data, "-U", name, "-A", "trust"], check=True, capture_output=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [*user, _SERVER, "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", place, "-c", "fsync=off"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            address = f"postgresql+psycopg://{name}@127.0.0.1:{port}/postgres"

            def answers() -> bool:
                try:
                    return bool(Store(address))
                except ConfigError:
                    return False

            wait_until(answers, 60)
            yield address
            server.terminate()


@pytest.mark.slow
def test_a_league_moves_to_postgresql_by_its_backup_and_goes_on(url: str, tmp_path: Path) -> None:
    before = small_league(tmp_path / "league")
    ann, bob = (before.store.issue_token(name) for name in ("ann", "bob"))
    person = before.store.person(ann)
    assert person is not None
    before.store.add_bot(person, "x")
    before.back_up(tmp_path / "backup.zip")
    League.restore(tmp_path / "backup.zip", tmp_path / "again", url)
    store = League(tmp_path / "again", url).store
    assert store.dump() == before.store.dump()
    assert store.person(bob) is not None
    (bot,) = store.bots(WAITING)
    store.decide(bot, "log\n", "digest")
    assert [one.log for one in store.bots(PLAYING)] == ["log\n"]
    store.bench("ann", "digest", "it lost")
    assert [one.log for one in store.bots(BENCHED)] == ["log\nit lost\n"]
    assert store.person(store.issue_token("cem")) is not None, "numbers go on after those that were restored"
    assert store.add_bot(person, "y") == 2
    with pytest.raises(QuotaError):
        store.check_quota(person, 2)
    assert store.move_on("open") == Season(2, "open")


def test_a_database_that_is_not_there_is_named_without_its_password(tmp_path: Path) -> None:
    for wrong in ("postgresql+psycopg://me:secret@127.0.0.1:1/x", "nonsense", "oracle+nothing://me:secret@x"):
        with pytest.raises(ConfigError) as caught:
            small_league(tmp_path / "league", database=wrong)
        assert "secret" not in str(caught.value), wrong
