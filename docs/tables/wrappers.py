"""The wrappers of `docs/wrappers.toml`, in a table for each library."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tables.markdown import table

_TABLE: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[1] / "wrappers.toml").read_text("utf-8")
)
_LIBRARIES = ("Gymnasium", "PettingZoo", "SuperSuit")


def wrappers(library: str) -> str:
    """All wrappers of a library: what comes of each, around one kind of environment or two."""
    kinds = _TABLE[library]
    names = sorted({name for kind in kinds.values() for name in kind}, key=str.lower)
    rows = [(f"`{name}`", *(_cell(kind.get(name)) for kind in kinds.values())) for name in names]
    return table(("wrapper", *kinds), rows)


def _cell(row: dict[str, str] | None) -> str:
    """What comes of a wrapper, and by what one notices otherwise."""
    if row is None:
        return "-"
    outcome, text = row["outcome"], row.get("text", "")
    if outcome == "works":
        return f"works: {text}" if text else "works"
    error = row.get("notice", "").partition(":")[0]
    sign = "a warning" if error == "UserWarning" else f"`{error}`" if error else "nothing tells"
    return f"{outcome}{':' if outcome == 'no sense' else ''} {text} ({sign})"


def versions() -> str:
    """The versions that were tried."""
    names = {name.lower(): name for name in _LIBRARIES}
    said = [f"{names[name]} {version}" for name, version in _TABLE["versions"].items()]
    return f"{', '.join(said[:-1])} and {said[-1]}"


BLOCKS: dict[str, Callable[[], str]] = {"versions of wrappers": versions} | {
    f"wrappers of {library}": partial(wrappers, library) for library in _LIBRARIES
}
