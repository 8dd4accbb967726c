"""Playing the games of a schedule: beginning, retrying and saving each of them."""

import dataclasses
import os
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, nullcontext
from functools import partial
from typing import Any, Final, TypeAlias

from tkm_env.arena.playing.ledger import Ledger
from tkm_env.arena.playing.retries import Retries, retried
from tkm_env.arena.playing.schedule import Schedule, ScheduledGame
from tkm_env.arena.playing.versions import ChangedPlayerError
from tkm_env.arena.playing.workers import Workers
from tkm_env.foundations.errors import BudgetError, repr_of

#: The record of a game; None stands for a game that was left out.
_Result: TypeAlias = dict[str, Any] | None

#: The jobs that are retried when the machine fails, for example on a full disk.
_SAVING: Final = "saving a game"
_STARTING: Final = "starting the players"
_FORFEITS: Final = "until then it loses its games"


def play_schedule(
    schedule: Schedule,
    workers: Callable[[], Workers],
    save: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    verify: bool = False,
    stopping: Callable[[], Any] = bool,
    live: str | os.PathLike[str] = "",
    starting: Callable[[], object] = bool,
) -> Generator[dict[str, Any]]:
    """Play the games of a schedule.

    A player whose files have changed since it entered loses the games that it has not begun, with a
    `RuntimeWarning`; an open schedule leaves these games out. A game ended by a fault of the
    machine is played again, see `tkm_env.arena.playing.retries`. Once a budget is spent, the games
    in progress end, no others begin, and there is a `RuntimeWarning`. When resumed with a larger
    budget, they continue with the answers that have been paid for.

    Args:
        schedule: which games are played.
        workers: makes the workers that play them, once the file has been checked.
        save: the file of the records; None saves nothing.
        resume: whether the file may already hold games.
        verify: whether to replay all saved games, including those that a checkpoint trusts.
        stopping: called before games begin; once it returns true, no others begin.
        live: the folder for the games in progress, as in `tkm_env.arena.playing.live`; empty for
            none.
        starting: called before the first game that is played; its errors end the run.

    Yields:
        The records in the order of the schedule, including those that were saved before.

    Raises:
        FileError: as `tkm_env.arena.playing.ledger.Ledger` does.
        MachineError: if the machine keeps failing to play or save the same game; the games saved
            before can be resumed.
    """
    opened = nullcontext() if save is None else Ledger(save, schedule, resume=resume, verify=verify)
    with opened as ledger:
        with closing(workers()) as playing:
            run = _Run(schedule, ledger, playing, os.fspath(live), starting)
            while run.goes_on:
                if stopping() or run.spent:
                    run.stop()
                run.begin_games()
                yield from run.save_games()
                # All other games are saved by now, since this may end the run.
                run.under_way.begin_failed_again()
                run.wait()
        if run.spent:
            warnings.warn(f"no more games begin: {run.spent}", RuntimeWarning, stacklevel=2)


class _OrderedResults:
    """The results of games, which arrive in any order and are taken in the order of the games."""

    def __init__(self) -> None:
        self.taken: list[_Result] = []
        self._waiting: dict[int, _Result] = {}  # by the index of the game

    def add(self, index: int, result: _Result) -> None:
        self._waiting[index] = result

    @property
    def is_empty(self) -> bool:
        """Whether no result is waiting for earlier ones."""
        return not self._waiting

    @property
    def next_index(self) -> int:
        """The index of the game whose result is taken next."""
        return len(self.taken)

    @property
    def has_next(self) -> bool:
        return self.next_index in self._waiting

    def take(self) -> Iterator[_Result]:
        """Yield the results whose turn has come."""
        while self.has_next:
            self.taken.append(self._waiting.pop(self.next_index))
            yield self.taken[-1]


class _UnderWay:
    """The games in progress, by index.

    A game ended by a fault of the machine stays here, and begins again.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._fixtures: dict[int, ScheduledGame] = {}
        self._failed: list[tuple[int, Exception]] = []
        self._retries = Retries()

    def __len__(self) -> int:
        return len(self._fixtures)

    def __getitem__(self, index: int) -> ScheduledGame:
        return self._fixtures[index]

    @property
    def has_room(self) -> bool:
        """Whether the workers can take another game."""
        return len(self._fixtures) < self._workers.capacity

    def begin(self, index: int, fixture: ScheduledGame) -> None:
        """Let workers play a game; one of the same index is replaced.

        Args:
            index: the index of the game.
            fixture: the game.
        """
        self._fixtures[index] = fixture
        self._workers.submit(index, fixture)

    def withdraw(self) -> None:
        """Drop the games that are waiting for a worker."""
        for index in self._workers.withdraw():
            del self._fixtures[index]

    def wait(self) -> Iterator[tuple[int, dict[str, Any] | Exception]]:
        """Wait for games to end, as `Workers.wait` does."""
        yield from self._workers.wait()

    def end(self, index: int) -> None:
        del self._fixtures[index]

    def fail(self, index: int, error: Exception) -> None:
        """Note that an error ended a game, for `begin_failed_again`.

        Args:
            index: the index of the game.
            error: the error.
        """
        self._failed.append((index, error))

    def begin_failed_again(self) -> None:
        """Restart games that faults of the machine ended, after a pause.

        Raises:
            Exception: as `tkm_env.arena.playing.retries.Retries.pause` does.
        """
        for index, error in self._failed:
            fixture = self._fixtures[index]
            players = fixture.players.values()
            first, second = map(repr_of, players)
            job = f"playing the game with the seed {fixture.seed}, {first} against {second}"
            self._retries.pause(job, error, players)
            self._workers.submit(index, fixture)
        self._failed.clear()


class _Run:
    """A run of a schedule, from the next game to begin to the last game to be saved."""

    def __init__(
        self,
        schedule: Schedule,
        ledger: Ledger | None,
        workers: Workers,
        live: str,
        starting: Callable[[], object],
    ) -> None:
        self._schedule, self._ledger = schedule, ledger
        self._known: Mapping[int, dict[str, Any]] = {} if ledger is None else ledger.known
        self._answers = "" if ledger is None else str(ledger.answers)
        self._live, self._starting = live, starting
        self._next_index = 0
        self._is_open, self._has_begun = True, False
        self.under_way = _UnderWay(workers)
        self._results = _OrderedResults()
        self.spent = ""  # the message of a spent budget; empty if none is spent

    @property
    def goes_on(self) -> bool:
        """Whether a game may begin, is in progress, or has to be saved."""
        return self._is_open or len(self.under_way) > 0 or self._results.has_next

    def stop(self) -> None:
        """Begin no other games."""
        self._is_open = False
        self.under_way.withdraw()

    def begin_games(self) -> None:
        """Begin the next games, up to the workers' capacity; saved games are not played again."""
        while self._is_open and self.under_way.has_room:
            fixture = self._schedule.fixture(self._next_index, self._results.taken)
            if fixture == "wait":
                return
            if self._ledger is not None and self._schedule.is_new_choice:
                retried(self._ledger.save_state, _SAVING)
            if fixture is None:
                self._is_open = False
                return
            if fixture.seed in self._known:
                self._results.add(self._next_index, self._known[fixture.seed])
            elif fixture.forfeits and self._schedule.is_open:
                self._results.add(self._next_index, None)
            else:
                self._begin(self._next_index, fixture)
            self._next_index += 1

    def _begin(self, index: int, fixture: ScheduledGame) -> None:
        if not self._has_begun:
            retried(self._starting, _STARTING)
            self._has_begun = True
        self.under_way.begin(
            index, dataclasses.replace(fixture, answers=self._answers, live=self._live)
        )

    def save_games(self) -> Iterator[dict[str, Any]]:
        """Save the games whose turn has come, and yield their records."""
        for record in self._results.take():
            if record is None:
                continue
            if self._ledger is not None:
                is_last = self._results.is_empty
                retried(partial(self._ledger.add, record, is_last=is_last), _SAVING)
            yield record

    def wait(self) -> None:
        """Wait until games in progress end, and handle the outcome of each."""
        if not self.under_way:
            return
        for index, outcome in self.under_way.wait():
            match outcome:
                case ChangedPlayerError() if self._schedule.is_open:
                    self._results.add(index, None)
                case ChangedPlayerError() if not self.under_way[index].forfeits:
                    warnings.warn(f"{outcome} ({_FORFEITS})", RuntimeWarning, stacklevel=3)
                    forfeited = dataclasses.replace(
                        self.under_way[index], forfeits=str(outcome.path)
                    )
                    self.under_way.begin(index, forfeited)
                    continue
                case BudgetError():
                    self.spent = str(outcome)
                case Exception():
                    self.under_way.fail(index, outcome)
                    continue
                case record:
                    self._results.add(index, record)
                    if self._ledger is not None and index != self._results.next_index:
                        retried(partial(self._ledger.keep, record), _SAVING)
            self.under_way.end(index)
