"""Where a stranger's program runs, what it may use, and which protections there are; records name those that were not active."""

import dataclasses
from collections.abc import Collection
from typing import Any, Final, NamedTuple

from tkm_env.foundations.checks import (
    checked_choice,
    checked_integer,
    checked_number,
    checked_texts,
)
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.files import packaged_json

_TEXTS: Final[dict[str, dict[str, Any]]] = packaged_json(__package__, "protections.json")

#: Where a player runs, by name.
ISOLATIONS: Final[dict[str, str]] = _TEXTS["isolations"]
#: Those that promise protection; for them records name what is missing.
CONFINED: Final = ("restricted", "sandbox")


class Protection(NamedTuple):
    with_it: str  # what a program cannot do with a protection
    without: str  # what it may do without


PROTECTIONS: Final = {name: Protection(**texts) for name, texts in _TEXTS["protections"].items()}


def unprotected(active: Collection[str]) -> list[str]:
    """The names of the protections that are not among the active ones."""
    return [name for name in PROTECTIONS if name not in active]


@dataclasses.dataclass(frozen=True)
class Limits:
    """How programs are isolated, and what they may use; raises a `ConfigError` about an invalid field."""

    isolation: str = (
        "process"  # "process", "restricted", "sandbox" or "container", as in `ISOLATIONS`
    )
    start_seconds: float = 20.0  # how long a program may take to its first answer
    memory_mib: int = 4096  # the memory of all its processes together, in MiB
    processes: int = 256  # how many processes and threads it may have
    output_kib: int = 1024  # how much it may write before an answer, in KiB; as much of its standard error is kept
    readable: tuple[
        str, ...
    ] = ()  # what it may read if confined, besides the system's, Python's and its command's
    refused_imports: tuple[
        str, ...
    ] = ()  # patterns of modules that a Python bot may not import, and if confined not read
    container: tuple[
        str, ...
    ] = ()  # for "container": the command that runs a program in one, with ``{command}`` in its place
    scratch_mib: int = (
        256  # the size of its temporary folder in the sandbox, in MiB; otherwise, of a file there
    )

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
        for name in ("readable", "refused_imports", "container"):
            checked_texts(name, getattr(self, name))
        if (self.isolation == "container") != bool(self.container):
            raise ConfigError(
                "container",
                self.container,
                "the isolation 'container' needs it, and no other takes it",
            )
        if self.container and "{command}" not in self.container:
            raise ConfigError("container", self.container, "one of its words must be {command}")


DEFAULT_LIMITS: Final = Limits()
