"""Version 2: the casual games of people against bots."""

import sqlalchemy as sql
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "casual_games",
        sql.Column("id", sql.Integer, primary_key=True),
        sql.Column("person", sql.Integer, sql.ForeignKey("people.id"), nullable=False),
        sql.Column("opponent", sql.Text, nullable=False),
        sql.Column("bot", sql.Integer, nullable=False),
        sql.Column("settings", sql.Text, nullable=False),
        sql.Column("side", sql.Text, nullable=False),
        sql.Column("secret", sql.Text, nullable=False),
        sql.Column("began", sql.Float, nullable=False),
        sql.Column("changed", sql.Float, nullable=False),
        sql.Column("waits", sql.Integer, nullable=False),
        sql.Column("actions", sql.Text, nullable=False),
        sql.Column("ending", sql.Text, nullable=False),
    )
    for column in ("person", "ending"):
        op.create_index(f"ix_casual_games_{column}", "casual_games", [column])
