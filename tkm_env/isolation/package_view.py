"""The parts of this package that a confined program sees: the modules that it may import.

This applies to their source, their bytecode and their machine code.
"""

import os
from pathlib import Path
from typing import Final, NamedTuple

from tkm_env.compiled.decorators import cache_places
from tkm_env.isolation.import_rules import PACKAGE_NAME, ImportRules

PACKAGE: Final = Path(__file__).parents[1]
_BYTECODE: Final = "__pycache__"


class PackageView(NamedTuple):
    """Absolute paths of files and folders; if reached through links, also their real paths."""

    closed: tuple[str, ...]  # folders whose content is hidden unless it is shown explicitly
    listable: tuple[str, ...]  # closed folders, and folders in them, of which a part is shown
    readable: tuple[str, ...]  # files and folders that are shown, with all their content


def package_view(rules: ImportRules, code_cache: str | None = None) -> PackageView:
    """Find the parts of this package that a program sees.

    Args:
        rules: the modules that it may import.
        code_cache: the folder of machine code to show; None for none.

    Returns:
        The view.

    >>> shown = package_view(ImportRules(("tkm_env.core", "tkm_env.players.factory"))).readable
    >>> rooms = [os.path.relpath(path, PACKAGE) for path in shown if os.path.isdir(path)]
    >>> "core" in rooms, "players" in rooms, str(PACKAGE / "players" / "factory.py") in shown
    (True, False, True)
    """
    if rules.allow_all_in(PACKAGE_NAME):
        code_names = [] if code_cache is None else _names_of(Path(code_cache))
        return PackageView((), (), (str(PACKAGE), *code_names))
    code = [place for place in cache_places() if place.is_dir()]
    view = _PartialView(rules, [os.path.realpath(place) for place in code])
    readable = [path for name in _names_of(PACKAGE) for path in view.shown_in(name, PACKAGE_NAME)]
    for name in [] if code_cache is None else _names_of(Path(code_cache)):
        readable += view.code_in(name)
    closed = [name for folder in (PACKAGE, *code) for name in _names_of(folder)]
    return PackageView(tuple(closed), tuple(view.listable), tuple(readable))


def _names_of(folder: Path) -> list[str]:
    return [*dict.fromkeys((os.path.abspath(folder), os.path.realpath(folder)))]


def _module_of(file: str, package: str) -> str:
    """Return the module to which a file of a package belongs, by its name up to the first dot."""
    name = file.partition(".")[0]
    return package if name == "__init__" else f"{package}.{name}"


class _PartialView:
    """Finds the files to show if not all of them are.

    Args:
        rules: the modules that may be imported.
        code: the folders of machine code.
    """

    def __init__(self, rules: ImportRules, code: list[str]) -> None:
        self._rules, self._code = rules, code
        self.listable: list[str] = []

    def shown_in(self, folder: str, package: str) -> list[str]:
        """Return the paths to show in a package's folder: the folder alone if it is complete.

        Args:
            folder: the folder.
            package: the full name of the package.

        Returns:
            The paths.
        """
        if self._is_whole(folder, package):
            return [folder]
        parts: list[tuple[str, list[str]]] = []
        for entry in os.scandir(folder):
            module = _module_of(entry.name, package)
            if entry.name == _BYTECODE:
                shown = self._bytecode_in(entry.path, package)
            elif not self._rules.allow(module):
                shown = []
            else:
                shown = self.shown_in(entry.path, module) if entry.is_dir() else [entry.path]
            parts.append((entry.path, shown))
        return self._joined(folder, parts)

    def _bytecode_in(self, folder: str, package: str) -> list[str]:
        parts: list[tuple[str, list[str]]] = []
        for entry in os.scandir(folder):
            is_allowed = entry.is_file() and self._rules.allow(_module_of(entry.name, package))
            parts.append((entry.path, [entry.path] if is_allowed else []))
        return self._joined(folder, parts)

    def code_in(self, place: str) -> list[str]:
        """Return the paths to show in a folder of machine code.

        It holds a folder PACKAGE-DIGEST for each package.
        """
        self.listable.append(place)
        shown: list[str] = []
        for entry in os.scandir(place):
            package = entry.name.rpartition("-")[0]
            if package and entry.is_dir() and self._rules.allow_code_of(_full_name(package)):
                shown.append(entry.path)
        return shown

    def _joined(self, folder: str, parts: list[tuple[str, list[str]]]) -> list[str]:
        if all(shown == [path] for path, shown in parts) and not self._holds_code(folder):
            return [folder]
        self.listable.append(folder)
        return [path for _, shown in parts for path in shown]

    def _is_whole(self, folder: str, package: str) -> bool:
        """Whether a folder is certainly shown completely, which needs no look inside."""
        return self._rules.allow_all_in(package) and not self._holds_code(folder)

    def _holds_code(self, folder: str) -> bool:
        """Whether a folder is or contains one of machine code, of which only a part is shown."""
        real = os.path.realpath(folder)
        return any(f"{place}{os.sep}".startswith(f"{real}{os.sep}") for place in self._code)


def _full_name(package: str) -> str:
    """Return the full name of a package, given the name of its machine code's folder."""
    room = PACKAGE / package.partition(".")[0]
    return f"{PACKAGE_NAME}.{package}" if room.is_dir() else package
