"""Processes on this machine that work for this one: a killed one costs only its own job."""

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
#: passed on to them. Copies of a server would start faster, but it looks for the package where
#: Python starts, and so may find another version than this one.
_CONTEXT: Final = get_context("spawn")


#: Seconds that a process may take to end by itself.
_PATIENCE: Final = 10.0


class _Worker(NamedTuple):
    process: SpawnProcess
    connection: Connection

    def end(self) -> int:
        """End the process once it has nothing to do.

        Returns:
            Its exit code, or minus the number of the signal that killed it.
        """
        self.connection.close()
        self.process.join(_PATIENCE)
        self.process.kill()
        self.process.join()
        return self.process.exitcode or 0


class ProcessPool:
    """Processes that do a job with different arguments, started when they are needed.

    They know the games registered here, ignore Ctrl-C, which is for this process, and end with it,
    however it ends.

    Args:
        processes: how many there are.
        job: what they do; each has a copy of it.
        group_of: calls with arguments of the same group follow each other in the process that had
            the last one; None if calls have no groups.
        block: how many calls of a group follow each other.

    Attributes:
        capacity: how many calls may be under way: a block more than there are processes, so that
            none of them waits.
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
        #: By the connection of a process.
        self._last_group: dict[Connection, Hashable] = {}
        self._waiting: deque[tuple[Any, tuple[Any, ...]]] = deque()
        self._idle: list[_Worker] = []
        self._busy: dict[Any, tuple[_Worker, Any]] = {}
        self._failed: list[tuple[Any, Any]] = []
        atexit.register(self._kill)

    def submit(self, key: Any, /, *arguments: Any) -> None:
        """Have the job done.

        Args:
            key: what identifies this call.
            *arguments: what the job is called with.
        """
        self._waiting.append((key, arguments))
        if (
            self._group_of is None or len(self._waiting) > self._block
        ):  # else there may be no other group yet
            self._begin()

    def wait(self) -> list[tuple[Any, Any]]:
        """Wait for submitted calls to end.

        Returns:
            The key and the outcome of at least one: what the job returned, or the exception that it
            raised. A `MachineError` says that there was no process for it, or that it was killed.
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
        """Begin no other call, and return when none is under way any more."""
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
            ):  # it was killed when it had nothing to do: the end of its connection will tell
                worker.connection.send(arguments)

    def _next(self) -> tuple[int, _Worker | None]:
        """What begins next: the index of a waiting call, and an idle process for it.

        It is one of the process's group, or else of a group that no other process has.
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
        """Forget the calls that have not begun; their keys."""
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
    """Call a function, and have what comes of it in a form that can be sent to another process.

    Args:
        job: the function.
        *arguments: what it is called with.

    Returns:
        What it returns, or the exception that it raises.
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
