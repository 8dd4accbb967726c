"""The programs in `benchmarks` start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAMS = [
    path
    for path in (Path(__file__).parents[3] / "benchmarks").glob("*.py")
    if "ArgumentParser" in path.read_text("utf-8")
]


@pytest.mark.nightly
@pytest.mark.parametrize("program", sorted(_PROGRAMS))
def test_a_program_describes_its_options(program: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(program), "--help"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, f"{program.name}: {run.stderr}"
    assert "usage" in run.stdout
