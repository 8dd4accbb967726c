"""Full disks and read-only folders, to test files on; not every system has all of them."""

from __future__ import annotations

import ctypes
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
    """No file can grow beyond this size.

    What fits is written, then the system refuses more, as it does when a disk is full.
    """
    resource = pytest.importorskip("resource", reason="needs POSIX")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


#: For Linux's `capget` and `capset`: the version of their header, and the rights to ignore
#: permissions.
_CAPABILITIES_3, _PASS_PERMISSIONS = 0x20080522, 1 << 1 | 1 << 2


class _Capabilities(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("rest", ctypes.c_uint32 * 4),
    )


@contextmanager
def _bound_by_permissions() -> Iterator[None]:
    """Permissions bind root like any other owner.

    Another user might not even be able to enter the clone that the tests run in.
    """
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root passes over permissions here")
    libc, header = ctypes.CDLL(None, use_errno=True), (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
    rights = _Capabilities()
    assert libc.capget(header, ctypes.byref(rights)) == 0
    held = rights.effective
    try:
        rights.effective = held & ~_PASS_PERMISSIONS
        assert libc.capset(header, ctypes.byref(rights)) == 0
        yield
    finally:
        rights.effective = held
        assert libc.capset(header, ctypes.byref(rights)) == 0


@contextmanager
def only_root_may(prepare: Callable[[Path], None]) -> Iterator[Path]:
    """A folder filled by ``prepare``, whose permissions bind this program, even as root."""
    if not hasattr(os, "geteuid"):
        pytest.skip("needs POSIX")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        try:
            with _bound_by_permissions():
                yield folder
        finally:
            for path in (folder, *folder.rglob("*")):
                path.chmod(0o755)


def bytes_of_all(folder: Path) -> dict[str, bytes]:
    """The content of every file in a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
