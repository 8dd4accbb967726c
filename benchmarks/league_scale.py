"""What a long season of a league costs: disk, memory, and how long pages take.

    python benchmarks/league_scale.py FOLDER [--bots 50] [--games 10000,100000,1000000]

FOLDER is empty or does not exist yet. The program plays pairs of games of fast bots, and writes
seasons of that many games in which they are played by many bots in turn. It shows each season as
the service does, while more games are added: every page is asked for again and again. The times
of pages are wall-clock times, so nothing else should run. ``docs/league_scale.json`` holds the
figures.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, count
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.progress import track

from tkm_env.arena.league.app import new_app
from tkm_env.arena.league.league import League
from tkm_env.arena.league.serving import LIMITS, standings
from tkm_env.arena.league.standings import Standings
from tkm_env.arena.match import Match

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.digests import ROOT
from benchmarks.figures import begun, keep

FIGURES = ROOT / "docs" / "league_scale.json"
BOTS, GAMES = 50, "10000,100000,1000000"
#: The number of games that are played, half of them with sides swapped; and of games that are added
#: while pages are asked for, and of requests of each page.
PLAYED, ADDED, REQUESTS = 2_000, 400, 100
#: The seconds between two games that are added.
_PAUSE = 0.05
PAGES = {
    "overview": "/",
    "table": "/tables/season-1",
    "player": "/tables/season-1/player?name=bot-00",
    "pair": "/tables/season-1/pair?one=bot-00&other=bot-01",
    "game": "/tables/season-1/games/1",
    "curves": "/tables/season-1/history",
    "feed": "/feed.atom",
    "games, as JSON": "/api/tables/season-1/games?player=bot-00",
}


class Season(NamedTuple):
    """What a season cost.

    Attributes:
        games: its number of games.
        bytes: what a game takes on the disk.
        mebibytes: the memory of the process.
        read: the CPU seconds to read all games.
        made: the CPU seconds to make the report again after another game.
        pages: how long each page took: the median and the 99th percentile, in milliseconds.
        load: the number of processes that wanted to run, on average, and how many can at a time.
    """

    games: int
    bytes: int
    mebibytes: int
    read: float
    made: float
    pages: dict[str, list[float]]
    load: tuple[float, int]


def games_of(bots: int, played: Sequence[dict[str, Any]]) -> Iterator[bytes]:
    """The games of a season without end, as lines: every two bots play in turn.

    Args:
        bots: the number of bots.
        played: pairs of games.
    """
    names = [f"bot-{number:02}" for number in range(bots)]
    seeds = count(0, 2)
    for first in range(0, len(played), 2):
        for pair in combinations(names, 2):
            seed = next(seeds)
            for swapped, record in enumerate(played[first : first + 2]):
                players = dict(zip(record["players"], pair[:: -1 if swapped else 1], strict=True))
                digest = {side: f"of {name}" for side, name in players.items()}
                known = {"players": players, "digest": digest, "seed": seed + swapped}
                yield json.dumps(record | known).encode()


def seconds_until(table: Standings, games: int) -> float:
    """The CPU seconds of this process until a table shows that many games."""
    began = time.process_time()
    while table.games < games:
        time.sleep(0.02)
    return time.process_time() - began


def shown(folder: Path, bots: int, games: int, played: Sequence[dict[str, Any]]) -> Season:
    """Write a season, and ask for its pages.

    Args:
        folder: the folder of the league.
        bots: the number of bots.
        games: the number of games.
        played: pairs of games.
    """
    League.new(folder, "A long season")
    league = League(folder)
    path, lines = league.games_of(league.store.season()), games_of(bots, played)
    with path.open("wb") as file:
        for _ in track(range(games), f"{games:,} games"):
            file.write(next(lines) + b"\n")
    LIMITS.enabled = False
    app = new_app(league)
    client = app.test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1"
    with app.app_context():
        table = standings()
        read = seconds_until(table, games)
        with path.open("ab") as file:
            file.write(next(lines) + b"\n")
        made = seconds_until(table, games + 1)

    def add() -> None:
        for _ in range(ADDED):
            with path.open("ab") as file:
                file.write(next(lines) + b"\n")
            time.sleep(_PAUSE)

    adding = threading.Thread(target=add)
    adding.start()
    taken: dict[str, list[float]] = defaultdict(list)
    for _ in range(REQUESTS):
        for name, address in PAGES.items():
            at = time.perf_counter()
            assert client.get(address).status_code == 200, address
            taken[name].append(1000 * (time.perf_counter() - at))
    adding.join()
    return Season(
        games,
        round(path.stat().st_size / (games + 1 + ADDED)),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        round(read, 1),
        round(made, 2),
        {name: np.percentile(each, (50, 99)).round(1).tolist() for name, each in taken.items()},
        (round(os.getloadavg()[0], 1), len(os.sched_getaffinity(0))),
    )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bots", type=int, default=BOTS)
    parser.add_argument("--games", default=GAMES)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    begun(given.folder, "league scale")
    played = [*track(Match("greedy", "random", PLAYED, seed=1).play(), "playing", PLAYED)]
    seasons = []
    for number in map(int, given.games.split(",")):
        # The memory of one season must not count as that of the next.
        with get_context("fork").Pool(1) as pool:
            season = pool.apply(shown, (given.folder / str(number), given.bots, number, played))
        print(json.dumps(season._asdict()), flush=True)
        seasons.append(season._asdict())
    if (given.bots, given.games) == (BOTS, GAMES):
        FIGURES.write_text(f"{json.dumps(seasons, indent=1)}\n", "utf-8")
        keep(given.folder, "league scale")
        print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
