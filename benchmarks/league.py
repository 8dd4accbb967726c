"""Simulate a league of many bots.

    python benchmarks/league.py [--players 500] [--games 100000] [--workers 20] [--per-player 400]

It shows what the schedule costs, whether intervals are right, and whether everyone gets games. No
game is played: results are drawn from known strengths, and durations from a distribution.
Everything else is the arena's own: the schedule, how games are handed to workers and their results
taken, the file with its checkpoint, and the ratings.
"""

from __future__ import annotations

import argparse
import heapq
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tkm_env.arena.game_counts import Played
from tkm_env.arena.playing.schedule import Entrant, ScheduledGame
from tkm_env.arena.playing.schedule_run import play_schedule
from tkm_env.arena.rating import fit
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.core.record_schema import KIND, VERSION
from tkm_env.evaluation.score import points_of

#: Elo: the standard deviation of strengths, and the advantage of the first move.
SPREAD, FIRST_MOVE = 200.0, 30.0
#: The logarithm of the draw parameter; the median of a game's seconds, and the standard deviation
#: of their logarithm.
DRAWS, SECONDS, VARIATION = -1.5, 10.0, 0.7
_RECORD = {"kind": KIND, "version": VERSION, "config": {}, "actions": [], "seconds": []}


class SimulatedWorkers:
    """Workers in simulated time, which play games by drawing their results."""

    def __init__(self, workers: int, block: int, strengths: dict[str, float], seed: int) -> None:
        self.capacity = (workers + 1) * block
        self._strengths = strengths
        self._generator = np.random.default_rng(seed)
        self._free = [0.0] * workers
        self._ending: list[tuple[float, int, dict[str, Any]]] = []
        self.now = 0.0

    def submit(self, number: int, fixture: ScheduledGame) -> None:
        first, second = fixture.players.values()
        lead = (self._strengths[first] - self._strengths[second] + FIRST_MOVE) * np.log(10) / 400
        odds = np.exp([lead / 2, DRAWS, -lead / 2])
        # By the game's own random numbers, whenever it is played.
        draw = np.random.default_rng(fixture.secret % 2**64 + fixture.seed % 2)
        result = str(draw.choice(["1-0", "1/2", "0-1"], p=odds / odds.sum()))
        record = _RECORD | {
            "game": fixture.game,
            "seed": fixture.seed,
            "players": fixture.players,
            "result": result,
        }
        record["isolation"] = dict.fromkeys(fixture.players, "process")
        record["digest"] = {
            side: each.digest
            for side, each in zip(fixture.players, fixture.contestants, strict=True)
        }
        begun = max(self.now, heapq.heappop(self._free))
        ended = begun + SECONDS * float(np.exp(VARIATION * self._generator.normal()))
        heapq.heappush(self._free, ended)
        heapq.heappush(self._ending, (ended, number, record))

    def withdraw(self) -> list[int]:
        return []

    def wait(self) -> Iterator[tuple[int, dict[str, Any]]]:
        self.now, number, record = heapq.heappop(self._ending)
        yield number, record

    def close(self) -> None:
        pass


class League(NamedTuple):
    """What came of a simulated league."""

    games: int
    inside: list[bool]  # whether each player's strength lies within the interval of its rating
    widths: list[float]  # half the width of each interval, in Elo
    counts: Counter[str]  # each player's games
    longest: int  # the most games that a player waited for
    cpu: float
    resumed: float  # CPU seconds to go on with the file of all games
    hours: float  # simulated


def simulated(
    players: int, games: int, workers: int, per_player: int, seed: int, *, shows: bool = False
) -> League:
    """A league of players whose strengths are drawn from the seed."""
    names = [f"bot {number:04}" for number in range(players)]
    strengths = dict(
        zip(names, np.random.default_rng(seed).normal(0, SPREAD, players).tolist(), strict=True)
    )
    entrants = tuple(Entrant(name, "cmd:./bot") for name in names)
    league = Tournament(entrants, kind="continuous", seed=seed, games_per_player=per_player)
    simulation = SimulatedWorkers(workers, 2 * league.block, strengths, seed)
    began, played, counts, waits = (
        time.process_time(),
        list[Played](),
        Counter[str](),
        dict.fromkeys(names, 0),
    )
    longest = 0
    with tempfile.TemporaryDirectory() as folder:
        save = Path(folder, "league.jsonl")
        with closing(play_schedule(league.schedule(), lambda: simulation, save)) as records:
            for record in islice(records, games):
                first, second = record["players"].values()
                played.append(Played(first, second, points_of(record["result"], 0)))
                for name in (first, second):
                    counts[name] += 1
                    longest = max(longest, len(played) - waits[name])
                    waits[name] = len(played)
                if shows and len(played) % 5_000 == 0:
                    taken = time.process_time() - began
                    print(
                        f"{len(played):7} games, {2000 * taken / len(played):.2f} ms of CPU a pair",
                        flush=True,
                    )
        cpu = time.process_time() - began
        Path(f"{save}.ahead").unlink(
            missing_ok=True
        )  # what no checkpoint covers is replayed, and nothing was played
        with closing(
            play_schedule(league.schedule(), lambda: simulation, save, resume=True)
        ) as records:
            next(records)
        resumed = time.process_time() - began - cpu
    ratings = fit(played)
    mean = float(np.mean([*strengths.values()]))
    inside = [
        rating.elo.low <= strengths[rating.player] - mean <= rating.elo.high
        for rating in ratings.players
    ]
    widths = [rating.elo.high - rating.elo.estimate for rating in ratings.players]
    return League(len(played), inside, widths, counts, longest, cpu, resumed, simulation.now / 3600)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (
        ("players", 500),
        ("games", 100_000),
        ("workers", 20),
        ("per-player", 400),
        ("seed", 1),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    league = simulated(**vars(given), shows=True)
    print(
        f"{league.games} games of {given.players} players on {given.workers} workers: "
        f"{league.hours:.1f} hours, simulated"
    )
    print(
        f"CPU: {league.cpu:.0f} s, {2000 * league.cpu / league.games:.2f} ms a pair; "
        f"{league.resumed:.1f} s to resume after all of them"
    )
    counts = [*league.counts.values()]
    print(
        f"games of a player: {min(counts)} to {max(counts)}, median {np.median(counts):g}; "
        f"none waited for more than {league.longest} games"
    )
    widths = f"{min(league.widths):.0f} to {max(league.widths):.0f} Elo"
    inside, among = sum(league.inside), len(league.inside)
    print(
        f"within their 95% intervals: {inside} of {among}, {inside / among:.1%}; "
        f"half widths {widths}"
    )


if __name__ == "__main__":
    main()
