"""What `docs/generate.py` fills into the pages: a module for each subject, whose ``BLOCKS`` map names to functions that return Markdown."""

from __future__ import annotations

from collections.abc import Callable

from tables import agents, arena, chapters, environments, learning, libraries, rules, source, terminus, testing, tkm

_MODULES = (agents, arena, chapters, environments, learning, libraries, rules, source, terminus, testing, tkm)
BLOCKS: dict[str, Callable[[], str]] = {name: block for module in _MODULES for name, block in module.BLOCKS.items()}
