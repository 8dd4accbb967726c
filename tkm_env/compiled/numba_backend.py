"""The compiler behind `tkm_env.compiled.decorators`, and the notice that it is at work.

It is imported only if numba is installed.
"""

import atexit
import json
import logging
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, Final, TypeVar

import numba
from numba.core import event

from tkm_env.compiled import atomics_intrinsics as atomics_intrinsics  # imported for its effects
from tkm_env.compiled import cache

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE: Final = "tkm_env"

try:
    from tkm_env.compiled.linking import as_inlined as as_inlined
    from tkm_env.compiled.linking import as_kernel as as_kernel
    from tkm_env.compiled.vector_instructions import as_instructions as as_instructions
except (
    AttributeError,
    ImportError,
):  # a numba with other internals: each function is compiled separately, which takes longer

    def as_inlined(function: Function, **options: Any) -> Any:
        return numba.jit(**options)(function)

    as_kernel = as_instructions = as_inlined


#: What the notice says is being compiled, by the functions' folder; the engine for all others.
_WORK_OF: Final = {"search": "agents' search", "learn": "learning"}


#: A file in the folder of machine code: the seconds that each kind of work last took to compile.
_SECONDS_FILE: Final = "compiling-seconds.json"
#: Shorter times are not worth remembering: only a part was missing.
_WORTH_REMEMBERING: Final = 1.0


class _Notice(event.Listener):
    """Announces once that functions of a kind are about to be compiled.

    It does so at the terminal, or else as a log message; never in a process of a pool.
    """

    def __init__(self) -> None:
        #: The seconds spent so far, by kind of work.
        self._seconds: dict[str, float] = {}
        self._began, self._what = 0.0, ""
        #: Where machine code is kept, and with it how long it took.
        self.place: Path | None = None
        #: How many compilations are running.
        self.running = 0

    def on_start(self, event: Any) -> None:
        self.running += 1
        module = (
            event.data["dispatcher"].__module__ or ""
        )  # none in code that was run without a name
        what = next((name for part, name in _WORK_OF.items() if f".{part}." in module), "engine")
        if self.running == 1:
            self._began, self._what = (
                time.perf_counter(),
                what if module.startswith(f"{_PACKAGE}.") else "",
            )
        if not module.startswith(f"{_PACKAGE}.") or what in self._seconds:
            return
        if not self._seconds and parent_process() is None:
            atexit.register(self._remember)
        self._seconds[what] = 0.0
        if parent_process() is None:
            self._announce(what)

    def _announce(self, what: str) -> None:
        last = self._last_seconds().get(what)
        took = "takes 5 to 30 s" if last is None else f"took {last:.0f} s last time"
        message = f"compiling the {what}; this is needed once, and {took}"
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"{_PACKAGE}: {message}\n")
            sys.stderr.flush()
        else:
            logging.getLogger(_PACKAGE).warning("%s (tkm warmup does it beforehand)", message)

    def on_end(self, event: Any) -> None:
        self.running -= 1
        if self.running == 0 and self._what:
            self._seconds[self._what] += time.perf_counter() - self._began

    def _remember(self) -> None:
        """Keep the seconds for the next time."""
        spent = {
            what: round(seconds, 1)
            for what, seconds in self._seconds.items()
            if seconds > _WORTH_REMEMBERING
        }
        with suppress(OSError):
            if spent and self.place is not None:
                (self.place / _SECONDS_FILE).write_text(
                    json.dumps(self._last_seconds() | spent), "utf-8"
                )

    def _last_seconds(self) -> dict[str, float]:
        """How long each kind of work took the last time, where that is known."""
        try:
            found = (
                {}
                if self.place is None
                else json.loads((self.place / _SECONDS_FILE).read_text("utf-8"))
            )
        except (OSError, ValueError):
            return {}
        known = found.items() if isinstance(found, dict) else ()
        return {what: seconds for what, seconds in known if isinstance(seconds, (int, float))}


_notice: Final = _Notice()
event.register("numba:compile", _notice)


def keep_code(function: Any, folder: str | None) -> None:
    """As `tkm_env.compiled.cache.keep_code`; also note the place for the times of compilation.

    Args:
        function: one of numba's functions.
        folder: the path of the folder; None to keep nothing.
    """
    _notice.place = _notice.place if folder is None else Path(folder).parent
    cache.keep_code(function, folder)


def is_compiling() -> bool:
    """Whether this process is compiling anything now."""
    return _notice.running > 0
