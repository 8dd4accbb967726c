"""Ctrl-C: its exit code, and work that finishes what has begun at the first one."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console

#: The exit code after Ctrl-C, as shells count: 128 and the number of the signal.
INTERRUPTED: Final = 130


@contextmanager
def stop_on_ctrl_c(
    stop: Callable[[], None],
    console: "Console",
    message: str = "finishing the games that are being played",
) -> Iterator[None]:
    """Call ``stop`` at the first Ctrl-C, and print the message; the second one ends the program.

    Args:
        stop: lets the work finish what it has begun.
        console: where to print the message.
        message: what is being finished.
    """

    def handle(number: int, frame: object) -> None:
        stop()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        console.print(f"{message}; Ctrl-C again to stop at once")

    if threading.current_thread() is not threading.main_thread():  # only that one has handlers
        yield
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
