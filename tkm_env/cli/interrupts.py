"""Ctrl-C in long work: the first one lets what has begun come to its end, a second one does not."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def stopped_by_interrupts(
    stop: Callable[[], None], console: Console, what: str = "finishing the games that are being played"
) -> Iterator[None]:
    """Call ``stop`` at the first Ctrl-C, and say ``what`` that means; the second one ends the program."""

    def begin_no_more(number: int, frame: object) -> None:
        stop()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        console.print(f"{what}; Ctrl-C again to stop at once")

    if threading.current_thread() is not threading.main_thread():  # only that one has handlers
        yield
        return
    before = signal.signal(signal.SIGINT, begin_no_more)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
