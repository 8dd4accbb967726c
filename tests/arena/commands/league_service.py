"""A league that a process of its own serves."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a league that a process of its own serves, and that process."""
    command = [
        sys.executable,
        "-m",
        "tkm_env",
        "league",
        "serve",
        str(folder),
        "--port",
        "0",
        *options,
    ]
    words = "the league is at "
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        try:
            line = next((line for line in process.stdout if line.startswith(words)), "")
            assert line, f"it ended with the exit code {process.wait()}"
            yield line.removeprefix(words).split()[0], process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
