"""What Alembic runs to migrate the database that `tkm_env.arena.league.schema` hands it."""

from alembic import context

from tkm_env.arena.league.database import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite cannot change columns in place
)
context.run_migrations()
