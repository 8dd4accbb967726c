"""A pool of processes on this machine; if one is killed, only its current job fails."""

import atexit
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from multiprocessing.context import SpawnProcess
from typing import Any, Final, NamedTuple

from tkm_env.arena.playing.retries import machine_fault
from tkm_env.core.per_game import Registrations
from tkm_env.foundations.errors import MachineError, TKMError

#: Spawned processes share nothing with this one, on any system, so the games registered here are
#: passed on to them. Forks of a server would start faster, but the server imports the package from
#: the path of a fresh Python, and so may find a different version.
_CONTEXT: Final = get_context("spawn")


#: The time in which a process may end by itself, in seconds.
_PATIENCE: Final = 10.0


class _Worker(NamedTuple):
    process: SpawnProcess
    connection: Connection

    def end(self) -> int:
        """End an idle process.

        Returns:
            The exit code, or minus the number of the signal that killed it.
        """
        self.connection.close()
        self.process.join(_PATIENCE)
        self.process.kill()
        self.process.join()
        return self.process.exitcode or 0


class ProcessPool:
    """Processes that call a function with different arguments; they start when needed.

    They know the games registered here, ignore Ctrl-C, which this process handles, and end when
    this process ends in any way.

    Args:
        processes: the maximum number of processes.
        job: the function; each process has a copy.
        group_of: returns the group of a call's arguments. Calls of the same group are preferably
            made by the process that made the last one. None if calls have no groups.
        block: the usual number of successive calls of the same group.

    Attributes:
        capacity: the number of calls to submit at a time: a block more than there are processes, so
            that none of them waits.
    """

    def __init__(
        self,
        processes: int,
        job: Callable[..., Any],
        group_of: Callable[..., Hashable] | None = None,
        block: int = 1,
    ) -> None:
        self.capacity = (processes + 1) * block
        self._processes = processes
        self._job = job
        self._group_of, self._block = group_of, block
        #: The group of the last call of each process, by its connection.
        self._last_group: dict[Connection, Hashable] = {}
        self._waiting: deque[tuple[Any, tuple[Any, ...]]] = deque()
        self._idle: list[_Worker] = []
        self._busy: dict[Any, tuple[_Worker, Any]] = {}
        self._failed: list[tuple[Any, Any]] = []
        atexit.register(self._kill)

    def submit(self, key: Any, /, *arguments: Any) -> None:
        """Submit a call of the job.

        Args:
            key: identifies this call.
            *arguments: the arguments of the job.
        """
        self._waiting.append((key, arguments))
        if (
            self._group_of is None or len(self._waiting) > self._block
        ):  # otherwise no other group may be waiting yet
            self._begin()

    def wait(self) -> list[tuple[Any, Any]]:
        """Wait for submitted calls to end.

        Returns:
            The key and the outcome of at least one call: what the job returned, or the exception
                that it raised. A `MachineError` means that no process could be started for it, or
                that its process was killed.
        """
        self._begin()
        ended, self._failed = self._failed, []
        if not ended:
            for connection in wait_for([*self._busy]):
                worker, key = self._busy.pop(connection)
                ended.append((key, self._outcome(worker)))
            self._begin()
        return ended

    def close(self) -> None:
        """Drop the calls that have not begun, and return when the others have ended."""
        self._waiting.clear()
        while self._busy:
            self.wait()
        for worker in self._idle:
            worker.connection.close()
        for worker in self._idle:
            worker.end()
        self._idle.clear()
        atexit.unregister(self._kill)

    def _begin(self) -> None:
        while self._waiting and len(self._busy) < self._processes:
            number, idle = (
                self._next() if self._group_of else (0, self._idle[-1] if self._idle else None)
            )
            key, arguments = self._waiting[number]
            del self._waiting[number]
            try:
                worker = idle or _start(self._job)
            except (OSError, MemoryError) as error:
                self._failed.append((key, MachineError("starting a process", str(error))))
                continue
            if idle is not None:
                self._idle.remove(idle)
            self._busy[worker.connection] = worker, key
            self._last_group[worker.connection] = (
                self._group_of(*arguments) if self._group_of else None
            )
            with suppress(
                OSError
            ):  # if it was killed while idle, the end of its connection will tell
                worker.connection.send(arguments)

    def _next(self) -> tuple[int, _Worker | None]:
        """Choose the index of the next call, and an idle process for it; None for a new one.

        The call is of the process's group, or else of a group that no busy process has.
        """
        assert self._group_of is not None
        groups = [self._group_of(*arguments) for _, arguments in self._waiting]
        for worker in self._idle:
            if (group := self._last_group[worker.connection]) in groups:
                return groups.index(group), worker
        taken = {self._last_group[connection] for connection in self._busy}
        number = next((number for number, group in enumerate(groups) if group not in taken), 0)
        return number, self._idle[-1] if self._idle else None

    def withdraw(self) -> list[Any]:
        """Drop the calls that have not begun, and return their keys."""
        keys = [key for key, _ in self._waiting]
        self._waiting.clear()
        return keys

    def _outcome(self, worker: _Worker) -> Any:
        try:
            outcome = worker.connection.recv()
        except (EOFError, OSError):
            code = worker.end()
            how = (
                f"it was killed by signal {-code}"
                if code < 0
                else f"it ended with the exit code {code}"
            )
            return MachineError("a process that was at work", how)
        self._idle.append(worker)
        return outcome

    def _kill(self) -> None:
        for worker in (*self._idle, *(worker for worker, _ in self._busy.values())):
            worker.process.kill()


def outcome_of(job: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function, and return its outcome in a form that can be sent to another process.

    Args:
        job: the function.
        *arguments: its arguments.

    Returns:
        What the function returns, or the exception that it raises: a `MachineError` for a fault of
            the machine, other errors of this package as they are, and a `RuntimeError` with the
            traceback of anything else.
    """
    try:
        return job(*arguments)
    except Exception as error:
        if (fault := machine_fault(error)) is not None:
            return fault
        return error if isinstance(error, TKMError) else RuntimeError(traceback.format_exc())


def _start(job: Callable[..., Any]) -> _Worker:
    ours, theirs = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=_work, args=(theirs, Registrations.here(), job))
    try:
        process.start()
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    return _Worker(process, ours)


def _work(connection: Connection, known: Registrations, job: Callable[..., Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    known.add()
    parent = parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):  # until the other end is closed
        while True:
            connection.send(outcome_of(job, *connection.recv()))
