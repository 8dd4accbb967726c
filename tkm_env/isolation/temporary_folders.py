"""Temporary folders that do not outlive the process that made them.

A process that is killed cannot remove its folders. While it lives it holds a lock of the operating
system on each, which ends with it, so that the next process can tell what is left over.
"""

import os
import sys
import tempfile
from contextlib import suppress

from tkm_env.isolation.folders import remove_folder

if sys.platform == "win32" or sys.platform == "emscripten":

    def _lock(folder: str, *, waits: bool) -> int | None:
        return None  # a folder cannot be locked there

else:
    import fcntl

    def _lock(folder: str, *, waits: bool) -> int | None:
        """Lock a folder; return None if it is no folder any more, or cannot be locked.

        Unless this ``waits`` for another process that has it, that is a reason, too.
        """
        how = fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, how)
                if os.path.samestat(os.fstat(descriptor), os.lstat(folder)):
                    return descriptor
            except OSError:
                os.close(descriptor)
                raise
            os.close(descriptor)
        return None


class TemporaryFolder:
    """A new folder in the system's folder for temporary files, which only its owner can enter.

    Args:
        prefix: what its name begins with.

    Attributes:
        path: the folder.
    """

    def __init__(self, prefix: str) -> None:
        while True:
            self.path = tempfile.mkdtemp(prefix=prefix)
            # Between the two, another process may have taken it for a leftover: it is waited for,
            # and what it removed is replaced. Where nothing can be locked, nobody removes anything.
            self._descriptor = _lock(self.path, waits=True)
            if self._descriptor is not None or os.path.isdir(self.path):
                return

    def remove(self) -> None:
        """Remove the folder, whatever a program left in it; never raise."""
        remove_folder(self.path)
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def remove_leftovers(*prefixes: str) -> None:
    """Remove the folders of processes that were killed, where folders can be locked.

    Args:
        *prefixes: what the names of the folders begin with.
    """
    own = os.geteuid() if hasattr(os, "geteuid") else None
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if not entry.name.startswith(prefixes) or not entry.is_dir(follow_symlinks=False):
                continue
            is_own = own in (0, entry.stat(follow_symlinks=False).st_uid)
            if is_own and (descriptor := _lock(entry.path, waits=False)) is not None:
                remove_folder(entry.path)
                os.close(descriptor)
