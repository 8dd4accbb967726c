"""Checkpoints of trainings are measured on solved positions."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import endgame_curves
from tkm_env.arena.benchmark.endgame_tasks import ENDGAME_TASKS
from tkm_env.players import write_policy


@pytest.fixture
def trainings(tmp_path: Path) -> Path:
    """Two checkpoints of a policy that knows nothing, and files that are none."""
    for name in ("ppo-seed2.npz", "ppo-seed2-0.5.npz", "turn-ppo-seed2.npz", "ppo-seed2-best.npz"):
        write_policy(tmp_path / name, [(np.zeros((160, 79)), np.zeros(79))], observation="compact")
    return tmp_path


def test_a_curve_has_a_point_for_each_checkpoint_of_the_method(
    trainings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []
    monkeypatch.setattr(endgame_curves, "FIGURES", tmp_path / "curves.json")
    monkeypatch.setattr(endgame_curves, "keep", lambda folder, name: kept.append(name))
    monkeypatch.setattr(sys, "argv", ["", "ppo", str(trainings), "--positions", "20"])
    endgame_curves.main()
    found = json.loads((tmp_path / "curves.json").read_text("utf-8"))["methods"]
    assert [*found] == ["ppo"]
    assert found["ppo"]["positions"] == 20
    assert [*found["ppo"]["seeds"]] == ["2"]
    half, end = found["ppo"]["seeds"]["2"]
    assert (half["minutes"], end["minutes"]) == (0.5, 10.0)
    assert half == end | {"minutes": 0.5}, "the same policy plays the same turns"
    assert 0 < half["best"] <= 1
    assert half["value_error"] is None, "a policy expects nothing"
    assert {*half["errors"].values()} == {None}
    assert kept == ["endgame curves"]


def test_a_folder_without_trainings_is_refused_with_the_command_that_makes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["", "value", str(tmp_path)])
    with pytest.raises(SystemExit):
        endgame_curves.main()
    assert "from_nothing.py value" in capsys.readouterr().err


def test_errors_are_split_by_the_true_result() -> None:
    (task, *_) = ENDGAME_TASKS.values()
    records = [{"expected": {"white": 0.5}} for _ in range(200)]
    assert endgame_curves.errors_by_result(records, 200) == {
        "won": 0.5,
        "neither": 0.5,
        "lost": 1.5,
    }
    first = task.positions[0].expected_result
    found = endgame_curves.errors_by_result(records[:1], 200)
    assert [name for name, error in found.items() if error is not None] == [
        name for name, result in endgame_curves.RESULTS.items() if result == first
    ]
