"""What compiles, and what says so: `tkm_env.compiled.decorators` imports this where there is numba, and nothing else does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from multiprocessing import parent_process
from typing import Any, Final, TypeVar

import numba
from numba.core import event

from tkm_env.compiled import atomics_intrinsics as atomics_intrinsics  # importing it is what counts
from tkm_env.compiled.cache import keep_code as keep_code

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE: Final = "tkm_env"

try:
    from tkm_env.compiled.linking import as_inlined as as_inlined
    from tkm_env.compiled.linking import as_kernel as as_kernel
except (AttributeError, ImportError):  # a numba with other internals: each function is compiled by itself, which takes longer
    _jit: Any = numba.jit

    def as_inlined(function: Function, **options: Any) -> Any:
        return _jit(**options)(function)

    as_kernel = as_inlined


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
        what = next((name for part, name in _NAMES.items() if f".{part}." in module), "engine")
        if not module.startswith(f"{_PACKAGE}.") or what in self._told:
            return
        self._told.add(what)
        if parent_process() is None and sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"{_PACKAGE}: compiling the {what}; this is needed once, and takes 10 to 30 s\n")
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        self.running -= 1


_notice: Final = _Notice()
_register: Any = event.register
_register("numba:compile", _notice)


def is_compiling() -> bool:
    """Whether anything is being compiled in this process now."""
    return _notice.running > 0
