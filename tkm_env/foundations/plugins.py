"""What installed packages add to this one, as entry points.

This package lists its own in the same way.
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
    """The entry points of a group by name.

    Of several with one name this package's own counts, or else the first that is found.

    >>> "match" in installed("tkm_env.commands")
    True
    """
    found: dict[str, EntryPoint] = {}
    for each in _all().select(group=group):
        if each.name not in found or _is_ours(each):
            found[each.name] = each
    return MappingProxyType(found)


def load(entry_point: EntryPoint, kind: type) -> object | None:
    """What an entry point names.

    Args:
        entry_point: one that `installed` returned.
        kind: the class of which it must name an instance.

    Returns:
        The object; None where what it belonged to has been taken away, as a product can be, or is
        out of sight, as players are of confined programs.

    Raises:
        ConfigError: naming the entry point, if it names something else.
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
        reason = f"{entry_point.value} is no {kind.__name__}"
        raise ConfigError(entry_point.group, entry_point.name, reason)
    return found


def _is_ours(entry_point: EntryPoint) -> bool:
    return f"{entry_point.module}.".startswith(f"{_PACKAGE}.")
