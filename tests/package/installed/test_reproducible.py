"""The same sources make the same archives, byte for byte."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from tests.package.installed.sources import build_archives, copy_sources

pytestmark = pytest.mark.slow


def archives(folder: Path, umask: int, changed: float) -> dict[str, str]:
    """The digests of the archives that a copy of the sources makes, by name.

    Args:
        folder: the folder of the copy.
        umask: the permissions that its files and the archives lack.
        changed: when its files were changed last, in seconds since 1970.
    """
    before = os.umask(umask)
    try:
        for copy in copy_sources(folder):
            os.utime(copy, (changed, changed))
        built = build_archives(folder, SOURCE_DATE_EPOCH="1700000000")
    finally:
        os.umask(before)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in built}


def test_two_builds_are_equal_wherever_and_whenever_they_are_made(tmp_path: Path) -> None:
    first = archives(tmp_path / "here", umask=0o022, changed=1_600_000_000)
    second = archives(tmp_path / "elsewhere", umask=0o002, changed=1_650_000_000)
    assert len(first) == 2
    assert first == second
