"""Who takes part in a league, and with what: a small SQL database. Games are not in it: the truth about these are the files of records.

SQLite or PostgreSQL, by URL. Each call is one transaction, so that a service which is killed has done a thing or has not.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, Final, NamedTuple

import sqlalchemy as sql
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, IntegrityError, SQLAlchemyError

from tkm_env.arena.versions import base_of
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.files import check_keys
from tkm_env.foundations.untrusted_text import visible

#: What becomes of a bot: it waits for its check, is refused or plays; until it is benched, withdrawn, or another one replaces it.
WAITING, REFUSED, PLAYING, BENCHED, WITHDRAWN, REPLACED = (
    "waiting",
    "refused",
    "playing",
    "benched",
    "withdrawn",
    "replaced",
)
_STATES: Final = (WAITING, REFUSED, PLAYING, BENCHED, WITHDRAWN, REPLACED)
#: What a season goes through.
PHASES: Final = ("open", "frozen", "final")
_DAY: Final = 86_400.0
_LONGEST_NAME: Final = 40
#: The highest number of a row.
_MOST: Final = 2**31 - 1

_META: Final = sql.MetaData()
_PEOPLE: Final = sql.Table(
    "people",
    _META,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("name", sql.String(_LONGEST_NAME), unique=True, nullable=False),
    sql.Column(
        "token", sql.String(64), nullable=False
    ),  # its SHA-256; what is random needs no salt
)
_BOTS: Final = sql.Table(
    "bots",
    _META,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("person", sql.ForeignKey("people.id"), nullable=False, index=True),
    sql.Column("uploaded", sql.Float, nullable=False),  # seconds since 1970
    sql.Column("folder", sql.String(40), nullable=False),
    sql.Column("state", sql.String(10), nullable=False, index=True),
    sql.Column("digest", sql.String(32), nullable=False, default=""),
    sql.Column("log", sql.Text, nullable=False, default=""),
)
_SEASONS: Final = sql.Table(
    "seasons",
    _META,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("phase", sql.String(10), nullable=False),
)


class Person(NamedTuple):
    """Somebody who takes part."""

    id: int
    name: str


class Bot(NamedTuple):
    """What somebody uploaded."""

    id: int
    name: str  # the person's, and so the bot's
    uploaded: float  # seconds since 1970
    folder: str  # where it lies, in the league's ``bots``
    state: str  # `WAITING` or another one
    digest: str  # of its files, once it was checked
    log: str  # what its author is told


class Season(NamedTuple):
    """The season that goes on."""

    number: int
    phase: str  # one of `PHASES`


class QuotaError(ConfigError):
    """Somebody uploaded too much, or when nobody may."""


class Store:
    """The database at a URL, made if there is none. Raises a `ConfigError` if it cannot be used."""

    def __init__(self, url: str) -> None:
        try:
            is_file = make_url(url).get_backend_name() == "sqlite"
            # A writer of a file waits for others. Each transaction connects anew, so that a server may end and begin in between.
            self._engine = sql.create_engine(
                url, poolclass=sql.NullPool, connect_args={"timeout": 30} if is_file else {}
            )
            _META.create_all(self._engine)
            with self._engine.begin() as open_:
                if open_.scalar(sql.select(sql.func.count()).select_from(_SEASONS)) == 0:
                    open_.execute(sql.insert(_SEASONS).values(number=1, phase=PHASES[0]))
        except (ArgumentError, ImportError, SQLAlchemyError) as error:
            raise ConfigError(
                "database", _without_password(url), f"it cannot be used: {error}"
            ) from error

    def join(self, name: str) -> Person:
        """Have somebody of this name take part, if nobody has it yet. Raises a `ConfigError` if nobody can have that name."""
        if not _is_name(name):
            form = f"a name has 1 to {_LONGEST_NAME} printable characters, and no @ with a number at its end"
            raise ConfigError("name", name, form)
        with self._engine.begin() as open_:
            number = open_.scalar(sql.select(_PEOPLE.c.id).where(_PEOPLE.c.name == name))
            if number is None:
                number = open_.execute(
                    sql.insert(_PEOPLE).values(name=name, token="").returning(_PEOPLE.c.id)
                ).scalar_one()
        return Person(number, name)

    def issue_token(self, name: str) -> str:
        """A new token for somebody of this name, who joins by it; an older one is no longer valid. Raises a `ConfigError` as `join`."""
        number, secret = self.join(name).id, secrets.token_urlsafe(32)
        with self._engine.begin() as open_:
            open_.execute(
                sql.update(_PEOPLE).where(_PEOPLE.c.id == number).values(token=_digest(secret))
            )
        return f"{number}.{secret}"

    def person(self, token: str) -> Person | None:
        """Whose token it is."""
        number, _, secret = token.partition(".")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            return None
        with self._engine.begin() as open_:
            row = open_.execute(
                sql.select(_PEOPLE).where(_PEOPLE.c.id == int(number))
            ).one_or_none()
        is_right = hmac.compare_digest(row.token if row is not None else "", _digest(secret))
        return Person(row.id, row.name) if row is not None and is_right else None

    def check_quota(self, person: Person, a_day: int) -> None:
        """Raise a `QuotaError` unless this person may upload another bot now, by so many a day."""
        with self._engine.begin() as open_:
            recent = sql.and_(_BOTS.c.person == person.id, _BOTS.c.uploaded > time.time() - _DAY)
            count = open_.scalar(sql.select(sql.func.count()).select_from(_BOTS).where(recent)) or 0
            self._check_open(open_, person)
        if count >= a_day:
            raise QuotaError("file", person.name, f"{a_day} bots in 24 hours are allowed")

    def add_bot(self, person: Person, folder: str) -> int:
        """Have a bot wait for its check; returns its number. Raises a `QuotaError` if the season has been frozen meanwhile."""
        row = {"person": person.id, "folder": folder, "uploaded": time.time(), "state": WAITING}
        with self._engine.begin() as open_:
            self._check_open(open_, person)
            self._end(open_, person.id, REPLACED, WAITING)
            return int(
                open_.execute(sql.insert(_BOTS).values(**row).returning(_BOTS.c.id)).scalar_one()
            )

    def enter(self, person: Person, folder: str) -> None:
        """Have what is in this folder be this person's bot, unless it was the last one and is not withdrawn."""
        last = self.bots(person=person)[-1:]
        if not last or last[0].folder != folder or last[0].state == WITHDRAWN:
            self.add_bot(person, folder)

    def decide(self, bot: Bot, log: str, digest: str | None) -> None:
        """Note how the check of a waiting bot ended: if there is a digest, it plays, in place of one that its author had before."""
        with self._engine.begin() as open_:
            person = open_.scalar(
                sql.select(_BOTS.c.person).where(_BOTS.c.id == bot.id, _BOTS.c.state == WAITING)
            )
            if person is None:
                return  # its author was faster
            if digest is not None:
                self._end(open_, person, REPLACED, PLAYING)
            change = {
                "state": REFUSED if digest is None else PLAYING,
                "digest": digest or "",
                "log": log,
            }
            open_.execute(sql.update(_BOTS).where(_BOTS.c.id == bot.id).values(**change))

    def bench(self, name: str, digest: str, why: str) -> None:
        """A bot with these files plays no more."""
        with self._engine.begin() as open_:
            people = (
                sql.select(_PEOPLE.c.id).where(_PEOPLE.c.name == base_of(name)[0]).scalar_subquery()
            )
            ours = sql.and_(
                _BOTS.c.person == people, _BOTS.c.digest == digest, _BOTS.c.state == PLAYING
            )
            open_.execute(
                sql.update(_BOTS).where(ours).values(state=BENCHED, log=_BOTS.c.log + f"{why}\n")
            )

    def withdraw(self, person: Person) -> None:
        """The bot of this person plays no more; its games stay."""
        with self._engine.begin() as open_:
            self._end(open_, person.id, WITHDRAWN, WAITING, PLAYING)

    @staticmethod
    def _end(open_: sql.Connection, person: int, state: str, *before: str) -> None:
        open_.execute(
            sql.update(_BOTS)
            .where(_BOTS.c.person == person, _BOTS.c.state.in_(before))
            .values(state=state)
        )

    @staticmethod
    def _check_open(open_: sql.Connection, person: Person) -> None:
        if (
            open_.scalar(sql.select(_SEASONS.c.phase).order_by(_SEASONS.c.number.desc()).limit(1))
            != PHASES[0]
        ):
            raise QuotaError("file", person.name, "this season takes no more bots")

    def bots(self, *states: str, person: Person | None = None) -> list[Bot]:
        """Bots in these states, or all of this person, by their numbers."""
        columns = [_PEOPLE.c.name if field == "name" else _BOTS.c[field] for field in Bot._fields]
        ours = _BOTS.c.state.in_(states) if person is None else _BOTS.c.person == person.id
        with self._engine.begin() as open_:
            return [
                Bot(*row)
                for row in open_.execute(
                    sql.select(*columns).join(_PEOPLE).where(ours).order_by(_BOTS.c.id)
                )
            ]

    def season(self) -> Season:
        """The season that goes on."""
        last = (
            sql.select(_SEASONS.c.number, _SEASONS.c.phase)
            .order_by(_SEASONS.c.number.desc())
            .limit(1)
        )
        with self._engine.begin() as open_:
            return Season(*open_.execute(last).one())

    def move_on(self, phase: str) -> Season:
        """Have the season go on to a later phase, or with ``"open"`` the next one begin. Raises a `ConfigError` if it is past that."""
        number, now = self.season()
        if phase != PHASES[0] and PHASES.index(phase) <= PHASES.index(now):
            raise ConfigError("phase", phase, f"season {number} is {now}")
        with self._engine.begin() as open_:
            if phase == PHASES[0]:
                open_.execute(sql.insert(_SEASONS).values(number=number + 1, phase=phase))
            else:
                open_.execute(
                    sql.update(_SEASONS).where(_SEASONS.c.number == number).values(phase=phase)
                )
        return self.season()

    def dump(self) -> dict[str, list[dict[str, Any]]]:
        """All rows of all tables, as of one moment."""
        with (
            self._engine.connect().execution_options(isolation_level="SERIALIZABLE") as open_,
            open_.begin(),
        ):
            return {
                table.name: [dict(row) for row in open_.execute(sql.select(table)).mappings()]
                for table in _META.sorted_tables
            }

    def load(self, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        """Have these rows in place of all others. Raises a `ConfigError` if `dump` cannot have returned them, and changes nothing then."""
        _check_tables(tables)
        with _refusing_contradictions(), self._engine.begin() as open_:
            for table in reversed(_META.sorted_tables):
                open_.execute(sql.delete(table))
            for table in _META.sorted_tables:
                if rows := tables[table.name]:
                    open_.execute(sql.insert(table), [dict(row) for row in rows])
                if (
                    self._engine.dialect.name == "postgresql" and "id" in table.c
                ):  # its counter does not follow
                    last = sql.func.coalesce(sql.func.max(table.c.id), 1)
                    open_.execute(sql.select(sql.func.setval(f"{table.name}_id_seq", last)))


@contextmanager
def _refusing_contradictions() -> Iterator[None]:
    """Turn what the database says of rows that it cannot hold, or not together, into a `ConfigError`."""
    try:
        yield
    except (IntegrityError, DataError) as error:
        raise ConfigError(
            "tables", str(error.orig), "the database of a league cannot hold these rows"
        ) from error


def _check_tables(tables: Any) -> None:
    """Raise a `ConfigError` unless `Store.dump` can have returned this."""
    check_keys("tables", tables, [table.name for table in _META.sorted_tables])
    for table in _META.sorted_tables:
        if not isinstance(tables[table.name], list):
            raise ConfigError(table.name, tables[table.name], "it must be a list of rows")
        for row in tables[table.name]:
            check_keys(table.name, row, table.c.keys())
            for column in table.c:
                if not (
                    _fits(column, row[column.name])
                    and _FORMS.get(column.name, _is_any)(row[column.name])
                ):
                    raise ConfigError(
                        f"{table.name}.{column.name}",
                        row[column.name],
                        "the database of a league cannot hold this",
                    )
    if not tables[_SEASONS.name]:
        raise ConfigError(_SEASONS.name, [], "there must be one")


def _fits(column: sql.Column[Any], value: object) -> bool:
    """Whether a value is of the type of a column."""
    return type(value) is column.type.python_type and not (
        isinstance(value, int) and not 0 <= value <= _MOST
    )


def _is_name(name: str) -> bool:
    """Whether somebody can be called so."""
    return (
        0 < len(name) <= _LONGEST_NAME
        and name == visible(name.strip())
        and base_of(name)[0] == name
    )


def _is_folder(name: str) -> bool:
    """Whether a bot's folder can be called so: it lies beside the others."""
    return name != "" and name == PurePath(name).name and not name.startswith(".")


def _is_any(value: object) -> bool:
    return True


#: What the texts in columns of these names are.
_FORMS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "name": _is_name,
    "folder": _is_folder,
    "state": _STATES.__contains__,
    "phase": PHASES.__contains__,
}


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _without_password(url: str) -> str:
    try:
        return make_url(url).render_as_string()
    except ArgumentError:
        return "a URL"
