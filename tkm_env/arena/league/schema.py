"""The version of a league's database, and how an older database is brought up to date.

Each version is a migration of Alembic in ``migrations/versions``, whose revision is the number of
the version. Released migrations never change.
"""

from pathlib import Path
from typing import Final

import sqlalchemy as sql
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from tkm_env.foundations.errors import FileError, repr_of
from tkm_env.foundations.files import refuse_newer

#: The name of this stored form.
FORM: Final = "tkm_env league database"
#: The table that holds the version, as Alembic's revision.
VERSION_TABLE: Final = "tkm_env_version"
_MIGRATIONS: Final = Path(__file__).parent / "migrations"


def bring_up_to_date(connection: sql.Connection, place: str) -> None:
    """Create the tables of a league, or change older ones to today's, in one transaction.

    Only one thread of a process may call it at a time, since Alembic has global state.

    Args:
        connection: a connection to the database, in a transaction that has done nothing yet.
        place: what errors call the database.

    Raises:
        NewerVersionError: if a newer version of the package has changed it; nothing changes then.
        FileError: if its version is none of a league's; nothing changes then.
    """
    if connection.dialect.name == "sqlite":
        # Python's driver would begin a transaction only before rows change, not before tables do.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    settings = Config()
    settings.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    script = ScriptDirectory.from_config(settings)
    head = script.get_current_head()
    assert head is not None
    options = {"version_table": VERSION_TABLE}
    found = MigrationContext.configure(connection, opts=options).get_current_heads()
    if found == (head,):
        return
    for revision in found:
        if revision.isdecimal():
            refuse_newer(place, FORM, int(revision), int(head))
    known = {revision.revision for revision in script.walk_revisions()}
    if len(found) > 1 or not known.issuperset(found):
        held = ", ".join(map(repr_of, found))
        raise FileError(place, f"the table {VERSION_TABLE} holds no version of a league: {held}")
    settings.attributes["connection"] = connection
    command.upgrade(settings, head)
