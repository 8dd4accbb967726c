"""Files that grow line by line, such as games that are saved one after another.

There is one writer at a time: while a `LineFile` is open, all others are refused, in this program
or another. The lock is the operating system's, on the file itself, so it ends with the program,
however that ends, and leaves nothing behind; a lock file beside it, as the library filelock makes,
would stay. Readers take no lock and change nothing.
"""

import os
import stat
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import Final

from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import BLANK, PROBE, checked_path, failing_as

#: Seconds between two attempts to get the lock.
_PAUSE: Final = 0.01
#: The bytes at the end of a file that are searched first for its last line.
_BLOCK: Final = 65_536

if sys.platform == "win32":
    import msvcrt

    #: The byte to lock, far beyond all content, since Windows also keeps others from reading what
    #: is locked.
    _LOCKED: Final = 2**31 - 2

    def _lock(file: int) -> None:
        os.lseek(file, _LOCKED, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

elif sys.platform == "emscripten":  # a browser, whose files no other program has

    def _lock(file: int) -> None:
        pass

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class LineFile:
    """A file to which only this writer appends lines.

    It is created if necessary, and removed again if nothing is written.

    Args:
        path: the file.
        patience: how long to wait for another writer, in seconds.

    Raises:
        FileError: if the file cannot be read and written, is not an ordinary file, or another
            writer has it.
    """

    def __init__(self, path: str | os.PathLike[str], patience: float = 0) -> None:
        self.path = path
        self._target = Path(os.path.realpath(checked_path(path)))
        deadline = time.monotonic() + patience
        while not self._open():
            if time.monotonic() >= deadline:
                raise FileError(path, "another writer has it")
            time.sleep(_PAUSE)

    def _open(self) -> bool:
        """Open and lock the file; return False if another writer has it."""
        with failing_as(self.path, "written"):
            is_new = not self._target.exists()
            if not is_new and not stat.S_ISREG(self._target.stat().st_mode):
                raise FileError(self.path, "it is not an ordinary file")
            #: Whether the file is removed if it is still empty when closed.
            self._is_disposable = is_new
            self._file = open(self._target, "a+b", buffering=0)  # noqa: SIM115 __exit__ closes it
            try:
                locked = self._lock()
                self._size = self._file.seek(0, os.SEEK_END)
                # Between opening and locking, another writer may have removed the file that it had
                # made.
                if locked and self._is_where_it_was():
                    return True
            except BaseException:
                self._file.close()
                raise
            self._file.close()
            return False

    def _lock(self) -> bool:
        try:
            _lock(self._file.fileno())
        except (BlockingIOError, PermissionError):
            return False
        except OSError as error:
            message = (
                f"{self.path}: it cannot be locked ({error.strerror}); let no other program write "
                "to it"
            )
            warnings.warn(message, RuntimeWarning, stacklevel=4)
        return True

    def _is_where_it_was(self) -> bool:
        """Whether the open file still has its name and its size."""
        with suppress(OSError):
            now = self._target.stat()
            return (
                os.path.samestat(now, os.fstat(self._file.fileno())) and now.st_size == self._size
            )
        return False

    def __enter__(self) -> "LineFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with failing_as(self.path, "written"):
            if self._is_disposable and self._size == 0 and self._is_where_it_was():
                if sys.platform == "win32":
                    self._file.close()
                self._target.unlink()
            self._file.close()

    def read(self) -> bytes:
        with failing_as(self.path, "read"):
            self._file.seek(0)
            return self._file.readall()

    def last_line(self) -> bytes:
        """Return the last line that is not blank, with everything after it."""
        length = _BLOCK
        with failing_as(self.path, "read"):
            while True:
                self._file.seek(max(0, self._size - length))
                end = self._file.readall()
                before = end.rstrip(BLANK).rfind(b"\n")
                if before >= 0 or length >= self._size:
                    return end[before + 1 :]
                length *= 4

    def append_line(self, line: bytes) -> None:
        """Append a line as a whole or, if that fails, nothing.

        If the last line is unterminated, it is ended first.

        Raises:
            FileError: if the file cannot be written, or something else has changed it.
        """
        self._append((b"" if self._is_ended() else b"\n") + line + b"\n")

    def end_line(self) -> None:
        """Terminate the last line, if it is not.

        Raises:
            FileError: as for `append_line`.
        """
        if not self._is_ended():
            self._append(b"\n")

    def _is_ended(self) -> bool:
        with failing_as(self.path, "read"):
            self._file.seek(max(0, self._size - 1))
            return self._file.read(1) in (b"", b"\n")

    def _append(self, content: bytes) -> None:
        if not self._is_where_it_was():
            raise FileError(self.path, "something else changed it while it was written to")
        with failing_as(self.path, "written"):
            left = memoryview(content)
            try:
                while left:
                    left = left[self._file.write(left) :]
            except BaseException:  # the disk is full, or Ctrl-C was pressed
                with suppress(OSError):
                    self._file.truncate(self._size)
                raise
            self._size += len(content)

    def check_room(self) -> None:
        """Check that the disk has room for a line, by writing as much to a file without a name.

        Readers of this file see nothing of it, and a kill leaves nothing behind. In a folder that
        takes no other file, nothing is found out.

        Raises:
            FileError: if it has not.
        """
        with (
            failing_as(self.path, "written"),
            suppress(PermissionError),
            TemporaryFile(dir=self._target.parent) as file,
        ):
            file.write(PROBE)
            file.flush()

    def cut(self, start: int) -> Path:
        """Move everything from a byte on to the end of another file, named after this one.

        Returns:
            The other file's path.

        Raises:
            FileError: if that is not possible; nothing changes.
        """
        beside = self._target.with_name(f"{self._target.name}.cut")
        end = self.read()[start:]
        with LineFile(beside) as file:
            file.append_line(end)
        self._truncate(start)
        return beside

    def clear(self) -> None:
        """Remove all lines, and at the end the file itself, unless others are written.

        Raises:
            FileError: if that is not possible; nothing changes.
        """
        if self._size:
            self._truncate(0)
        self._is_disposable = True

    def _truncate(self, size: int) -> None:
        with failing_as(self.path, "written"):
            self._file.truncate(size)
        self._size = size
