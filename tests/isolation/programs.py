"""Programs to isolate, in Python that needs nothing; and what they must not leave behind."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil

from tkm_env.isolation.program import try_isolation


def _lacking(level: str) -> str:
    lacks = try_isolation(level).lacks
    return f"needs the level {level}: {lacks}" if lacks else ""


#: Why tests of these levels are skipped on this system; "" where it can isolate programs so.
NO_RESTRICTED, NO_SANDBOX = _lacking("restricted"), _lacking("sandbox")

#: Plays the first legal action.
HONEST = """
import sys
for line in sys.stdin:
    if line.startswith("tkm"):
        print("tkm 1 name=honest", flush=True)
    elif line.startswith("go"):
        print("play", line.partition("legal=")[2].partition(" ")[0].partition(",")[0], flush=True)
"""


def python(source: str) -> list[str]:
    """The command that runs a program."""
    return [sys.executable, "-I", "-S", "-c", source]


def saved(folder: Path, source: str, name: str = "bot.py") -> str:
    """A player that runs a program, which is saved in a folder."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(source, "utf-8")
    return f"cmd:{sys.executable} -I -S {folder / name}"


def processes_of(mark: str) -> list[int]:
    """The living processes on whose command line this mark is."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if any(mark in word for word in process.info["cmdline"] or ())
        and process.pid != os.getpid()
    ]


def open_descriptors() -> set[str]:
    """What this process has open."""
    return {
        f"{number} {os.readlink(f'/proc/self/fd/{number}')}"
        for number in os.listdir("/proc/self/fd")
        if _is_open(int(number))
    }


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
