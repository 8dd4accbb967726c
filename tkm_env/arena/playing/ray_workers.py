"""Playing the games of a schedule on many machines with Ray. Needs the extra ``[ray]``."""

from __future__ import annotations

import logging
import os
import socket
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from tkm_env.arena.playing.process_pool import outcome_of
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import ScheduledGame
from tkm_env.arena.playing.scheduled_game import Players, play_scheduled_game
from tkm_env.arena.playing.workers import checked_processes
from tkm_env.core.per_game import Registrations
from tkm_env.foundations.cores import cores
from tkm_env.foundations.errors import ConfigError, MachineError, extra

with extra("ray"):
    import ray

#: How many times a block of games is restarted if its node or its process is lost.
_RETRIES: Final = 10
#: The time between checks of the number of cores, in seconds, since nodes may come and go.
_INTERVAL: Final = 5.0
#: The time to wait for an address to answer, and for cancelled games to end, in seconds.
_PATIENCE: Final = 10.0
#: The shared memory of a Ray that is started here, in bytes: little more than its minimum, since
#: records are small.
_STORE: Final = 100 << 20
#: When a process of Ray ends, it must not kill its children, the supervisors of the players'
#: programs, which end these programs and then themselves.
_ENVIRONMENT: Final = {"RAY_kill_child_processes_on_worker_exit": "0"}


class _Setup(NamedTuple):
    """What a process needs to play for another one."""

    known: Registrations  # the games, including those that were registered by a call
    conditions: Conditions
    folder: str
    #: Identifies the run: the same processes may play for several, one after another.
    run: str


class RayWorkers:
    """The cores of a Ray cluster, each of which plays one game at a time.

    A task is a block of games. A block whose node is lost is played again elsewhere, and counts
    once. Nodes may join at any time. All of them need the same version of this package, and the
    players' files at the same paths. Players' programs end with the Ray process that runs them.

    Args:
        conditions: how players play.
        address: ``"host:port"`` or ``"auto"``, as `ray.init` takes it; None for the Ray to which
            this process is connected or, without one, for a new one on this machine, which ends
            with `close`.
        processes: the number of processes of a new Ray, 1 to 1024; None for one per core.
        block: the number of games of the same players in a task; at least 2.

    Raises:
        ConfigError: if nothing answers at that address, this process is connected to another Ray,
            or a number is invalid.
    """

    def __init__(
        self,
        conditions: Conditions,
        address: str | None = None,
        processes: int | None = None,
        block: int = 2,
    ) -> None:
        if processes is not None:
            checked_processes(processes)
        self._is_ours = address is not None or not ray.is_initialized()
        if self._is_ours:
            _connect(address, processes)
        self._setup = _Setup(Registrations.here(), conditions, os.getcwd(), uuid.uuid4().hex)
        self._play = ray.remote(_play).options(
            num_cpus=1, max_retries=_RETRIES, runtime_env={"env_vars": _ENVIRONMENT}
        )
        self._block = max(2, block)
        #: The games of an incomplete block, which were submitted but not sent.
        self._held: list[tuple[int, ScheduledGame]] = []
        self._under_way: dict[Any, list[int]] = {}
        self._cores, self._next_look = 0, 0.0

    @property
    def capacity(self) -> int:
        """The number of games to submit at a time.

        It is a quarter more blocks than cores, so that no core waits, and always leaves room for
        the rest of a block.
        """
        if (now := time.monotonic()) >= self._next_look:
            self._cores, self._next_look = (
                int(ray.cluster_resources().get("CPU", 0)),
                now + _INTERVAL,
            )
        return self._block * (self._cores + self._cores // 4 + 1) + len(self._held)

    def submit(self, number: int, fixture: ScheduledGame) -> None:
        """Submit a game to be played, once its block is complete.

        Args:
            number: the index of the game.
            fixture: the game.
        """
        if self._held and {*self._held[0][1].contestants} != {*fixture.contestants}:
            self._send()
        self._held.append((number, fixture))
        if len(self._held) == self._block:
            self._send()

    def withdraw(self) -> list[int]:
        numbers = [number for number, _ in self._held]
        self._held.clear()
        return numbers

    def wait(self) -> list[tuple[int, dict[str, Any] | Exception]]:
        if self._held:
            self._send()
        (task,), _ = ray.wait([*self._under_way])
        numbers = self._under_way.pop(task)
        try:
            return [*zip(numbers, ray.get(task), strict=True)]
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except ray.exceptions.RayError as error:
            return [
                (number, MachineError("playing on the cluster", str(error))) for number in numbers
            ]

    def close(self) -> None:
        if tasks := [*self._under_way]:
            for task in tasks:
                ray.cancel(task, force=True)
            ray.wait(tasks, num_returns=len(tasks), timeout=_PATIENCE)
        if self._is_ours:
            ray.shutdown()

    def _send(self) -> None:
        task = self._play.remote(self._setup, [fixture for _, fixture in self._held])
        self._under_way[task] = [number for number, _ in self._held]
        self._held.clear()


def _connect(address: str | None, processes: int | None) -> None:
    """Connect to a cluster, or start one on this machine, without output.

    Raises:
        ConfigError: if that is not possible.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address not in (None, "auto"):  # Ray itself would try for minutes where nothing listens
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
        except (OSError, ValueError, OverflowError) as error:
            reason = f"it must be the host:port of a Ray cluster, or auto, and answer: {error}"
            raise ConfigError("address", address, reason) from error
    own = {
        "num_cpus": processes or cores(),
        "include_dashboard": False,
        "object_store_memory": _STORE,
    }
    try:
        ray.init(
            address or "local",
            logging_level=logging.ERROR,
            log_to_driver=False,
            **({} if address else own),
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ConfigError("address", address, f"Ray cannot be reached there: {error}") from error


#: The players of this process, from task to task, by the run of the last one.
_PLAYERS: dict[str, Players] = {}


def _play(setup: _Setup, fixtures: Sequence[ScheduledGame]) -> list[dict[str, Any] | Exception]:
    """Play games on this node; return their records, or the exceptions that ended them."""
    if setup.run not in _PLAYERS:
        while _PLAYERS:
            _PLAYERS.popitem()[1].close()
        setup.known.add()
        with suppress(OSError):  # if this node lacks the folder, only absolute paths work
            os.chdir(setup.folder)
        _PLAYERS[setup.run] = Players(setup.conditions)
    return [outcome_of(play_scheduled_game, fixture, _PLAYERS[setup.run]) for fixture in fixtures]
