"""What the folder of a player may hold, which somebody else has made: so much, and nothing that leads out of it."""

import os
import stat
from pathlib import Path
from typing import NoReturn

from tkm_env.archives import MAX_BYTES, MAX_DEPTH, MAX_FILES
from tkm_env.errors import FileError, repr_of
from tkm_env.files import failing_as


def _fail(error: OSError) -> NoReturn:
    raise error


def check_folder(folder: Path) -> None:
    """Check what a player's folder holds, without reading any of it.

    Args:
        folder: the folder; it may be a link itself.

    Raises:
        FileError: naming what is in it: a link that leads out of it or nowhere, something that is neither a file nor a folder, more than
            `tkm_env.archives.MAX_FILES` files and folders or `MAX_BYTES` bytes (holes in files count), or folders more than
            `MAX_DEPTH` deep; or if it cannot be read.
    """

    def refuse(path: str, reason: str) -> FileError:
        return FileError(folder, f"no player: {repr_of(os.path.relpath(path, folder))} in it {reason}")

    count = size = 0
    root = os.path.realpath(folder)
    with failing_as(folder, "read"):
        for place, folders, names in os.walk(folder, onerror=_fail):
            if os.path.relpath(place, folder).count(os.sep) >= MAX_DEPTH:
                raise refuse(place, f"is more than {MAX_DEPTH} folders deep")
            for path in (os.path.join(place, name) for name in (*folders, *names)):
                found = os.lstat(path)
                count, size = count + 1, size + found.st_size * stat.S_ISREG(found.st_mode)
                if stat.S_ISLNK(found.st_mode):
                    target = os.path.realpath(path)
                    if not (target + os.sep).startswith(root + os.sep) or not os.path.exists(target):
                        raise refuse(path, "is a link that leads out of it, or nowhere")
                elif not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
                    raise refuse(path, "is neither a file nor a folder")
                if count > MAX_FILES or size > MAX_BYTES:
                    raise FileError(folder, f"no player: it holds more than {MAX_FILES:,} files or {MAX_BYTES >> 20} MiB")
