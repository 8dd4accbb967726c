"""A league of many bots by simulation: what its schedule costs, whether its intervals are right, and whether everyone gets games.

    python benchmarks/league.py [--players 500] [--games 100000] [--workers 20] [--per-player 400]

No game is played. Results are drawn from strengths that are known, durations from a distribution; everything else is the arena's own: the
schedule, how games are handed to workers and their results taken, and the ratings.
"""

from __future__ import annotations

import argparse
import heapq
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from tkm_env.arena.rating import Played, fit
from tkm_env.arena.schedule import Entrant, ScheduledGame
from tkm_env.arena.score import points_of
from tkm_env.arena.tournament import Tournament
from tkm_env.arena.workers import play_schedule

#: Elo: the standard deviation of strengths, and the advantage of the first move.
SPREAD, FIRST_MOVE = 200.0, 30.0
#: The logarithm of the draw parameter, and a game's seconds: the median, and the standard deviation of their logarithm.
DRAWS, SECONDS, VARIATION = -1.5, 10.0, 0.7


class SimulatedWorkers:
    """Workers in simulated time, who play games by drawing their results."""

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
        record = {"players": fixture.players, "result": str(draw.choice(["1-0", "1/2", "0-1"], p=odds / odds.sum()))}
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("players", 500), ("games", 100_000), ("workers", 20), ("per-player", 400), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    names = [f"bot {number:04}" for number in range(given.players)]
    strengths = dict(zip(names, np.random.default_rng(given.seed).normal(0, SPREAD, given.players).tolist(), strict=True))
    entrants = tuple(Entrant(name, "cmd:./bot") for name in names)
    league = Tournament(entrants, kind="continuous", seed=given.seed, games_per_player=given.per_player)
    workers = SimulatedWorkers(given.workers, 2 * league.block, strengths, given.seed)
    began, games, counts, waits = time.process_time(), list[Played](), Counter[str](), dict.fromkeys(names, 0)
    longest = 0
    for record in play_schedule(league.schedule(), lambda: workers):
        first, second = record["players"].values()
        games.append(Played(first, second, points_of(record["result"], 0)))
        for name in (first, second):
            counts[name] += 1
            longest = max(longest, len(games) - waits[name])
            waits[name] = len(games)
        if len(games) % 5_000 == 0:
            taken = time.process_time() - began
            print(f"{len(games):7} games, {2000 * taken / len(games):.2f} ms of CPU a pair", flush=True)
        if len(games) == given.games:
            break
    cpu = time.process_time() - began
    ratings = fit(games)
    mean = float(np.mean([strengths[name] for name in names]))
    inside = [rating.elo.low <= strengths[rating.player] - mean <= rating.elo.high for rating in ratings.players]
    widths = [rating.elo.high - rating.elo.estimate for rating in ratings.players]
    print(f"{len(games)} games of {given.players} players on {given.workers} workers: {workers.now / 3600:.1f} hours, simulated")
    print(f"CPU: {cpu:.0f} s, {2000 * cpu / len(games):.2f} ms a pair")
    print(f"games of a player: {min(counts.values())} to {max(counts.values())}; none waited for more than {longest} games")
    print(f"within their 95% intervals: {np.mean(inside):.1%}; half widths {min(widths):.0f} to {max(widths):.0f} Elo")


if __name__ == "__main__":
    main()
