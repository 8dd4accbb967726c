"""The example that learns by self-play runs, and saves a model.

It is left out, with a note, without the extra ``[train]``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra [train]")

from tkm_env.evaluation import evaluate
from tkm_env.players import make_agent

EXAMPLE = Path(__file__).parents[2] / "examples/sb3_selfplay.py"


def test_the_example_learns_a_little_and_evaluates(tmp_path: Path) -> None:
    best = tmp_path / "best.zip"
    command = [
        sys.executable,
        str(EXAMPLE),
        "--steps",
        "2048",
        "--envs",
        "16",
        "--games",
        "4",
        "--best",
        str(best),
    ]
    output = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=tmp_path
    ).stdout
    assert re.search(r"^0 steps: .* against greedy$", output, re.MULTILINE), output
    for opponent in ("random", "greedy"):
        assert re.search(rf"^MaskablePPO against {opponent}: 4 games", output, re.MULTILINE), output
    assert best.exists()
    line = re.search(r"tkm match (policy:\S+) greedy$", output, re.MULTILINE)
    assert line is not None, output
    policy = make_agent(line[1])
    assert evaluate(policy, games=4).games == 4
