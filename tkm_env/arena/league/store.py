"""A small SQL database of a league's participants, their bots, and the season.

It is SQLite or PostgreSQL, by URL. Games are not in it, but in the files of records. Each call is
one transaction, so that a server that is killed has completed a change or not begun it.
"""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import sqlalchemy as sql
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)

from tkm_env.arena.league.database import (
    BANS,
    BENCHED,
    BOTS,
    EVENTS,
    LONGEST_NAME,
    METADATA,
    ORGANISERS,
    PEOPLE,
    PHASES,
    PLAYING,
    REFUSED,
    REPLACED,
    REQUESTS,
    SEASONS,
    WAITING,
    WITHDRAWN,
    Tables,
    check_tables,
    is_name,
    with_later_tables,
)
from tkm_env.arena.league.schema import bring_up_to_date
from tkm_env.arena.playing.versions import base_of
from tkm_env.arena.tournament.tournament_plan import RequestedGames
from tkm_env.foundations.errors import ConfigError, did_you_mean

_DAY: Final = 86_400.0  # seconds
#: The time for which SQLite waits for other programs, in seconds.
_PATIENCE: Final = 1
#: Held while a database is prepared: Alembic, which does that, has global state.
_PREPARING: Final = threading.Lock()


class Person(NamedTuple):
    """A participant."""

    id: int
    name: str


class UploadedBot(NamedTuple):
    """An uploaded bot."""

    id: int
    name: str  # the name of its author, which is also the bot's
    uploaded: float  # when it was uploaded, in seconds since 1970
    folder: str  # the name of its folder in the league's ``bots``
    state: str  # one of `tkm_env.arena.league.database.STATES`
    digest: str  # the digest of its files, once it has passed its check; empty before
    log: str  # what its author can read


class Member(NamedTuple):
    """A participant as the organiser sees them."""

    name: str
    is_organiser: bool
    banned: str  # why they are banned; empty if they are not
    bots: int  # how many bots they have uploaded
    last_upload: float | None  # when they uploaded the last one, in seconds since 1970


class Event(NamedTuple):
    """Something that happened in a league."""

    id: int
    at: float  # when it happened, in seconds since 1970
    who: str  # the person that it concerns; empty for the whole league
    what: str


class Season(NamedTuple):
    """The current season."""

    number: int
    phase: str  # one of `tkm_env.arena.league.database.PHASES`


def utc(seconds: float) -> str:
    """Format a time, in seconds since 1970, for people everywhere."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


class QuotaError(ConfigError):
    """A person may not upload now: too many bots, a closed season, or a ban."""


#: The databases that a league can have, as URLs begin.
_KINDS: Final = ("sqlite", "postgresql")


class Store:
    """The database at a URL, whose tables are created with the first transaction if necessary.

    It need not answer yet: until it does, all calls raise SQLAlchemy's `OperationalError`.

    Raises:
        ConfigError: if no database can have this URL.

    If a newer version of the package has changed the tables, all calls raise a `NewerVersionError`;
    if the database has a version that no league has, a `FileError`.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._is_prepared = False
        try:
            kind = make_url(url).get_backend_name()
            if kind not in _KINDS:
                raise ArgumentError(f"it is none of {', '.join(_KINDS)}")
            is_file = kind == "sqlite"
            # Each transaction opens a new connection, so that the server may restart in between.
            self._engine = sql.create_engine(
                url, poolclass=sql.NullPool, connect_args={"timeout": _PATIENCE} if is_file else {}
            )
        except (ArgumentError, ImportError, SQLAlchemyError) as error:
            raise self._refusal(error) from error

    def _refusal(self, error: Exception) -> ConfigError:
        why = str(error).partition("(Background on this error at")[0].strip()
        return ConfigError("database", _without_password(self._url), f"it cannot be used: {why}")

    def check(self) -> None:
        """Check that the database answers.

        Raises:
            ConfigError: if it does not.
        """
        try:
            self.season()
        except SQLAlchemyError as error:
            raise self._refusal(error) from error

    @contextmanager
    def transaction(self) -> Iterator[sql.Connection]:
        """Hold a connection; what it changes is changed at the end, or not at all."""
        if not self._is_prepared:
            with _PREPARING:
                if not self._is_prepared:
                    self._prepare_beside_others()
                    self._is_prepared = True
        with self._engine.begin() as connection:
            yield connection

    def _prepare_beside_others(self) -> None:
        """Prepare the database; another process may create the tables at the same time."""
        try:
            self._prepare()
        except (IntegrityError, OperationalError, ProgrammingError):
            self._prepare()

    def _prepare(self) -> None:
        """Bring the tables up to date, and create the first season unless there is one."""
        with self._engine.begin() as connection:
            bring_up_to_date(connection, _without_password(self._url))
        with self._engine.begin() as connection:
            if connection.scalar(sql.select(sql.func.count()).select_from(SEASONS)) == 0:
                connection.execute(sql.insert(SEASONS).values(number=1, phase=PHASES[0]))

    # People.

    def join(self, name: str) -> Person:
        """Return the person of this name, who is added if necessary.

        Raises:
            ConfigError: if the name is not allowed.
        """
        if not is_name(name):
            form = (
                f"a name must have 1 to {LONGEST_NAME} printable characters, and must not end in @ "
                "and a number"
            )
            raise ConfigError("name", name, form)
        with self.transaction() as connection:
            number = connection.scalar(sql.select(PEOPLE.c.id).where(PEOPLE.c.name == name))
            if number is None:
                row = sql.insert(PEOPLE).values(name=name, token="").returning(PEOPLE.c.id)
                number = connection.execute(row).scalar_one()
        return Person(number, name)

    def issue_token(self, name: str) -> str:
        """Issue a new token for a person, who is added if necessary; an older one becomes invalid.

        Raises:
            ConfigError: if the name is not allowed.
        """
        number, secret = self.join(name).id, secrets.token_urlsafe(32)
        change = sql.update(PEOPLE).where(PEOPLE.c.id == number).values(token=_digest(secret))
        with self.transaction() as connection:
            connection.execute(change)
            note(connection, name, "got a new token")
        return f"{number}.{secret}"

    def appoint(self, name: str) -> None:
        """Make a person, who is added if necessary, an organiser.

        Raises:
            ConfigError: if the name is not allowed.
        """
        person = self.join(name)
        if not self.is_organiser(person):
            with self.transaction() as connection:
                connection.execute(sql.insert(ORGANISERS).values(person=person.id))
                note(connection, name, "became an organiser")

    def is_organiser(self, person: Person) -> bool:
        """Whether a person may change the league."""
        found = sql.select(ORGANISERS).where(ORGANISERS.c.person == person.id)
        with self.transaction() as connection:
            return connection.execute(found).one_or_none() is not None

    def named(self, name: str) -> Person:
        """Return the person of this name.

        Raises:
            ConfigError: if there is none.
        """
        with self.transaction() as connection:
            found = sql.select(PEOPLE.c.id).where(PEOPLE.c.name == name)
            number = connection.scalar(found)
            names = connection.scalars(sql.select(PEOPLE.c.name).order_by(PEOPLE.c.name)).all()
        if number is None:
            raise ConfigError("name", name, f"nobody has this name{did_you_mean(name, names)}")
        return Person(number, name)

    def members(self) -> list[Member]:
        """Return all people, in the order in which they joined."""
        uploads = (
            sql.select(
                BOTS.c.person,
                sql.func.count().label("bots"),
                sql.func.max(BOTS.c.uploaded).label("last"),
            )
            .group_by(BOTS.c.person)
            .subquery()
        )
        query = (
            sql.select(
                PEOPLE.c.name,
                ORGANISERS.c.person.is_not(None),
                sql.func.coalesce(BANS.c.why, ""),
                sql.func.coalesce(uploads.c.bots, 0),
                uploads.c.last,
            )
            .outerjoin(ORGANISERS, ORGANISERS.c.person == PEOPLE.c.id)
            .outerjoin(BANS, BANS.c.person == PEOPLE.c.id)
            .outerjoin(uploads, uploads.c.person == PEOPLE.c.id)
            .order_by(PEOPLE.c.id)
        )
        with self.transaction() as connection:
            return [
                Member(name, bool(is_organiser), *rest)
                for name, is_organiser, *rest in connection.execute(query)
            ]

    def ban(self, name: str, why: str) -> None:
        """Ban a person, whose bot stops playing; their games stay.

        Args:
            name: the person's name.
            why: the reason, which the person can read.

        Raises:
            ConfigError: if there is no such person, no reason, or they are banned already.
        """
        person = self.named(name)
        _check_reason(why)
        with self.transaction() as connection:
            if _ban_of(connection, person) is not None:
                raise ConfigError("name", name, "this person is banned already")
            connection.execute(sql.insert(BANS).values(person=person.id, why=why))
            _change_state(connection, person.id, (WAITING, PLAYING), BENCHED)
            note(connection, name, f"was banned: {why}")

    def lift_ban(self, name: str) -> None:
        """Lift a ban; the person may upload again, and `readmit` lets their bot play again.

        Raises:
            ConfigError: if there is no such person, or they are not banned.
        """
        person = self.named(name)
        with self.transaction() as connection:
            if _ban_of(connection, person) is None:
                raise ConfigError("name", name, "this person is not banned")
            connection.execute(sql.delete(BANS).where(BANS.c.person == person.id))
            note(connection, name, "is no longer banned")

    def ban_of(self, person: Person) -> str | None:
        """Return why a person is banned; None if they are not."""
        with self.transaction() as connection:
            return _ban_of(connection, person)

    def person(self, token: str) -> Person | None:
        """Return the person to whom this token was issued; None if it is not valid."""
        number, _, secret = token.partition(".")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            return None
        with self.transaction() as connection:
            found = sql.select(PEOPLE).where(PEOPLE.c.id == int(number))
            row = connection.execute(found).one_or_none()
        is_valid = hmac.compare_digest(row.token if row is not None else "", _digest(secret))
        return Person(row.id, row.name) if row is not None and is_valid else None

    # Bots.

    def check_quota(self, person: Person, a_day: int) -> None:
        """Check that a person may upload another bot now.

        Args:
            person: the person.
            a_day: the number of bots allowed in 24 hours.

        Raises:
            QuotaError: if the person may not.
        """
        recent = sql.and_(BOTS.c.person == person.id, BOTS.c.uploaded > time.time() - _DAY)
        with self.transaction() as connection:
            count = connection.scalar(sql.select(sql.func.count()).select_from(BOTS).where(recent))
            _check_may_upload(connection, person)
        if (count or 0) >= a_day:
            raise QuotaError("file", person.name, f"{a_day} bots in 24 hours are allowed")

    def add_bot(self, person: Person, folder: str) -> int:
        """Add a bot, which waits for its check and replaces a waiting bot of the same author.

        Args:
            person: the author.
            folder: the name of its folder in the league's ``bots``.

        Returns:
            The id of the bot.

        Raises:
            QuotaError: if the season has been frozen meanwhile.
        """
        row = {"person": person.id, "folder": folder, "uploaded": time.time(), "state": WAITING}
        with self.transaction() as connection:
            _check_may_upload(connection, person)
            _change_state(connection, person.id, (WAITING,), REPLACED)
            added = connection.execute(sql.insert(BOTS).values(**row).returning(BOTS.c.id))
            number = int(added.scalar_one())
            note(connection, person.name, f"uploaded bot {number}")
            return number

    def enter(self, person: Person, folder: str) -> None:
        """Add a bot as `add_bot` does, unless it is the author's latest and not withdrawn.

        Args:
            person: the author.
            folder: the name of its folder in the league's ``bots``.

        Raises:
            QuotaError: as `add_bot` does.
        """
        last = self.bots(person=person)[-1:]
        if not last or last[0].folder != folder or last[0].state == WITHDRAWN:
            self.add_bot(person, folder)

    def decide(self, bot: UploadedBot, log: str, digest: str | None) -> None:
        """Record the result of a bot's check, unless the bot has stopped waiting meanwhile.

        Args:
            bot: the bot.
            log: what its author can read.
            digest: the digest of the bot's files if it passed; it then plays, and replaces its
                author's previous bot. None if it did not pass.
        """
        with self.transaction() as connection:
            waiting = sql.and_(BOTS.c.id == bot.id, BOTS.c.state == WAITING)
            person = connection.scalar(sql.select(BOTS.c.person).where(waiting))
            if person is None:
                return
            if digest is not None:
                _change_state(connection, person, (PLAYING,), REPLACED)
            state = REFUSED if digest is None else PLAYING
            decided = {"state": state, "digest": digest or "", "log": log}
            connection.execute(sql.update(BOTS).where(BOTS.c.id == bot.id).values(**decided))
            passed = "did not pass" if digest is None else "passed"
            note(connection, bot.name, f"bot {bot.id} {passed} its check")

    def bench(self, name: str, digest: str, why: str) -> None:
        """Stop a bot from playing.

        Args:
            name: the name of the bot, with or without a version.
            digest: the digest of its files; if other files are playing now, nothing changes.
            why: the reason, which its author can read.
        """
        person = sql.select(PEOPLE.c.id).where(PEOPLE.c.name == base_of(name)[0]).scalar_subquery()
        change = (
            sql.update(BOTS)
            .where(BOTS.c.person == person, BOTS.c.digest == digest, BOTS.c.state == PLAYING)
            .values(state=BENCHED, log=BOTS.c.log + f"{why}\n")
        )
        with self.transaction() as connection:
            if connection.execute(change).rowcount:
                note(connection, base_of(name)[0], f"bot was benched: {why}")

    def withdraw(self, person: Person) -> None:
        """Withdraw a person's bot, whose games stay."""
        with self.transaction() as connection:
            if _change_state(connection, person.id, (WAITING, PLAYING), WITHDRAWN):
                note(connection, person.name, "withdrew their bot")

    def remove(self, name: str, why: str) -> None:
        """Take a person's bot out, as the organiser; its games stay, and another may be uploaded.

        Args:
            name: the person's name.
            why: the reason, which the person can read.

        Raises:
            ConfigError: if there is no such person, no reason, or no bot waits or plays.
        """
        person = self.named(name)
        _check_reason(why)
        present = BOTS.c.person == person.id, BOTS.c.state.in_((WAITING, PLAYING))
        with self.transaction() as connection:
            log = BOTS.c.log + f"The organiser removed this bot: {why}\n"
            change = sql.update(BOTS).where(*present).values(state=BENCHED, log=log)
            if not connection.execute(change).rowcount:
                raise ConfigError("name", name, "no bot of this person waits or plays")
            note(connection, name, f"bot was removed: {why}")

    def readmit(self, name: str) -> None:
        """Let a person's latest bot play again, if it had passed its check and was benched.

        Raises:
            ConfigError: if there is no such person, or their latest bot is not such a bot.
        """
        person = self.named(name)
        *_, last = [None, *self.bots(person=person)]
        if last is None or last.state != BENCHED or not last.digest:
            raise ConfigError("name", name, "this person's latest bot is not a benched one")
        with self.transaction() as connection:
            if _ban_of(connection, person) is not None:
                raise ConfigError("name", name, "this person is banned")
            change = sql.update(BOTS).where(BOTS.c.id == last.id).values(state=PLAYING)
            connection.execute(change)
            note(connection, name, f"bot {last.id} plays again")

    def bots(self, *states: str, person: Person | None = None) -> list[UploadedBot]:
        """Find bots.

        Args:
            *states: the states of the bots.
            person: the author, whose bots of any state are found; None for bots of all authors in
                the given states.

        Returns:
            The bots, in the order in which they were uploaded.
        """
        columns = [
            PEOPLE.c.name if field == "name" else BOTS.c[field] for field in UploadedBot._fields
        ]
        wanted = BOTS.c.state.in_(states) if person is None else BOTS.c.person == person.id
        query = sql.select(*columns).join(PEOPLE).where(wanted).order_by(BOTS.c.id)
        with self.transaction() as connection:
            return [UploadedBot(*row) for row in connection.execute(query)]

    # Requested games.

    def request_games(self, person: Person, opponent: str, met: int, a_day: int) -> int:
        """Request a pair of games of a person's bot against another player; it holds for a day.

        Args:
            person: the person.
            opponent: the name of the other player, which is not checked.
            met: the number of pairs of games that the two have played this season.
            a_day: the number of requests allowed in 24 hours.

        Returns:
            The number of requests left for today.

        Raises:
            QuotaError: if the person has made too many, or is banned.
            ConfigError: if the person's bot does not play, or is the opponent.
        """
        if opponent == person.name:
            raise ConfigError("opponent", opponent, "a bot does not play against itself")
        if not any(bot.state == PLAYING for bot in self.bots(person=person)):
            raise ConfigError("opponent", opponent, "your bot does not play now")
        season, since = self.season().number, time.time() - _DAY
        mine = REQUESTS.c.person == person.id, REQUESTS.c.at > since
        same = REQUESTS.c.opponent == opponent, REQUESTS.c.season == season
        with self.transaction() as connection:
            if (why := _ban_of(connection, person)) is not None:
                raise QuotaError("opponent", opponent, f"you are banned: {why}")
            count = sql.select(sql.func.count()).select_from(REQUESTS).where(*mine)
            made = connection.scalar(count) or 0
            if made >= a_day:
                reason = f"{a_day} requests in 24 hours are allowed"
                raise QuotaError("opponent", opponent, reason)
            wanted = connection.scalar(
                sql.select(sql.func.max(REQUESTS.c.pairs)).where(*mine, *same)
            )
            row = {
                "at": time.time(),
                "season": season,
                "person": person.id,
                "opponent": opponent,
                "pairs": max(met, wanted or 0) + 1,
            }
            connection.execute(sql.insert(REQUESTS).values(**row))
            note(connection, person.name, f"requested games against {opponent}")
        return a_day - made - 1

    def requests(self) -> list[RequestedGames]:
        """Return the games that were requested this season, in the last 24 hours."""
        recent = REQUESTS.c.season == self.season().number, REQUESTS.c.at > time.time() - _DAY
        columns = PEOPLE.c.name, REQUESTS.c.opponent, REQUESTS.c.pairs
        query = sql.select(*columns).join(PEOPLE).where(*recent).order_by(REQUESTS.c.id)
        with self.transaction() as connection:
            return [RequestedGames(*row) for row in connection.execute(query)]

    # The season.

    def season(self) -> Season:
        """Return the current season."""
        with self.transaction() as connection:
            return _season(connection)

    def move_on(self, phase: str, *, dry_run: bool = False) -> Season:
        """Move the season on to a later phase, or begin the next season with ``"open"``.

        Args:
            phase: the phase.
            dry_run: whether to change nothing.

        Returns:
            The season after the move.

        Raises:
            ConfigError: if the season has reached that phase.
        """
        number, now = self.season()
        begins = phase == PHASES[0]
        if not begins and PHASES.index(phase) <= PHASES.index(now):
            raise ConfigError("phase", phase, f"season {number} is already {now}")
        after = Season(number + begins, phase)
        if not dry_run:
            change = (
                sql.insert(SEASONS).values(number=after.number, phase=phase)
                if begins
                else sql.update(SEASONS).where(SEASONS.c.number == number).values(phase=phase)
            )
            with self.transaction() as connection:
                connection.execute(change)
                note(connection, "", f"season {after.number} is {after.phase}")
        return after

    def move_back(self, *, dry_run: bool = False) -> Season:
        """Take the last step of the season back.

        A final is frozen again, a frozen season open, and a season that has only begun gives way to
        the one before. Games stay in their files, and count again once their phase begins again.

        Args:
            dry_run: whether to change nothing.

        Returns:
            The season after that.

        Raises:
            ConfigError: if it is the first season, and open.
        """
        number, now = self.season()
        this = SEASONS.c.number == number
        if now != PHASES[0]:
            after = Season(number, PHASES[PHASES.index(now) - 1])
            change: sql.Executable = sql.update(SEASONS).where(this).values(phase=after.phase)
        else:
            with self.transaction() as connection:
                before = sql.select(SEASONS).where(SEASONS.c.number == number - 1)
                row = connection.execute(before).one_or_none()
            if row is None:
                raise ConfigError("phase", now, "the first season is open: there is no step before")
            after, change = Season(row.number, row.phase), sql.delete(SEASONS).where(this)
        if not dry_run:
            with self.transaction() as connection:
                connection.execute(change)
                note(connection, "", f"season {after.number} is {after.phase} again")
        return after

    # The log.

    def events(self, who: str | None = None, *, last: int = 100) -> list[Event]:
        """Return the last events, those that happened last first.

        Args:
            who: the person whom they concern; None for all.
            last: the maximum number of events.

        Returns:
            The events.
        """
        query = sql.select(EVENTS).order_by(EVENTS.c.id.desc()).limit(last)
        if who is not None:
            query = query.where(EVENTS.c.who == who)
        with self.transaction() as connection:
            return [Event(row.id, row.at, row.who, row.what) for row in connection.execute(query)]

    # Backups.

    def dump(self) -> dict[str, list[dict[str, Any]]]:
        """Return all rows of all tables at one moment."""
        self.season()  # so that there are tables
        isolated = self._engine.connect().execution_options(isolation_level="SERIALIZABLE")
        with isolated as connection, connection.begin():
            return {
                table.name: [dict(row) for row in connection.execute(sql.select(table)).mappings()]
                for table in METADATA.sorted_tables
            }

    def load(self, tables: Tables) -> None:
        """Replace all rows.

        Args:
            tables: the new rows, as `dump` returns them.

        Raises:
            ConfigError: if `dump` cannot have returned these; nothing changes then.
        """
        tables = with_later_tables(tables)
        check_tables(tables)
        with _refusing_contradictions(), self.transaction() as connection:
            for table in reversed(METADATA.sorted_tables):
                connection.execute(sql.delete(table))
            for table in METADATA.sorted_tables:
                if rows := tables[table.name]:
                    connection.execute(sql.insert(table), [dict(row) for row in rows])
                # PostgreSQL does not update the counter of a column by itself.
                if self._engine.dialect.name == "postgresql" and "id" in table.c:
                    last = sql.func.coalesce(sql.func.max(table.c.id), 1)
                    connection.execute(sql.select(sql.func.setval(f"{table.name}_id_seq", last)))


def _change_state(
    connection: sql.Connection, person: int, before: tuple[str, ...], after: str
) -> int:
    """Change the state of a person's bots in the states ``before``; return their number."""
    change = sql.update(BOTS).where(BOTS.c.person == person, BOTS.c.state.in_(before))
    return connection.execute(change.values(state=after)).rowcount


def _season(connection: sql.Connection) -> Season:
    columns = sql.select(SEASONS.c.number, SEASONS.c.phase)
    return Season(*connection.execute(columns.order_by(SEASONS.c.number.desc()).limit(1)).one())


def _check_may_upload(connection: sql.Connection, person: Person) -> None:
    """Raise a `QuotaError` if the person is banned, or the season accepts no more bots."""
    if (why := _ban_of(connection, person)) is not None:
        raise QuotaError("file", person.name, f"you are banned: {why}")
    if _season(connection).phase != PHASES[0]:
        raise QuotaError("file", person.name, "this season accepts no more bots")


def _ban_of(connection: sql.Connection, person: Person) -> str | None:
    return connection.scalar(sql.select(BANS.c.why).where(BANS.c.person == person.id))


def _check_reason(why: str) -> None:
    if not why.strip():
        raise ConfigError("why", why, "the person is told the reason")


def note(connection: sql.Connection, who: str, what: str) -> None:
    """Add an event to the log.

    Args:
        connection: a connection, in a transaction.
        who: the person that it concerns; empty for the whole league.
        what: what happened.
    """
    connection.execute(sql.insert(EVENTS).values(at=time.time(), who=who, what=what))


@contextmanager
def _refusing_contradictions() -> Iterator[None]:
    """Turn the database's errors about inconsistent rows into a `ConfigError`."""
    try:
        yield
    except (IntegrityError, DataError) as error:
        raise ConfigError(
            "tables", str(error.orig), "the database of a league cannot hold these rows"
        ) from error


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _without_password(url: str) -> str:
    try:
        return make_url(url).render_as_string()
    except ArgumentError:
        return "a URL"
