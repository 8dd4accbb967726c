"""How old the figures of each page are, by `benchmarks/figures.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.figures import Figures

_figures = cache(Figures)


def age(name: str) -> str:
    """What a page says under the figures with this name in ``benchmarks/figures.toml``."""
    return _figures().sentence(name)


def age_if_older(name: str) -> str:
    """The same, or nothing if all that they depend on is as it was."""
    return age(name) if _figures().age(name).changed else ""


BLOCKS: dict[str, Callable[[], str]] = {
    **{f"age of {name}": partial(age, name) for name in _figures().files if name != "performance"},
    "age of performance, if older": partial(age_if_older, "performance"),
}
