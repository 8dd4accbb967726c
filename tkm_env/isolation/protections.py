"""What stands between a stranger's program and everything else, by name: with each protection, and without it.

Which of them are active depends on the level of isolation and on the machine. Records and reports name those that were not; documents show
this table.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from tkm_env.files import packaged_json

_TEXTS: Final[dict[str, dict[str, Any]]] = packaged_json(__package__, "protections.json")

#: Where a player runs, by name.
ISOLATIONS: Final[dict[str, str]] = _TEXTS["isolations"]
#: Those that promise protection; for them records name what is missing.
CONFINED: Final = ("restricted", "sandbox")


class Protection(NamedTuple):
    """What a program cannot do with a protection, and what it may do without."""

    with_it: str
    without: str


PROTECTIONS: Final = {name: Protection(**texts) for name, texts in _TEXTS["protections"].items()}


def unprotected(active: Collection[str]) -> list[str]:
    """The names of the protections that are not among the active ones.

    >>> unprotected([*PROTECTIONS][2:])
    ['privileges', 'files']
    """
    return [name for name in PROTECTIONS if name not in active]
