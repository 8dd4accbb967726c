"""Processes that work for this one tell what became of each call, and a killed one costs only its own."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from contextlib import closing
from typing import Any

import pytest

from tkm_env import MachineError
from tkm_env.arena.process_pool import ProcessPool

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="sends signals")]


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
