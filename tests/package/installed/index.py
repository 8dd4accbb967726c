"""A package index on this machine, for a rehearsal.

What was not uploaded to it comes from the index that pip uses here, by default PyPI.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Final

_SECONDS: Final = 60
_OPENER: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def _usual_index() -> str:
    """The index that pip uses on this machine."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    found = subprocess.run(command, capture_output=True, text=True)
    configured = os.environ.get("PIP_INDEX_URL") or found.stdout.strip()
    return configured or "https://pypi.org/simple/"


@contextmanager
def serve_index(folder: Path) -> Iterator[str]:
    """Serve an index that keeps what is uploaded in a folder.

    Args:
        folder: where the archives are kept.

    Yields:
        Its address, to upload to. `simple/` below it is what pip installs from.

    Raises:
        AssertionError: the server has not answered within a minute.
    """
    port = _free_port()
    address = f"http://127.0.0.1:{port}/"
    server = [sys.executable, "-m", "pypiserver", "run", "-i", "127.0.0.1", "-p", f"{port}"]
    options = ["-a", ".", "-P", ".", "--fallback-url", _usual_index(), str(folder)]
    with subprocess.Popen(
        [*server, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            until = time.monotonic() + _SECONDS
            while not _answers(address):
                assert process.poll() is None, f"the index has ended with {process.poll()}"
                assert time.monotonic() < until, f"the index has not answered for {_SECONDS} s"
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()


def _answers(address: str) -> bool:
    try:
        with _OPENER.open(f"{address}health", timeout=5):
            return True
    except (OSError, HTTPException):
        return False
