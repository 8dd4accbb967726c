"""A copy of what a clone of the project holds, to build and to change."""

from __future__ import annotations

import shutil
import subprocess
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
