"""The contents of the blocks that `docs/generate.py` fills.

There is a module for each subject, whose ``BLOCKS`` map names to functions.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module

_MODULES = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
BLOCKS: dict[str, Callable[[], str]] = {
    name: block for module in _MODULES for name, block in getattr(module, "BLOCKS", {}).items()
}
