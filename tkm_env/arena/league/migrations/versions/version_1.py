"""The tables of the first version; some of them exist if a development version made them."""

import sqlalchemy as sql
from alembic import op

revision = "1"
down_revision = None

_INDICES = (
    ("bots", "person"),
    ("bots", "state"),
    ("events", "at"),
    ("events", "who"),
    ("requests", "at"),
)


def upgrade() -> None:
    """Create the tables, unless they exist."""
    op.create_table(
        "people",
        sql.Column("id", sql.Integer, primary_key=True),
        sql.Column("name", sql.String(40), unique=True, nullable=False),
        sql.Column("token", sql.String(64), nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "bots",
        sql.Column("id", sql.Integer, primary_key=True),
        sql.Column("person", sql.Integer, sql.ForeignKey("people.id"), nullable=False),
        sql.Column("uploaded", sql.Float, nullable=False),
        sql.Column("folder", sql.String(40), nullable=False),
        sql.Column("state", sql.String(10), nullable=False),
        sql.Column("digest", sql.String(32), nullable=False),
        sql.Column("log", sql.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "seasons",
        sql.Column("number", sql.Integer, primary_key=True),
        sql.Column("phase", sql.String(10), nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "bans",
        sql.Column("person", sql.Integer, sql.ForeignKey("people.id"), primary_key=True),
        sql.Column("why", sql.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "organisers",
        sql.Column("person", sql.Integer, sql.ForeignKey("people.id"), primary_key=True),
        if_not_exists=True,
    )
    op.create_table(
        "events",
        sql.Column("id", sql.Integer, primary_key=True),
        sql.Column("at", sql.Float, nullable=False),
        sql.Column("who", sql.String(40), nullable=False),
        sql.Column("what", sql.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "requests",
        sql.Column("id", sql.Integer, primary_key=True),
        sql.Column("at", sql.Float, nullable=False),
        sql.Column("season", sql.Integer, nullable=False),
        sql.Column("person", sql.Integer, sql.ForeignKey("people.id"), nullable=False),
        sql.Column("opponent", sql.Text, nullable=False),
        sql.Column("pairs", sql.Integer, nullable=False),
        if_not_exists=True,
    )
    for table, column in _INDICES:
        op.create_index(f"ix_{table}_{column}", table, [column], if_not_exists=True)
