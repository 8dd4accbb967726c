"""Failures of the machine and killed processes: games are played again, with the same records.

No player is blamed.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import pytest

from tests.arena.pauses import pauses
from tests.isolation.programs import NO_SANDBOX, open_descriptors, processes_of, saved
from tests.machine_faults import ALWAYS, NO_FILES, NO_PROCESS, NO_SPACE, failing, warned
from tkm_env import ConfigError, FileError, GameConfig, MachineError, PlayerError
from tkm_env.arena.match import Match
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.retries import PAUSES, Retries, machine_fault
from tkm_env.core.random_agent import RandomAgent
from tkm_env.foundations.line_file import LineFile
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import Program

__all__ = ["pauses"]

pytestmark = [warned, pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")]

#: Plays by the seeds that it is given. With ``killing``, it first kills the referee's process,
#: once.
BOT = """
import os, sys
for line in sys.stdin:
    if line.startswith("tkm"):
        print("tkm 1 name=seeded", flush=True)
    elif line.startswith("go"):
        {killing}
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        legal = words["legal"].split(",")
        print("play", legal[int(words["seed"]) % len(legal)], flush=True)
"""
KILLING = """try:
            open({mark!r}, "x").close()
        except FileExistsError:
            pass
        else:
            with open(f"/proc/{{os.getppid()}}/stat") as file:
                os.kill(int(file.read().rpartition(")")[2].split()[1]), 9)"""


def match(folder: Path, games: int = 2, killing: str = "pass", isolation: str = "process") -> Match:
    """A match between a bot and a player of the package, both of which play by their seeds."""
    folder.mkdir(exist_ok=True)
    conditions = Conditions(limits=Limits(isolation, readable=(str(folder),)))
    line = saved(folder, BOT.format(killing=killing))
    return Match(
        line,
        "random",
        games,
        GameConfig(max_turns=6),
        seed=4,
        opening_turns=2,
        conditions=conditions,
    )


def reproducible(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records without what is measured, and without the folder of the bot."""
    return [
        {key: record[key] for key in ("seed", "actions", "result")} | {"fault": record.get("fault")}
        for record in records
    ]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The match of six games, of which others are the beginning."""
    return reproducible(match(tmp_path_factory.mktemp("bot"), 6).play())


#: What can be refused while a game is played: where, what it answers, and at which of the calls in
#: two games.
REFUSALS = [
    ("process", subprocess, "Popen", NO_PROCESS, [1]),
    ("folder", tempfile, "mkdtemp", NO_SPACE, [1]),
    ("file", tempfile, "TemporaryFile", NO_FILES, [1]),
    ("pipe", os, "pipe", NO_FILES, [1, 2, 3, 4]),
    ("memory for a player of the package", RandomAgent, "plan_turn", MemoryError(), [1, 2, 3, 4]),
    (
        "thread for a player of the package",
        RandomAgent,
        "reset",
        RuntimeError("can't start new thread"),
        [1, 2, 3],
    ),
]


@pytest.mark.parametrize(
    ("what", "place", "name", "error", "at"),
    [(*row[:4], {number}) for row in REFUSALS for number in row[4]]
    + [(*REFUSALS[0][:4], {*range(1, 6)})],
)
def test_a_game_that_the_machine_ends_is_played_again(
    what: str,
    place: Any,
    name: str,
    error: Exception,
    at: set[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pauses: list[float],
    undisturbed: list[dict[str, Any]],
) -> None:
    pauses.clear()
    before, played = open_descriptors(), match(tmp_path)
    failing(monkeypatch, place, name, error, at)
    assert reproducible(played.play()) == undisturbed[:2], "other games"
    assert pauses == [*PAUSES[: len(at)]], "not tried again once for each refusal"
    gc.collect()  # errors hold what their frames held
    assert open_descriptors() == before
    assert not processes_of(str(tmp_path))


def test_a_game_is_tried_eight_times_and_then_the_rest_can_be_resumed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pauses: list[float],
    undisturbed: list[dict[str, Any]],
) -> None:
    path = tmp_path / "games.jsonl"
    whole = match(tmp_path)
    seed = undisturbed[1]["seed"]
    with monkeypatch.context() as patches:
        failing(
            patches,
            RandomAgent,
            "plan_turn",
            MemoryError(),
            ALWAYS,
            lambda agent, game: len(path.read_bytes()) > 0,
        )
        message = (
            rf"playing the game with the seed {seed}, 'random' against 'cmd:.*, tried 8 times; "
            r"resume .*: it has no memory left"
        )
        with pytest.raises(MachineError, match=message):
            list(whole.play(path))
    assert pauses == [*PAUSES]
    assert reproducible(map(json.loads, path.read_bytes().splitlines())) == undisturbed[:1]
    assert reproducible(whole.play(path, resume=True)) == undisturbed[:2]
    assert not processes_of(str(tmp_path))


@pytest.mark.parametrize("at", [1, 2])
def test_a_disk_that_is_full_for_a_moment_costs_no_game(
    at: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pauses: list[float],
    undisturbed: list[dict[str, Any]],
) -> None:
    path = tmp_path / "games.jsonl"
    refusal = FileError(path, "it cannot be written: No space left on device")
    refusal.__cause__ = NO_SPACE
    failing(monkeypatch, LineFile, "append_line", refusal, {at})
    assert reproducible(match(tmp_path).play(path)) == undisturbed[:2]
    assert reproducible(map(json.loads, path.read_bytes().splitlines())) == undisturbed[:2]
    assert pauses[-1:] == [PAUSES[0]]
    failing(monkeypatch, LineFile, "append_line", refusal, ALWAYS)
    with pytest.raises(
        MachineError,
        match=r"saving a game, tried 8 times; .*games.jsonl: it cannot be written: No space",
    ):
        list(match(tmp_path, 4).play(tmp_path / "others.jsonl"))


@pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)
@pytest.mark.parametrize("at", [1, 2, 3, 4, 8, 12, 13, 14])
def test_a_supervisor_that_somebody_kills_costs_no_game(
    at: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pauses: list[float],
    undisturbed: list[dict[str, Any]],
) -> None:
    """Kill at both lines of the trial start, and at the start, within and after two games."""
    pauses.clear()
    written: list[int] = []
    write_line = Program.write_line

    def kill_then_write(self: Program, line: str, deadline: float) -> None:
        written.append(len(written) + 1)
        if written[-1] == at:
            os.kill(self._process.pid, signal.SIGKILL)
            self._process.wait()
            patience = time.monotonic() + 10
            while (
                processes_of(str(tmp_path)) and time.monotonic() < patience
            ):  # the bot could still answer
                time.sleep(0.01)
        write_line(self, line, deadline)

    monkeypatch.setattr(Program, "write_line", kill_then_write)
    assert reproducible(match(tmp_path, isolation="sandbox").play()) == undisturbed[:2]
    assert pauses == [PAUSES[0]] or at in (
        2,
        12,
    )  # what is over is not done again, but the next game may be
    assert not processes_of(str(tmp_path))


@pytest.mark.slow
def test_a_process_that_is_killed_costs_no_game(
    tmp_path: Path, pauses: list[float], undisturbed: list[dict[str, Any]]
) -> None:
    """In the middle of a game, by its bot, while another process plays another game."""
    killing = match(tmp_path, 6, KILLING.format(mark=str(tmp_path / "killed")))
    with pytest.warns(
        RuntimeWarning, match="tried again in 0.5 s, since the machine failed: .*killed by signal 9"
    ):
        records = list(killing.play(tmp_path / "games.jsonl", processes=2))
    assert reproducible(records) == undisturbed
    assert [
        json.loads(line) for line in (tmp_path / "games.jsonl").read_bytes().splitlines()
    ] == records
    assert pauses == [PAUSES[0]]
    assert not processes_of(str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_process_that_does_not_start_costs_no_game(
    at: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pauses: list[float],
    undisturbed: list[dict[str, Any]],
) -> None:
    failing(monkeypatch, SpawnProcess, "start", NO_PROCESS, {at})
    assert reproducible(match(tmp_path, 6).play(processes=2)) == undisturbed


def test_an_error_of_this_package_names_the_game_and_leaves_the_others_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: list[dict[str, Any]]
) -> None:
    path = tmp_path / "games.jsonl"
    with monkeypatch.context() as patches:
        failing(
            patches,
            sys.modules["tkm_env.arena.playing.scheduled_game"],
            "play_between",
            KeyError("x"),
            {2},
        )
        with pytest.raises(
            RuntimeError,
            match=f"playing the game with the seed {undisturbed[1]['seed']}, .*: KeyError: 'x'",
        ):
            list(match(tmp_path).play(path))
    assert reproducible(match(tmp_path).play(path, resume=True)) == undisturbed[:2]


def test_a_trusted_file_that_has_no_memory_loses(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "class Bot:\n    def act(self, game):\n        raise MemoryError\n", "utf-8"
    )
    trusted = Match(
        f"{tmp_path}/bot.py:Bot", "random", 2, seed=1, conditions=Conditions(trust=True)
    )
    assert [record["fault"]["kind"] for record in trusted.play()] == ["crash", "crash"]


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "is_machine"),
    [
        (NO_PROCESS, True),
        (MemoryError(), True),
        (MachineError("starting", "nothing left"), True),
        (caused(FileError("games", "it cannot be written"), NO_SPACE), True),
        (RuntimeError("can't start new thread"), True),
        (caused(PlayerError("bot", "it raised OSError"), NO_PROCESS), False),
        (PlayerError("bot", "too slow", "timeout"), False),
        (FileNotFoundError(2, "No such file"), False),
        (ConfigError("players", 1, "two"), False),
        (RecursionError(), False),
    ],
)
def test_only_what_the_machine_lacks_is_its_fault(error: Exception, is_machine: bool) -> None:
    assert (machine_fault(error) is not None) == is_machine


def test_a_player_whose_games_alone_fail_is_named(pauses: list[float]) -> None:
    retries = Retries()
    for _ in PAUSES:
        retries.pause("game 1", NO_PROCESS, ("Ann", "Bob"))
    retries.pause("game 2", NO_PROCESS, ("Bob", "Cem"))
    with pytest.raises(
        MachineError, match="game 1, tried 8 times, with 'Bob' playing each time; resume"
    ):
        retries.pause("game 1", NO_PROCESS, ("Ann", "Bob"))
    others = Retries()
    for _ in PAUSES:
        others.pause("game", NO_PROCESS, ("Ann", "Bob"))
    with pytest.raises(MachineError, match="game, tried 8 times; resume"):
        others.pause("game", NO_PROCESS, ("Ann", "Bob"))
