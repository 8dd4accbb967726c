"""What installed packages add to this one, as entry points.

This package lists its own parts in the same way.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Final

from tkm_env.foundations.errors import ConfigError

_PACKAGE: Final = __name__.partition(".")[0]


@cache
def _all() -> Any:
    return entry_points()  # reads the metadata of all packages, so once


@cache
def installed(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name.

    If several have the same name, this package's own counts, or else the first one found.

    >>> "match" in installed("tkm_env.commands")
    True
    """
    found: dict[str, EntryPoint] = {}
    for each in _all().select(group=group):
        if each.name not in found or _is_ours(each):
            found[each.name] = each
    return MappingProxyType(found)


def load(entry_point: EntryPoint, kind: type) -> object | None:
    """Load what an entry point names.

    Args:
        entry_point: one that `installed` returned.
        kind: the class that the object must be an instance of.

    Returns:
        The object. None if this package lists it but its module is absent, as a product can be, or
        unreadable, as players are for confined programs.

    Raises:
        ConfigError: naming the entry point, if the object is not a ``kind``.
    """
    try:
        found = entry_point.load()
    except PermissionError:
        if _is_ours(entry_point):
            return None
        raise
    except ModuleNotFoundError as error:
        if _is_ours(entry_point) and f"{entry_point.module}.".startswith(f"{error.name}."):
            return None
        raise
    if not isinstance(found, kind):
        reason = f"{entry_point.value} is not a {kind.__name__}"
        raise ConfigError(entry_point.group, entry_point.name, reason)
    return found


def _is_ours(entry_point: EntryPoint) -> bool:
    return f"{entry_point.module}.".startswith(f"{_PACKAGE}.")
