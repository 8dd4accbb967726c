"""The migrations of a league's database lead to the tables of today, from any earlier version."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

pytest.importorskip("alembic", reason="needs the extra [league]")

import sqlalchemy as sql
from alembic import op
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from tkm_env.arena.league.database import METADATA, PEOPLE
from tkm_env.arena.league.league import League
from tkm_env.arena.league.schema import VERSION_TABLE, bring_up_to_date
from tkm_env.arena.league.store import Store
from tkm_env.foundations.errors import FileError, NewerVersionError


def context_of(connection: sql.Connection) -> MigrationContext:
    return MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})


def engine_of(url: str) -> sql.Engine:
    """Its connections are closed as soon as they are no longer used."""
    return sql.create_engine(url, poolclass=sql.NullPool)


def test_the_migrations_make_the_tables_that_the_package_uses(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'league.sqlite'}"
    Store(url).check()
    with engine_of(url).connect() as connection:
        assert compare_metadata(context_of(connection), METADATA) == []


def test_a_database_from_before_there_were_versions_is_brought_up_to_date(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'league.sqlite'}"
    engine = engine_of(url)
    METADATA.create_all(engine, [METADATA.tables[name] for name in ("people", "bots", "seasons")])
    with engine.begin() as connection:
        connection.execute(sql.insert(PEOPLE).values(name="ann", token="x"))
    store = Store(url)
    assert [person.name for person in store.members()] == ["ann"]
    with engine.connect() as connection:
        context = context_of(connection)
        assert context.get_current_revision() == "2"
        assert compare_metadata(context, METADATA) == []


def test_a_database_of_the_first_version_gets_the_later_tables(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'league.sqlite'}"
    Store(url).join("ann")
    engine = engine_of(url)
    METADATA.drop_all(engine, [METADATA.tables["casual_games"]])
    with engine.begin() as connection:
        connection.execute(sql.text(f"UPDATE {VERSION_TABLE} SET version_num = '1'"))
    store = Store(url)
    assert [person.name for person in store.members()] == ["ann"]
    with engine.connect() as connection:
        assert compare_metadata(context_of(connection), METADATA) == []


def test_a_database_of_a_later_version_is_left_as_it_is(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'league.sqlite'}"
    Store(url).check()
    engine = engine_of(url)
    with engine.begin() as connection:
        connection.execute(sql.text("UPDATE tkm_env_version SET version_num = '7'"))
    before = (tmp_path / "league.sqlite").read_bytes()
    with pytest.raises(NewerVersionError, match=r"in version 7.*no later version than 2"):
        Store(url).join("ann")
    with engine.begin() as connection, pytest.raises(NewerVersionError):
        bring_up_to_date(connection, url)
    (tmp_path / "league.toml").write_text(
        '[conditions]\nisolation = "process"\n[[players]]\nplayer = "random"\n', "utf-8"
    )
    with pytest.raises(NewerVersionError):
        League(tmp_path, waits=True)
    assert (tmp_path / "league.sqlite").read_bytes() == before


@pytest.mark.parametrize("versions", [["abc"], ["0"], ["1", "abc"]], ids=["word", "zero", "two"])
def test_a_database_of_a_version_that_no_league_has_is_refused(
    versions: list[str], tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'league.sqlite'}"
    with engine_of(url).begin() as connection:
        connection.execute(sql.text(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32))"))
        for version in versions:
            row = sql.text(f"INSERT INTO {VERSION_TABLE} VALUES (:version)")
            connection.execute(row, {"version": version})
    before = (tmp_path / "league.sqlite").read_bytes()
    with pytest.raises(FileError, match=f"holds no version of a league: .*'{versions[-1]}'"):
        Store(url).join("ann")
    assert (tmp_path / "league.sqlite").read_bytes() == before


def test_an_error_in_the_midst_of_a_migration_leaves_no_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("no space is left")

    url = f"sqlite:///{tmp_path / 'league.sqlite'}"
    with monkeypatch.context() as patch:
        patch.setattr(op, "create_index", fail)  # the tables have been created by then
        with pytest.raises(OSError, match="no space"):
            Store(url).season()
    assert sql.inspect(engine_of(url)).get_table_names() == []
    assert Store(url).season().number == 1


def test_threads_may_open_a_new_database_at_the_same_time(tmp_path: Path) -> None:
    count = 8
    url = f"sqlite:///{tmp_path / 'league.sqlite'}"
    shared, start = Store(url), Barrier(count)

    def season(number: int) -> int:
        store = shared if number % 2 else Store(url)
        start.wait()
        return store.season().number

    with ThreadPoolExecutor(count) as threads:
        assert [*threads.map(season, range(count))] == [1] * count
