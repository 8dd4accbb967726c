"""How engines are compiled: the decorators, and a cache that no edit can leave stale.

numba keeps compiled functions on disk and renews one when *its own* file changes. The machine code of a function, however, holds
copies of the functions it calls in other files. So a package's functions are kept in a folder named by a digest of all sources that
they may call: what the engines share (`SHARED`), the game's own ``engine``, and the package itself. An edit in one game leaves the
machine code of another in use, and an edit in a game's search that of its engine.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba

__all__ = [
    "COMPILES",
    "SHARED",
    "cache_folder",
    "compiled",
    "entry_point",
    "inlined",
    "source_digest",
    "source_folders",
    "unlocked_entry_point",
]

Function = TypeVar("Function", bound=Callable[..., Any])

_CORE: Final = "tkm_env.core"
_ENGINE: Final = "engine"
#: The modules of ``core`` that hold compiled functions, or make them.
SHARED: Final = ("atomics.py", "jit.py", "kernels.py", "rng.py", "work_sharing.py")

_settings: Any = numba.config
#: Whether anything is compiled: not with ``NUMBA_DISABLE_JIT=1``.
COMPILES: Final = not _settings.DISABLE_JIT
_njit: Any = numba.njit  # its types leave some options out


def source_folders(package: str) -> tuple[str, ...]:
    """The packages of which compiled functions of ``package`` may call functions, beside those of `SHARED`.

    >>> source_folders("tkm_env.games.tkm.search")
    ('tkm_env.games.tkm.engine', 'tkm_env.games.tkm.search')
    >>> source_folders("tkm_env.core")
    ()
    """
    if package == _CORE:
        return ()
    engine = f"{package.rpartition('.')[0]}.{_ENGINE}"
    return (engine,) if package == engine else (engine, package)


def source_digest(package: str) -> str:
    """A digest of all sources that compiled functions of ``package`` are made from, as 16 hexadecimal characters.

    >>> source_digest("tkm_env.games.tkm.engine") == source_digest("tkm_env.games.terminus.engine")
    False
    """
    digest = hashlib.sha256()
    sources = [files(_CORE) / name for name in SHARED]
    for folder in source_folders(package):
        inside = (item for item in files(folder).iterdir() if item.name.endswith(".py"))
        sources += sorted(inside, key=lambda item: item.name)
    for source in sources:
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


@cache
def cache_folder(package: str) -> str | None:
    """Where this version of a package keeps its machine code; None where nothing can be written, and each process compiles again."""
    name = f"{package.removeprefix('tkm_env.')}-{source_digest(package)}"
    for place in _candidates():
        folder = place / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return str(folder)
        except OSError:
            continue
    return None


def _cached(function: Function, **options: Any) -> Function:
    given = _settings.CACHE_DIR
    folder = cache_folder(function.__module__.rpartition(".")[0])
    _settings.CACHE_DIR = folder or ""
    try:
        return cast(Function, _njit(cache=folder is not None, error_model="numpy", **options)(function))
    finally:
        _settings.CACHE_DIR = given


def compiled(function: Function) -> Function:
    """Compile a function that only compiled functions call: without a way in from Python, which takes a fifth less time.

    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python, and behaves the same.
    """
    return _cached(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: Function) -> Function:
    """The same, as a part of each function that calls it: what is called in one place or two is not compiled by itself before."""
    return _cached(function, inline="always")


def entry_point(function: Function) -> Function:
    """Compile a function that Python calls, at its first call, and keep the result on disk."""
    return _cached(function)


def unlocked_entry_point(function: Function) -> Function:
    """The same for a function that several threads may run at once: it holds no lock of Python's while it runs."""
    return _cached(function, nogil=True)
