"""Why a program does not start, in the words of somebody who looks at its file.

The system's own error seldom names what is wrong.
"""

import errno
import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tkm_env.foundations.errors import repr_of

#: How much of a file is read: the system takes no longer first line either.
_FIRST_BYTES: Final = 512
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_ELF: Final = b"\x7fELF"
#: The first bytes of what other systems and machines start, and what is said of it.
_FOREIGN: Final = {
    b"MZ": "it is a program for Windows",
    b"\xcf\xfa\xed\xfe": "it is a program for macOS",
    b"\xca\xfe\xba\xbe\0\0\0\x02": "it is a program for macOS",
    b"\xca\xfe\xba\xbe": "it is compiled Java, which a script must start",
}


def why_not_started(command: Sequence[str], error: int, message: str) -> str:
    """Say why the system could not start a program.

    Args:
        command: the program and its arguments.
        error: the number of the system's error, as in `errno`.
        message: the system's words for it.

    Returns:
        What is wrong with the program's file, and what helps; else the system's own words.
    """
    path = _program(command[0])
    if path is None:
        return (
            f"{message}: there is no such program on the path"
            if os.sep not in command[0]
            else message
        )
    if path.is_dir():
        return f"{path} is a folder, not a program"
    if error == errno.ENOENT:
        foreign = "what it needs to start is not: it was built for another system"
        return _lacks_interpreter(path) or f"{path} is there, but {foreign}"
    if error == errno.EACCES:
        return f"{message}; {_why_forbidden(path)}"
    if error == errno.ENOEXEC:
        return f"{message}; {_why_no_program(path)}"
    return message


def hint_of_first_line(command: Sequence[str]) -> str:
    """What to say of a program that ended at once.

    That is that its first line ends as Windows ends lines; "" otherwise.
    """
    path = _program(command[0])
    line = b"" if path is None else _first_line(path)
    return (
        f"; {_windows_end(path)}"
        if path is not None and line.startswith(b"#!") and line.endswith(b"\r")
        else ""
    )


def _program(name: str) -> Path | None:
    """The file that a command's first word names, if it is there."""
    found = name if os.sep in name else shutil.which(name)
    return Path(found) if found is not None and os.path.exists(found) else None


def _first_line(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_FIRST_BYTES).partition(b"\n")[0]
    except OSError:
        return b""


def _interpreter(line: bytes) -> str:
    """The program that a script's first line names, "" without one."""
    words = line.removeprefix(b"#!").split(maxsplit=1) if line.startswith(b"#!") else []
    return os.fsdecode(words[0]) if words else ""


def _lacks_interpreter(path: Path) -> str:
    line = _first_line(path)
    if not (interpreter := _interpreter(line)):
        return ""
    if line.endswith(b"\r"):
        return f"{path} is there, but {_windows_end(path)}"
    where = (
        "is not there"
        if not os.path.exists(interpreter)
        else "is outside of what the program may read"
    )
    return f"{path} is there, but {repr_of(interpreter)}, which its first line names, {where}"


def _windows_end(path: Path) -> str:
    mend = rf"sed -i 's/\r$//' {shlex.quote(str(path))}"
    return f"its first line ends in a carriage return, as files from Windows do: {mend}"


def _why_forbidden(path: Path) -> str:
    if not os.access(path, os.X_OK):
        return f"a program must be executable: chmod +x {shlex.quote(str(path))}"
    if hasattr(os, "statvfs") and os.statvfs(path).f_flag & os.ST_NOEXEC:
        how = "mounted so that no program starts from it (noexec)"
        return f"the file system of {path.parent} is {how}"
    interpreter = _interpreter(_first_line(path))
    return (
        f"what its first line names, {repr_of(interpreter)}, may not be executed"
        if interpreter
        else "the system forbids it"
    )


def _why_no_program(path: Path) -> str:
    line = _first_line(path)
    if line.startswith(_BYTE_ORDER_MARK + b"#!"):
        mark = "it begins with a byte order mark, which must not stand before #!"
        return f"{mark}: save it as UTF-8 without one"
    if line.startswith(_ELF):
        return "it was built for another kind of processor"
    if not line and not path.stat().st_size:
        return "it is empty"
    for begin, what in _FOREIGN.items():
        if line.startswith(begin):
            return what
    return "the first line of a script names what runs it: #!/bin/sh"
