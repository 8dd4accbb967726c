"""Commands with a standard stream that is closed, full, or unable to encode what they write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.arena.results_files import finished, written
from tests.disks import on_posix

#: Starts a command of this Python in a shell, with what follows it.
TKM = f"exec '{sys.executable}' -m tkm_env"


def shell(line: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell; whatever it asks for, it gets nothing to read."""
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Games of a player whose name few encodings have whole."""
    names = ("Jörg ★ 李", "random")
    sides = (names, names[::-1]) * 4
    return written(
        tmp_path / "games.jsonl",
        (finished(*two, seed=seed, fault="white") for seed, two in enumerate(sides)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize(
    "command",
    ["match random greedy --games 2 --seed 1", "rating games.jsonl", "report games.jsonl"],
)
def test_a_command_writes_what_it_has_to_say_in_any_encoding(
    games: Path, command: str, encoding: str
) -> None:
    done = shell(f"{TKM} {command}", games.parent, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr.decode(encoding)
    text = done.stdout.decode(encoding)
    lines = [line for line in text.splitlines() if line.startswith(("│", "|"))]
    assert len({*map(len, lines)}) <= 1, f"the columns of the table are not aligned:\n{text}"


@pytest.mark.slow
def test_in_the_plainest_locale_too(tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = shell(f"{TKM} match random greedy --games 2 --seed 1", tmp_path, **plain)
    assert (done.returncode, b"inf" in done.stdout) == (0, True), done.stderr


@on_posix
@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "closed"),
    [
        ("play", "<&-"),
        ("mcp", "<&-"),
        ("perft --depth 1", "2>&-"),
        ("match random greedy --games 2 --seed 1 --processes 2 --save new.jsonl", "<&- >&- 2>&-"),
    ],
)
def test_a_closed_stream_is_an_empty_one(tmp_path: Path, command: str, closed: str) -> None:
    if command == "mcp":
        pytest.importorskip("mcp", reason="needs the extra [mcp]")
    done = shell(f"{TKM} {command} {closed}", tmp_path)
    (tmp_path / "new.jsonl").unlink(missing_ok=True)
    (tmp_path / "new.jsonl.seed").unlink(missing_ok=True)
    instead = (
        closed.replace("<&-", "< /dev/null")
        .replace("2>&-", "2> /dev/null")
        .replace(">&-", "> /dev/null")
    )
    usual = shell(f"{TKM} {command} {instead}", tmp_path)
    assert done.returncode == usual.returncode == 0, (done.stderr, usual.stderr)
    assert b"Traceback" not in done.stderr
    if "match" not in command:  # which prints times
        assert done.stdout == usual.stdout


@on_posix
@pytest.mark.slow
def test_what_is_no_text_on_standard_input_is_an_answer_that_is_not_understood(
    tmp_path: Path,
) -> None:
    done = shell(f"printf '\\377\\n' | {TKM} play", tmp_path, LANG="C.UTF-8", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert b"left at: " in done.stdout


@on_posix
@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
def test_a_full_disk_behind_standard_output_is_an_error_in_a_line(tmp_path: Path) -> None:
    done = shell(f"{TKM} match random greedy --games 2 > /dev/full", tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        b"Error: [Errno 28] No space left on device",
    )
