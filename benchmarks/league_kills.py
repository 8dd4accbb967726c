"""Whether a league that is killed again and again has the games of one that is not.

    python benchmarks/league_kills.py FOLDER [--kills 20] [--games 60] [--seed 1]

Twelve bots in six languages take part: eight from the start; then come newcomers, new versions, withdrawals and people who mean ill, one
after the other, each once no game is due any more. One league is played without a stop. The other one is served, asked by HTTP, and killed:
the service, who plays, the workers, or all of them at once, and so whoever has the database open. The same command goes on where it was
stopped, and says in the end whether both leagues have the same games and the same bots.

It needs cc, rustc, node, javac, java and the extra ``[league]``.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError

import numpy as np

from tests.league.leagues import archive, asked, children_of, kill, serving, upload
from tkm_env.arena.bot_templates import BUILD, template_of, write_bot
from tkm_env.files import write_file
from tkm_env.league.league import League
from tkm_env.league.playing import check_waiting
from tkm_env.league.store import PLAYING, REFUSED, WAITING, Person

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
FIRST, LAST = (f"class Bot:\n    def act(self, game):\n        return game.legal_actions()[{number}]\n" for number in (0, -1))
#: Plays on for a while.
LATE = FIRST.replace("        return", "        if game.turn > 9:\n            raise SystemExit('boom')\n        return")
KINDS = ("service", "who plays", "workers", "all")
SECONDS = 3600.0


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
    files = {file.name: file.read_bytes() for file in sorted(place.iterdir()) if file.suffix in ("", ".class", ".py")}
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

    def __init__(self, folder: Path, seed: int, games: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "league.toml").write_text(FILE.format(seed=seed, games=games), "utf-8")
        self.league = League(folder)
        self.path = self.league.games_of(self.league.store.season())
        self._kept = folder / "progress.json"
        self.progress: dict[str, Any] = {"games": [], "kills": 0, "tokens": {}}
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
        """Have an event happen without the service; after it, somebody has uploaded so many bots."""
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

    @property
    def games(self) -> int:
        return self.path.read_bytes().count(b"\n") if self.path.exists() else 0

    def records(self) -> list[dict[str, Any]]:
        """All games without what was measured."""
        records = [json.loads(line) for line in self.path.read_bytes().splitlines()]
        return [{key: value for key, value in record.items() if key not in ("seconds", "memory", "cpu")} for record in records]

    def bots(self) -> list[tuple[str, str, str]]:
        names = sorted(self.progress["tokens"])
        return [(name, bot.state, bot.digest) for name in names for bot in self.league.store.bots(person=self.person(name))]


def undisturbed(played: Played, rounds: list[list[Event]], processes: int) -> None:
    """Play without a stop; after each round, how many games there are is noted."""
    league, uploads = played.league, dict[str, int]()
    for number, some in enumerate(rounds):
        for event in some:
            uploads[event.name] = uploads.get(event.name, 0) + (event.content is not None)
        if number < len(played.progress["games"]):
            continue
        for event in some:
            played.enter(event, uploads[event.name])
        check_waiting(league)
        played.check(some)
        for _ in league.tournament(league.store.season(), league.store.bench).play(played.path, processes=processes):
            pass
        played.progress["games"].append(played.games)
        played.keep()
        print(f"undisturbed, round {number + 1} of {len(rounds)}: {played.games} games", flush=True)


class Killed:
    """A league that is served and killed."""

    def __init__(self, played: Played, kills: int, seed: int, processes: int) -> None:
        self.played, self.kills, self._processes = played, kills, processes
        self._generator = np.random.default_rng([seed, played.progress["kills"]])
        self._running: ExitStack | None = None
        self.url = ""
        self.allowed = 0  # how many kills there may be so far

    def _serve(self) -> None:
        self._running = ExitStack()
        served = serving(self.played.league.folder, "--processes", str(self._processes))
        self.url, self._process = self._running.enter_context(served)
        self._games, self._began = self.played.games, time.monotonic()
        self._most_games, self._most_seconds = self._generator.integers(1, 16), self._generator.uniform(4, 40)

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
            time.sleep(0.2)
            if self._running is None or self._process.poll() is not None:
                self.close()
                self._serve()
            is_due = self.played.games - self._games >= self._most_games or time.monotonic() - self._began > self._most_seconds
            if is_due and self.played.progress["kills"] < self.allowed:
                self._kill()

    @staticmethod
    def _holds(is_done: Callable[[], Any]) -> bool:
        try:
            return bool(is_done())
        except HTTPError:
            raise
        except OSError:  # the service was killed
            return False

    def _kill(self) -> None:
        self.played.progress["kills"] += 1
        self.played.keep()
        number = self.played.progress["kills"]
        kind = KINDS[number % len(KINDS)]
        players = children_of(self._process.pid)
        workers = [worker for player in players for worker in children_of(player)]
        chosen = {"service": [self._process.pid], "who plays": players, "workers": workers}
        for process in chosen.get(kind, [self._process.pid, *players, *workers]):
            try:
                kill(process)
            except ProcessLookupError:
                continue
        print(f"kill {number} of {self.kills}: {kind}, after {self.played.games} games", flush=True)
        self._games, self._began = self.played.games, time.monotonic()
        self._most_games, self._most_seconds = self._generator.integers(1, 16), self._generator.uniform(4, 40)

    def happen(self, event: Event, uploads: int) -> None:
        """Have an event happen by HTTP, once, whatever is killed meanwhile."""
        token = self.played.token(event.name)

        def happened() -> bool:
            if not self.url:
                return False
            if event.content is None:
                return bool(asked(f"{self.url}withdraw", token, b"")["withdrawn"])
            return self.played.uploads(event.name) >= uploads or bool(upload(self.url, token, event.content, event.filename))

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
                return error.code in (400, 413)
            except OSError:  # who reads no further hangs up, in the middle of what is too large
                return self._process.poll() is None
            raise SystemExit("a hostile upload was taken")

        self.until(refused)


def disturbed(killed: Killed, rounds: list[list[Event]], games: list[int]) -> None:
    """Play, killed again and again, as many games in each round as there are in the league that was not."""
    played, uploads = killed.played, dict[str, int]()
    for number, some in enumerate(rounds):
        for event in some:
            uploads[event.name] = uploads.get(event.name, 0) + (event.content is not None)
        if number < len(played.progress["games"]):
            continue
        killed.allowed = -(-killed.kills * (number + 1) // len(rounds))
        if number == 0:  # they begin together, since who comes first plays first
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
        played.progress["games"].append(played.games)
        played.keep()
        print(f"killed, round {number + 1} of {len(rounds)}: {played.games} games", flush=True)
    killed.until(lambda: played.progress["kills"] >= killed.kills)
    time.sleep(5)
    killed.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for name, default in (("kills", 20), ("games", 60), ("seed", 1), ("processes", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    rounds = events(given.folder / "templates")
    one, other = (Played(given.folder / name, given.seed, given.games) for name in ("undisturbed", "killed"))
    began = time.monotonic()
    undisturbed(one, rounds, given.processes)
    between = time.monotonic()
    killed = Killed(other, given.kills, given.seed, given.processes)
    try:
        disturbed(killed, rounds, one.progress["games"])
    finally:
        killed.close()
    seconds = f"{between - began:.0f} s undisturbed, {time.monotonic() - between:.0f} s killed"
    print(f"{one.games} games of {len(one.progress['tokens'])} people, {other.progress['kills']} kills; {seconds}")
    is_same = one.records() == other.records() and one.bots() == other.bots()
    print("the same games and bots" if is_same else "THE GAMES OR BOTS DIFFER")
    sys.exit(not is_same)


if __name__ == "__main__":
    main()
