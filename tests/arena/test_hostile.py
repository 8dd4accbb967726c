"""Hostile bots are contained at each level that promises it.

The right fault is named, the match continues, and nothing stays behind.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from tests.arena.hostile import ATTACKS, COUNTED, NOT_STOPPED, PLAYS_ON, Attack, source_of
from tests.isolation.programs import (
    NO_RESTRICTED,
    NO_SANDBOX,
    open_descriptors,
    processes_of,
    saved,
)
from tkm_env import GameConfig, from_record
from tkm_env.arena.match import Match
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.evaluation.starts import Settings
from tkm_env.isolation.limits import Limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

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
    [
        pytest.param(attack, id=attack.name, marks=() if attack in QUICK else pytest.mark.slow)
        for attack in ATTACKS
    ],
)
def test_a_hostile_bot_is_contained(tmp_path: Path, attack: Attack, level: str) -> None:
    other, results = tmp_path / "other.py", tmp_path / "results.jsonl"
    other.write_text("secret", "utf-8")
    results.write_text("results", "utf-8")
    before = open_descriptors()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        source = source_of(
            attack,
            referee=os.getpid(),
            other=str(other),
            results=str(results),
            port=listener.getsockname()[1],
        )
        line = saved(tmp_path / "bot", source)
        limits = Limits(level, memory_mib=256, processes=24)
        conditions = Conditions(
            limits=limits, turn_seconds=0.4 if attack.process == "timeout" else 20.0
        )
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
        assert fault["kind"] == {NOT_STOPPED: "crash", COUNTED: "memory"}.get(expected, expected), (
            fault["seen"]
        )
        assert ("reached" in fault["seen"]) == (expected == NOT_STOPPED)
    if expected != NOT_STOPPED:
        assert results.read_text("utf-8") == "results"
        assert results.stat().st_mode & 0o777
    assert not processes_of(str(tmp_path))
    assert open_descriptors() == before


#: What players of a tournament do instead of their first answer, each with the kind of its fault;
#: None where it plays on.
TOURNAMENT = {
    "honest": ("", None),
    "chains": (
        """
# Sixteen chains of processes that replace themselves, as long as they are allowed to.
# They end after a minute.
until = time.time() + 60
def fork():
    try:
        return os.fork()
    except OSError:
        return None
for _ in range(16):
    if fork() == 0:
        while time.time() < until:
            if fork():
                os._exit(0)
            os.setpgid(0, 0)
        os._exit(0)
time.sleep(600)
""",
        "timeout",
    ),
    "folders": (
        (
            "os.chdir(os.environ['TMPDIR'])\nfor _ in range(3000):\n    os.mkdir('x')\n"
            "    os.chdir('x')\nraise ValueError('deep')"
        ),
        "crash",
    ),
    "hog": (
        """
os.chdir(os.environ['TMPDIR'])
try:
    memory = os.memfd_create("hog")
    for _ in range(500):
        os.write(memory, bytes(1 << 20))
except OSError as error:
    sys.stderr.write(f"{error}\\n")
with open("hog", "wb") as file:
    for _ in range(1200):
        file.write(bytes(1 << 20))
""",
        None,
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)
def test_a_tournament_of_hostile_players_ends_by_itself_with_the_right_faults_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    before = open_descriptors()
    entrants = []
    for name, (code, _) in TOURNAMENT.items():
        attack = Attack(name, code, "", "")
        entrants.append(
            Entrant(
                name,
                saved(tmp_path / name, source_of(attack, referee=0, other="", results="", port=0)),
            )
        )
    limits = Limits("sandbox", memory_mib=200, processes=24, scratch_mib=64)
    settings = (Settings(config=GameConfig(max_turns=4)),)
    league = Tournament(
        (*entrants,),
        settings=settings,
        pairs=1,
        seed=1,
        conditions=Conditions(limits=limits, turn_seconds=2),
    )
    records = list(league.play())
    assert len(records) == len(entrants) * (len(entrants) - 1)
    faults: dict[str, set[str]] = {name: set() for name in TOURNAMENT}
    for record in records:
        if "fault" in record:
            faults[record["players"][record["fault"]["player"]]].add(record["fault"]["kind"])
    assert faults == {
        name: set() if kind is None else {kind} for name, (_, kind) in TOURNAMENT.items()
    }
    assert not processes_of(str(tmp_path))
    assert not [*temporary.iterdir()]
    assert open_descriptors() == before
