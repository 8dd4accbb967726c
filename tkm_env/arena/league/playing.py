"""Playing a league: one process checks the bots that wait, and plays what is due."""

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tkm_env.arena.league.database import WAITING
from tkm_env.arena.league.league import League
from tkm_env.arena.league.store import Bot
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.versions import digest_of
from tkm_env.arena.playing.workers import Workers
from tkm_env.arena.protocol_check import check
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.foundations.untrusted_text import visible

#: Seconds between two looks for what is new.
_PAUSE = 0.5
#: What of a bot's last lines, and of its standard error, its author is shown.
_LINES, _CHARACTERS = 12, 4_000
#: How often a check begins: it measures times, which a busy machine may spoil.
_TRIES = 3


def play(
    league: League,
    workers_for: Callable[[Tournament, Path], Callable[[], Workers]],
    *,
    once: bool = False,
) -> Iterator[dict[str, Any]]:
    """Play games as long as any are due, yield their records, and wait for more, for ever.

    After any error it is right to call this again.

    Args:
        league: the league.
        workers_for: makes what plays the games of a tournament that are saved in a file.
        once: whether to end once no more games are due.

    Raises:
        FileError: as `tkm_env.arena.playing.schedule_run.play_schedule` does.
        MachineError: likewise.
    """
    if once:
        check_waiting(league)
    else:
        threading.Thread(target=_check_all, args=[league], daemon=True).start()
    while True:
        season, who = league.store.season(), league.entrants()
        tournament = league.tournament(season, league.store.bench)
        save = league.games_of(season)
        for record in tournament.play(
            save, workers=workers_for(tournament, save), live=league.live
        ):
            yield record
            if league.store.season() != season:
                tournament.stop()  # what is being played ends, and counts
        while not once and (season, who) == (league.store.season(), league.entrants()):
            time.sleep(_PAUSE)
        if once:
            return


def _check_all(league: League) -> None:
    while True:
        check_waiting(league)
        time.sleep(_PAUSE)


def check_waiting(league: League) -> None:
    """Check the bots that wait.

    One that the machine or the database lets nobody check waits on, and holds up no other.
    """
    waiting: list[Bot] = []
    with _warning():
        waiting += league.store.bots(WAITING)
    for bot in waiting:
        with _warning():
            check_bot(league, bot)


@contextmanager
def _warning() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        warnings.warn(
            f"bots are checked again in {_PAUSE:g} s: {error}", RuntimeWarning, stacklevel=3
        )


def check_bot(league: League, bot: Bot) -> None:
    """Check a bot that waits by the protocol of each game, and have it play if it passes.

    Args:
        league: the league.
        bot: the bot; its author gets the log.
    """
    entrant = league.entrant(bot)
    log: list[str] = []
    for name, title in league.games.items():
        for _ in range(_TRIES):
            tried, passes = _checked(
                entrant.line, name, league.conditions.reading(entrant.readable)
            )
            if passes:
                break
        log += [f"{title}:", *(f"  {line}" for line in tried)]
        if not passes:
            break
    log.append(
        "It passed the check, and plays a trial under each of the settings first."
        if passes
        else "It does not take part."
    )
    text = "".join(f"{visible(line)}\n" for line in log).replace(str(league.folder), "...")
    league.store.decide(bot, text, digest_of(entrant, league.conditions) if passes else None)


def _checked(line: str, game: str, conditions: Conditions) -> tuple[list[str], bool]:
    """What the check of a bot says, and whether it passed."""
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
                "The last lines, > to the bot and < from it:",
                *lines,
            ]
            log += ["Its standard error:", *(f"  {each[:300]}" for each in said)] if said else []
            return log, False
    return log, True
