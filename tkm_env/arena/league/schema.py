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

from tkm_env.foundations.files import refuse_newer

#: The name of this stored form.
FORM: Final = "tkm_env league database"
_MIGRATIONS: Final = Path(__file__).parent / "migrations"


def bring_up_to_date(connection: sql.Connection, place: str) -> None:
    """Create the tables of a league, or change older ones to today's, in one transaction.

    Args:
        connection: a connection to the database, in a transaction.
        place: what errors call the database.

    Raises:
        NewerVersionError: if a newer version of the package has changed it; nothing changes then.
    """
    settings = Config()
    settings.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    head = ScriptDirectory.from_config(settings).get_current_head()
    found = MigrationContext.configure(connection).get_current_revision()
    assert head is not None
    if found == head:
        return
    if found is not None:
        refuse_newer(place, FORM, int(found), int(head))
    settings.attributes["connection"] = connection
    command.upgrade(settings, head)
