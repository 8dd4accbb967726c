"""What attacks in Python share, and the program that runs one: ``python attack.py FILE``.

An attack that comes to its end has reached what it proves; one that raises an `OSError` has been
refused. Where only the judge can see which, it prints "tried" itself. What it may attack is in the
environment; `tests/isolation/judge.py` lists it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import runpy
import signal
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

libc: Any = ctypes.CDLL(None, use_errno=True)
#: No attack lasts longer, whatever stops it or does not.
_MOST_SECONDS = 25


def call(function: str, *arguments: Any) -> int:
    """Call a function of the C library; integers are long.

    Raises:
        OSError: if it answers -1.
    """
    given = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = int(getattr(libc, function)(*given))
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")
    return result


def syscall(number: int, *arguments: Any) -> int:
    """Make a system call, by its number: from 424 on they are the same on all machines."""
    return call("syscall", number, *arguments)


def refused(why: str) -> OSError:
    """What to raise where the system did not say so itself."""
    return OSError(errno.EPERM, why)


def open_one_for_writing(paths: Iterable[str]) -> None:
    """Open one of these files for writing, without writing anything.

    Raises:
        OSError: if none can be opened.
    """
    for path in paths:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            continue
        return
    raise refused("none can be opened")


def say(line: str) -> None:
    """Write a line that the judge reads at once."""
    print(line, flush=True)


def keep(action: Callable[[], object]) -> None:
    """Repeat something until the judge has seen enough, for the other of two programs to notice."""
    say("ready")
    os.set_blocking(0, False)
    while sys.stdin.buffer.raw.read(1) is None:
        action()
        time.sleep(0.02)


def main() -> None:
    """Run an attack, say what came of it, and stay until the judge has looked."""
    signal.alarm(_MOST_SECONDS)
    sys.modules["attack"] = sys.modules["__main__"]
    try:
        runpy.run_path(sys.argv[1])
    except OSError as error:
        say(f"refused {errno.errorcode.get(error.errno or 0, '')}: {error}")
    except MemoryError:
        say("refused ENOMEM: no memory")
    else:
        say("reached")
    sys.stdin.read()


if __name__ == "__main__":
    main()
