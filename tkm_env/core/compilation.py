"""What compiles, and what says so: `tkm_env.core.jit` imports this where there is numba, and nothing else does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numba
from numba.core import event

from tkm_env.core import atomics_code as atomics_code  # importing it is what counts
from tkm_env.core.code_cache import keep_code

__all__ = ["as_part", "as_whole", "keep_code"]

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE: Final = "tkm_env"

try:
    from tkm_env.core.ir_linking import as_part, as_whole
except (AttributeError, ImportError):  # a numba with other internals: each function is compiled by itself, which takes longer
    _jit: Any = numba.jit

    def as_part(function: Function, **options: Any) -> Any:
        return _jit(**options)(function)

    as_whole = as_part


class _Notice(event.Listener):
    """Says at a terminal, once a process, that functions of this package are being compiled, not loaded from disk."""

    def __init__(self) -> None:
        self._printed = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].__module__
        if module.startswith(f"{_PACKAGE}.") and not self._printed and sys.stderr is not None and sys.stderr.isatty():
            self._printed = True
            what = "search" if ".search." in module else "engine"
            sys.stderr.write(f"{_PACKAGE}: compiling the {what}, once, about 10 s\n")
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        """Print nothing."""


_register: Any = event.register
_register("numba:compile", _Notice())
