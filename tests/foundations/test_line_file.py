"""Files that grow line by line: one writer at a time, and a line whole or not at all."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

from tests.disks import bytes_of_all, full_beyond, on_posix, only_root_may
from tkm_env import FileError
from tkm_env.foundations import line_file
from tkm_env.foundations.line_file import LineFile

HOLD = """
import sys
from tkm_env.foundations.line_file import LineFile
with LineFile(sys.argv[1]) as file:
    file.append_line(b"theirs")
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lines"


# One writer at a time.


def test_a_second_writer_is_refused_and_a_third_that_comes_later_is_not(path: Path) -> None:
    with LineFile(path) as first:
        first.append_line(b"one")
        with pytest.raises(FileError, match="lines: another writer has it"):
            LineFile(path)
    with LineFile(path) as third:
        third.append_line(b"two")
    assert path.read_bytes() == b"one\ntwo\n"


def test_a_file_of_two_names_has_one_writer(path: Path, tmp_path: Path) -> None:
    path.touch()
    (tmp_path / "link").symlink_to(path)
    with LineFile(path), pytest.raises(FileError, match="another writer"):
        LineFile(tmp_path / "link")


def test_readers_do_not_wait(path: Path) -> None:
    with LineFile(path) as writer:
        writer.append_line(b"one")
        assert path.read_bytes() == b"one\n"


def test_a_writer_in_another_process_holds_the_file_until_it_is_killed(path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(FileError, match="another writer"):
            LineFile(path)
        holder.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    with LineFile(path) as file:
        file.append_line(b"ours")
    assert path.read_bytes() == b"theirs\nours\n"


def test_a_patient_writer_waits(path: Path) -> None:
    first = LineFile(path)
    release = threading.Timer(0.05, first.__exit__, (None, None, None))
    release.start()
    with LineFile(path, patience=60) as second:
        second.append_line(b"two")
    release.join()
    assert path.read_bytes() == b"two\n"


def test_patient_writers_lose_nothing(path: Path) -> None:
    def append(line: bytes) -> None:
        for _ in range(20):
            with LineFile(path, patience=60) as file:
                file.append_line(line * 1000)

    threads = [threading.Thread(target=append, args=(line,)) for line in (b"a", b"b", b"c", b"d")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(path.read_bytes().split()) == sorted(
        line * 1000 for line in (b"a", b"b", b"c", b"d") for _ in range(20)
    )


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_where_nothing_can_be_locked_it_says_so_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    path = tmp_path / "lines"

    def lock(file: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(line_file, "_lock", lock)
    with pytest.warns(RuntimeWarning, match="lines: it cannot be locked"), LineFile(path) as file:
        file.append_line(b"one")
    assert path.read_bytes() == b"one\n"


# Nothing is left behind.


def test_a_file_to_which_nothing_was_written_is_not_made(path: Path, tmp_path: Path) -> None:
    with LineFile(path) as file:
        file.check_room()
    assert bytes_of_all(tmp_path) == {}


def test_an_empty_file_that_was_there_stays(path: Path, tmp_path: Path) -> None:
    path.touch()
    with LineFile(path) as file:
        file.check_room()
    assert bytes_of_all(tmp_path) == {"lines": b""}


def test_a_writer_that_waited_for_a_file_that_is_removed_makes_its_own(path: Path) -> None:
    first = LineFile(path)
    waiting = threading.Thread(target=lambda: second.append(LineFile(path, patience=60)))
    second: list[LineFile] = []
    waiting.start()
    time.sleep(0.03)
    first.__exit__(None, None, None)
    waiting.join()
    with second[0] as file:
        file.append_line(b"two")
    assert path.read_bytes() == b"two\n"


# Lines.


@pytest.mark.parametrize("before", [b"", b"one\n", b"one", b"\n"])
def test_a_line_begins_where_the_last_one_ends(path: Path, before: bytes) -> None:
    path.write_bytes(before)
    with LineFile(path) as file:
        file.append_line(b"two")
        file.append_line(b"three")
    assert path.read_bytes().split(b"\n")[-3:] == [b"two", b"three", b""]
    assert path.read_bytes().startswith(before)


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n  \n", b"\n" * 200_000])
@pytest.mark.parametrize("length", [0, 1, 65_535, 65_536, 65_537, 300_000])
def test_the_last_line_is_found(path: Path, length: int, end: bytes) -> None:
    line = b"x" * length + end if length else b""
    path.write_bytes(b"one\n" + line if length else b"one" + end)
    with LineFile(path) as file:
        assert file.last_line() == (line or b"one" + end)


def test_what_is_cut_is_kept_beside_after_what_was_cut_before(path: Path, tmp_path: Path) -> None:
    for content in (b"one\ntw", b"one\nthr"):
        path.write_bytes(content)
        with LineFile(path) as file:
            assert file.cut(4) == tmp_path / "lines.cut"
            file.append_line(b"two")
    assert bytes_of_all(tmp_path) == {"lines": b"one\ntwo\n", "lines.cut": b"tw\nthr\n"}


def test_nothing_is_cut_that_cannot_be_kept(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"one\ntw")
    (tmp_path / "lines.cut").mkdir()
    with (
        LineFile(path) as file,
        pytest.raises(FileError, match=r"lines\.cut: it is not an ordinary file"),
    ):
        file.cut(4)
    assert path.read_bytes() == b"one\ntw"


# When it cannot be written.


def test_of_a_line_that_does_not_fit_on_the_disk_nothing_stays(path: Path) -> None:
    with LineFile(path) as file:
        file.append_line(b"one")
        with full_beyond(10):
            with pytest.raises(FileError, match="lines: it cannot be written: File too large"):
                file.append_line(b"two" * 10)
            assert path.read_bytes() == b"one\n"
            file.append_line(b"short")
        file.append_line(b"two" * 10)
    assert path.read_bytes() == b"one\nshort\n" + b"two" * 10 + b"\n"


def test_of_a_line_that_is_interrupted_nothing_stays(path: Path) -> None:
    class Interrupted:
        """A file of which only some bytes are written before Ctrl-C is pressed."""

        def __init__(self, file: LineFile) -> None:
            self._file = file._file

        def __getattr__(self, name: str) -> object:
            return getattr(self._file, name)

        def write(self, content: memoryview) -> int:
            if len(content) < 4:
                raise KeyboardInterrupt
            return self._file.write(content[:2])

    with LineFile(path) as file:
        file.append_line(b"one")
        file._file = Interrupted(file)
        with pytest.raises(KeyboardInterrupt):
            file.append_line(b"two and more")
    assert path.read_bytes() == b"one\n"


def test_a_full_disk_is_found_before_anything_is_written(path: Path, tmp_path: Path) -> None:
    with (
        full_beyond(1000),
        LineFile(path) as file,
        pytest.raises(FileError, match="File too large"),
    ):
        file.check_room()
    assert bytes_of_all(tmp_path) == {}


def test_readers_see_nothing_of_the_check_for_room(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"one\n")
    os.utime(path, ns=(0, 0))
    with LineFile(path) as file:
        file.check_room()
    assert path.stat().st_mtime_ns == 0, "it was written to"
    assert bytes_of_all(tmp_path) == {"lines": b"one\n"}


def test_a_file_in_a_folder_that_takes_no_other_can_be_written() -> None:
    def prepare(folder: Path) -> None:
        (folder / "lines").write_bytes(b"one\n")
        folder.chmod(0o555)

    with only_root_may(prepare) as folder:
        with LineFile(folder / "lines") as file:
            file.check_room()
            file.append_line(b"two")
        assert bytes_of_all(folder) == {"lines": b"one\ntwo\n"}


@pytest.mark.parametrize("change", ["removed", "replaced", "grown", "cut"])
def test_a_file_that_something_else_changes_is_not_written_to(path: Path, change: str) -> None:
    path.write_bytes(b"one\n")
    with LineFile(path) as file:
        if change == "removed":
            path.unlink()
        elif change == "replaced":
            path.rename(path.with_name("moved"))
            path.write_bytes(b"one\n")
        else:
            os.truncate(path, 10 if change == "grown" else 2)
        before = bytes_of_all(path.parent)
        with pytest.raises(FileError, match="something else changed it"):
            file.append_line(b"two")
        assert bytes_of_all(path.parent) == before


@pytest.mark.parametrize("name", [".", "nowhere/lines", "\0", "x" * 300])
def test_a_place_where_no_file_can_be_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError):
        LineFile(name)
    assert list(tmp_path.iterdir()) == []


@on_posix
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="it is not an ordinary file"):
        LineFile(tmp_path / "pipe")


def test_read_only_files_and_folders_are_refused() -> None:
    def prepare(folder: Path) -> None:
        (folder / "file").write_bytes(b"one\n")
        (folder / "file").chmod(0o444)
        folder.chmod(0o555)

    with only_root_may(prepare) as folder:
        for name in ("file", "new"):
            with pytest.raises(FileError, match="Permission denied"):
                LineFile(folder / name)


def test_no_file_stays_open(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        with LineFile(path), pytest.raises(FileError):
            LineFile(path, patience=0.05)


@pytest.mark.parametrize("content", [b"", b"one\n"])
def test_a_cleared_file_is_removed_unless_lines_follow(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "lines"
    for more in ([], [b"two"]):
        path.write_bytes(content)
        with LineFile(path) as file:
            file.clear()
            for line in more:
                file.append_line(line)
        assert path.exists() == bool(more)
    assert path.read_bytes() == b"two\n"
