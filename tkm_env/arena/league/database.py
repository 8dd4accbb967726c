"""The tables of a league's database, and checks of their rows."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final, TypeAlias

import sqlalchemy as sql

from tkm_env.arena.playing.versions import base_of
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.files import check_keys
from tkm_env.foundations.untrusted_text import visible

#: All rows of all tables, by the name of the table; each row by the names of its columns.
Tables: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]

# The states of a bot: it waits for its check, is refused or plays ...
WAITING: Final = "waiting"
REFUSED: Final = "refused"
PLAYING: Final = "playing"
# ... until it is benched, withdrawn, or replaced by another bot of its author.
BENCHED: Final = "benched"
WITHDRAWN: Final = "withdrawn"
REPLACED: Final = "replaced"
STATES: Final = (WAITING, REFUSED, PLAYING, BENCHED, WITHDRAWN, REPLACED)

#: The phases of a season, in order.
PHASES: Final = ("open", "frozen", "final")

#: The most characters of a person's name.
LONGEST_NAME: Final = 40
#: The largest integer that a column holds.
_LARGEST: Final = 2**31 - 1

METADATA: Final = sql.MetaData()
PEOPLE: Final = sql.Table(
    "people",
    METADATA,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("name", sql.String(LONGEST_NAME), unique=True, nullable=False),
    # The SHA-256 of the token, which needs no salt, since it is random.
    sql.Column("token", sql.String(64), nullable=False),
)
BOTS: Final = sql.Table(
    "bots",
    METADATA,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("person", sql.ForeignKey("people.id"), nullable=False, index=True),
    sql.Column("uploaded", sql.Float, nullable=False),  # seconds since 1970
    sql.Column("folder", sql.String(40), nullable=False),
    sql.Column("state", sql.String(10), nullable=False, index=True),
    sql.Column("digest", sql.String(32), nullable=False, default=""),
    sql.Column("log", sql.Text, nullable=False, default=""),
)
SEASONS: Final = sql.Table(
    "seasons",
    METADATA,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("phase", sql.String(10), nullable=False),
)
BANS: Final = sql.Table(
    "bans",
    METADATA,
    sql.Column("person", sql.ForeignKey("people.id"), primary_key=True),
    sql.Column("why", sql.Text, nullable=False),
)
ORGANISERS: Final = sql.Table(
    "organisers", METADATA, sql.Column("person", sql.ForeignKey("people.id"), primary_key=True)
)
EVENTS: Final = sql.Table(
    "events",
    METADATA,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("at", sql.Float, nullable=False, index=True),  # seconds since 1970
    # The name of the person that it concerns; empty for the whole league.
    sql.Column("who", sql.String(LONGEST_NAME), nullable=False, index=True),
    sql.Column("what", sql.Text, nullable=False),
)
REQUESTS: Final = sql.Table(
    "requests",
    METADATA,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("at", sql.Float, nullable=False, index=True),  # seconds since 1970
    sql.Column("season", sql.Integer, nullable=False),
    sql.Column("person", sql.ForeignKey("people.id"), nullable=False),
    sql.Column("opponent", sql.Text, nullable=False),
    # The number of pairs of games that the two should have played.
    sql.Column("pairs", sql.Integer, nullable=False),
)
CASUAL_GAMES: Final = sql.Table(
    "casual_games",
    METADATA,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("person", sql.ForeignKey("people.id"), nullable=False, index=True),
    sql.Column("opponent", sql.Text, nullable=False),
    # The id of the opponent's bot; 0 for a player in league.toml.
    sql.Column("bot", sql.Integer, nullable=False),
    # The game and its settings, as `tkm_env.evaluation.starts.Settings.key` writes them.
    sql.Column("settings", sql.Text, nullable=False),
    sql.Column("side", sql.Text, nullable=False),  # the person's side
    sql.Column("secret", sql.Text, nullable=False),  # everything random in it derives from this
    sql.Column("began", sql.Float, nullable=False),  # seconds since 1970
    sql.Column("changed", sql.Float, nullable=False),  # when anything was last played, likewise
    # 1 if the person is to play, 0 if the bot is.
    sql.Column("waits", sql.Integer, nullable=False),
    sql.Column("actions", sql.Text, nullable=False),  # indices, separated by spaces
    # How it ended, in a sentence for the person; empty while it goes on.
    sql.Column("ending", sql.Text, nullable=False, index=True),
)
#: The tables that older backups lack.
_LATER: Final = (BANS, ORGANISERS, EVENTS, REQUESTS, CASUAL_GAMES)


def is_name(name: str) -> bool:
    """Whether a person can have this name."""
    return (
        0 < len(name) <= LONGEST_NAME and name == visible(name.strip()) and base_of(name)[0] == name
    )


def _is_folder(name: str) -> bool:
    """Whether a bot's folder can have this name, which must not lead elsewhere."""
    return name != "" and name == PurePath(name).name and not name.startswith(".")


#: The checks of text in columns of these names; text in other columns may be anything.
_TEXTS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "name": is_name,
    "folder": _is_folder,
    "state": STATES.__contains__,
    "phase": PHASES.__contains__,
}


def with_later_tables(tables: Any) -> Any:
    """Return tables with empty ones in place of those that older backups lack."""
    if not isinstance(tables, dict):
        return tables
    return {table.name: [] for table in _LATER} | tables


def check_tables(tables: Any) -> None:
    """Check that a league's database can hold these tables, which have the form of `Tables`.

    Raises:
        ConfigError: naming the table, and the column, that it cannot hold.
    """
    check_keys("tables", tables, [table.name for table in METADATA.sorted_tables])
    for table in METADATA.sorted_tables:
        if not isinstance(tables[table.name], list):
            raise ConfigError(table.name, tables[table.name], "it must be a list of rows")
        for row in tables[table.name]:
            check_keys(table.name, row, table.c.keys())
            for column in table.c:
                if not _fits(column, row[column.name]):
                    raise ConfigError(
                        f"{table.name}.{column.name}",
                        row[column.name],
                        "the database of a league cannot hold this",
                    )
    if not tables[SEASONS.name]:
        raise ConfigError(SEASONS.name, [], "there must be at least one season")


def _fits(column: sql.Column[Any], value: object) -> bool:
    """Whether a column may hold a value."""
    if type(value) is not column.type.python_type:
        return False
    if isinstance(value, int) and not 0 <= value <= _LARGEST:
        return False
    is_text_of = _TEXTS.get(column.name)
    return is_text_of is None or is_text_of(value)
