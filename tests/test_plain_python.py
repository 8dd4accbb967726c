"""The engine's tests pass without compilation, too: it is plain Python then, as for debugging and coverage."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tkm_env.core.jit import COMPILES, SHARED

ROOT = Path(__file__).parents[1]
#: What compiles engines, which is not compiled itself.
COMPILERS = ("atomics_code.py", "compilation.py", "ir_linking.py", "jit.py")
#: What engines share, as far as it is compiled.
SHARED_CODE = ",".join(f"tkm_env/core/{name}" for name in SHARED if name not in COMPILERS)
#: By engine, what between them runs every line of it, and takes seconds, not hours.
TESTS = {
    f"tkm_env/games/tkm/engine/*,{SHARED_CODE}": [
        *(
            f"tests/games/tkm/test_{name}.py"
            for name in ("scenarios", "random_play", "timelines", "compact", "events", "game", "batch")
        ),
        "tests/core/test_batch_search.py",
        "tests/core/test_thread_team.py",
    ],
    "tkm_env/games/terminus/engine/*": [
        *(
            f"tests/games/terminus/test_{name}.py"
            for name in ("scenarios", "deck", "notation", "play", "random_play", "observation", "compact", "faces", "agents")
        ),
        *("--games", "5"),
    ],
}


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="this is the run without compilation")
@pytest.mark.parametrize("engine", TESTS)
def test_the_engine_is_covered_by_tests_that_pass_without_compilation(engine: str, tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(tmp_path / "coverage")}
    # Not a worker of the run that this test belongs to.
    environment = {name: value for name, value in environment.items() if not name.startswith("PYTEST_")}
    run = [sys.executable, "-m", "coverage", "run", f"--include={engine}", "-m", "pytest", "-q", "-m", "not slow"]
    result = subprocess.run(
        [*run, "-p", "no:cacheprovider", *TESTS[engine]], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    report = [sys.executable, "-m", "coverage", "report", "--fail-under", "98", "--show-missing"]
    covered = subprocess.run(report, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert covered.returncode == 0, covered.stdout


WITHOUT_NUMBA = """
import sys

sys.modules["numba"] = sys.modules["llvmlite"] = None
import gymnasium
import tkm_env
from tkm_env.agents import make_agent

for game in (tkm_env.Game(chapters=["growth", "influence", "memory"]), tkm_env.TerminusGame(seed=1)):
    agent = make_agent("random")
    agent.reset(1)
    while game.result is None:
        game.play(agent.act(game))
    print(type(game).from_record(game.to_record()) == game)
games = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=2, vectorization_mode="vector_entry_point", opponent="greedy")
observations, info = games.reset(seed=1)
games.step(info["action_mask"].argmax(1))
"""


@pytest.mark.slow
def test_games_and_environments_need_no_numba(tmp_path: Path) -> None:
    result = subprocess.run([sys.executable, "-c", WITHOUT_NUMBA], cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "True\nTrue\n"), result.stderr[-2000:]
