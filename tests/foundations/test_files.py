"""Files that are written as a whole.

What stays when they are replaced, what is left if they cannot be, and which JSON is refused.
"""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.disks import bytes_of_all, full_beyond, on_posix, only_root_may
from tkm_env import FileError, Series
from tkm_env.foundations.files import check_writable, parsed_json, read_file, write_file

OLD, NEW = b"old", b"new" * 1000


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# What stays.


@on_posix
def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    target, link = tmp_path / "kept" / "series.json", tmp_path / "link.json"
    target.write_bytes(OLD)
    link.symlink_to(target)
    Series(seed=1).save(link)
    assert link.is_symlink()
    assert Series.load(target).seed == 1
    assert list((tmp_path / "kept").iterdir()) == [target]


@on_posix
def test_a_link_to_what_is_not_there_yet_stays(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "series.json")
    Series(seed=1).save(link)
    assert link.is_symlink()
    assert Series.load(tmp_path / "series.json").seed == 1


@on_posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_permissions_stay(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "series.json"
    path.write_bytes(OLD)
    path.chmod(mode)
    Series(seed=1).save(path)
    assert oct(mode_of(path)) == oct(mode)


@on_posix
def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_file(tmp_path / "new", NEW)
    assert oct(mode_of(tmp_path / "new")) == oct(mode_of(tmp_path / "usual"))


@on_posix
def test_what_is_secret_is_so_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret"
    path.write_bytes(OLD)
    path.chmod(0o600)
    seen = []

    def look(beside: str, target: Path) -> None:
        seen.append(oct(mode_of(Path(beside))))
        raise OSError("looked")

    monkeypatch.setattr("os.replace", look)
    with pytest.raises(FileError):
        write_file(path, NEW)
    assert seen == ["0o600"]


def test_neighbours_stay(tmp_path: Path) -> None:
    names = (
        "series.json",
        f".series.json.{os.getpid()}",
        ".series.json.tmp",
        "series.json.cut",
        "series.json~",
    )
    for name in names:
        (tmp_path / name).write_bytes(OLD)
    write_file(tmp_path / "series.json", NEW)
    assert bytes_of_all(tmp_path) == dict.fromkeys(names, OLD) | {"series.json": NEW}


@on_posix
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, NEW)
    reader.join()
    assert read == [NEW]
    assert pipe.is_fifo()


def test_threads_that_save_at_once_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "series.json"
    errors: list[BaseException] = []

    def save(seed: int) -> None:
        try:
            for _ in range(10):
                Series(seed=seed).save(path)
                Series.load(path)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=save, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]
    assert Series.load(path).seed in range(8)
    assert list(tmp_path.iterdir()) == [path]


# What cannot be written.


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "series.json"
    Series(seed=1).save(path)
    before = bytes_of_all(tmp_path)
    with (
        full_beyond(100),
        pytest.raises(FileError, match=r"series\.json: it cannot be written: File too large"),
    ):
        Series(seed=2).save(path)
    assert bytes_of_all(tmp_path) == before


@pytest.mark.parametrize("stopped", ["os.fsync", "os.replace"])
def test_what_stops_it_leaves_the_old_file_and_nothing_else(
    stopped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "series.json"
    path.write_bytes(OLD)
    monkeypatch.setattr(stopped, stop)
    with pytest.raises(KeyboardInterrupt):
        Series(seed=2).save(path)
    assert bytes_of_all(tmp_path) == {"series.json": OLD}


@pytest.mark.parametrize(
    "call", [write_file, lambda path, content: check_writable(path)], ids=["written", "checked"]
)
class TestRefusals:
    @pytest.mark.parametrize(
        "name", ["nowhere/file", ".", "file/below", "x" * 300, "\0", "", "\ud800"]
    )
    def test_a_place_where_no_file_can_be(
        self, call: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("file").touch()
        with pytest.raises(FileError) as refusal:
            call(name, NEW)
        str(refusal.value).encode()
        assert bytes_of_all(tmp_path) == {"file": b""}

    @pytest.mark.parametrize("name", [5, None, True, ["file"], {"file"}])
    def test_what_is_no_name(self, call: Any, name: Any) -> None:
        with pytest.raises(FileError, match="no file can have this name"):
            call(name, NEW)

    def test_a_folder_that_is_not_there_is_named(self, call: Any, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"there is no folder '.*nowhere'"):
            call(tmp_path / "nowhere" / "file", NEW)

    def test_a_read_only_folder(self, call: Any) -> None:
        with only_root_may(lambda folder: folder.chmod(0o555)) as folder:
            with pytest.raises(FileError, match="Permission denied"):
                call(folder / "file", NEW)
            assert bytes_of_all(folder) == {}

    def test_a_read_only_file(self, call: Any) -> None:
        def prepare(folder: Path) -> None:
            folder.chmod(0o777)
            (folder / "file").write_bytes(OLD)
            (folder / "file").chmod(0o444)

        with only_root_may(prepare) as folder:
            with pytest.raises(FileError, match="Permission denied"):
                call(folder / "file", NEW)
            assert bytes_of_all(folder) == {"file": OLD}

    def test_a_full_disk(self, call: Any, tmp_path: Path) -> None:
        with full_beyond(100), pytest.raises(FileError, match="File too large"):
            call(tmp_path / "file", NEW)
        assert bytes_of_all(tmp_path) == {}


def test_a_check_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(OLD)
    before = (tmp_path / "old").stat()
    check_writable(tmp_path / "old")
    check_writable(tmp_path / "new")
    after = (tmp_path / "old").stat()
    assert (after.st_mtime_ns, after.st_ino, bytes_of_all(tmp_path)) == (
        before.st_mtime_ns,
        before.st_ino,
        {"old": OLD},
    )


@pytest.mark.parametrize("name", ["nothing", ".", "\0", "x" * 300])
def test_what_cannot_be_read_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError):
        read_file(name)
    with pytest.raises(FileError):
        Series.load(name)


# JSON.


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "Expecting value at column 1"),
        (b'{"a": 1}\n{', "Extra data at line 2, column 1"),
        (b'"\xff"', "byte 2 is not UTF-8"),
        (b"\xff\xfe[\0]\0", "byte 1 is not UTF-8"),
        (b"\xef\xbb\xbf[]", "it begins with a byte-order mark; save it as UTF-8 without one"),
        (b"[" * 10_000 + b"]" * 10_000, "it is nested too deeply"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "it is nested too deeply"),
        (b'{"a": 1, "b": {"c": 1, "d": 2, "c": 1}}', "the key 'c' is repeated"),
        (b"[NaN]", "NaN is not a number"),
        (b"[-Infinity]", "-Infinity is not a number"),
        (b'"\\ud83d"', r"'\ud83d' is half of a character"),
        (b'{"\\uDE00": 1}', r"'\ude00' is half of a character"),
        (b'"\n"', "Invalid control character"),
    ],
)
def test_what_is_not_json_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=r"^it is not JSON: ") as refusal:
        parsed_json(content)
    assert reason in str(refusal.value)


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(ValueError, match="it is not JSON: Exceeds the limit"):
        parsed_json(b"9" * 5_000)


def test_characters_that_python_takes_for_the_end_of_a_line_are_characters() -> None:
    for character in "\x85\u2028\u2029\U0001f600":
        assert parsed_json(f'"{character}"'.encode()) == character
    assert parsed_json(b'"\\ud83d\\ude00"') == "\U0001f600"


def test_a_million_keys_are_no_reason_to_wait() -> None:
    keys = ", ".join(f'"{number}": 0' for number in range(100_000))
    with pytest.raises(ValueError, match="the key '99999' is repeated"):
        parsed_json(f'{{{keys}, "99999": 0}}'.encode())
