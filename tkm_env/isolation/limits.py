"""Where a program runs, and what it may use."""

from __future__ import annotations

import dataclasses
from typing import Final

from tkm_env.checks import checked_choice, checked_integer, checked_number, checked_texts
from tkm_env.errors import ConfigError
from tkm_env.isolation.protections import ISOLATIONS


@dataclasses.dataclass(frozen=True)
class Limits:
    """How programs are isolated, and what they may use; raises a `ConfigError` about an invalid field."""

    isolation: str = "process"  # "process", "restricted", "sandbox" or "container", as in `ISOLATIONS`
    start_seconds: float = 20.0  # how long a program may take to its first answer
    memory_mib: int = 4096  # the memory of all its processes together, in MiB
    processes: int = 256  # how many processes and threads it may have
    output_kib: int = 1024  # how much it may write before an answer, in KiB; as much of its standard error is kept
    readable: tuple[str, ...] = ()  # what it may read if confined, besides the system's, Python's and its command's
    refused_imports: tuple[str, ...] = ()  # patterns of modules that a Python bot may not import, and if confined not read
    container: tuple[str, ...] = ()  # for "container": the command that runs a program in one, with ``{command}`` in its place
    scratch_mib: int = 256  # the size of its temporary folder in the sandbox, in MiB; otherwise, of a file there

    def __post_init__(self) -> None:
        names = [name for name in ISOLATIONS if name != "none"]
        checked_choice("isolation", self.isolation, names)
        checked_number("start_seconds", self.start_seconds)
        for name, most in (("memory_mib", 1 << 30), ("processes", 1 << 20), ("output_kib", 1 << 20), ("scratch_mib", 1 << 30)):
            checked_integer(name, getattr(self, name), 1, most)
        for name in ("readable", "refused_imports", "container"):
            checked_texts(name, getattr(self, name))
        if (self.isolation == "container") != bool(self.container):
            raise ConfigError("container", self.container, "the isolation 'container' needs it, and no other takes it")
        if self.container and "{command}" not in self.container:
            raise ConfigError("container", self.container, "one of its words must be {command}")


DEFAULT_LIMITS: Final = Limits()
