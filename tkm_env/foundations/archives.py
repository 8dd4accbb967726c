"""Archives that strangers packed, unpacked into folders; what they may hold is bounded."""

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
#: The file that is a program, whether or not the archive says so.
PROGRAM: Final = "run"
_CHUNK: Final = 1 << 20
#: What most file systems hold in a name, in bytes.
MAX_NAME: Final = 255
#: What reading a damaged or encrypted archive raises.
UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, EOFError, ValueError)


def innermost(folder: Path) -> Path:
    """The folder in an archive in which everything is, if there is only one."""
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
        target: the folder, which is made; after an error it is gone.
        most: how many bytes all files may have together.

    Raises:
        FileError: if the archive is damaged, encrypted or holds more than that, or would write
            anything but files in that folder.
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
            # On every system, so that an archive that one takes is taken by all.
            if len({folded_name(str(name)) for name in names}) < len(names):
                raise refuse("two files in it have the same name where case does not count")
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
                    raise refuse(f"{repr_of(entry.filename)} does not lie in it")
                if any(
                    len(part.encode("utf-8", "surrogatepass")) > MAX_NAME for part in name.parts
                ):
                    raise refuse(f"{repr_of(entry.filename)} is longer than {MAX_NAME} bytes")
                if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise refuse(
                        f"{repr_of(entry.filename)} is compressed in a way that few programs read"
                    )
                if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                    raise refuse(f"{repr_of(entry.filename)} is no file")
                path = target / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(entry) as source, path.open("xb") as copy:
                    while chunk := source.read(_CHUNK):
                        left -= len(chunk)
                        if left < 0:
                            raise refuse("it holds more than it says")
                        copy.write(chunk)
                path.chmod(0o755 if mode & 0o111 or name.name == PROGRAM else 0o644)
            target.mkdir(parents=True, exist_ok=True)
    except FileError:
        shutil.rmtree(target, ignore_errors=True)
        raise
    except UNREADABLE as error:
        shutil.rmtree(target, ignore_errors=True)
        # What the system says names the folder, which is not the packer's.
        raise refuse((isinstance(error, OSError) and error.strerror) or str(error)) from error
