"""A folder of bots as the players of a tournament."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Final

from tkm_env.agents.specs import COMMAND
from tkm_env.arena.tournament import Entrant
from tkm_env.files import checked_path, failing_as

#: The class or function that a Python file of bots must hold.
BOT: Final = "Bot"
#: In a folder of a bot's own: its Python file, the first that is there, or else its program.
_FILES, _PROGRAM = ("bot.py", "agent.py"), "run"


def entrants_in(folder: str | os.PathLike[str]) -> tuple[Entrant, ...]:
    """The players in a folder, by name.

    ``ann.py`` is the player *ann*, which is the class or function ``Bot`` in it; any other file that can be executed is a program that
    speaks the protocol of ``docs/protocol.md``. A folder is a player of several files: it holds a ``bot.py``, an ``agent.py`` or a
    program ``run``. What begins with a dot or an underscore, and every other file, is no player.

    Raises:
        FileError: if the folder cannot be read.
    """
    place = checked_path(folder)
    with failing_as(folder, "read"):
        paths = sorted(path for path in place.iterdir() if not path.name.startswith((".", "_")))
    return tuple(entrant for path in paths if (entrant := _entrant(path)) is not None)


def _entrant(path: Path) -> Entrant | None:
    """The player that a file or folder is; None if it is none."""
    if not path.is_dir():
        line = _line_of(path)
        return None if line is None else Entrant(path.stem, line)
    line = next(filter(None, (_line_of(path / name) for name in (*_FILES, _PROGRAM))), None)
    return None if line is None else Entrant(path.name, line, readable=(str(path),))


def _line_of(path: Path) -> str | None:
    """The player that a file is, as `tkm_env.agents.specs.make_agent` reads it; None if it is none."""
    if path.suffix == ".py":
        return f"{path}:{BOT}" if path.is_file() else None
    # A program in this folder needs a path that says so.
    return f"{COMMAND}:{shlex.quote(os.path.join('.', path))}" if path.is_file() and os.access(path, os.X_OK) else None
