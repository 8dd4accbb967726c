"""The engine's tests pass without compilation, too: it is plain Python then, as for debugging and coverage."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: By engine, what between them runs every line of it, and takes minutes, not hours.
TESTS = {
    "tkm_env/engine": [
        f"tests/test_{name}.py"
        for name in ("scenarios", "perft", "random_play", "timelines", "observation", "events", "game", "batch", "team")
    ],
    "tkm_env/terminus/engine": ["tests/terminus", "--games", "20"],
}


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="this is the run without compilation")
@pytest.mark.parametrize("engine", TESTS)
def test_the_engine_is_covered_by_tests_that_pass_without_compilation(engine: str, tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(tmp_path / "coverage")}
    # Not a worker of the run that this test belongs to.
    environment = {name: value for name, value in environment.items() if not name.startswith("PYTEST_")}
    run = [sys.executable, "-m", "coverage", "run", "--source", engine, "-m", "pytest", "-q", "-m", "not slow"]
    result = subprocess.run(
        [*run, "-p", "no:cacheprovider", *TESTS[engine]], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    report = [sys.executable, "-m", "coverage", "report", "--fail-under", "98", "--show-missing"]
    covered = subprocess.run(report, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert covered.returncode == 0, covered.stdout
