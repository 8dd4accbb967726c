"""Who plays the games of a schedule: this process, or several on this machine."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from tkm_env.arena.playing.process_pool import ProcessPool
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import ScheduledGame
from tkm_env.arena.playing.scheduled_game import Players, play_scheduled_game
from tkm_env.foundations.checks import checked_integer


class Workers(Protocol):
    """What plays games, in any order. Games are told apart by their indices in the schedule."""

    @property
    def capacity(self) -> int:
        """How many games may be under way.

        These are the ones being played, and enough others to keep all workers busy.
        """

    def submit(self, number: int, fixture: ScheduledGame, /) -> None:
        """Have a game played, identified by its index."""

    def withdraw(self) -> Iterable[int]:
        """Forget submitted games that have not begun; their indices."""

    def wait(self) -> Iterable[tuple[int, dict[str, Any] | Exception]]:
        """Wait for submitted games to end.

        Returns:
            The index of at least one, with its record, or the exception that ended it.
        """

    def close(self) -> None:
        """Begin no other game, and return once none is being played any more."""


def checked_processes(given: object) -> int:
    """The number of processes on this machine, 1 to 1024, else a `ConfigError` is raised."""
    return checked_integer("processes", given, 1, 1024)


def local_workers(
    conditions: Conditions, processes: int, games: int | None = None, block: int = 1
) -> Callable[[], Workers]:
    """A function that makes workers on this machine.

    Args:
        conditions: how players play.
        processes: how many games they play at a time, 1 to 1024.
        games: how many games there are, if that is known: no more processes start.
        block: how many games in a row are between the same players; one process plays as many of
            them as it can.

    Returns:
        The function, which takes no arguments.

    Raises:
        ConfigError: if ``processes`` is invalid.
    """
    processes = checked_processes(processes)
    wanted = processes if games is None else min(processes, games)
    if wanted < 2:
        return lambda: _OneProcess(conditions)
    job = partial(play_scheduled_game, players=Players(conditions))
    return lambda: ProcessPool(wanted, job, lambda fixture: frozenset(fixture.contestants), block)


class _OneProcess:
    """One game after the other, in this process."""

    capacity = 1

    def __init__(self, conditions: Conditions) -> None:
        self._players = Players(conditions)
        self._submitted: list[tuple[int, ScheduledGame]] = []

    def submit(self, number: int, fixture: ScheduledGame) -> None:
        self._submitted.append((number, fixture))

    def withdraw(self) -> list[int]:
        numbers = [number for number, _ in self._submitted]
        self._submitted.clear()
        return numbers

    def wait(self) -> list[tuple[int, dict[str, Any] | Exception]]:
        number, fixture = self._submitted.pop(0)
        try:
            return [(number, play_scheduled_game(fixture, self._players))]
        except Exception as error:
            return [(number, error)]

    def close(self) -> None:
        self._players.close()
