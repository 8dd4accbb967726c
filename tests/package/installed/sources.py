"""A copy of what a clone of the project holds, to change and to build."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]


def copy_sources(folder: Path) -> list[Path]:
    """Copy the files that git tracks, as they are now.

    Returns:
        The copies.
    """
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    copies = []
    for name in listed.strip("\0").split("\0"):
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy)
        copies.append(copy)
    return copies


def build_archives(folder: Path, **variables: str) -> list[Path]:
    """Build a wheel and a source archive.

    Args:
        folder: the folder of a copy.
        **variables: more variables of the environment.

    Returns:
        Both, in the order of their names.

    Raises:
        AssertionError: the build fails; the error ends as its output does.
    """
    done = subprocess.run(
        [sys.executable, "-m", "build"],
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return sorted((folder / "dist").iterdir())
