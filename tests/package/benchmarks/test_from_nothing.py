"""The benchmark's second track: a program that learns keeps to its budget, and to its files."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import from_nothing
from benchmarks.digests import read_table

ROOT = Path(__file__).parents[3]

#: A program of the reader's own: it writes a policy that knows nothing.
MINE = """
import argparse
import json
from pathlib import Path

import numpy as np
from tkm_env.players import write_policy

parser = argparse.ArgumentParser()
for name in ("cpu-minutes", "seed", "save", "checkpoint-minutes"):
    parser.add_argument(f"--{name}")
save = Path(parser.parse_args().save)
for file in (save.with_stem(f"{save.stem}-0.5"), save):
    write_policy(file, [(np.zeros((160, 79)), np.zeros(79))], observation="compact")
    file.with_suffix(".played.json").write_text(json.dumps({"games": 1, "actions": 100}))
"""


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
    played, rounds = budget.Played(), []
    for found in budget.rounds(args, 1, lambda file: saved.append(file.name), played):
        rounds.append(found)
        played.add(games=1, actions=100)
    assert rounds == [(1, 0.0), (2, 0.25), (3, 0.5), (4, 0.75)]
    assert saved == ["net-1.npz", "net-1.5.npz", "net.npz"]
    counts = [from_nothing.played_by(tmp_path / name)["played"] for name in saved]
    assert counts == [{"games": number, "actions": 100 * number} for number in (2, 3, 4)]


def test_without_a_budget_a_training_ends_with_its_rounds(budget: Any) -> None:
    args = argparse.Namespace(cpu_minutes=None, save=None, checkpoint_minutes="")
    assert [*budget.rounds(args, 2, list, budget.Played())] == [(1, 0.0), (2, 0.5)]


def test_a_program_of_the_readers_own_is_drawn_beside_the_others_and_changes_no_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="needs matplotlib")
    documents = {path: path.read_bytes() for path in (from_nothing.FIGURES, from_nothing.PICTURE)}
    program, folder = tmp_path / "mine.py", tmp_path / "mine"
    program.write_text(MINE, "utf-8")
    options = "--cpu-minutes=1", "--checkpoints=0.5", "--seeds=1", "--title=Mine"
    given = f"--program={program}", "--player=policy:FILE", *options
    monkeypatch.setattr(sys, "argv", ["from_nothing.py", "own", str(folder), *given])
    monkeypatch.setattr(from_nothing, "rate", lambda *_: {"score": {"share": 0.5}})
    from_nothing.main()
    found = json.loads((folder / "from_nothing.json").read_text("utf-8"))["methods"]
    assert {"own", "value"} <= {*found}
    assert found["own"]["title"] == "Mine"
    assert [point["minutes"] for point in found["own"]["seeds"]["1"]["curve"]] == [0.5, 1]
    assert found["own"]["seeds"]["1"]["curve"][0]["played"] == {"games": 1, "actions": 100}
    assert "Mine" in (folder / "from_nothing.svg").read_text("utf-8")
    assert documents == {path: path.read_bytes() for path in documents}


def files_of_methods() -> list[str]:
    """The examples that train what the track measures."""
    sources = read_table()["sources"]
    return sorted(
        {
            file
            for name, files in sources.items()
            for file in files
            if name.startswith("training: ") and file.startswith("examples/")
        }
    )


def test_the_programs_of_all_methods_are_among_the_files_of_methods() -> None:
    assert {method.program for method in from_nothing.METHODS.values()} <= {*files_of_methods()}


@pytest.mark.parametrize("file", files_of_methods())
def test_a_file_of_a_method_has_less_than_300_lines(file: str) -> None:
    assert len((ROOT / file).read_text("utf-8").splitlines()) < 300
