"""The games of the benchmark: every start, from both sides, against each opponent."""

import dataclasses
import os
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from typing import Any

from tkm_env.arena.benchmark.report import TaskResult
from tkm_env.arena.benchmark.tasks import SEED, TASKS, Task
from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS, Conditions, Player
from tkm_env.arena.playing.schedule import (
    Entrant,
    Schedule,
    ScheduledGame,
    Stoppable,
    has_swapped_sides,
    pair_of_games,
)
from tkm_env.arena.playing.schedule_run import play_schedule
from tkm_env.arena.playing.workers import Workers, local_workers
from tkm_env.evaluation.score import PairResults, design_effect, points_of
from tkm_env.evaluation.starts import Settings
from tkm_env.foundations.seeds import derived
from tkm_env.players.factory import check_start


class FixedSchedule(Schedule):
    """Games whose records give the results of tasks."""

    @abstractmethod
    def results(self, records: Iterable[Mapping[str, Any]]) -> Sequence[Any]:
        """Compute the agent's result in each task, by the records of all games."""


class FixedGames(Stoppable):
    """The base of what plays an agent's games of the benchmark.

    The same agent gives the same games on any number of processes, and every agent meets the same
    starts and opponents.
    """

    agent: str  # a player, as `tkm_env.players.factory.make_agent` reads it
    conditions: Conditions  # where it runs, and how long it may think

    @abstractmethod
    def schedule(self) -> "FixedSchedule":
        """Return the games."""

    @property
    @abstractmethod
    def games(self) -> int:
        """The number of games."""

    @abstractmethod
    def _start(self) -> tuple[str, Any]:
        """Return the name and the settings of the game in which it is tried first."""

    def play(
        self,
        save: str | os.PathLike[str] | None = None,
        *,
        processes: int = 1,
        workers: Callable[[], Workers] | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Play the games.

        Args:
            save: the file to which each record is appended, and from which an interrupted run
                resumes; None saves nothing.
            processes: the number of games to play at a time on this machine, 1 to 1024.
            workers: makes other workers instead of these processes.

        Yields:
            The records in order, including those that were saved before.

        Raises:
            ConfigError: as `tkm_env.arena.match.Match.play` does.
            FileError: as `tkm_env.arena.match.Match.play` does.
        """
        workers = workers or local_workers(self.conditions, processes, self.games)
        records = play_schedule(
            self.schedule(),
            workers,
            save,
            resume=True,
            stopping=lambda: self.is_stopped,
            starting=self._check_start,
        )
        with closing(records):
            yield from records

    def _check_start(self) -> None:
        game, config = self._start()
        limits, trust = self.conditions.limits, self.conditions.trust
        check_start(self.agent, game, config, "agent", limits, trust=trust)


@dataclasses.dataclass(frozen=True)
class Benchmark(FixedGames):
    """The matches of one agent in all tasks, or in some.

    Raises:
        ConfigError: if the agent cannot play one of the tasks.
    """

    agent: str  # a player, as `tkm_env.players.factory.make_agent` reads it
    tasks: tuple[Task, ...] = tuple(TASKS.values())
    conditions: Conditions = DEFAULT_CONDITIONS  # where it runs, and how long it may think

    def __post_init__(self) -> None:
        for task in self.tasks:
            Player(self.agent, task.game, self.conditions, f"agent, task {task.name}", task.config)

    @property
    def games(self) -> int:
        return sum(task.games for task in self.tasks)

    def schedule(self) -> "BenchmarkSchedule":
        return BenchmarkSchedule(self.agent, self.tasks, self.conditions)

    def _start(self) -> tuple[str, Any]:
        return self.tasks[0].game, self.tasks[0].config


class BenchmarkSchedule(FixedSchedule):
    """The games of one agent: in each task, one start against all opponents, then the next.

    Args:
        agent: the agent, as `tkm_env.players.factory.make_agent` reads it.
        tasks: the tasks.
        conditions: the conditions under which the agent plays.
    """

    title = "benchmark"
    drawn_seed = None

    def __init__(self, agent: str, tasks: Iterable[Task], conditions: Conditions) -> None:
        self.conditions = conditions
        self._agent, self._tasks = agent, tuple(tasks)
        self.games = sum(task.games for task in self._tasks)

    def fixtures(self) -> Iterator[ScheduledGame]:
        return (fixture for task in self._tasks for fixture, _, _ in self._of_task(task))

    def find(self, record: Mapping[str, Any]) -> ScheduledGame | None:
        """Find the game of this agent to which a record may belong, in any task."""
        found = self._by_seed.get(record.get("seed", -1))
        return None if found is None else found[0]

    @cached_property
    def _by_seed(self) -> dict[int, tuple[ScheduledGame, Task, str]]:
        """The games of all tasks, by seed, each with its task and opponent."""
        return {found[0].seed: found for task in TASKS.values() for found in self._of_task(task)}

    def _of_task(self, task: Task) -> Iterator[tuple[ScheduledGame, Task, str]]:
        agent, settings = Entrant(self._agent, self._agent), Settings(task.game, task.config)
        for number, start in enumerate(task.starts):
            for opponent in task.panel:
                # This does not depend on the agent: all have the same starts and random numbers.
                secret = derived(SEED, task.name, opponent, number)
                two = (
                    agent,
                    Entrant(opponent, task.panel[opponent], number=int(opponent == self._agent)),
                )
                for fixture in pair_of_games(settings, start, secret, two):
                    yield fixture, task, opponent

    def results(self, records: Iterable[Mapping[str, Any]]) -> list[TaskResult]:
        """Compute the agent's result in each task, by the records of all games."""
        points: dict[str, dict[str, list[tuple[int, float]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        starts: dict[int, Hashable] = {}
        for record in records:
            fixture, task, opponent = self._by_seed[record["seed"]]
            pair = record["seed"] // 2
            points[task.name][opponent].append(
                (pair, points_of(record["result"], int(has_swapped_sides(record["seed"]))))
            )
            # Random openings are drawn for each opponent.
            starts[pair] = fixture.opening if isinstance(fixture.opening, str) else pair
        return [
            TaskResult(
                task.name,
                {opponent: PairResults.of(points[task.name][opponent]) for opponent in task.panel},
                design_effect(_deviations(points[task.name].values(), starts)),
            )
            for task in self._tasks
        ]


def _deviations(
    rows: Iterable[Iterable[tuple[int, float]]], starts: Mapping[int, Hashable]
) -> Iterator[tuple[Hashable, float]]:
    """Yield the start of each pair of games, and its difference from the opponent's mean."""
    for games in rows:
        pairs: dict[int, float] = defaultdict(float)
        for pair, gained in games:
            pairs[pair] += gained
        mean = sum(pairs.values()) / len(pairs)
        yield from ((starts[pair], gained - mean) for pair, gained in pairs.items())
