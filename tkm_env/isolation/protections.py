"""What stands between a stranger's program and everything else, by name: with each protection, and without it.

Which of them are active depends on the level of isolation and on the machine. Records and reports name those that were not; documents show
this table.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

#: Where a player runs, by name.
ISOLATIONS: Final = {
    "none": "in the referee's process",
    "process": "in a process of its own, with limits: not against attacks",
    "restricted": "in such a process, with few rights, where the machine has no sandbox: Linux only",
    "sandbox": "in bubblewrap, with few rights, seeing nothing of the machine but what it needs: Linux only",
    "container": "in such a process, started by the organiser's command",
}


#: Those that promise protection; for them records name what is missing.
CONFINED: Final = ("restricted", "sandbox")


class Protection(NamedTuple):
    """What a program cannot do with a protection, and what it may do without."""

    with_it: str
    without: str


PROTECTIONS: Final = {
    "privileges": Protection(
        "neither it nor what it starts gets more rights; root inside has none", "what it starts may have more rights, as with sudo"
    ),
    "files": Protection(
        "it reads and writes only what it may", "it reads, changes and removes what the user who runs the match may, results too"
    ),
    "network": Protection(
        "it reaches no network and no socket outside", "it reaches every network and service that the machine does"
    ),
    "system-calls": Protection(
        "a reviewed list of system calls; the kernel knows no others, now or later",
        "all system calls: queues and memory shared with others, attributes of files, tracing, keys",
    ),
    "landlock": Protection(
        "Landlock guards files a second time", "nothing guards files if the first guard fails: from Linux 6.2, with Landlock"
    ),
    "namespaces": Protection(
        "it sees no other process, and no file or folder but what it may read", "it finds out which processes and files there are"
    ),
    "user": Protection(
        "it runs as a user that nothing else belongs to; given where root starts it and the modes of what it may read let others read it",
        "it runs as the user who runs the match, and shares that user's limits",
    ),
    "signals": Protection("it signals no process outside", "it can stop and kill the referee and other players"),
    "memory": Protection(
        "the kernel counts its memory, files in memory and buffers included, and stops it at the limit",
        "memory is measured 40 times a second, without buffers of the kernel; it can have more for a moment",
    ),
    "processes": Protection(
        "the kernel counts its processes and threads, and refuses more",
        "processes and threads are counted 40 times a second; it can have more for a moment",
    ),
    "scratch": Protection(
        "its temporary folder is in memory, of limited size, and gone with it",
        "its temporary folder is on the disk, which it can fill; only each file is limited",
    ),
    "end": Protection("the kernel ends all its processes at once", "processes that keep replacing themselves may survive it"),
}


def unprotected(active: Collection[str]) -> list[str]:
    """The names of the protections that are not among the active ones.

    >>> unprotected([*PROTECTIONS][2:])
    ['privileges', 'files']
    """
    return [name for name in PROTECTIONS if name not in active]
