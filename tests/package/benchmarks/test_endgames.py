"""What is published of the solved endgames: counts, missed wins, and matches."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import endgames
from tkm_env.compiled.decorators import COMPILES
from tkm_env.players.tkm.search.endgames import shipped_endgames


def test_positions_are_counted_once_up_to_symmetry() -> None:
    counted = {int(turns): count for turns, count in endgames.counts(shipped_endgames()).items()}
    # The outside solver counts as many, by other means.
    assert sum(counted.values()) == 612_684
    assert (max(counted), counted[0]) == (28, 209_094)


@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
def test_the_figures_of_a_table_stand_beside_those_of_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = tmp_path / "endgames.json"
    figures.write_text('{"3": "as it was"}', "utf-8")
    kept: list[Any] = []
    monkeypatch.setattr(endgames, "FIGURES", figures)
    monkeypatch.setattr(endgames, "POSITIONS", 2)
    monkeypatch.setattr(endgames, "DEPTH", 1)
    monkeypatch.setattr(endgames, "PLAYERS", ("net",))
    monkeypatch.setattr(endgames, "draw", lambda *_: None)
    monkeypatch.setattr(endgames, "keep", lambda _, name: kept.append(name))
    monkeypatch.setattr(endgames, "begun", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path), "--games", "2"])
    endgames.main()
    written = json.loads(figures.read_text("utf-8"))
    assert written["3"] == "as it was"
    missed, matches = written["2"]["missed"], written["2"]["matches"]
    assert [(row["from"], row["with"]) for row in missed] == [(1, 2), (9, 2), (15, 2)]
    assert {(row["player"], row["start"], row["games"]) for row in matches} == {
        ("net", "two random turns", 2),
        ("net", "openings", 2),
    }
    assert kept == ["solved endgames"]
