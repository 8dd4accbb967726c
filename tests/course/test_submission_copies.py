"""Temporary copies of submissions: who can read them, and that none is left."""

from __future__ import annotations

import dataclasses
import os
import stat
import sys
from pathlib import Path

import pytest

from tests.course.small import HONEST, assignment, python
from tkm_env.course.submission import copy_submission

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")


def modes(tmp_path: Path, isolation: str, container: tuple[str, ...] = ()) -> tuple[int, int]:
    """The permissions of the folder above a copy, and the length of the copy's own name."""
    limits = dataclasses.replace(
        assignment().conditions.limits, isolation=isolation, container=container
    )
    with copy_submission(python(tmp_path / "ann", HONEST), limits=limits) as copied:
        above = copied.folder.parent
        return stat.S_IMODE(above.stat().st_mode), len(copied.folder.name)


@pytest.mark.parametrize("isolation", ["process", "sandbox"])
def test_nobody_else_reads_a_copy(tmp_path: Path, isolation: str) -> None:
    assert modes(tmp_path, isolation)[0] == 0o700


def test_a_program_of_another_user_reads_a_copy_whose_path_cannot_be_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert modes(tmp_path, "container", ("podman", "run", "{command}")) == (0o711, 32)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert modes(tmp_path, "restricted") == (0o711, 32)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert modes(tmp_path, "restricted")[0] == 0o700
