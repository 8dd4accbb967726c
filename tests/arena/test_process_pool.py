"""A pool of processes reports the outcome of each call; a killed process loses only its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from contextlib import closing
from typing import Any

import pytest

from tkm_env import MachineError
from tkm_env.arena.playing.process_pool import ProcessPool

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")]


def outcomes(pool: ProcessPool, *calls: tuple[Any, ...]) -> dict[Any, Any]:
    """What becomes of these calls, each of which is its own key."""
    for call in calls:
        pool.submit(call, *call)
    found: dict[Any, Any] = {}
    while len(found) < len(calls):
        found |= dict(pool.wait())
    return found


def test_each_call_has_its_outcome() -> None:
    with closing(ProcessPool(2, divmod)) as pool:
        found = outcomes(pool, (7, 2), (7, 0), (9, 4), (8, 3))
    error = found.pop((7, 0))
    assert found == {(7, 2): (3, 1), (9, 4): (2, 1), (8, 3): (2, 2)}
    assert isinstance(error, RuntimeError)
    assert "ZeroDivisionError" in str(error)
    assert not multiprocessing.active_children()


def test_a_killed_process_costs_its_own_call_and_is_replaced() -> None:
    with closing(ProcessPool(1, signal.raise_signal)) as pool:
        found = outcomes(pool, (signal.SIGCONT,), (signal.SIGKILL,), (signal.SIGURG,))
        assert [found[call,] for call in (signal.SIGCONT, signal.SIGURG)] == [None, None]
        assert isinstance(found[signal.SIGKILL,], MachineError)
        assert "it was killed by signal 9" in str(found[signal.SIGKILL,])
        for process in multiprocessing.active_children():  # while it has nothing to do
            process.kill()
            process.join()
        assert isinstance(outcomes(pool, (signal.SIGURG,))[signal.SIGURG,], MachineError)
        assert outcomes(pool, (signal.SIGURG,)) == {(signal.SIGURG,): None}


def test_a_process_prefers_calls_of_the_group_of_its_last_one() -> None:
    """So that programs that it runs need not start again; the process is told by its number."""
    with closing(ProcessPool(2, _process, lambda group, _: group, 4)) as pool:
        assert pool.capacity == 12
        calls = [("ann", number) for number in range(4)] + [("bob", number) for number in range(4)]
        found = outcomes(pool, *calls)
    # Whoever has nothing of its own left helps the other one.
    assert len({(group, process) for (group, _), process in found.items()}) <= 3


def test_calls_that_have_not_begun_are_forgotten() -> None:
    with closing(ProcessPool(1, divmod)) as pool:
        for call in ((7, 2), (9, 4), (8, 3)):
            pool.submit(call, *call)
        assert pool.withdraw() == [(9, 4), (8, 3)]
        assert pool.wait() == [((7, 2), (3, 1))]


def _process(group: str, number: int) -> int:
    time.sleep(0.05)
    return os.getpid()
