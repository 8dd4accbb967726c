"""Versions of the package, from the history in git."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

from benchmarks.digests import ROOT


def git(*arguments: str) -> bytes:
    """What git prints.

    Raises:
        CalledProcessError: git fails; what it says of that goes to standard error.
    """
    command = ["git", *arguments]  # wherever git is
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def checked_out(revision: str, folder: Path) -> Path:
    """The package as it was at a revision, in a new folder."""
    with tarfile.open(fileobj=io.BytesIO(git("archive", revision, "tkm_env"))) as archive:
        archive.extractall(folder, filter="data")
    return folder
