"""The benchmark's second track: a program that learns keeps to its budget, and to its files."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def budget(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The examples' budget, with a clock on which each round takes half a minute."""
    monkeypatch.syspath_prepend(ROOT / "examples")
    module = importlib.import_module("budget")
    monkeypatch.setattr(
        module, "time", SimpleNamespace(process_time=iter(range(0, 600, 30)).__next__)
    )
    return module


def test_a_training_ends_with_its_budget_and_saves_on_the_way(budget: Any, tmp_path: Path) -> None:
    saved: list[str] = []
    args = argparse.Namespace(
        cpu_minutes=2.0, save=tmp_path / "net.npz", checkpoint_minutes="1,1.5"
    )
    rounds = [*budget.rounds(args, 1, lambda file: saved.append(file.name))]
    assert rounds == [(1, 0.0), (2, 0.25), (3, 0.5), (4, 0.75)]
    assert saved == ["net-1.npz", "net-1.5.npz", "net.npz"]


def test_without_a_budget_a_training_ends_with_its_rounds(budget: Any) -> None:
    args = argparse.Namespace(cpu_minutes=None, save=None, checkpoint_minutes="")
    assert [*budget.rounds(args, 2, list)] == [(1, 0.0), (2, 0.5)]
