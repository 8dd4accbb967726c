"""Temporary folders of processes that were killed are removed by the next, and only those."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from tkm_env.isolation.temporary_folders import TemporaryFolder, remove_leftovers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")

#: Makes a folder with a file in it, says where, and dies without removing it.
KILLED = """
import os, signal, tempfile
from pathlib import Path
from tkm_env.isolation.temporary_folders import TemporaryFolder
tempfile.tempdir = {place!r}
folder = TemporaryFolder("tkm-test-")
(Path(folder.path) / "agent.py").write_text("secret")
print(folder.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_removed_and_what_lives_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = [sys.executable, "-c", KILLED.format(place=str(tmp_path))]
    ended = subprocess.run(program, capture_output=True, text=True)
    left = Path(ended.stdout.strip())
    assert (left / "agent.py").exists(), ended.stderr
    (tmp_path / "tkm-test-file").write_text("no folder")
    (tmp_path / "tkm-test-link").symlink_to(left)
    other = tmp_path / "another-folder"
    other.mkdir()
    alive = TemporaryFolder("tkm-test-")
    remove_leftovers("tkm-test-")
    assert not left.exists()
    assert {path.name for path in tmp_path.iterdir()} == {
        Path(alive.path).name,
        "tkm-test-file",
        "tkm-test-link",
        "another-folder",
    }
    alive.remove()
    alive.remove()
    assert not Path(alive.path).exists()


def test_a_folder_that_is_taken_for_a_leftover_before_it_is_locked_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    names = iter([tmp_path / "first", tmp_path / "second"])

    def make(prefix: str) -> str:
        path = next(names)
        path.mkdir()
        if path.name == "first":  # another process locks it, and then removes it
            descriptor = os.open(path, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            threading.Timer(0.2, lambda: (path.rmdir(), os.close(descriptor))).start()
        return str(path)

    monkeypatch.setattr(tempfile, "mkdtemp", make)
    folder = TemporaryFolder("tkm-test-")
    assert Path(folder.path).name == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["second"]


def test_nobody_else_enters_a_temporary_folder() -> None:
    folder = TemporaryFolder("tkm-test-")
    assert stat.S_IMODE(Path(folder.path).stat().st_mode) == 0o700
    folder.remove()
