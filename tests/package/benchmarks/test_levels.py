"""The benchmark of the levels measures each step once, and goes on where it was stopped."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks import levels
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.players.roster import ROSTERS, Level


def test_every_level_is_measured_against_the_one_below_unless_it_thinks_for_seconds() -> None:
    steps = [*levels.steps([*levels.SETS, TERMINUS.name])]
    assert len({step.name for step in steps}) == len(steps)
    for spec, sets in ((TKM, 8), (TERMINUS, 1)):
        players = [level.player for level in ROSTERS.of(spec).levels]
        wanted = [pair for pair in pairwise(players) if "seconds=" not in pair[1]]
        made = [(step.below.player, step.above.player) for step in steps if step.spec is spec]
        assert made == wanted * sets
        assert len(players) - 1 - len(wanted) == 1, "the uppermost"


def test_what_was_measured_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step = levels.Step(
        TKM, {"chapters": "growth"}, "growth", Level("", "random"), Level("", "greedy")
    )
    monkeypatch.setattr(levels, "steps", lambda places: [step])
    first = levels.measured(tmp_path, ["growth"], 4, 1)
    figure = first["growth: greedy over random"]
    assert figure["games"] == 4
    assert figure["score"][0] == 1
    monkeypatch.setattr(levels, "match", None)  # nothing is played again
    assert levels.measured(tmp_path, ["growth"], 4, 1) == first
