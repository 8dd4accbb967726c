"""Playing a league's casual games: the process that plays gives each a process of its own.

So a player that is slow, silent or greedy disturbs neither other people nor rated games.
"""

import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from tkm_env.arena.league.casual_games import (
    CasualGame,
    CasualGames,
    fixture_of,
    opponent_in,
    replayed,
)
from tkm_env.arena.league.league import League
from tkm_env.arena.league.refusals import without_places
from tkm_env.arena.playing.process_pool import ProcessPool
from tkm_env.arena.playing.referee import Conditions, Measurements, Player, conduct_game
from tkm_env.arena.playing.scheduled_game import warm_up
from tkm_env.core.game import BaseGame
from tkm_env.core.record_schema import FAULTS
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.untrusted_text import visible
from tkm_env.text.words import WORDS

#: The time between two looks for what the person has played, in seconds.
_PAUSE: Final = 0.25
#: How often a game is taken up again after the machine has failed.
_TRIES: Final = 3
#: What stands for a person where players have a line.
_PERSON: Final = "person"


class _HasEndedError(Exception):
    """The game has ended, in the database, while it was played."""


class _Person(Player):
    """The person, whose actions are in the database.

    Args:
        game: the name of the game.
        conditions: the conditions of the league, none of which limit the person.
        look: returns the game as it is in the database.
    """

    def __init__(self, game: str, conditions: Conditions, look: Callable[[], CasualGame]) -> None:
        super().__init__(_PERSON, game, conditions, agent=object())
        self._look = look

    def begin(self, game: BaseGame, side: str, generator: np.random.Generator) -> None:
        """Do nothing: nobody has to be started.

        Args:
            game: the game.
            side: the side that the person has.
            generator: unused.
        """

    def answer(self, game: BaseGame) -> tuple[list[int | str], float]:
        """Wait until the person has played a whole turn, which they may take back before.

        Returns:
            The actions of the turn, and no time.
        """
        while True:
            actions = self._look().actions[len(game.history) :]
            after = game.copy()
            for action in actions:
                after.play(action)
            if after.result is not None or after.turn_id != game.turn_id:
                return [*actions], 0.0
            time.sleep(_PAUSE)


def play_casual_game(league: League, number: int) -> None:
    """Play the player's side of a casual game until it ends, as in rated games.

    Args:
        league: the league.
        number: the id of the game.

    Raises:
        MachineError: if the machine fails; the game can be taken up again.
    """
    games = CasualGames(league.store)

    def look() -> CasualGame:
        found = games.game(number)
        if found is None or found.ending:
            raise _HasEndedError
        if opponent_in(league, found) is None:
            reason = "The game ended, since your opponent was replaced or has left the league."
            games.end(number, reason)
            raise _HasEndedError
        return found

    def show(board: BaseGame) -> None:
        """Keep what the player has played."""
        found = look()
        if len(board.history) > len(found.actions):
            _keep(games, found, board)

    try:
        game = look()
        entrant = opponent_in(league, game)
        if entrant is None:
            raise _HasEndedError
        fixture = fixture_of(league, game, entrant)
        board = replayed(league, game)
        warm_up(entrant.line, board)
        player = Player(entrant.line, board.name, league.conditions.reading(entrant.readable))
        person = _Person(board.name, league.conditions, look)
        players = {side: person if side == game.side else player for side in board.players}
        generators = {side: fixture.generator(side) for side in players}
        try:
            measured = conduct_game(board, players, generators, show)
        finally:
            player.close()
        found = look()
        if len(board.history) > len(found.actions):
            _keep(games, found, board)
        ending, said = _ending(board, game, measured)
        author = game.opponent if game.bot else ""
        fault = None if said is None else (author, without_places(said, league.folder))
        games.end(number, ending, fault)
    except _HasEndedError:
        return
    except ConfigError as error:
        games.end(number, f"The game ended: {error.reason}.")


def _keep(games: CasualGames, found: CasualGame, board: BaseGame) -> None:
    waits = board.result is None and board.to_act == found.side
    if not games.move(found, board.history, waits=waits):
        raise _HasEndedError


def _ending(board: BaseGame, game: CasualGame, measured: Measurements) -> tuple[str, str | None]:
    """Return how a game ended, for the person; and for the author, if it was by a fault."""
    if (fault := measured.fault) is not None:
        meaning = FAULTS[fault["kind"]]
        said = (
            f"casual game {game.id} against {game.name}: {game.opponent} lost it by a fault at "
            f"action {fault['ply']}, {fault['kind']}: {visible(fault['seen'])}"
        )
        return f"You won, since {game.opponent} made a fault: {meaning}.", said
    how = WORDS.of(board.name).ending(board)
    if board.is_truncated:
        return how or "The game reached its turn limit.", None
    result = {None: "The game is drawn.", game.side: "You won."}.get(board.winner, "You lost.")
    return f"{result} {how}".strip(), None


def _job(folder: Path, database: str | None, number: int) -> None:
    play_casual_game(League(folder, database, waits=True), number)


class CasualTables:
    """The casual games that this process has taken up, each in a process of its own.

    There are only as many as the league allows at a time, even if players still think about games
    that have ended.

    Args:
        league: the league.
    """

    def __init__(self, league: League) -> None:
        self._league = league
        self._games = CasualGames(league.store)
        #: The games in progress, by id.
        self._threads: dict[int, threading.Thread] = {}

    def take_up(self) -> None:
        """Take up the games that have begun."""
        self._threads = {
            number: thread for number, thread in self._threads.items() if thread.is_alive()
        }
        allowed = self._league.rules.casual_games
        for game in self._games.going():
            if game.id not in self._threads and len(self._threads) < allowed:
                thread = threading.Thread(target=self._see_through, args=[game.id], daemon=True)
                self._threads[game.id] = thread
                thread.start()

    def _see_through(self, number: int) -> None:
        pool = ProcessPool(1, _job)
        for _ in range(_TRIES):
            pool.submit(number, self._league.folder, self._league.database, number)
            ((_, outcome),) = pool.wait()
            if outcome is None:
                break
            warnings.warn(f"casual game {number}: {outcome}", RuntimeWarning, stacklevel=1)
        else:
            self._games.end(number, "The game ended, since the league's machine failed.")
        pool.close()
