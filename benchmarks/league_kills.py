"""Whether a league that is killed again and again has the games of one that is not.

    python benchmarks/league_kills.py FOLDER [--kills 40] [--games 60] [--seed 1] [--postgresql]

Twelve bots in six languages take part. Eight are there from the start. Newcomers, new versions,
withdrawals and malicious people follow one after the other, each once no game is due. One league
is played without interruption. The other one is served, asked by HTTP, and killed: the service,
the player of games, its workers, or all of them at once, and with them whichever has the database
open. With ``--postgresql``, its database is a PostgreSQL server of its own, which is also killed
in turn and comes back after some seconds. Three of four kills wait for a game to be in progress.
The same command resumes where it was stopped. At the end it says how many kills came in the middle
of games, and whether both leagues have the same games and the same bots.

It needs cc, rustc, node, javac, java and the extra ``[league]``; with ``--postgresql``, also that
server and psycopg.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError

import numpy as np
from sqlalchemy.exc import OperationalError

from tests.arena.commands.league_service import serving
from tests.arena.league.leagues import archive, asked, children_of, kill, upload
from tests.arena.league.postgresql import Server
from tkm_env.arena.bot_templates import BUILD, template_of, write_bot
from tkm_env.arena.league.database import PLAYING, REFUSED, WAITING
from tkm_env.arena.league.league import League
from tkm_env.arena.league.playing import check_waiting
from tkm_env.arena.league.store import Person
from tkm_env.arena.playing.live import live_games
from tkm_env.foundations.files import write_file

FILE = """
seed = {seed}
games_per_player = {games}

[league]
title = "Killed"
uploads_per_day = 100
upload_mib = 4

[[players]]
player = "random"

[[players]]
player = "greedy"

[conditions]
start_seconds = 120
turn_seconds = 120
"""
FIRST, LAST = (
    f"class Bot:\n    def act(self, game):\n        return game.legal_actions()[{number}]\n"
    for number in (0, -1)
)
#: Plays on for a while.
LATE = FIRST.replace(
    "        return",
    "        if game.turn > 9:\n            raise SystemExit('boom')\n        return",
)
KINDS = ("service", "who plays", "workers", "all")
#: With a database that is a server.
MORE_KINDS = (
    "database",
    "service",
    "database",
    "who plays",
    "database",
    "workers",
    "database",
    "all",
)
SECONDS = 3600.0
#: The share of kills that wait for a game to be in progress.
IN_GAMES = 0.75
#: The time between two looks, in seconds: short games are in progress only for moments.
PAUSE = 0.05


class Event(NamedTuple):
    """Somebody uploads a bot, or withdraws the last one."""

    name: str
    content: bytes | None = None
    filename: str = "bot.zip"
    expected: str = PLAYING  # what its check says


def template(language: str, folder: Path, remark: str = "") -> bytes:
    """A bot to begin from, built, as an archive."""
    place = folder / f"{language}{remark}"
    if not place.exists():
        write_bot(language, place)
        if (place / BUILD).exists():
            subprocess.run([place / BUILD], check=True)
    files = {
        file.name: file.read_bytes()
        for file in sorted(place.iterdir())
        if file.suffix in ("", ".class", ".py")
    }
    return archive(files | {"version": remark})


def events(folder: Path) -> list[list[Event]]:
    """What happens, in rounds; each ends once no game is due any more."""

    def made(name: str, language: str, remark: str = "") -> Event:
        return Event(name, template(language, folder, remark))

    shell, script = template_of("shell")["run"], template_of("javascript")["run"]
    first = [
        Event("ann", template_of("python")["bot.py"], "bot.py"),
        Event("bob", FIRST.encode(), "bot.py"),
        made("cem", "python-program"),
        made("dan", "c"),
        made("eve", "rust"),
        Event("fay", script, "run"),
        made("gil", "java"),
        Event("hal", shell, "run"),
    ]
    later = [
        made("ivy", "c"),
        Event("ann", LAST.encode(), "bot.py"),
        Event("bob"),
        made("jon", "javascript"),
        Event("mal", b"raise SystemExit('no luck')", "bot.py", REFUSED),
        Event("mal", b"import os\nwhile True: os.fork()", "bot.py", REFUSED),
        Event("mal", LATE.encode(), "bot.py", REFUSED),
        Event("kim", LAST.encode(), "bot.py"),
        made("dan", "c", "2"),
        Event("hal"),
        made("lea", "java"),
    ]
    return [first, *([event] for event in later)]


#: Uploads that are refused at once.
HOSTILE = (
    (archive({"bot.py": b"\0" * (17 << 20)}), "bot.zip"),
    (archive({"../bot.py": FIRST}), "bot.zip"),
    (b"PK but no archive", "bot.zip"),
    (b"\0" * (5 << 20), "bot.py"),
    (archive({"readme.txt": "hello"}), "bot.zip"),
)


class Played:
    """A league in a folder, with what is kept of how far it is."""

    def __init__(self, folder: Path, seed: int, games: int, database: str | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "league.toml").write_text(FILE.format(seed=seed, games=games), "utf-8")
        self.league = League(folder, database)
        self.path = self.league.games_of(self.league.store.season())
        self._kept = folder / "progress.json"
        self.progress: dict[str, Any] = {"games": [], "kills": 0, "in_games": 0, "tokens": {}}
        if self._kept.exists():
            self.progress = json.loads(self._kept.read_text("utf-8"))

    def keep(self) -> None:
        write_file(self._kept, json.dumps(self.progress).encode())

    def token(self, name: str) -> str:
        if name not in self.progress["tokens"]:
            self.progress["tokens"][name] = self.league.token(name)
            self.keep()
        return str(self.progress["tokens"][name])

    def person(self, name: str) -> Person:
        person = self.league.store.person(self.token(name))
        assert person is not None
        return person

    def uploads(self, name: str) -> int:
        return len(self.league.store.bots(person=self.person(name)))

    def enter(self, event: Event, uploads: int) -> None:
        """Make an event happen without the service.

        Args:
            event: what happens.
            uploads: how many bots its person has uploaded afterwards.
        """
        if event.content is None:
            self.league.store.withdraw(self.person(event.name))
        elif self.uploads(event.name) < uploads:
            folder = self.league.receive(io.BytesIO(event.content), event.filename)
            self.league.store.add_bot(self.person(event.name), folder)

    def check(self, some: list[Event]) -> None:
        """End unless the checks of bots say what they should."""
        for event in some:
            last = self.league.store.bots(person=self.person(event.name))[-1]
            if event.content is not None and last.state != event.expected:
                raise SystemExit(f"the bot of {event.name} is {last.state}:\n{last.log}")

    def rounds(
        self, all_rounds: list[list[Event]]
    ) -> Iterator[tuple[int, list[Event], Counter[str]]]:
        """The rounds that are not over.

        Args:
            all_rounds: the events of every round.

        Yields:
            The round's index, its events, and how many bots each person has uploaded by then.
        """
        uploads = Counter[str]()
        for number, some in enumerate(all_rounds):
            uploads.update(event.name for event in some if event.content is not None)
            if number < len(self.progress["games"]):
                continue
            yield number, some, uploads
            self.progress["games"].append(self.games)
            self.keep()
            done = f"round {number + 1} of {len(all_rounds)}: {self.games} games"
            print(f"{self.league.folder.name}, {done}", flush=True)

    @property
    def games(self) -> int:
        return self.path.read_bytes().count(b"\n") if self.path.exists() else 0

    def is_in_game(self, since: float) -> bool:
        """Whether a worker shows a game that has begun, and that is not in the file yet.

        Args:
            since: the time of the last kill, in seconds since 1970; what was shown before does not
                count, since killed workers leave their last game behind.
        """
        shown = {
            game.record["seed"]
            for game in live_games(self.league.live)
            if not game.is_over and game.at > since
        }
        saved = self.path.read_bytes() if shown and self.path.exists() else b""
        return not shown <= {*map(int, re.findall(rb'"seed": ?(\d+)', saved))}

    def records(self) -> list[dict[str, Any]]:
        """All games without what was measured."""
        records = [json.loads(line) for line in self.path.read_bytes().splitlines()]
        return [
            {
                key: value
                for key, value in record.items()
                if key not in ("seconds", "memory", "cpu", "ended")
            }
            for record in records
        ]

    def bots(self) -> list[tuple[str, str, str]]:
        names = sorted(self.progress["tokens"])
        return [
            (name, bot.state, bot.digest)
            for name in names
            for bot in self.league.store.bots(person=self.person(name))
        ]


def undisturbed(played: Played, rounds: list[list[Event]], processes: int) -> None:
    """Play without a stop; after each round, how many games there are is noted."""
    league = played.league
    for _, some, uploads in played.rounds(rounds):
        for event in some:
            played.enter(event, uploads[event.name])
        check_waiting(league)
        played.check(some)
        for _ in league.tournament(league.store.season(), league.store.bench).play(
            played.path, processes=processes
        ):
            pass


class Killed:
    """A league that is served and killed."""

    def __init__(
        self, played: Played, kills: int, seed: int, processes: int, server: Server | None
    ) -> None:
        self.played, self.kills, self._processes, self._server = played, kills, processes, server
        self._generator = np.random.default_rng([seed, played.progress["kills"]])
        self._running: ExitStack | None = None
        self._returning: threading.Thread | None = None  # starts a killed database again
        self.url = ""
        self.allowed = 0  # how many kills there may be so far
        self.are_games_left = True

    def _serve(self) -> None:
        self._wait_for_database()
        self._running = ExitStack()
        database = [] if self._server is None else ["--database", self._server.url]
        served = serving(self.played.league.folder, "--processes", str(self._processes), *database)
        self.url, self._process = self._running.enter_context(served)
        self._plan_kill()

    def close(self) -> None:
        if self._running is not None:
            self._running.close()
            self._running = None

    def until(self, is_done: Callable[[], Any]) -> None:
        """Serve, and kill, until something is so."""
        end = time.monotonic() + SECONDS
        while not self._holds(is_done):
            if time.monotonic() > end:
                raise SystemExit(f"for {SECONDS:g} s nothing has come")
            time.sleep(PAUSE)
            if self._running is None or self._process.poll() is not None:
                self.close()
                self._serve()
            if self.played.progress["kills"] < self.allowed and self._is_due():
                self._wait_for_database()
                self._kill()
        self._wait_for_database()

    def _is_in_game(self) -> bool:
        return self.played.is_in_game(self._since)

    def _plan_kill(self) -> None:
        self._since = time.time()
        self._games, self._began = self.played.games, time.monotonic()
        self._most_games, self._most_seconds = (
            self._generator.integers(1, 16),
            self._generator.uniform(4, 40),
        )
        self._waits = self._generator.random() < IN_GAMES

    def _is_due(self) -> bool:
        """Whether the next kill is due, in a game if it waits for one."""
        seconds = time.monotonic() - self._began
        if self.played.games - self._games < self._most_games and seconds < self._most_seconds:
            return False
        return not (self._waits and self.are_games_left) or self._is_in_game()

    def _wait_for_database(self) -> None:
        if self._returning is not None:
            self._returning.join()

    @staticmethod
    def _holds(is_done: Callable[[], Any]) -> bool:
        try:
            return bool(is_done())
        except HTTPError as error:
            if error.code != 503:
                raise
            return False
        except (OSError, OperationalError):  # the service was killed, or the database
            return False

    def _kill(self) -> None:
        self.played.progress["kills"] += 1
        self.played.keep()
        number = self.played.progress["kills"]
        kinds = KINDS if self._server is None else MORE_KINDS
        kind = kinds[number % len(kinds)]
        if kind in ("database", "all") and self._server is not None:
            self._server.end(signal.SIGKILL)
            self._returning = threading.Timer(self._generator.uniform(0, 8), self._server.start)
            self._returning.start()
        players = children_of(self._process.pid)
        workers = [worker for player in players for worker in children_of(player)]
        chosen = {
            "service": [self._process.pid],
            "who plays": players,
            "workers": workers,
            "database": [],
        }
        for process in chosen.get(kind, [self._process.pid, *players, *workers]):
            try:
                kill(process)
            except ProcessLookupError:
                continue
        is_in_game = self._is_in_game()
        self.played.progress["in_games"] += is_in_game
        self.played.keep()
        where = f"{'in' if is_in_game else 'outside'} a game, after {self.played.games} games"
        print(f"kill {number} of {self.kills}: {kind}, {where}", flush=True)
        self._plan_kill()

    def happen(self, event: Event, uploads: int) -> None:
        """Have an event happen by HTTP, once, whatever is killed meanwhile."""
        token = self.played.token(event.name)

        def happened() -> bool:
            if not self.url:
                return False
            if event.content is None:
                return bool(asked(f"{self.url}withdraw", token, b"")["withdrawn"])
            return self.played.uploads(event.name) >= uploads or bool(
                upload(self.url, token, event.content, event.filename)
            )

        self.until(happened)

    def attack(self, number: int) -> None:
        """Upload what is to be refused at once."""
        token = self.played.token("mal")

        def refused() -> bool:
            if not self.url:
                return False
            try:
                upload(self.url, token, *HOSTILE[number % len(HOSTILE)])
            except HTTPError as error:
                return error.code in (400, 413)  # or 503, without a database
            except OSError:  # a reader that stops early hangs up in the middle of a large upload
                return self._process.poll() is None
            raise SystemExit("a hostile upload was taken")

        self.until(refused)


def disturbed(killed: Killed, rounds: list[list[Event]], games: list[int]) -> None:
    """Play, and be killed again and again, until each round has its games.

    Args:
        killed: the league.
        rounds: the events of each round.
        games: how many games the undisturbed league had after each round.
    """
    played = killed.played
    for number, some, uploads in played.rounds(rounds):
        # Half of the kills are spread over the rounds, since bots are checked in each, and half
        # over the games.
        share = (number + 1) / len(rounds) + games[number] / games[-1]
        killed.allowed = round(killed.kills * share / 2)
        if number == 0:  # they begin together, since the first to come plays first
            for event in some:
                played.enter(event, uploads[event.name])
            check_waiting(played.league)
        else:
            killed.attack(number)
            for event in some:
                killed.happen(event, uploads[event.name])
        killed.until(lambda: not played.league.store.bots(WAITING))
        played.check(some)
        killed.until(lambda number=number: played.games >= games[number])
    killed.are_games_left = False
    killed.until(lambda: played.progress["kills"] >= killed.kills)
    time.sleep(5)
    killed.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for name, default in (("kills", 40), ("games", 60), ("seed", 1), ("processes", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--postgresql", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    rounds = events(given.folder / "templates")
    began = time.monotonic()
    one = Played(given.folder / "undisturbed", given.seed, given.games)
    undisturbed(one, rounds, given.processes)
    between = time.monotonic()
    server = Server(given.folder / "server") if given.postgresql else None
    other = Played(
        given.folder / "killed", given.seed, given.games, None if server is None else server.url
    )
    killed = Killed(other, given.kills, given.seed, given.processes, server)
    try:
        disturbed(killed, rounds, one.progress["games"])
        is_same = one.records() == other.records() and one.bots() == other.bots()
    finally:
        killed.close()
        if server is not None:
            server.end(signal.SIGTERM)
    seconds = f"{between - began:.0f} s undisturbed, {time.monotonic() - between:.0f} s killed"
    people, kills = len(one.progress["tokens"]), other.progress["kills"]
    kills = f"{kills} kills, {other.progress['in_games']} of them in the middle of games"
    print(f"{one.games} games of {people} people, {kills}; {seconds}")
    print("the same games and bots" if is_same else "THE GAMES OR BOTS DIFFER")
    sys.exit(not is_same)


if __name__ == "__main__":
    main()
