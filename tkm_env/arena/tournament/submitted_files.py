"""The files of a submitted player: checking them, and making a copy that does not change."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from tkm_env.foundations.archives import MAX_BYTES, MAX_DEPTH, MAX_FILES
from tkm_env.foundations.errors import FileError, repr_of
from tkm_env.foundations.files import failing_as

_CHUNK: Final = 1 << 20
#: The flags to open a file without following a link or blocking on a pipe.
_READING: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_RIGHTS: Final = 0o777
_TOO_MUCH: Final = f"no player: it holds more than {MAX_FILES:,} files or {MAX_BYTES >> 20} MiB"
_NEITHER: Final = "is neither a file nor a folder"


class Found(NamedTuple):
    """The state of a file, folder or link of a player."""

    within: str  # its path in the player's folder; "." for the player's only file
    mode: int
    size: int  # in bytes
    inode: int
    changed: int  # when its content, name or permissions changed, in nanoseconds since 1970


def inventory(path: Path) -> tuple[Found, ...]:
    """Check a player's file or folder, without reading the content of any file.

    Args:
        path: the file or folder; it may be a link itself.

    Returns:
        The state of everything in it. As long as this stays the same, so does the player.

    Raises:
        FileError: naming a link that leads out of it or nowhere, or something that is neither a
            file nor a folder; if it holds more than `tkm_env.foundations.archives.MAX_FILES` files
            and folders, more than `MAX_BYTES` bytes (holes in files count), or folders more than
            `MAX_DEPTH` deep; or if it cannot be read.
    """
    root = os.path.realpath(path)
    found: list[Found] = []
    size = 0
    with failing_as(path, "read"):
        for entry in _entries(root, path):
            if stat.S_ISLNK(entry.about.st_mode):
                target = os.path.realpath(entry.path)
                if not _is_in(target, root) or not os.path.exists(target):
                    raise _refusal(
                        path, root, entry.path, "is a link that leads out of it, or nowhere"
                    )
            elif not (stat.S_ISREG(entry.about.st_mode) or stat.S_ISDIR(entry.about.st_mode)):
                raise _refusal(path, root, entry.path, _NEITHER)
            size += entry.about.st_size * stat.S_ISREG(entry.about.st_mode)
            if len(found) >= MAX_FILES or size > MAX_BYTES:
                raise FileError(path, _TOO_MUCH)
            mode, inode, *_ = entry.about
            within = os.path.relpath(entry.path, root)
            found.append(
                Found(
                    within,
                    mode,
                    entry.about.st_size,
                    inode,
                    max(entry.about.st_mtime_ns, entry.about.st_ctime_ns),
                )
            )
    return tuple(found)


def copy_files(source: Path, target: Path) -> None:
    """Copy a player's file or folder to a path that does not exist yet.

    Links are not followed, pipes are not waited for, and no more is copied than `inventory` allows,
    whatever happens to the source meanwhile. Links are copied as links, and lead to the same place
    in the copy. Everything keeps its permissions.

    Args:
        source: the file or folder.
        target: the path of the copy.

    Raises:
        FileError: as `inventory` does, or if something cannot be copied. An incomplete copy stays.
    """
    root = os.path.abspath(source)
    folders: list[tuple[str, int]] = []
    left = MAX_BYTES
    with failing_as(source, "copied"):
        for count, entry in enumerate(_entries(root, source)):
            if count >= MAX_FILES:
                raise FileError(source, _TOO_MUCH)
            copied = os.path.normpath(os.path.join(target, os.path.relpath(entry.path, root)))
            mode = entry.about.st_mode
            if stat.S_ISDIR(mode):
                os.mkdir(copied, 0o700)
                folders.append((copied, mode))
            elif stat.S_ISLNK(mode):
                os.symlink(entry.link_within(root), copied)
            else:
                left -= _copy_file(entry, copied, left, source, root)
        # Permissions come last, since files cannot be written to a read-only folder.
        for folder, mode in reversed(folders):
            os.chmod(folder, mode & _RIGHTS)
    inventory(target)


def _copy_file(entry: "_Entry", copied: str, most: int, source: Path, root: str) -> int:
    """Copy a file of at most ``most`` bytes; return its size."""
    with open(entry.open(), "rb") as file, open(copied, "xb") as copy:
        about = os.fstat(file.fileno())  # of the open file, since its name may have been reused
        if not stat.S_ISREG(about.st_mode):
            raise _refusal(source, root, entry.path, _NEITHER)
        size = 0
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            if size > most:
                raise FileError(source, _TOO_MUCH)
            copy.write(chunk)
    os.chmod(copied, about.st_mode & _RIGHTS)
    return size


class _Entry(NamedTuple):
    """A name in a folder, which is kept open if the system allows that.

    Other processes may replace the path meanwhile.
    """

    path: str
    name: str  # within the open folder; without one, the path
    folder: int | None
    about: os.stat_result

    def open(self) -> int:
        return os.open(self.name, _READING, dir_fd=self.folder)

    def link_within(self, root: str) -> str:
        """Return the target of a link, relative to the link if it is within this folder."""
        target = os.readlink(self.name, dir_fd=self.folder)
        if os.path.isabs(target) and _is_in(os.path.realpath(target), os.path.realpath(root)):
            return os.path.relpath(
                os.path.realpath(target), os.path.realpath(os.path.dirname(self.path))
            )
        return target


def _entries(root: str, path: Path) -> Iterator[_Entry]:
    """Yield a file or folder and everything in it, folders before their content.

    Args:
        root: the file or folder.
        path: the path that errors name.
    """
    about = os.lstat(root)
    yield _Entry(root, root, None, about)
    if not stat.S_ISDIR(about.st_mode):
        return
    walk = (
        os.fwalk(root, onerror=_fail)
        if hasattr(os, "fwalk")
        else ((*row, None) for row in os.walk(root, onerror=_fail))
    )
    for place, folders, names, folder in walk:
        within = os.path.relpath(place, root)
        if within != os.curdir and within.count(os.sep) >= MAX_DEPTH:
            raise _refusal(path, root, place, f"is more than {MAX_DEPTH} folders deep")
        for each in (*folders, *names):
            inside = os.path.join(place, each)
            name = inside if folder is None else each
            yield _Entry(inside, name, folder, os.stat(name, dir_fd=folder, follow_symlinks=False))


def _is_in(path: str, folder: str) -> bool:
    return (path + os.sep).startswith(folder.rstrip(os.sep) + os.sep)


def _refusal(path: Path, root: str, within: str, reason: str) -> FileError:
    return FileError(path, f"no player: {repr_of(os.path.relpath(within, root))} in it {reason}")


def _fail(error: OSError) -> NoReturn:
    raise error
