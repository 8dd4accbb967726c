"""The compiler behind `tkm_env.compiled.decorators`, and the notice that it is at work; imported only where there is numba."""

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


#: What people are told is being compiled, by the folder of the functions; all others are the engine.
_WORK_OF: Final = {"search": "agents' search", "learn": "learning"}


class _Notice(event.Listener):
    """Announces at a terminal, before it begins, that functions of this package are compiled rather than loaded from disk.

    Each kind of work is announced once, and never by the processes of a pool, whose terminal shows their progress.
    """

    def __init__(self) -> None:
        self._announced: set[str] = set()
        #: How many of them, at this moment.
        self.running = 0

    def on_start(self, event: Any) -> None:
        self.running += 1
        module = event.data["dispatcher"].__module__
        what = next((name for part, name in _WORK_OF.items() if f".{part}." in module), "engine")
        if not module.startswith(f"{_PACKAGE}.") or what in self._announced:
            return
        self._announced.add(what)
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
