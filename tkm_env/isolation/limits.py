"""Levels of isolation, limits on resources, and protections against strangers' programs.

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
    "process": "in a separate process with limits, without protection against attacks",
    "restricted": ("in such a process with few rights, for machines without a sandbox; Linux only"),
    "sandbox": (
        "in bubblewrap with few rights, where it sees only what it needs of the machine; Linux only"
    ),
    "container": "in such a process, started by the organiser's command",
}
#: The levels that promise protection; for them, records name missing protections.
CONFINED: Final = ("restricted", "sandbox")


class Protection(NamedTuple):
    """A protection against a program."""

    with_it: str  # what the protection guarantees
    without: str  # what the program may do without it


PROTECTIONS: Final[Mapping[str, Protection]] = {
    "privileges": Protection(
        with_it="neither it nor anything it starts can gain rights; root inside has none",
        without="programs that it starts may have more rights, as with sudo",
    ),
    "files": Protection(
        with_it="it can read and write only the allowed files",
        without=(
            "it can read, change and remove everything that the user who runs the match can, "
            "including results"
        ),
    ),
    "network": Protection(
        with_it="it can reach no network and no socket outside",
        without="it can reach every network and service that the machine can",
    ),
    "system-calls": Protection(
        with_it="it can make only the system calls on a reviewed list, now and with later kernels",
        without=(
            "it can make all system calls, such as those for shared queues and memory, "
            "attributes of files, tracing and keys"
        ),
    ),
    "landlock": Protection(
        with_it="Landlock guards files a second time",
        without="nothing guards files if the first guard fails; needs Landlock, Linux 6.2 or later",
    ),
    "namespaces": Protection(
        with_it="it sees no other processes, and only files and folders that it may read",
        without="it can find out which processes and files exist",
    ),
    "user": Protection(
        with_it=(
            "it runs as a user that owns nothing else; needs root to start it, and everything that "
            "it may read to be readable by others"
        ),
        without="it runs as the user who runs the match, and shares that user's limits",
    ),
    "signals": Protection(
        with_it="it cannot signal processes outside",
        without="it can stop and kill the referee and other players",
    ),
    "memory": Protection(
        with_it=(
            "the kernel counts its memory, including files in memory and buffers, and stops it at "
            "the limit"
        ),
        without=(
            "memory is measured 40 times a second, without the kernel's buffers; it can use more "
            "for a moment"
        ),
    ),
    "processes": Protection(
        with_it="the kernel counts its processes and threads, and refuses more",
        without=(
            "processes and threads are counted 40 times a second; it can have more for a moment"
        ),
    ),
    "scratch": Protection(
        with_it="its temporary folder is in memory, has a limited size, and disappears with it",
        without=(
            "its temporary folder is on the disk, which it can fill; only the size of each file is "
            "limited"
        ),
    ),
    "end": Protection(
        with_it="the kernel ends all its processes at once",
        without="processes that keep replacing themselves may survive it",
    ),
}


def unprotected(active: Collection[str]) -> list[str]:
    """Return the names of the protections that are not active."""
    return [name for name in PROTECTIONS if name not in active]


@dataclasses.dataclass(frozen=True)
class Limits:
    """How programs are isolated, and the resources that they may use.

    Attributes:
        isolation: "process", "restricted", "sandbox" or "container", as in `ISOLATIONS`.
        start_seconds: the time until a program's first answer, in seconds.
        memory_mib: the memory of all its processes together, in MiB.
        processes: the number of processes and threads together.
        output_kib: the amount that it may write before an answer, in KiB; the same amount of its
            standard error is kept.
        readable: files and folders that it may read if confined, besides those of the system, of
            Python and of its command.
        importable: the modules and packages of this package that a Python bot may import; if
            confined, it cannot see any others.
        refused_imports: patterns of modules that it may not import; if confined, it cannot read
            them.
        container: for "container", the words of the command that runs a program in a container,
            with ``{command}`` for the program's own; otherwise empty.
        scratch_mib: the size of its temporary folder in the sandbox, in MiB; at the level
            "restricted", the size of each file.

    Raises:
        ConfigError: naming the invalid field.
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
            reason = "it must be given for the isolation 'container', and for no other"
            raise ConfigError("container", self.container, reason)
        if self.container and "{command}" not in self.container:
            raise ConfigError("container", self.container, "one of its words must be {command}")

    @property
    def import_rules(self) -> ImportRules:
        """The modules that a Python bot may import."""
        return ImportRules(self.importable, self.refused_imports)


DEFAULT_LIMITS: Final = Limits()
