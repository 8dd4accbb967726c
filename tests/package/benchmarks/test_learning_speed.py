"""How soon a method beats greedy: budgets grow until it does, and a cut run resumes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import learning_speed
from benchmarks.from_nothing import METHODS, Method

_FIRST, _SECOND = 0.03, 0.06


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Budgets of a second or two, with rounds of few games."""
    monkeypatch.setattr(learning_speed, "CHECKPOINTS", (0.02, _FIRST))
    monkeypatch.setattr(learning_speed, "PLAYERS", {"value": {"net": ""}})


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    given = f"learning_speed value {folder} --only growth+memory --budgets {_FIRST} {_SECOND}"
    monkeypatch.setattr("sys.argv", [*given.split(), *options])
    learning_speed.main()


@pytest.mark.usefixtures("tiny")
def test_a_longer_training_follows_until_the_score_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []
    monkeypatch.setattr(learning_speed, "FIGURES", tmp_path / "speed.json")
    monkeypatch.setattr(learning_speed, "keep", lambda folder, name: kept.append(name))
    monkeypatch.setattr(learning_speed, "GAMES", 4)
    monkeypatch.setattr(learning_speed, "ENOUGH", 1.01)  # is never reached
    (tmp_path / "speed.json").write_text('{"value memory": {}}', "utf-8")
    run(tmp_path / "run", monkeypatch, "--games=4")
    figures = json.loads((tmp_path / "speed.json").read_text("utf-8"))
    assert [*figures] == ["value memory", "value growth+memory"]
    points = figures["value growth+memory"]["1"]["net"]
    assert [(point["budget"], point["seconds"]) for point in points] == [
        (2, 1),
        (2, 2),
        (4, 1),
        (4, 2),
        (4, 4),
    ]
    assert all(0 <= low <= share <= high <= 1 for share, low, high in (p["score"] for p in points))
    assert kept == ["learning speed"]

    monkeypatch.setattr(learning_speed, "evaluate", None)  # nothing is played again
    monkeypatch.setattr("benchmarks.from_nothing.train", None)  # nor learned
    monkeypatch.setattr(learning_speed, "ENOUGH", 0.0)
    run(tmp_path / "run", monkeypatch, "--games=4")
    again = json.loads((tmp_path / "speed.json").read_text("utf-8"))
    assert again["value growth+memory"]["1"]["net"] == points[:1], "the first is enough"


@pytest.mark.usefixtures("tiny")
def test_a_quick_look_publishes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trained: list[tuple[Method, Path]] = []

    def train(method: Method, file: Path, *_: object) -> float:
        trained.append((method, file))
        return 0.1

    monkeypatch.setattr("benchmarks.from_nothing.train", train)
    monkeypatch.setattr(
        learning_speed.Learner, "_score", lambda learner, player: (0.94 + 0.01 * len(trained), 0, 1)
    )
    monkeypatch.setattr(learning_speed, "FIGURES", tmp_path / "speed.json")
    run(tmp_path, monkeypatch, "--games=2", "--seeds=4-5")
    assert capsys.readouterr().out.splitlines() == [
        "value growth+memory",
        "  net, seed 4: 1 s: 95.0%",
        "  net, seed 5: 1 s: 96.0%",
    ]
    assert not learning_speed.FIGURES.exists()
    assert {method.options[-2:] for method, _ in trained} == {("--chapters", "growth+memory")}


def test_the_players_are_those_of_methods_from_nothing() -> None:
    assert {*learning_speed.PLAYERS} <= {*METHODS}
