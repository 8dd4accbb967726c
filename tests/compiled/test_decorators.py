"""What the first game waits for: how much is compiled, and the notice at a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tkm_env.compiled.decorators import COMPILES

pytestmark = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")

#: Does something at a terminal or not, and prints how often each function was compiled.
DO = """
import collections, json, sys
sys.stderr.isatty = lambda: sys.argv[2] == "at a terminal"
from numba.core import event
import numpy as np
import tkm_env
from tkm_env.compiled.kernels import draw_all
with event.install_recorder("numba:compile") as recorder:
    exec(sys.argv[1])
functions = [entry.data["dispatcher"].py_func for _, entry in recorder.buffer if entry.is_start]
print(json.dumps(collections.Counter(f"{function.__module__}.{function.__qualname__}" for function in functions)))
"""
DRAW = "for _ in range(2): draw_all(np.ones(1, np.uint64), np.zeros(1, np.int64), 5, np.zeros(1, np.int64))"
PLAY = "game = tkm_env.Game(); game.play('choose 1')"

Do = Callable[..., tuple[dict[str, int], str]]


@pytest.fixture
def do(tmp_path: Path) -> Do:
    environment: dict[str, Any] = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def run(what: str, where: str = "at a terminal") -> tuple[dict[str, int], str]:
        command = [sys.executable, "-c", DO, what, where]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return json.loads(done.stdout), done.stderr

    return run


def test_a_person_at_a_terminal_is_notified_once(do: Do) -> None:
    compiled, printed = do(DRAW)
    assert "tkm_env.compiled.kernels.draw_all" in compiled
    assert printed == "tkm_env: compiling the engine; this is needed once, and takes 10 to 30 s\n"
    assert do(DRAW) == ({}, ""), "the second process must find the first one's machine code"


@pytest.mark.slow
def test_nothing_is_printed_where_nobody_reads_it(do: Do) -> None:
    compiled, printed = do(DRAW, "in a pipe")
    assert compiled
    assert printed == ""


@pytest.mark.slow
def test_the_first_game_compiles_each_function_once_and_no_other_compiles_it_again(do: Do) -> None:
    compiled, _ = do(PLAY)
    ours = {name: times for name, times in compiled.items() if name.startswith("tkm_env.")}
    assert set(ours.values()) == {1}
    assert len(compiled) - len(ours) <= 2, "functions of numba's own cost as much as ours, and more in machine code"
    compiled, _ = do(PLAY + "; game.totals")
    assert set(compiled) == {"tkm_env.games.tkm.engine.kernels.replay"}, "the rules are kept on disk"
