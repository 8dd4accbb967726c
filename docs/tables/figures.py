"""How old the figures of each page are, by `benchmarks/figures.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from tables.markdown import table

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.figures import Figures

_figures = cache(Figures)


def age(name: str) -> str:
    """What a page says under the figures with this name in ``benchmarks/figures.toml``."""
    return _figures().sentence(name)


def age_if_older(name: str) -> str:
    """The same, or nothing if all that they depend on is as it was."""
    return age(name) if _figures().age(name).changed else ""


def commands() -> str:
    """A row for each file of figures: where it is shown, and what measures it."""
    rows = []
    for name, file in _figures().files.items():
        pages = [page.removeprefix("docs/") for page in file.pages if page.startswith("docs/")]
        shown = ", ".join(
            f"[{page.removesuffix('.md')}]({page})" for page in pages if page != "index.md"
        )
        rows.append(
            (file.shows, shown, f"`{file.command}`", file.takes or "–", _figures().when(name))
        )
    head = ("figures", "page", "command", "takes, on one core, about", "measured")
    return table(head, sorted(rows))


BLOCKS: dict[str, Callable[[], str]] = {
    **{f"age of {name}": partial(age, name) for name in _figures().files if name != "performance"},
    "figures to reproduce": commands,
    "age of performance, if older": partial(age_if_older, "performance"),
}
