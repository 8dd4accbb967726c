"""Where a stranger's program runs, what it may use, and which protections there are.

Records name the protections that were not active.
"""

import dataclasses
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from tkm_env.foundations.checks import (
    checked_choice,
    checked_integer,
    checked_number,
    checked_texts,
)
from tkm_env.foundations.errors import ConfigError
from tkm_env.isolation.import_rules import PACKAGE_NAME, ImportRules

#: Where a player runs, by name.
ISOLATIONS: Final[Mapping[str, str]] = {
    "none": "in the referee's process",
    "process": "in a process of its own, with limits: not against attacks",
    "restricted": (
        "in such a process, with few rights, where the machine has no sandbox: Linux only"
    ),
    "sandbox": (
        "in bubblewrap, with few rights, seeing nothing of the machine but what it needs: "
        "Linux only"
    ),
    "container": "in such a process, started by the organiser's command",
}
#: Those that promise protection; for them records name what is missing.
CONFINED: Final = ("restricted", "sandbox")


class Protection(NamedTuple):
    """Something that a program is kept from."""

    with_it: str  # what a program cannot do with a protection
    without: str  # what it may do without


PROTECTIONS: Final[Mapping[str, Protection]] = {
    "privileges": Protection(
        with_it="neither it nor what it starts gets more rights; root inside has none",
        without="what it starts may have more rights, as with sudo",
    ),
    "files": Protection(
        with_it="it reads and writes only what it may",
        without=("it reads, changes and removes what the user who runs the match may, results too"),
    ),
    "network": Protection(
        with_it="it reaches no network and no socket outside",
        without="it reaches every network and service that the machine does",
    ),
    "system-calls": Protection(
        with_it="a reviewed list of system calls; the kernel knows no others, now or later",
        without=(
            "all system calls: queues and memory shared with others, attributes of files, "
            "tracing, keys"
        ),
    ),
    "landlock": Protection(
        with_it="Landlock guards files a second time",
        without="nothing guards files if the first guard fails: from Linux 6.2, with Landlock",
    ),
    "namespaces": Protection(
        with_it="it sees no other process, and no file or folder but what it may read",
        without="it finds out which processes and files there are",
    ),
    "user": Protection(
        with_it=(
            "it runs as a user that nothing else belongs to; given where root starts it and the "
            "modes of what it may read let others read it"
        ),
        without="it runs as the user who runs the match, and shares that user's limits",
    ),
    "signals": Protection(
        with_it="it signals no process outside",
        without="it can stop and kill the referee and other players",
    ),
    "memory": Protection(
        with_it=(
            "the kernel counts its memory, files in memory and buffers included, and stops it at "
            "the limit"
        ),
        without=(
            "memory is measured 40 times a second, without buffers of the kernel; it can have "
            "more for a moment"
        ),
    ),
    "processes": Protection(
        with_it="the kernel counts its processes and threads, and refuses more",
        without=(
            "processes and threads are counted 40 times a second; it can have more for a moment"
        ),
    ),
    "scratch": Protection(
        with_it="its temporary folder is in memory, of limited size, and gone with it",
        without=(
            "its temporary folder is on the disk, which it can fill; only each file is limited"
        ),
    ),
    "end": Protection(
        with_it="the kernel ends all its processes at once",
        without="processes that keep replacing themselves may survive it",
    ),
}


def unprotected(active: Collection[str]) -> list[str]:
    """The names of the protections that are not among the active ones."""
    return [name for name in PROTECTIONS if name not in active]


@dataclasses.dataclass(frozen=True)
class Limits:
    """How programs are isolated, and what they may use.

    Attributes:
        isolation: "process", "restricted", "sandbox" or "container", as in `ISOLATIONS`.
        start_seconds: how long a program may take to its first answer.
        memory_mib: the memory of all its processes together, in MiB.
        processes: how many processes and threads it may have.
        output_kib: how much it may write before an answer, in KiB; as much of its standard error
            is kept.
        readable: what it may read if confined, besides the system's, Python's and its command's.
        importable: the modules and packages of this package that a Python bot may import, and if
            confined finds at all.
        refused_imports: patterns of modules that it may not import, and if confined not read.
        container: for "container", the command that runs a program in one, with ``{command}`` in
            its place.
        scratch_mib: the size of its temporary folder in the sandbox, in MiB; otherwise, of a file
            there.

    Raises:
        ConfigError: about an invalid field.
    """

    isolation: str = "process"
    start_seconds: float = 20.0
    memory_mib: int = 4096
    processes: int = 256
    output_kib: int = 1024
    readable: tuple[str, ...] = ()
    importable: tuple[str, ...] = (PACKAGE_NAME,)
    refused_imports: tuple[str, ...] = ()
    container: tuple[str, ...] = ()
    scratch_mib: int = 256

    def __post_init__(self) -> None:
        names = [name for name in ISOLATIONS if name != "none"]
        checked_choice("isolation", self.isolation, names)
        checked_number("start_seconds", self.start_seconds)
        for name, most in (
            ("memory_mib", 1 << 30),
            ("processes", 1 << 20),
            ("output_kib", 1 << 20),
            ("scratch_mib", 1 << 30),
        ):
            checked_integer(name, getattr(self, name), 1, most)
        for name in ("readable", "importable", "refused_imports", "container"):
            checked_texts(name, getattr(self, name))
        for name in self.importable:
            if name.partition(".")[0] != PACKAGE_NAME:
                reason = f"it must name modules of this package, such as {PACKAGE_NAME}.games"
                raise ConfigError("importable", name, reason)
        if (self.isolation == "container") != bool(self.container):
            reason = "the isolation 'container' needs it, and no other takes it"
            raise ConfigError("container", self.container, reason)
        if self.container and "{command}" not in self.container:
            raise ConfigError("container", self.container, "one of its words must be {command}")

    @property
    def import_rules(self) -> ImportRules:
        """What a Python bot may import."""
        return ImportRules(self.importable, self.refused_imports)


DEFAULT_LIMITS: Final = Limits()
