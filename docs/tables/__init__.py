"""The contents of the blocks that `docs/generate.py` fills: a module for each subject, whose ``BLOCKS`` map names to functions."""

from __future__ import annotations

from collections.abc import Callable

from tables import (
    agents,
    arena,
    benchmark,
    chapters,
    environments,
    excerpts,
    learning,
    libraries,
    rules,
    terminus,
    testing,
    the_game,
    tkm,
    turns,
)

_MODULES = (
    agents,
    arena,
    benchmark,
    chapters,
    environments,
    excerpts,
    learning,
    libraries,
    rules,
    terminus,
    testing,
    the_game,
    tkm,
    turns,
)
BLOCKS: dict[str, Callable[[], str]] = {name: block for module in _MODULES for name, block in module.BLOCKS.items()}
