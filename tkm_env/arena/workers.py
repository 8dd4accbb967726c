"""Who plays the games of a schedule: this process, or several on this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from typing import Any, Protocol

from tkm_env.arena.fixture import Fixture, Players, play_fixture
from tkm_env.arena.referee import Conditions
from tkm_env.checks import checked_integer
from tkm_env.game.registry import GameSpec, add_games, registered_games


class Workers(Protocol):
    """What plays games, in any order."""

    @property
    def capacity(self) -> int:
        """How many games may be under way: those that are played, and as many as keep all workers busy."""

    def submit(self, number: int, fixture: Fixture) -> None:
        """Have a game played, called by this number."""

    def wait(self) -> Iterable[tuple[int, dict[str, Any]]]:
        """The numbers and records of at least one game that was submitted; it waits for it."""

    def close(self) -> None:
        """Begin no other game, and return when none is played any more."""


def local_workers(conditions: Conditions, processes: int, games: int | None = None) -> Workers:
    """Workers on this machine.

    Args:
        conditions: how players play.
        processes: how many games at a time, 1 to 1024.
        games: how many games there are at most; None if that is unknown.

    Raises:
        ConfigError: if the number of processes is invalid.
    """
    processes = checked_integer("processes", processes, 1, 1024)
    wanted = processes if games is None else min(processes, games)
    return OneProcess(conditions) if wanted < 2 else Processes(conditions, wanted)


class OneProcess:
    """One game after the other, in this process."""

    capacity = 1

    def __init__(self, conditions: Conditions) -> None:
        self._players = Players(conditions)
        self._submitted: list[tuple[int, Fixture]] = []

    def submit(self, number: int, fixture: Fixture) -> None:
        self._submitted.append((number, fixture))

    def wait(self) -> list[tuple[int, dict[str, Any]]]:
        number, fixture = self._submitted.pop(0)
        return [(number, play_fixture(fixture, self._players))]

    def close(self) -> None:
        self._players.close()


class Processes:
    """Several processes, each of which plays one game at a time."""

    def __init__(self, conditions: Conditions, processes: int) -> None:
        # One more than can be played, so that no process waits; and few to finish when the schedule is stopped.
        self.capacity = processes + 1
        self._pool = process_pool(processes, _seat, conditions)
        self._waiting: dict[Future[dict[str, Any]], int] = {}

    def submit(self, number: int, fixture: Fixture) -> None:
        self._waiting[self._pool.submit(_play, fixture)] = number

    def wait(self) -> list[tuple[int, dict[str, Any]]]:
        finished, _ = wait(self._waiting, return_when=FIRST_COMPLETED)
        return [(self._waiting.pop(future), future.result()) for future in finished]

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


#: The players of this process, if it plays for another one.
_PLAYERS: list[Players] = []


def _seat(conditions: Conditions) -> None:
    _PLAYERS.append(Players(conditions))


def _play(fixture: Fixture) -> dict[str, Any]:
    return play_fixture(fixture, _PLAYERS[0])


def process_pool(processes: int, prepare: Callable[..., object] | None = None, *given: Any) -> ProcessPoolExecutor:
    """Processes that know the games registered here. Ctrl-C is for the one that has the work done; they end with it, however it ends.

    Args:
        processes: how many.
        prepare: what each of them calls first; None for nothing.
        given: its arguments.
    """
    # Spawned processes share nothing with this one, on any system, so the games registered here are passed on to them. Copies of a server
    # would start faster, but it looks for the package where Python starts, and so may find another version than this one.
    known = list(registered_games().values())
    return ProcessPoolExecutor(processes, get_context("spawn"), _begin, (known, prepare, given))


def _begin(known: list[GameSpec], prepare: Callable[..., object] | None, given: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    add_games(known)
    parent = parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    if prepare is not None:
        prepare(*given)
