"""How engines are compiled: the decorators, and a cache that no edit can leave stale.

numba keeps compiled functions on disk and renews one when *its own* file changes. The machine code of a function, however, holds
copies of the functions it calls in other files. So a package's functions are kept in a folder named by a digest of all sources that
they may call: what the engines share (`SHARED`), the game's own ``engine``, and the package itself. An edit in one game leaves the
machine code of another in use, and an edit in a game's search that of its engine.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
from numba.core import event

from tkm_env.core.code_cache import keep_code

__all__ = [
    "COMPILES",
    "SHARED",
    "cache_folder",
    "cache_place",
    "cached",
    "compiled",
    "entry_point",
    "is_compiling",
    "source_digest",
    "source_folders",
    "unlocked_entry_point",
]

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE: Final = "tkm_env"
_CORE: Final = "tkm_env.core"
_GAMES: Final = "tkm_env.games."
_ENGINE: Final = "engine"
#: The modules of ``core`` that hold compiled functions, or make them.
SHARED: Final = ("atomics.py", "ir_linking.py", "jit.py", "kernels.py", "network.py", "rng.py", "work_sharing.py")

_settings: Any = numba.config
#: Whether anything is compiled: not with ``NUMBA_DISABLE_JIT=1``.
COMPILES: Final = not _settings.DISABLE_JIT
try:
    from tkm_env.core.ir_linking import as_part, as_whole
except (AttributeError, ImportError):  # a numba with other internals: each function is compiled by itself, which takes longer
    _jit: Any = numba.jit

    def as_part(function: Function, **options: Any) -> Any:
        return _jit(**options)(function)

    as_whole = as_part


#: Compiled functions allocate nothing and keep no array beyond their call, so they need no reference counts: counting, at every view of
#: an array, took two thirds of the time of the rules.
_OPTIONS: Final = {"nopython": True, "error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": False}


def source_folders(package: str) -> tuple[str, ...]:
    """The packages of which compiled functions of ``package`` may call functions, beside those of `SHARED`.

    >>> source_folders("tkm_env.games.tkm.search")
    ('tkm_env.games.tkm.engine', 'tkm_env.games.tkm.search')
    >>> source_folders("tkm_env.core")
    ()
    """
    if package == _CORE:
        return ()
    if not package.startswith(_GAMES):
        return (package,)
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
    """Where the cache may lie, best first: where NUMBA_CACHE_DIR says, beside the sources, in the user's own cache."""
    if _settings.CACHE_DIR:
        yield Path(_settings.CACHE_DIR)
    yield Path(__file__).parent / "__pycache__"
    with contextlib.suppress(RuntimeError):  # a user without a home
        yield Path("~/.cache/tkm_env").expanduser()


def cache_place() -> str | None:
    """The folder with the folders of all packages' machine code; None where nothing is writable."""
    folder = cache_folder(_CORE)
    return None if folder is None else str(Path(folder).parent)


@cache
def cache_folder(package: str) -> str | None:
    """Where this version of a package caches its machine code; None where nothing is writable, so that each process compiles again."""
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


def _on_disk(function: Any) -> Any:
    """The same function, with its machine code cached in the folder of its package."""
    if COMPILES:
        keep_code(function, cache_folder(function.__module__.rpartition(".")[0]))
    return function


def compiled(function: Function) -> Function:
    """Compile a function that only compiled functions call, as a part of its callers: see `tkm_env.core.ir_linking`.

    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python, and behaves the same.
    """
    return cast(Function, as_part(function, no_cpython_wrapper=True, **_OPTIONS))


def cached(function: Function) -> Function:
    """The same, cached on disk with everything it calls: for functions that several entry points share."""
    return cast(Function, _on_disk(compiled(function)))


def entry_point(function: Function) -> Function:
    """Compile a function that Python calls, on its first call, and cache the result on disk."""
    return cast(Function, _on_disk(as_whole(function, **_OPTIONS)))


def unlocked_entry_point(function: Function) -> Function:
    """The same for a function that runs without the GIL, on several threads at once."""
    return cast(Function, _on_disk(as_whole(function, nogil=True, **_OPTIONS)))


#: What the functions in a package's folder are called where people wait for them; others are the engine's.
_NAMES: Final = {"search": "agents' search", "learn": "learning"}


class _Notice(event.Listener):
    """Says at a terminal, as soon as it begins, that functions of this package are being compiled, not loaded from disk.

    It says so once for each thing that is compiled, and not in the processes of a pool, whose terminal shows how their work goes.
    """

    def __init__(self) -> None:
        self._told: set[str] = set()
        #: How many of them, at this moment.
        self.running = 0

    def on_start(self, event: Any) -> None:
        self.running += 1
        module = event.data["dispatcher"].__module__
        what = next((name for part, name in _NAMES.items() if f".{part}." in module), _ENGINE)
        if not module.startswith(f"{_PACKAGE}.") or what in self._told:
            return
        self._told.add(what)
        if parent_process() is None and sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"{_PACKAGE}: compiling the {what}; this is needed once, and takes 10 to 30 s\n")
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        self.running -= 1


_notice: Final = _Notice()
if COMPILES:
    _register: Any = event.register
    _register("numba:compile", _notice)


def is_compiling() -> bool:
    """Whether anything is being compiled in this process now, which others may have to wait for."""
    return _notice.running > 0
