"""The migrations of a league's database lead to the tables of today, from any earlier version."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("alembic", reason="needs the extra [league]")

import sqlalchemy as sql
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from tkm_env.arena.league.database import METADATA, PEOPLE
from tkm_env.arena.league.league import League
from tkm_env.arena.league.schema import bring_up_to_date
from tkm_env.arena.league.store import Store
from tkm_env.foundations.errors import NewerVersionError


def test_the_migrations_make_the_tables_that_the_package_uses(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'league.sqlite'}"
    Store(url).check()
    with sql.create_engine(url).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def test_a_database_from_before_there_were_versions_is_brought_up_to_date(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'league.sqlite'}"
    engine = sql.create_engine(url)
    METADATA.create_all(engine, [METADATA.tables[name] for name in ("people", "bots", "seasons")])
    with engine.begin() as connection:
        connection.execute(sql.insert(PEOPLE).values(name="ann", token="x"))
    store = Store(url)
    assert [person.name for person in store.members()] == ["ann"]
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == "1"
        assert compare_metadata(context, METADATA) == []


def test_a_database_of_a_later_version_is_left_as_it_is(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'league.sqlite'}"
    Store(url).check()
    engine = sql.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sql.text("UPDATE alembic_version SET version_num = '7'"))
    before = (tmp_path / "league.sqlite").read_bytes()
    with pytest.raises(NewerVersionError, match=r"in version 7.*no later version than 1"):
        Store(url).join("ann")
    with engine.begin() as connection, pytest.raises(NewerVersionError):
        bring_up_to_date(connection, url)
    (tmp_path / "league.toml").write_text(
        '[conditions]\nisolation = "process"\n[[players]]\nplayer = "random"\n', "utf-8"
    )
    with pytest.raises(NewerVersionError):
        League(tmp_path, waits=True)
    assert (tmp_path / "league.sqlite").read_bytes() == before
