"""Playing a league: one process checks waiting bots, and plays the games that are due."""

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tkm_env.arena.league.casual_play import CasualTables
from tkm_env.arena.league.database import WAITING
from tkm_env.arena.league.league import League
from tkm_env.arena.league.refusals import without_places
from tkm_env.arena.league.store import UploadedBot
from tkm_env.arena.playing.live import clear_live_games
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.versions import digest_of
from tkm_env.arena.playing.workers import Workers
from tkm_env.arena.protocol_check import check
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.foundations.untrusted_text import visible

#: The time between two looks for changes, in seconds.
_PAUSE = 0.5
#: The number of last lines of a bot, and of characters of its standard error, shown to its author.
_LINES, _CHARACTERS = 12, 4_000
#: The number of bots that are checked at a time.
_CHECKS = 3
#: The most tries of a check that fails by time, since a busy machine may spoil the measurement.
_TRIES, _SPOILT = 3, "timeout"


def play(
    league: League,
    workers_for: Callable[[Tournament, Path], Callable[[], Workers]],
    *,
    once: bool = False,
) -> Iterator[dict[str, Any]]:
    """Play the games of a league as they become due, without end.

    After any error, this may be called again.

    Args:
        league: the league.
        workers_for: returns a function that makes the workers, given a tournament and the file of
            its games.
        once: whether to end once no more games are due.

    Yields:
        The records of the games.

    Raises:
        FileError: as `tkm_env.arena.playing.schedule_run.play_schedule` does.
        MachineError: as `tkm_env.arena.playing.schedule_run.play_schedule` does.
    """
    clear_live_games(league.live)
    if once:
        check_waiting(league)
    else:
        threading.Thread(target=_check_all, args=[league], daemon=True).start()
        if league.rules.casual_games:
            threading.Thread(target=_play_casual_games, args=[league], daemon=True).start()
    while True:
        season, who = league.store.season(), league.entrants()
        requests = league.store.requests()
        tournament = league.tournament(season, league.store.bench)
        save = league.games_of(season)
        for record in tournament.play(
            save, workers=workers_for(tournament, save), live=league.live
        ):
            yield record
            if league.store.season() != season:
                tournament.stop()  # games in progress are finished, and count
        while not once and (season, who, requests) == (
            league.store.season(),
            league.entrants(),
            league.store.requests(),
        ):
            time.sleep(_PAUSE)
        if once:
            return


def _check_all(league: League) -> None:
    checks = Checks(league)
    while True:
        checks.take_up()
        time.sleep(_PAUSE)


class Checks:
    """The checks in progress, one per author at a time, so that a slow bot holds up no other.

    Args:
        league: the league.
    """

    def __init__(self, league: League) -> None:
        self._league = league
        #: The checks in progress, by the bot's author.
        self._threads: dict[str, threading.Thread] = {}

    def take_up(self) -> None:
        """Begin to check bots that wait."""
        self._threads = {name: each for name, each in self._threads.items() if each.is_alive()}
        for bot in _waiting(self._league):
            if bot.name not in self._threads and len(self._threads) < _CHECKS:
                thread = threading.Thread(
                    target=_check_or_warn, args=[self._league, bot], daemon=True
                )
                self._threads[bot.name] = thread
                thread.start()


def _play_casual_games(league: League) -> None:
    tables = CasualTables(league)
    while True:
        with _warning("casual games are looked at"):
            tables.take_up()
        time.sleep(_PAUSE)


def check_waiting(league: League) -> None:
    """Check the bots that wait.

    If the machine or the database fails, the bot keeps waiting, and the others are checked.
    """
    for bot in _waiting(league):
        _check_or_warn(league, bot)


def _waiting(league: League) -> list[UploadedBot]:
    waiting: list[UploadedBot] = []
    with _warning("bots are checked"):
        waiting += league.store.bots(WAITING)
    return waiting


def _check_or_warn(league: League, bot: UploadedBot) -> None:
    with _warning("bots are checked"):
        check_bot(league, bot)


@contextmanager
def _warning(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        warnings.warn(f"{what} again in {_PAUSE:g} s: {error}", RuntimeWarning, stacklevel=3)


def check_bot(league: League, bot: UploadedBot) -> None:
    """Check a waiting bot against the protocol of each game; if it passes, it plays.

    Args:
        league: the league.
        bot: the bot, whose author can read the log.
    """
    entrant = league.entrant(bot)
    log: list[str] = []
    for name, title in league.games.items():
        for _ in range(_TRIES):
            tried, fault = _checked(entrant.line, name, league.conditions.reading(entrant.readable))
            if fault != _SPOILT:
                break
        log += [f"{title}:", *(f"  {line}" for line in tried)]
        passes = fault is None
        if not passes:
            break
    log.append(
        "It passed the check, and first plays a trial under each of the settings."
        if passes
        else "It did not pass, so it does not take part."
    )
    text = without_places("".join(f"{visible(line)}\n" for line in log), league.folder)
    league.store.decide(bot, text, digest_of(entrant, league.conditions) if passes else None)


def _checked(line: str, game: str, conditions: Conditions) -> tuple[list[str], str | None]:
    """Check a bot in a game; return the log, and the kind of the fault, None if it passed."""
    log = []
    for step, shown, error, harness in check(line, game, conditions):
        log.append(
            f"{'FAIL' if error else 'ok  '}  {step}{f': {shown}' if isinstance(shown, str) else ''}"
        )
        if error is not None:
            said = harness.error_output.strip()[-_CHARACTERS:].splitlines()
            lines = [f"  {each[:300]}" for each in harness.lines[-_LINES:]]
            log += [
                f"{error.reason} ({error.kind})",
                "The last lines (> to the bot, < from it):",
                *lines,
            ]
            log += ["Its standard error:", *(f"  {each[:300]}" for each in said)] if said else []
            return log, error.kind
    return log, None
