"""How the engine is compiled: the decorators, and a cache that no edit can leave stale.

Imports numba and `parts`.

numba keeps compiled functions on disk and renews one when *its own* file changes. The machine code of a function, however, holds
copies of the functions it calls in other files. So every version of the engine's sources gets a cache folder of its own, named
by a digest of all of them. What is compiled outside the engine, in ``tkm_env/search/`` and below ``tkm_env/terminus/``, calls into what
lies below it, too, and is kept under a digest of all that; an edit there leaves the engine's machine code in use.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
from numba.core import event

__all__ = [
    "CACHE_FOLDER",
    "COMPILES",
    "SEARCH_CACHE_FOLDER",
    "TERMINUS_CACHE_FOLDER",
    "TERMINUS_SEARCH_CACHE_FOLDER",
    "compiled",
    "entry_point",
    "kept",
    "source_digest",
    "unlocked_entry_point",
]

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE: Final = "tkm_env"
_ENGINE: Final = "engine"

_settings: Any = numba.config
#: Whether anything is compiled: not with ``NUMBA_DISABLE_JIT=1``.
COMPILES: Final = not _settings.DISABLE_JIT
try:
    from tkm_env.engine.parts import as_part, as_whole
except (AttributeError, ImportError):  # a numba with other insides: each function is compiled by itself, which takes longer
    _jit: Any = numba.jit

    def as_part(function: Function, **options: Any) -> Any:
        return _jit(nopython=True, **options)(function)

    as_whole = as_part


def source_digest(*folders: str) -> str:
    """A digest of every source file in these folders of the package, by default ``engine``, as 16 hexadecimal characters.

    >>> len(source_digest())
    16
    """
    digest = hashlib.sha256()
    for folder in folders or (_ENGINE,):
        sources = (item for item in files(_PACKAGE).joinpath(folder).iterdir() if item.name.endswith(".py"))
        for source in sorted(sources, key=lambda item: item.name):
            content = source.read_bytes()
            digest.update(f"{source.name} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()[:16]


def _candidates() -> Iterator[Path]:
    """Where the cache may lie, best first: where numba was told to, beside the sources, in the user's own cache."""
    if _settings.CACHE_DIR:
        yield Path(_settings.CACHE_DIR)
    yield Path(__file__).parent / "__pycache__"
    yield Path("~/.cache/tkm_env").expanduser()


def _cache_folder(*folders: str) -> str | None:
    """The folder for this version of those sources, in the first place that can be written to; None where there is no such place."""
    digest = source_digest(*folders)
    for place in _candidates():
        folder = place / f"{folders[-1].replace('/', '-')}-{digest}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return str(folder)
        except OSError:
            continue
    return None


#: Where this version of the engine keeps its machine code; None where nothing can be written, and each process compiles anew.
CACHE_FOLDER: Final = _cache_folder(_ENGINE)
#: The same for the compiled functions of other folders, which call the engine.
SEARCH_CACHE_FOLDER: Final = _cache_folder(_ENGINE, "search")
TERMINUS_CACHE_FOLDER: Final = _cache_folder(_ENGINE, "terminus/engine")
TERMINUS_SEARCH_CACHE_FOLDER: Final = _cache_folder(_ENGINE, "terminus/engine", "terminus/search")
_FOLDERS: Final = {
    f"{_PACKAGE}.{_ENGINE}.": CACHE_FOLDER,
    f"{_PACKAGE}.terminus.{_ENGINE}.": TERMINUS_CACHE_FOLDER,
    f"{_PACKAGE}.terminus.search.": TERMINUS_SEARCH_CACHE_FOLDER,
}


def _on_disk(function: Any) -> Any:
    """The same function, which from now on keeps what it is compiled to in the folder of its sources."""
    homes = (folder for home, folder in _FOLDERS.items() if function.__module__.startswith(home))
    folder = next(homes, SEARCH_CACHE_FOLDER)
    if COMPILES and folder is not None:
        given = _settings.CACHE_DIR
        _settings.CACHE_DIR = folder
        try:
            function.enable_caching()
        finally:
            _settings.CACHE_DIR = given
    return function


def compiled(function: Function) -> Function:
    """Compile a function that only compiled functions call, as a part of these: see `tkm_env.engine.parts`.

    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python, and behaves the same.
    """
    return cast(Function, as_part(function, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True))


def kept(function: Function) -> Function:
    """The same, kept on disk with all that it calls: for what many entry points call, so that not each is compiled from scratch."""
    return cast(Function, _on_disk(compiled(function)))


def entry_point(function: Function) -> Function:
    """Compile a function that Python calls, at its first call, and keep the result on disk."""
    return cast(Function, _on_disk(as_whole(function, error_model="numpy", no_cfunc_wrapper=True)))


def unlocked_entry_point(function: Function) -> Function:
    """The same for a function that several threads may run at once: it holds no lock of Python's while it runs."""
    return cast(Function, _on_disk(as_whole(function, error_model="numpy", no_cfunc_wrapper=True, nogil=True)))


class _Notice(event.Listener):
    """Tells whoever waits at a terminal, once a process, that something of this package is compiled, and not found on disk."""

    def __init__(self) -> None:
        self._told = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].__module__
        if module.startswith(f"{_PACKAGE}.") and not self._told and sys.stderr is not None and sys.stderr.isatty():
            self._told = True
            what = _ENGINE if f".{_ENGINE}." in module else "search"
            sys.stderr.write(f"{_PACKAGE}: compiling the {what}, once, about 10 s\n")
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        """Nothing is told then."""


if COMPILES:
    _register: Any = event.register
    _register("numba:compile", _Notice())
