"""Disks that are full, folders that are read-only: what files are tested on. Not all of it exists on every system."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")


@contextmanager
def full_beyond(size: int) -> Iterator[None]:
    """No file can grow beyond this size: what fits is written, then the system refuses, as it does when a disk is full."""
    resource = pytest.importorskip("resource", reason="needs POSIX")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def only_root_may(prepare: Callable[[Path], None]) -> Iterator[Path]:
    """A folder that ``prepare`` has filled, and of which this program may then only do what the permissions say, also if it is root's."""
    if not hasattr(os, "geteuid"):
        pytest.skip("needs POSIX")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        prepare(folder)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65_534)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
            for path in (folder, *folder.rglob("*")):
                path.chmod(0o755)


def bytes_of_all(folder: Path) -> dict[str, bytes]:
    """The content of every file in a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
