"""What Alembic runs to migrate the database that `tkm_env.arena.league.schema` hands it."""

from alembic import context

from tkm_env.arena.league.database import METADATA
from tkm_env.arena.league.schema import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    render_as_batch=True,  # SQLite cannot change columns in place
    transactional_ddl=True,  # SQLite can do that as well once a transaction has begun
)
with context.begin_transaction():
    context.run_migrations()
