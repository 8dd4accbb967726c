"""Ctrl-C during `tkm match` lets the games in progress finish; a second ends everything at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.isolation.programs import HONEST, processes_of, saved

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

#: Plays one game, and then never answers.
ONCE = (
    HONEST
    + """
    elif line.startswith("end"):
        import time
        time.sleep(600)
"""
)
SLOW = HONEST.replace('print("play"', 'import time; time.sleep(0.02); print("play"')


def started(folder: Path, processes: int, source: str) -> tuple[subprocess.Popen[str], Path]:
    """A long match, of which some games have been saved, or at least begun."""
    games = folder / "games.jsonl"
    command = [sys.executable, "-m", "tkm_env", "match", saved(folder / "bot", source), "random"]
    options = [
        "--games",
        "1000",
        "--max-turns",
        "20",
        "--processes",
        str(processes),
        "--save",
        str(games),
        "--seed",
        "1",
    ]
    match = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    patience = time.monotonic() + 120
    while not (games.exists() and games.read_text().strip()) and time.monotonic() < patience:
        time.sleep(0.02)
    assert games.read_text().strip(), "no game was saved"
    return match, games


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_first_one_finishes_what_is_being_played(tmp_path: Path, processes: int) -> None:
    match, games = started(tmp_path, processes, SLOW)
    match.send_signal(signal.SIGINT)
    output, errors = match.communicate(timeout=120)
    assert match.returncode == 130, errors
    count = len(games.read_text().splitlines())
    assert f"{count} games" in output
    assert "finishing the games in progress" in errors
    assert f"stopped after {count} of 1000 games: add --resume" in errors
    assert "Traceback" not in output + errors
    assert not processes_of(str(tmp_path))


@pytest.mark.slow
def test_the_second_one_ends_everything(tmp_path: Path) -> None:
    match, games = started(tmp_path, 2, ONCE)
    match.send_signal(signal.SIGINT)
    assert match.stderr is not None
    assert "finishing" in match.stderr.readline()
    match.send_signal(signal.SIGINT)
    match.communicate(timeout=120)
    assert match.returncode == -signal.SIGINT
    patience = time.monotonic() + 30
    while processes_of(str(tmp_path)) and time.monotonic() < patience:
        time.sleep(0.02)
    assert not processes_of(str(tmp_path))
    assert all(line.endswith("}") for line in games.read_text().splitlines())
