"""Faults of the machine: recognizing them, and retrying the work that they ended.

Three kinds of errors can end a game: a fault of a player, which the record holds; a fault of the
machine, after which the game is played again from the beginning; and an error of this package,
which ends the run.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from time import sleep
from typing import Final, TypeVar

from tkm_env.foundations.errors import MACHINE_ERRNOS, MachineError, PlayerError, TKMError, repr_of

_Result = TypeVar("_Result")

#: Python's message when the system grants no thread.
_NO_THREAD: Final = "can't start new thread"
#: The pauses before further tries, in seconds.
PAUSES: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)


def machine_fault(error: BaseException) -> MachineError | None:
    """Return the fault of the machine that an error is, or that caused it.

    Returns:
        The fault; None if the error is anything else, such as a player's fault.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, PlayerError):
        if isinstance(cause, MachineError):
            return cause
        if (
            isinstance(cause, MemoryError)
            or (isinstance(cause, OSError) and cause.errno in MACHINE_ERRNOS)
            or (isinstance(cause, RuntimeError) and str(cause) == _NO_THREAD)
        ):
            fault = MachineError(
                "in a process of this package", str(error) or "it has no memory left"
            )
            fault.__cause__ = error
            return fault
        cause = cause.__cause__
    return None


class Retries:
    """The retries of a run after faults of the machine.

    Each job is tried up to eight times, with pauses from half a second to half a minute.
    """

    def __init__(self) -> None:
        self._failures: Counter[str] = Counter()
        #: The players, for each time that the machine failed.
        self._playing: list[frozenset[str]] = []

    def pause(self, job: str, error: Exception, players: Iterable[str] = ()) -> None:
        """Wait after a fault of the machine, before a job is tried again.

        A `RuntimeWarning` says so.

        Args:
            job: what failed, such as ``"playing a game"``.
            error: the error.
            players: the names of the players, if the job is a game.

        Raises:
            MachineError: if the machine failed, and there are no tries left.
            TKMError: the error itself, if it is any other error of this package.
            RuntimeError: naming the job, for any other error.
        """
        fault = machine_fault(error)
        if fault is None and isinstance(error, TKMError):
            raise error
        if fault is None:
            raise RuntimeError(f"{job}: {type(error).__name__}: {error}") from error
        self._playing.append(frozenset(players))
        self._failures[job] += 1
        count = self._failures[job]
        if count > len(PAUSES):
            always = frozenset.intersection(*self._playing)
            is_telling = len({*self._playing}) > 1 and len(always) == 1
            hint = f", with {repr_of(*always)} playing each time" if is_telling else ""
            raise MachineError(
                f"{job}, tried {count} times{hint}; resume once the machine has recovered",
                str(fault),
            ) from error
        seconds = PAUSES[count - 1]
        warnings.warn(
            f"{job} is tried again in {seconds:g} s, since the machine failed: {fault}",
            RuntimeWarning,
            stacklevel=3,
        )
        sleep(seconds)


def retried(attempt: Callable[[], _Result], job: str) -> _Result:
    """Call a function until the machine does not fail.

    Args:
        attempt: the function, which takes no arguments.
        job: what it does, such as ``"saving a game"``, for messages.

    Returns:
        What the function returns.

    Raises:
        MachineError: if the machine failed eight times.
        TKMError: the error itself, if it is any other error of this package.
        RuntimeError: naming the job, for any other error.
    """
    retries = Retries()
    while True:
        try:
            return attempt()
        except Exception as error:
            retries.pause(job, error)
