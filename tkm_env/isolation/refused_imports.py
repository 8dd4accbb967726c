"""Modules of this package that Python bots may not import, such as the solutions of what they are asked, and where those lie on disk."""

import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

from tkm_env.compiled.decorators import cache_places
from tkm_env.core.registry import game_names, game_spec


def refuse_imports(patterns: Sequence[str]) -> None:
    """Refuse imports of modules that match these patterns in this process. That stops only honest programs; confinement stops others."""
    if patterns:
        sys.meta_path.insert(0, _ImportBlocker(patterns))


def files_of(patterns: Sequence[str]) -> tuple[str, ...]:
    """The files and folders of the modules and packages that match these patterns, as source, bytecode and machine code.

    >>> str(Path(__file__).parents[1] / "players" / "tkm") in files_of(["tkm_env.players.tkm"])
    True
    """
    package = Path(__file__).parents[1]
    found: set[Path] = set()
    for pattern in patterns:
        root, _, inner = pattern.partition(".")
        if root != package.name or not inner:
            continue
        folder, _, name = inner.replace(".", "/").rpartition("/")
        for path in (name, f"{name}.py", f"__pycache__/{name}.*.pyc"):
            found.update(package.glob(f"{folder}/{path}".lstrip("/")))
        for place in cache_places():
            for packages in (inner, f"{inner}.*"):
                found.update(place.glob(f"{packages}-*"))
    return tuple(map(str, sorted(found)))


class _ImportBlocker(MetaPathFinder):
    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = [each for pattern in patterns for each in (pattern, f"{pattern}.*")]
        for name in game_names():  # what a game itself needs is imported now, and then out of sight
            _ = game_spec(name).game_class
        for fullname in filter(self._is_refused, [*sys.modules]):
            del sys.modules[fullname]
            package, _, name = fullname.rpartition(".")
            if package in sys.modules:
                vars(sys.modules[package]).pop(name, None)

    def _is_refused(self, fullname: str) -> bool:
        return any(fnmatchcase(fullname, pattern) for pattern in self._patterns)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if self._is_refused(fullname):
            raise ImportError(f"not allowed here: {fullname}")
