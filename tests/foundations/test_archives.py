"""Archives as the field's tools make them: what is read, and what is named as not read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from tkm_env.foundations.archives import innermost, unpack
from tkm_env.foundations.errors import FileError

_FOLDER = (stat.S_IFDIR | 0o755) << 16

#: The entries of archives that hold `bot.py` and `lib/x.py`, in the ways of several programs; each
#: with its content and its attributes.
ENTRIES: dict[str, list[tuple[str, str, int]]] = {
    "zip -r bot.zip .": [("./", "", _FOLDER), ("./bot.py", "1", 0), ("./lib/x.py", "2", 0)],
    "a dot": [(".", "", 0), ("bot.py", "1", 0), ("lib/x.py", "2", 0)],
    "a dot with attributes": [(".", "", _FOLDER), ("bot.py", "1", 0), ("lib/x.py", "2", 0)],
    "backslashes": [("bot.py", "1", 0), ("lib\\", "", 0), ("lib\\x.py", "2", 0)],
    "a folder without a slash": [("bot.py", "1", 0), ("lib", "", _FOLDER), ("lib/x.py", "2", 0)],
    "a folder as MS-DOS marks it": [("bot.py", "1", 0), ("lib", "", 16), ("lib/x.py", "2", 0)],
    "Finder": [
        ("mine/bot.py", "1", 0),
        ("mine/lib/x.py", "2", 0),
        ("mine/.DS_Store", "", 0),
        ("__MACOSX/mine/._bot.py", "", 0),
        (".DS_Store", "", 0),
    ],
    "Explorer": [("mine/bot.py", "1", 0), ("mine\\lib\\x.py", "2", 0), ("desktop.ini", "", 0)],
}


def _zip(path: Path, entries: list[tuple[str, str, int]]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text, attributes in entries:
            entry = zipfile.ZipInfo("x")
            entry.filename, entry.external_attr = name, attributes
            archive.writestr(entry, text)
    return path


@pytest.mark.parametrize("entries", ENTRIES.values(), ids=ENTRIES)
def test_archives_of_usual_programs_are_read(
    tmp_path: Path, entries: list[tuple[str, str, int]]
) -> None:
    unpack(_zip(tmp_path / "bot.zip", entries), tmp_path / "there")
    inside = innermost(tmp_path / "there")
    assert [(inside / name).read_text() for name in ("bot.py", "lib/x.py")] == ["1", "2"]


def test_an_archive_of_the_standard_library_is_read(tmp_path: Path) -> None:
    (tmp_path / "mine" / "lib").mkdir(parents=True)
    (tmp_path / "mine" / "lib" / "x.py").write_text("2")
    made = shutil.make_archive(str(tmp_path / "bot"), "zip", tmp_path / "mine", ".")
    unpack(Path(made), tmp_path / "there")
    assert (tmp_path / "there" / "lib" / "x.py").read_text() == "2"


def _tar() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("bot.py"))
    return content.getvalue()


#: The beginnings of archives that are not read, and what they are called.
FOREIGN: dict[str, bytes] = {
    "a RAR archive": b"Rar!\x1a\x07\x01\x00" + b"x" * 300,
    "a 7-Zip archive": b"7z\xbc\xaf\x27\x1c\x00\x04" + b"x" * 300,
    "a tar archive": _tar(),
    "a gzip archive": gzip.compress(_tar()),
    "a bzip2 archive": bz2.compress(_tar()),
    "an xz archive": lzma.compress(_tar()),
    "a Zstandard archive": b"\x28\xb5\x2f\xfd" + b"x" * 300,
    "a compress archive": b"\x1f\x9d\x90" + b"x" * 300,
    "an lzip archive": b"LZIP\x01" + b"x" * 300,
    "a cabinet archive": b"MSCF\0\0\0\0" + b"x" * 300,
    "a Debian package": b"!<arch>\ndebian-binary",
}


@pytest.mark.parametrize(("name", "content"), FOREIGN.items(), ids=FOREIGN)
def test_archives_that_are_not_read_are_named(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / "bot.zip"
    path.write_bytes(content)
    with pytest.raises(FileError, match=f"it is {name}, and only zip archives are read"):
        unpack(path, tmp_path / "there")
    assert not (tmp_path / "there").exists()
