"""Hostile bots: each is contained at the level that promises it, the right fault is named, the match goes on, and nothing stays."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from tests.arena.hostile import ATTACKS, COUNTED, NOT_STOPPED, PLAYS_ON, Attack, source_of
from tests.isolation.programs import NO_RESTRICTED, NO_SANDBOX, open_descriptors, processes_of, saved
from tkm_env import GameConfig, from_record
from tkm_env.arena.match import Match
from tkm_env.arena.referee import Conditions
from tkm_env.isolation.limits import Limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

LEVELS = [
    "process",
    pytest.param("restricted", marks=pytest.mark.skipif(bool(NO_RESTRICTED), reason=NO_RESTRICTED)),
    pytest.param("sandbox", marks=pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)),
]


#: One attack for each pair of outcomes is quick to try; all others are slow together.
QUICK = {(attack.process, attack.confined): attack for attack in reversed(ATTACKS)}.values()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "attack",
    [pytest.param(attack, id=attack.name, marks=() if attack in QUICK else pytest.mark.slow) for attack in ATTACKS],
)
def test_a_hostile_bot_is_contained(tmp_path: Path, attack: Attack, level: str) -> None:
    other, results = tmp_path / "other.py", tmp_path / "results.jsonl"
    other.write_text("secret", "utf-8")
    results.write_text("results", "utf-8")
    before = open_descriptors()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        source = source_of(attack, referee=os.getpid(), other=str(other), results=str(results), port=listener.getsockname()[1])
        line = saved(tmp_path / "bot", source)
        limits = Limits(level, memory_mib=256, processes=24)
        conditions = Conditions(limits=limits, turn_seconds=0.4 if attack.process == "timeout" else 20.0)
        match = Match(line, "random", 2, GameConfig(max_turns=8), seed=1, conditions=conditions)
        records = list(match.play())
    expected = attack.process if level == "process" else attack.confined
    assert len(records) == 2
    for record in records:
        from_record(record)
        assert {level, "none"} == {*record["isolation"].values()}
        if expected == PLAYS_ON or (expected == COUNTED and "fault" not in record):
            assert "fault" not in record
            continue
        fault = record["fault"]
        assert record["players"][fault["player"]] == line
        assert fault["kind"] == {NOT_STOPPED: "crash", COUNTED: "memory"}.get(expected, expected), fault["seen"]
        assert ("reached" in fault["seen"]) == (expected == NOT_STOPPED)
    if expected != NOT_STOPPED:
        assert results.read_text("utf-8") == "results"
        assert results.stat().st_mode & 0o777
    assert not processes_of(str(tmp_path))
    assert open_descriptors() == before
