"""Casual games of a league: a person against a player, without effect on any rating.

They are rows of the database. The page adds the person's actions, and the process that plays adds
those of the player; whoever is late by an action changes nothing.
"""

import secrets
import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sql

from tkm_env.arena.league.database import CASUAL_GAMES, PEOPLE, PLAYING
from tkm_env.arena.league.league import League
from tkm_env.arena.league.store import Person, QuotaError, Store, note
from tkm_env.arena.playing.schedule import Entrant, ScheduledGame
from tkm_env.core.game import BaseGame
from tkm_env.evaluation.starts import Settings
from tkm_env.foundations.checks import checked_choice
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.seeds import derived
from tkm_env.players.player_spec import LLM, PlayerSpec

#: The time for which a person may think about an action, in seconds.
IDLE_SECONDS: Final = 600.0
#: When a person may choose to move.
FIRST, SECOND, RANDOM = CHOICES = ("first", "second", "random")


class CasualGame(NamedTuple):
    """A casual game."""

    id: int
    name: str  # the person's name
    opponent: str  # the name of the player, without its version
    bot: int  # the id of its bot; 0 for a player in league.toml
    settings: str  # as `tkm_env.evaluation.starts.Settings.key` writes them
    side: str  # the person's side
    secret: str  # everything random in it is derived from this number
    began: float  # in seconds since 1970
    changed: float  # when anything was last played, in seconds since 1970
    waits: bool  # whether the person is to play; otherwise the player is
    actions: tuple[int, ...]
    ending: str  # how it ended, in a sentence for the person; empty while it goes on


class CasualGames:
    """The casual games in a league's database.

    Args:
        store: the database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def going(self) -> list[CasualGame]:
        """Return the games that go on; those whose person has left are ended before."""
        found = self._found(CASUAL_GAMES.c.ending == "")
        overdue = {
            game.id for game in found if game.waits and time.time() - game.changed > IDLE_SECONDS
        }
        for number in overdue:
            minutes = f"{IDLE_SECONDS / 60:g} minutes"
            self.end(number, f"The game ended, since you did not play for {minutes}.")
        return [game for game in found if game.id not in overdue]

    def of(self, person: Person, last: int) -> list[CasualGame]:
        """Return a person's last games, those that began last first.

        Args:
            person: the person.
            last: how many games at the most.

        Returns:
            The games.
        """
        return self._found(CASUAL_GAMES.c.person == person.id)[: -last - 1 : -1]

    def game(self, number: int) -> CasualGame | None:
        """Return the game of this id; None if there is none."""
        return next(iter(self._found(CASUAL_GAMES.c.id == number)), None)

    def _found(self, wanted: sql.ColumnElement[bool]) -> list[CasualGame]:
        columns = [
            PEOPLE.c.name if field == "name" else CASUAL_GAMES.c[field]
            for field in CasualGame._fields
        ]
        query = sql.select(*columns).join(PEOPLE).where(wanted).order_by(CASUAL_GAMES.c.id)
        with self._store.transaction() as connection:
            return [
                CasualGame(*row)._replace(waits=bool(row.waits), actions=_numbers(row.actions))
                for row in connection.execute(query)
            ]

    def begin(self, person: Person, opponent: str, bot: int, most: int, **start: Any) -> int:
        """Begin a game.

        Args:
            person: the person.
            opponent: the name of the player, without its version.
            bot: the id of its bot; 0 for a player in league.toml.
            most: the number of games that may go on at a time.
            **start: the columns ``settings``, ``side``, ``secret`` and ``waits``.

        Returns:
            The id of the game.

        Raises:
            QuotaError: if the person is banned or plays already, or enough games go on.
        """
        if (why := self._store.ban_of(person)) is not None:
            raise QuotaError("opponent", opponent, f"you are banned: {why}")
        self.going()  # those whose person has left make room
        goes_on = CASUAL_GAMES.c.ending == ""
        now = time.time()
        row = {
            "person": person.id,
            "opponent": opponent,
            "bot": bot,
            "began": now,
            "changed": now,
            "actions": "",
            "ending": "",
            **start,
        }
        with self._store.transaction() as connection:
            added = sql.insert(CASUAL_GAMES).values(**row).returning(CASUAL_GAMES.c.id)
            number = int(connection.execute(added).scalar_one())
            people = connection.scalars(sql.select(CASUAL_GAMES.c.person).where(goes_on)).all()
            if people.count(person.id) > 1:
                raise QuotaError("opponent", opponent, "finish the game that you are playing first")
            if len(people) > most:
                reason = f"{most} casual games at a time are allowed; try again later"
                raise QuotaError("opponent", opponent, reason)
        return number

    def move(self, game: CasualGame, actions: Sequence[int], *, waits: bool) -> bool:
        """Change the actions of a game, unless it has changed or ended meanwhile.

        Args:
            game: the game as it was seen.
            actions: all its actions after the change.
            waits: whether the person is to play then.

        Returns:
            Whether that was done.
        """
        as_seen = CASUAL_GAMES.c.actions == _text(game.actions), CASUAL_GAMES.c.ending == ""
        values = {"actions": _text(actions), "waits": int(waits), "changed": time.time()}
        change = sql.update(CASUAL_GAMES).where(CASUAL_GAMES.c.id == game.id, *as_seen)
        with self._store.transaction() as connection:
            return bool(connection.execute(change.values(**values)).rowcount)

    def end(self, number: int, ending: str, fault: tuple[str, str] | None = None) -> None:
        """End a game, unless it has ended already.

        Args:
            number: the id of the game.
            ending: how it ended, in a sentence for the person.
            fault: the author of the player that ended it by a fault, empty if it has none, and
                what the author reads about that; None if there was no fault.
        """
        goes_on = CASUAL_GAMES.c.id == number, CASUAL_GAMES.c.ending == ""
        change = sql.update(CASUAL_GAMES).where(*goes_on).values(ending=ending)
        with self._store.transaction() as connection:
            if connection.execute(change).rowcount and fault is not None:
                note(connection, *fault)


def _text(actions: Sequence[int]) -> str:
    return " ".join(map(str, actions))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def playable(league: League) -> dict[str, int]:
    """Return the players against whom people may play now, each with the id of its bot.

    Language models are not among them, since their answers cost money.
    """
    own = [each.name for each in league.players if PlayerSpec.parse(each.line).kind != LLM]
    return dict.fromkeys(own, 0) | {bot.name: bot.id for bot in league.store.bots(PLAYING)}


def begin_casual_game(
    league: League, person: Person, opponent: str, settings: str, moves: str
) -> int:
    """Begin a game of a person against one of a league's players.

    Args:
        league: the league.
        person: the person.
        opponent: the name of the player.
        settings: the game and its settings, as `Settings.key` writes them.
        moves: when the person moves, one of `CHOICES`.

    Returns:
        The id of the game.

    Raises:
        ConfigError: if nobody of this name plays, or not this, or there is no such choice.
        QuotaError: if the league allows no game now.
    """
    known = {each.key: each for each in league.settings}
    checked_choice("moves", moves, CHOICES)
    if settings not in known:
        raise ConfigError("settings", settings, "this league does not play that")
    bots = playable(league)
    if opponent not in bots:
        raise ConfigError("opponent", opponent, "no such player plays now")
    chosen = known[settings]
    only = next((each.game for each in league.players if each.name == opponent), None)
    if only not in (None, chosen.game):
        raise ConfigError("opponent", opponent, f"it plays {only} only")
    secret = secrets.randbits(128)
    if moves == RANDOM:
        moves = CHOICES[derived(secret, "moves") % 2]
    start = _fixture(chosen, secret, "", Entrant(person.name, ""), Entrant(opponent, "")).begin()
    (mine,) = (side for side in chosen.sides if (side == start.to_act) == (moves == FIRST))
    return CasualGames(league.store).begin(
        person,
        opponent,
        bots[opponent],
        league.rules.casual_games,
        settings=settings,
        side=mine,
        secret=str(secret),
        waits=int(moves == FIRST),
    )


def opponent_in(league: League, game: CasualGame) -> Entrant | None:
    """Return the player of a casual game.

    Args:
        league: the league.
        game: the game.

    Returns:
        The player; None once it no longer plays in the league.
    """
    if not game.bot:
        return next((each for each in league.players if each.name == game.opponent), None)
    for bot in league.store.bots(PLAYING):
        if bot.id == game.bot:
            return league.entrant(bot)
    return None


def fixture_of(league: League, game: CasualGame, opponent: Entrant) -> ScheduledGame:
    """Return a casual game as workers play games.

    Args:
        league: the league.
        game: the game.
        opponent: its player.

    Returns:
        The game before its first action.

    Raises:
        ConfigError: if the league no longer plays under its settings.
    """
    for each in league.settings:
        if each.key == game.settings:
            return _fixture(each, int(game.secret), game.side, Entrant(game.name, ""), opponent)
    raise ConfigError("settings", game.settings, "this league no longer plays that")


def replayed(league: League, game: CasualGame) -> BaseGame:
    """Return a casual game at its present position, with its history.

    Args:
        league: the league.
        game: the game.

    Returns:
        The game.

    Raises:
        ConfigError: if the league no longer plays under its settings.
    """
    board = fixture_of(league, game, Entrant(game.opponent, "")).begin()
    for action in game.actions:
        board.play(action)
    return board


def _fixture(
    settings: Settings, secret: int, side: str, person: Entrant, opponent: Entrant
) -> ScheduledGame:
    first, second = (person if each == side else opponent for each in settings.sides)
    seed = derived(secret, "seed")
    return ScheduledGame(settings.without_openings(), 0, seed, secret, (first, second))
