"""The benchmark of the openings counts each game once, and goes on where it was stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import openings


def test_openings_that_all_end_alike_have_no_spread() -> None:
    level = [[1.0, 0.0] * 4] * 10
    found = openings.figures_of(level)
    assert found["games"] == 8
    assert found["white"][0] == 0.5
    assert found["spread"] == 0
    assert found["openings"] == [openings.interval([level[0]])] * 10


def test_openings_that_favour_a_side_are_told_from_level_ones() -> None:
    scores = [[1.0] * 20] * 5 + [[0.0] * 20] * 5 + [[1.0, 0.0] * 10] * 5
    found = openings.figures_of(scores)
    assert found["white"][0] == 0.5
    assert found["spread"] > 0.3
    white, black, level = (found["openings"][number] for number in (0, 5, 10))
    assert white[1] > 0.5 > black[2]
    assert level[1] < 0.5 < level[2]
    of_one = openings.interval([[points for own in scores for points in own]])
    assert found["white"][1] < of_one[1], "games from one start tell less than games from many"


def test_what_was_measured_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = openings.openings.openings
    monkeypatch.setattr(openings.openings, "openings", lambda config: chosen(config)[:2])
    first = openings.measured(tmp_path, ["growth"], 2)
    assert [len(first["growth"][key]) for key in ("white", "openings")] == [3, 2]
    monkeypatch.setattr(openings, "scores_of", None)  # nothing is played again
    assert openings.measured(tmp_path, ["growth"], 2) == first


def test_an_interrupted_run_leads_to_the_same_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = openings.openings.openings
    monkeypatch.setattr(openings.openings, "openings", lambda config: chosen(config)[:2])
    whole = openings.measured(tmp_path, ["memory"], 4)
    path = tmp_path / "memory-4.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8"))[:1]), "utf-8")
    assert openings.measured(tmp_path, ["memory"], 4) == whole
