"""Removing folders that a stranger's program has written to."""

from __future__ import annotations

import os

from tkm_env.isolation.suppression import suppress


def remove_folder(folder: str) -> None:
    """Remove a folder, whatever a program left in it; never raise, and never recurse."""
    with suppress(OSError):
        os.rmdir(folder)
    for command in (["rm", "-rf"], ["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        if os.path.lexists(folder):
            import subprocess

            # The command is fixed.
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(  # noqa: S603
                    [*command, "--", folder], capture_output=True, check=False, timeout=60
                )
