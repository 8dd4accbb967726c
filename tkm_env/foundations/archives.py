"""Unpack archives from strangers into folders, within bounds."""

import shutil
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Final

from tkm_env.foundations.errors import FileError, repr_of
from tkm_env.foundations.untrusted_text import folded_name

MAX_FILES: Final = 2_000
MAX_BYTES: Final = 256 << 20
MAX_DEPTH: Final = 64
#: The name of files that become executable, whether or not the archive says so.
PROGRAM: Final = "run"
_CHUNK: Final = 1 << 20
#: The longest name that most file systems accept, in bytes.
MAX_NAME: Final = 255
#: The errors that reading a damaged or encrypted archive raises.
UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, EOFError, ValueError)


def innermost(folder: Path) -> Path:
    """Return the innermost folder that holds everything in ``folder``.

    While a folder holds nothing but one folder, that one is looked into.
    """
    while (
        len(inside := [path for path in folder.iterdir() if path.name != "__MACOSX"]) == 1
        and inside[0].is_dir()
    ):
        folder = inside[0]
    return folder


def unpack(archive: Path, target: Path, most: int = MAX_BYTES) -> None:
    """Unpack an archive into a new folder.

    Args:
        archive: a zip file.
        target: the folder, which is created; after an error it is gone.
        most: the most bytes that all files may have together.

    Raises:
        FileError: if the archive is damaged, encrypted or too large, or would write anything but
            files in that folder.
    """

    def refuse(reason: str) -> FileError:
        return FileError(archive, f"it cannot be unpacked: {reason}")

    try:
        with zipfile.ZipFile(archive) as opened:
            if not all(entry.filename for entry in opened.infolist()):  # which `is_dir` cannot read
                raise refuse("a file in it has no name")
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
            if (
                len(opened.infolist()) > MAX_FILES
                or sum(entry.file_size for entry in entries) > most
            ):
                raise refuse(
                    f"it holds more than {MAX_FILES:,} files and folders or {most >> 20} MiB"
                )
            names = [PurePosixPath(entry.filename) for entry in entries]
            if not all(name.parts for name in names):
                raise refuse("a file in it has no name")
            if len({*names}) < len(names):
                raise refuse("two files in it have the same name")
            # Checked on every system, so that all of them accept the same archives.
            if len({folded_name(str(name)) for name in names}) < len(names):
                raise refuse("two files in it have names that some systems take for the same")
            if {folded_name(str(folder)) for name in names for folder in name.parents} & {
                folded_name(str(name)) for name in names
            }:
                raise refuse("a file in it has the name of a folder in it")
            left = most
            for entry, name in zip(entries, names, strict=True):
                mode = entry.external_attr >> 16
                is_inside = (
                    not name.is_absolute() and ".." not in name.parts and "\\" not in entry.filename
                )
                if (
                    not is_inside
                    or any(":" in part for part in name.parts)
                    or len(name.parts) > MAX_DEPTH
                ):
                    raise refuse(f"{repr_of(entry.filename)} is not an allowed path")
                if any(
                    len(part.encode("utf-8", "surrogatepass")) > MAX_NAME for part in name.parts
                ):
                    raise refuse(f"{repr_of(entry.filename)} is longer than {MAX_NAME} bytes")
                if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise refuse(
                        f"{repr_of(entry.filename)} is compressed in a way that few programs can "
                        "read"
                    )
                if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                    raise refuse(f"{repr_of(entry.filename)} is not a file")
                path = target / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(entry) as source, path.open("xb") as copy:
                    while chunk := source.read(_CHUNK):
                        left -= len(chunk)
                        if left < 0:
                            raise refuse("it holds more bytes than it declares")
                        copy.write(chunk)
                path.chmod(0o755 if mode & 0o111 or name.name == PROGRAM else 0o644)
            target.mkdir(parents=True, exist_ok=True)
    except FileError:
        shutil.rmtree(target, ignore_errors=True)
        raise
    except UNREADABLE as error:
        shutil.rmtree(target, ignore_errors=True)
        # The error's full text would name our folder, which means nothing to the packer.
        raise refuse((isinstance(error, OSError) and error.strerror) or str(error)) from error
