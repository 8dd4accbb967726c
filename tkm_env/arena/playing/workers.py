"""The workers that play the games of a schedule: this process, or several on this machine."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from tkm_env.arena.playing.process_pool import ProcessPool
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import ScheduledGame
from tkm_env.arena.playing.scheduled_game import Players, play_scheduled_game
from tkm_env.foundations.checks import checked_integer


class Workers(Protocol):
    """Plays games, in any order; games are identified by their indices in the schedule."""

    @property
    def capacity(self) -> int:
        """The number of games to submit at a time.

        It counts the games being played, and enough others to keep all workers busy.
        """

    def submit(self, number: int, fixture: ScheduledGame, /) -> None:
        """Submit a game to be played.

        Args:
            number: the index of the game.
            fixture: the game.
        """

    def withdraw(self) -> Iterable[int]:
        """Drop submitted games that have not begun, and return their indices."""

    def wait(self) -> Iterable[tuple[int, dict[str, Any] | Exception]]:
        """Wait for submitted games to end.

        Returns:
            The index of at least one game, with its record, or the exception that ended it.
        """

    def close(self) -> None:
        """Begin no other games, and return when those being played have ended."""


def checked_processes(given: object) -> int:
    """Check a number of processes on this machine, from 1 to 1024.

    Raises:
        ConfigError: if it is anything else.
    """
    return checked_integer("processes", given, 1, 1024)


def local_workers(
    conditions: Conditions, processes: int, games: int | None = None, block: int = 1
) -> Callable[[], Workers]:
    """Return a function that makes workers on this machine.

    Args:
        conditions: the conditions under which players play.
        processes: the number of games to play at a time, 1 to 1024.
        games: the number of games, which limits the number of processes; None if unknown.
        block: the number of successive games between the same players; preferably one process
            plays all of them.

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
    """Plays one game after another, in this process."""

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
