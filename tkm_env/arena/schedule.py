"""Playing a schedule: its games in its order, on any workers, saved one by one, stopped and resumed at any moment."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from typing import Any, Protocol

from tkm_env.arena.fixture import Contestant, Fixture
from tkm_env.arena.ledger import Ledger
from tkm_env.arena.workers import Workers


class Schedule(Protocol):
    """Which games are played, in which order.

    Attributes:
        title: what it is, in a word.
        games: how many there are; None if that is open.
        lag: how many games before its own a choice cannot depend on, so that they may be played side by side; None if no choice depends
            on results.
    """

    @property
    def title(self) -> str: ...

    @property
    def games(self) -> int | None: ...

    @property
    def lag(self) -> int | None: ...

    def fixture(self, number: int, results: Sequence[Mapping[str, Any]]) -> Fixture | None:
        """The game of this number, from 0; None after the last one.

        Args:
            number: each is asked for once, in order.
            results: the records of the games so far, in order: all but at most `lag`.
        """

    def find(self, record: Mapping[str, Any]) -> Fixture | None:
        """The game of this schedule whose record this may be, by its seed and players; None if there is none."""

    def fixtures(self) -> Iterator[Fixture]:
        """All games that it may come to."""

    def isolation(self, contestant: Contestant) -> str | None:
        """Where a player runs; None if any place is right."""

    def resume(self, played: Sequence[Fixture]) -> None:
        """Begin with the games that were played before, in their order."""


def play_schedule(
    schedule: Schedule,
    workers: Callable[[], Workers],
    save: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    stopping: Callable[[], Any] = bool,
) -> Generator[dict[str, Any]]:
    """Play the games of a schedule and yield their records in its order, with those that were saved before.

    Args:
        schedule: which games.
        workers: makes those who play them, once the file has been looked at.
        save: a file of records, to which each is appended. What is over before its turn is kept in a file beside it until then.
        resume: go on with the games in that file.
        stopping: whether to begin no more games.

    Raises:
        FileError: as `tkm_env.arena.ledger.Ledger` does.
    """
    with nullcontext() if save is None else Ledger(save, schedule, resume=resume) as ledger:
        known: Mapping[int, dict[str, Any]] = {} if ledger is None else ledger.known
        results: list[dict[str, Any]] = []
        early: dict[int, dict[str, Any]] = {}
        number, under_way, is_open = 0, 0, True
        with closing(workers()) as playing:
            while is_open or under_way or early:
                while is_open and under_way < playing.capacity and number - len(results) < (schedule.lag or number + 1):
                    if stopping():
                        is_open = False
                        break
                    fixture = schedule.fixture(number, results)
                    if fixture is None:
                        is_open = False
                    elif fixture.seed in known:
                        early[number] = known[fixture.seed]
                        number += 1
                    else:
                        playing.submit(number, fixture)
                        number += 1
                        under_way += 1
                while len(results) in early:
                    results.append(record := early.pop(len(results)))
                    if ledger is not None:
                        ledger.add(record, is_last=not early)
                    yield record
                if under_way:
                    for finished, record in playing.wait():
                        under_way -= 1
                        early[finished] = record
                        if ledger is not None and finished != len(results):
                            ledger.keep(record)
