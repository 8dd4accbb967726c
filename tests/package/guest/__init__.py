"""A small guest package, which adds a game, its players, a kind of players, and a command."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: What its installation would declare in ``[project.entry-points]``.
_ENTRY_POINTS = """\
[tkm_env.games]
tictactoe = tests.package.guest.package:GAME

[tkm_env.rosters]
tictactoe = tests.package.guest.package:ROSTER

[tkm_env.words]
tictactoe = tests.package.guest.package:WORDS

[tkm_env.players]
first = tests.package.guest.package:FIRST
cmd = tests.package.guest.package:FIRST

[tkm_env.commands]
wave = tests.package.guest.package:wave
match = tests.package.guest.package:wave
"""


def with_guest(folder: Path, entry_points: str = _ENTRY_POINTS) -> dict[str, str]:
    """The environment of a process that finds the guest installed, through its metadata."""
    information = folder / "guest-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n", "utf-8"
    )
    (information / "entry_points.txt").write_text(entry_points, "utf-8")
    root = str(Path(__file__).parents[3])
    return os.environ | {"PYTHONPATH": os.pathsep.join((str(folder), root))}


PYTHON = sys.executable
