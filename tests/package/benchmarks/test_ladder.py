"""The ladder: every two players meet in every setting, and a cut run resumes."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from benchmarks import ladder
from tkm_env.evaluation.score import PairResults
from tkm_env.games.registry import TKM
from tkm_env.players.factory import check_start

_PLAYERS = ("random", "greedy", "net")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few players, and few positions from quick games to measure turns on."""
    monkeypatch.setattr(ladder, "PLAYERS", _PLAYERS)
    monkeypatch.setattr(ladder, "POSITIONS", 2)
    monkeypatch.setattr(ladder, "GUIDE", "greedy")


@pytest.mark.parametrize("line", ladder.PLAYERS)
def test_every_player_starts(line: str) -> None:
    check_start(line, TKM.name, None, "player", None)


def test_there_are_eight_sets_of_chapters_and_a_power_for_each_player() -> None:
    configs = {name: TKM.config_from_text(text) for name, text in ladder.SETTINGS.items()}
    assert len({config.chapters for name, config in configs.items() if name != "powers"}) == 8
    assert len(configs) == 9
    powers = configs["powers"]
    assert (len(powers.chapters), powers.timeline) == (3, "draft_powers")


@pytest.mark.usefixtures("few")
def test_a_cut_run_resumes_with_the_same_figures(tmp_path: Path) -> None:
    def run() -> dict[str, Any]:
        return ladder.measured(tmp_path, ["growth"], 2, 1)

    first = run()
    assert first.keys() == {"games growth", "costs growth"}
    assert first["costs growth"].keys() == {*_PLAYERS}
    found = first["games growth"]
    assert [*found["pairs"]] == [f"{above} over {one}" for one, above in combinations(_PLAYERS, 2)]
    assert all(PairResults(counts).games == 2 for counts in found["pairs"].values())
    assert found["pairs"]["greedy over random"] == (0, 0, 0, 0, 1)
    assert found["elo"].keys() == {*_PLAYERS}

    files = sorted(tmp_path.glob("growth-*.jsonl"))
    assert len(files) == len(found["pairs"])
    whole = [file.read_bytes() for file in files]
    files[0].write_bytes(whole[0].splitlines(keepends=True)[0])
    files[1].unlink()
    assert run() == first
    assert sorted(tmp_path.glob("growth-*.jsonl")) == files
    assert files[2].read_bytes() == whole[2]


def test_ratings_are_those_of_the_arena_and_may_be_unbounded() -> None:
    def game(first: str, second: str, points: float, start: int) -> ladder.Played:
        return ladder.Played(first, second, points, start=start)

    games = {
        ("random", "greedy"): [game("greedy", "random", 1, 0), game("random", "greedy", 0, 0)],
        ("greedy", "net"): [
            *(game("net", "greedy", 1, start) for start in range(30)),
            *(game("greedy", "net", 0.5, start) for start in range(30)),
        ],
    }
    found = ladder.results(games)
    assert found["pairs"] == {
        "greedy over random": (0, 0, 0, 0, 1),
        "net over greedy": (0, 0, 0, 30, 0),
    }
    assert found["elo"]["random"] is None
    assert found["elo"]["greedy"] == [1000, 1000, 1000]
    rating, low, high = found["elo"]["net"]
    assert 1000 < low < rating < high
    assert math.isclose(high - rating, rating - low, abs_tol=0.2)


@pytest.mark.usefixtures("few")
def test_a_quick_look_publishes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ladder, "FIGURES", tmp_path / "ladder.json")
    monkeypatch.setattr(ladder, "keep", None)  # takes note of nothing
    arguments = ["ladder", str(tmp_path / "run"), "--only", "memory", "--games", "2"]
    monkeypatch.setattr("sys.argv", arguments)
    ladder.main()
    assert capsys.readouterr().out.startswith("memory\n  ")
    assert not ladder.FIGURES.exists()
