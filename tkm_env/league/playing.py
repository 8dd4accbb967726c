"""Playing a league: one process checks the bots that wait, and plays what is due until it is ended, however it is ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tkm_env.arena.protocol_check import check
from tkm_env.arena.tournament import Tournament
from tkm_env.arena.versions import digest_of
from tkm_env.arena.workers import Workers
from tkm_env.errors import FileError
from tkm_env.league.league import League
from tkm_env.league.store import WAITING, Bot
from tkm_env.untrusted_text import visible

#: Seconds between two looks for what is new.
_PAUSE = 0.5
#: What of a bot's last lines, and of its standard error, its author is shown.
_LINES, _CHARACTERS = 12, 4_000


def play(league: League, workers_for: Callable[[Tournament], Callable[[], Workers]]) -> None:
    """Play games as long as there are any due, and wait for more, for ever.

    Raises errors as `tkm_env.arena.workers.play_schedule` does; to call it again is right after any of them.
    """
    threading.Thread(target=_check_all, args=[league], daemon=True).start()
    while True:
        season, who = league.store.season(), league.entrants()
        tournament = league.tournament(season, league.store.bench)
        for _ in tournament.play(league.games_of(season), workers=workers_for(tournament)):
            if league.store.season() != season:
                tournament.stop()  # what is being played ends, and counts
        while (season, who) == (league.store.season(), league.entrants()):
            time.sleep(_PAUSE)


def _check_all(league: League) -> None:
    while True:
        for bot in league.store.bots(WAITING):
            check_bot(league, bot)
        time.sleep(_PAUSE)


def check_bot(league: League, bot: Bot) -> None:
    """Walk a bot that waits through the protocol of each game, and have it play if it passes; its author gets the log."""
    log, passes = [], True
    conditions = league.conditions
    try:
        entrant = league.entrant(bot)
        for name, title in league.games.items():
            log.append(f"{title}:")
            for step, shown, error, harness in check(entrant.line, name, conditions.reading(entrant.readable)):
                log.append(f"  {'ok   ' if error is None else 'FAIL '} {step}{f': {shown}' if isinstance(shown, str) else ''}")
                if error is not None:
                    said = harness.error_output.strip()[-_CHARACTERS:].splitlines()
                    lines = [f"    {line[:300]}" for line in harness.lines[-_LINES:]]
                    log += [f"  {error.reason} ({error.kind})", "  The last lines, > to the bot and < from it:", *lines]
                    log += ["  Its standard error:", *(f"    {line[:300]}" for line in said)] if said else []
                    passes = False
        digest = digest_of(entrant, conditions) if passes else None
    except FileError as error:
        digest = None
        log.append(str(error))
    log.append("It passed the check, and plays a trial under each of the settings first." if digest else "It does not take part.")
    hidden = str(league.folder)
    league.store.decide(bot, "".join(f"{visible(line)}\n" for line in log).replace(hidden, "..."), digest)
