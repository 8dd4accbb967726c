"""Ctrl-C: its exit code, and stopping in two steps: first gracefully, then at once."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console

#: The exit code after Ctrl-C by the convention of shells: 128 plus the number of the signal.
INTERRUPTED: Final = 130


@contextmanager
def stop_on_ctrl_c(
    stop: Callable[[], None], console: "Console", message: str = "finishing the games in progress"
) -> Iterator[None]:
    """Stop gracefully at the first Ctrl-C; the second one ends the program.

    Outside the main thread, which alone can handle signals, this does nothing.

    Args:
        stop: called at the first Ctrl-C; it lets the work finish what it has begun.
        console: where to print the message.
        message: what is being finished, printed at the first Ctrl-C.

    Yields:
        Nothing; the previous handler is restored at the end of the block.
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
