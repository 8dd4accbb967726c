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
#: Files that operating systems add to folders.
LITTER: Final = frozenset(("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"))
#: The first bytes of archives that are not read, by what people call them; those of tar come later.
_FOREIGN: Final = {
    "a RAR archive": b"Rar!\x1a\x07",
    "a 7-Zip archive": b"7z\xbc\xaf\x27\x1c",
    "a gzip archive": b"\x1f\x8b",
    "a bzip2 archive": b"BZh",
    "an xz archive": b"\xfd7zXZ\x00",
    "a Zstandard archive": b"\x28\xb5\x2f\xfd",
    "a compress archive": b"\x1f\x9d",
    "an lzip archive": b"LZIP\x01",
    "a cabinet archive": b"MSCF\0\0\0\0",
    "a Debian package": b"!<arch>\n",
}
#: The first bytes of zip archives: of one with files, an empty one, and one made to be split.
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
#: What a tar archive holds, and where.
_TAR: Final = b"ustar"
_TAR_AT: Final = 257
#: The attribute of a folder, as MS-DOS and Windows give it.
_DOS_FOLDER: Final = 0x10
#: The flag of an encrypted file.
_ENCRYPTED: Final = 0x1
#: The longest name that most file systems accept, in bytes.
MAX_NAME: Final = 255
#: The errors that reading a damaged or encrypted archive raises.
UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, EOFError, ValueError)


def innermost(folder: Path) -> Path:
    """Return the innermost folder that holds everything in ``folder``.

    While a folder holds nothing but one folder, that one is looked into. Files that operating
    systems add do not count.
    """
    while (
        len(inside := [path for path in folder.iterdir() if path.name not in LITTER]) == 1
        and inside[0].is_dir()
    ):
        folder = inside[0]
    return folder


def is_zip(path: Path) -> bool:
    """Whether a file begins as zip archives do; programs may only have one behind them."""
    with path.open("rb") as file:
        return file.read(len(_ZIP[0])) in _ZIP


def foreign_archive(path: Path) -> str:
    """Return what people call an archive that is not read, such as "a RAR archive"; else ""."""
    with path.open("rb") as file:
        head = file.read(_TAR_AT + len(_TAR))
    if head[_TAR_AT:] == _TAR:
        return "a tar archive"
    return next((name for name, begin in _FOREIGN.items() if head.startswith(begin)), "")


def _path_of(entry: zipfile.ZipInfo) -> PurePosixPath:
    """Return the path of an entry; some programs for Windows write it with backslashes."""
    return PurePosixPath(entry.filename.replace("\\", "/"))


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a folder, by its name or, if it is empty, by its attributes.

    Programs name the folder that they pack ``.`` or ``./``.
    """
    if entry.filename.endswith(("/", "\\")):
        return True
    is_marked = stat.S_ISDIR(entry.external_attr >> 16) or entry.external_attr & _DOS_FOLDER
    is_itself = entry.filename != "" and not _path_of(entry).parts
    return entry.file_size == 0 and bool(is_marked or is_itself)


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
        if kind := foreign_archive(archive):
            raise refuse(f"it is {kind}, and only zip archives are read")
        if not zipfile.is_zipfile(archive):
            raise refuse("it is no zip archive, or only a part of one")
        with zipfile.ZipFile(archive) as opened:
            entries = [entry for entry in opened.infolist() if not _is_folder(entry)]
            if (
                len(opened.infolist()) > MAX_FILES
                or sum(entry.file_size for entry in entries) > most
            ):
                raise refuse(
                    f"it holds more than {MAX_FILES:,} files and folders or {most >> 20} MiB"
                )
            names = [_path_of(entry) for entry in entries]
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
                if (
                    name.is_absolute()
                    or ".." in name.parts
                    or any(":" in part for part in name.parts)
                    or len(name.parts) > MAX_DEPTH
                ):
                    raise refuse(f"{repr_of(entry.filename)} is not an allowed path")
                if any(
                    len(part.encode("utf-8", "surrogatepass")) > MAX_NAME for part in name.parts
                ):
                    raise refuse(f"{repr_of(entry.filename)} is longer than {MAX_NAME} bytes")
                if entry.flag_bits & _ENCRYPTED:
                    raise refuse(f"{repr_of(entry.filename)} is encrypted")
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
