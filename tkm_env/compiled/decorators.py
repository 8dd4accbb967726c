"""How engines are compiled: the decorators, and a cache that no edit can leave stale.

numba recompiles a function when *its own* file changes, but its machine code holds copies of
functions from other files. A package's functions are therefore kept in a folder named by a digest
of all sources that they may call. These are this package, the packages of the same game that come
before it (``engine``, then the ``search`` of its players), and the package itself; for code outside
``tkm_env``, those of all games. An edit in one game then leaves the machine code of other games
valid, and an edit in a game's search that of its engine.

Without numba, as in a browser, and with ``NUMBA_DISABLE_JIT=1`` everything runs as plain Python,
with equal results.
"""

import contextlib
import hashlib
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_SHARED: Final = "tkm_env.compiled"
#: The packages of a game on which its other packages build, from the bottom up, by the game's name.
_ROOMS: Final = ("tkm_env.games.{}.engine", "tkm_env.players.{}.search")
#: The name of a package that belongs to a game, with the game's name as its group.
_OF_A_GAME: Final = re.compile(r"tkm_env\.(?:games|players)\.(\w+)(?:\.|$)")

#: numba's settings; None where it is not installed.
_settings: Any = import_module("numba").config if find_spec("numba") else None
#: Whether anything is compiled: not without numba, and not with ``NUMBA_DISABLE_JIT=1``.
COMPILES: Final = _settings is not None and not _settings.DISABLE_JIT
if COMPILES:
    from tkm_env.compiled import numba_backend

#: Compiled functions allocate nothing and keep no array beyond their call. They need no reference
#: counts, which would cost two thirds of the time of the rules.
_OPTIONS: Final = {
    "nopython": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,
}


def source_folders(package: str) -> tuple[str, ...]:
    """The packages whose functions compiled functions of ``package`` may call."""
    names: list[str] = []
    if found := _OF_A_GAME.match(package):
        names = [found[1]]
    elif not package.startswith("tkm_env"):  # it may call those of any game
        names = sorted(item.name for item in files("tkm_env.games").iterdir())
    below = [room.format(name) for name in names for room in _ROOMS]
    if package in below:
        below = below[: below.index(package)]
    return tuple(dict.fromkeys((_SHARED, *filter(_is_there, below), package)))


def _is_there(package: str) -> bool:
    root, *inner = package.split(".")
    return files(root).joinpath(*inner).is_dir()


def source_digest(package: str) -> str:
    """A digest of all sources that compiled functions of a package are made from.

    It consists of 16 hexadecimal characters.
    """
    digest = hashlib.sha256()
    sources: list[Any] = []
    for folder in source_folders(package):
        inside = (item for item in files(folder).iterdir() if item.name.endswith((".py", ".json")))
        sources += sorted(inside, key=lambda item: item.name)
    for source in sources:
        content = source.read_bytes()
        digest.update(f"{source.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def cache_places() -> Iterator[Path]:
    """Where the cache may be, best first.

    It may be in NUMBA_CACHE_DIR, next to the sources, or in the user's cache folder.
    """
    if _settings is not None and _settings.CACHE_DIR:
        yield Path(_settings.CACHE_DIR)
    yield Path(__file__).parent / "__pycache__"
    import platformdirs  # where no earlier place can be written, which is rare

    # Without a home it raises an error or, in older versions, returns a path that begins with ~.
    with contextlib.suppress(RuntimeError):
        users = platformdirs.user_cache_path("tkm_env", appauthor=False)
        if users.is_absolute():
            yield users


def cache_place() -> str | None:
    """The parent folder of all packages' machine code; None if no place is writable."""
    folder = cache_folder(_SHARED)
    return None if folder is None else str(Path(folder).parent)


@cache
def cache_folder(package: str) -> str | None:
    """Where this version of a package caches its machine code.

    It is None if no place is writable; each process then compiles again.
    """
    name = f"{package.removeprefix('tkm_env.')}-{source_digest(package)}"
    for place in cache_places():
        folder = place / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return str(folder)
        except OSError:
            continue
    return None


def package_of(function: Any) -> str:
    """The package whose folder keeps a function's machine code.

    It is "" for a function of a script, a notebook or a module outside any package. Such a function
    is compiled in every process: it may call functions of any file, and changes there would go
    unnoticed.
    """
    return (function.__module__ or "").rpartition(".")[0]


def _on_disk(function: Any) -> Any:
    """A compiled function whose machine code is kept in its package's folder, if it has one."""
    if COMPILES and (package := package_of(function)):
        numba_backend.keep_code(function, cache_folder(package))
    return function


def _as_kernel(function: Any, **options: Any) -> Any:
    return (
        _on_disk(numba_backend.as_kernel(function, **{**_OPTIONS, **options}))
        if COMPILES
        else function
    )


def inlined(function: Function) -> Function:
    """Compile a function that only compiled functions call, as a part of its callers.

    See `tkm_env.compiled.linking`.
    """
    return (
        cast(Function, numba_backend.as_inlined(function, no_cpython_wrapper=True, **_OPTIONS))
        if COMPILES
        else function
    )


def instructions(function: Function) -> Function:
    """An `inlined` function for which processors have instructions.

    Compiled code uses the function of the same name in `tkm_env.compiled.vector_instructions`.
    """
    return (
        cast(Function, numba_backend.as_instructions(function, no_cpython_wrapper=True, **_OPTIONS))
        if COMPILES
        else function
    )


def host_only(function: Function) -> Function:
    """Make a compiled function do nothing, and return nothing, in kernels on a GPU."""
    function.does_nothing_in_kernels = True  # type: ignore[attr-defined]
    return function


def cached_inlined(function: Function) -> Function:
    """An `inlined` function that several kernels use.

    It is cached on disk with everything that it calls.
    """
    return cast(Function, _on_disk(inlined(function)))


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, on its first call, and cache the result on disk."""
    return cast(Function, _as_kernel(function))


def nogil_kernel(function: Function) -> Function:
    """A `kernel` that runs without the GIL, so several threads can run it at once."""
    return cast(Function, _as_kernel(function, nogil=True))


def c_function(function: Function) -> Function:
    """A kernel from int64 to int64 for C code.

    C code finds it through `tkm_env.compiled.xla.address_of`. It runs without the GIL.
    """
    return cast(Function, _as_kernel(function, no_cfunc_wrapper=False, no_cpython_wrapper=True))


def in_module(module: str, how: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """A decorator for functions that another module makes for this one.

    Their machine code is kept, and named, as if they were of this module.

    Args:
        module: the name of this module.
        how: the decorator that compiles them.

    Returns:
        The decorator.
    """

    def decorate(function: Function) -> Function:
        function.__module__, function.__qualname__ = module, function.__name__
        return how(function)

    return decorate


def is_compiling() -> bool:
    """Whether this process is compiling anything now, so that others may have to wait."""
    return COMPILES and numba_backend.is_compiling()
