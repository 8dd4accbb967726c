"""The game in progress that others can watch: a file that is replaced from time to time."""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from tkm_env.core.game import BaseGame
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import write_file

#: The time between two positions, the time that a finished game stays, and the time after which a
#: game that has stopped changing gives way, in seconds.
_EVERY, _STAYS, _HOLDS = 0.5, 3.0, 30.0
_NOTHING: Final[Mapping[str, Any]] = {"record": {}, "is_over": True}


class LiveGame:
    """Shows a game in a file, unless another game is shown there.

    Args:
        path: the file; empty to show nothing.
        players: the names of the players, by side.
        seed: the game's seed.
    """

    def __init__(self, path: str, players: Mapping[str, str], seed: int) -> None:
        self._path, self._players, self._seed = path, players, seed
        self._due = 0.0

    def show(self, game: BaseGame, *, is_over: bool = False) -> None:
        """Show the present position of a game; errors of writing are ignored.

        Args:
            game: the game.
            is_over: whether the game is over; otherwise it is shown only twice a second.
        """
        if self._path and (is_over or time.monotonic() >= self._due):
            self._due = time.monotonic() + _EVERY
            shown = live_game(self._path)
            waits = (
                0.0
                if shown["record"].get("seed") == self._seed
                else _STAYS
                if shown["is_over"]
                else _HOLDS
            )
            with suppress(OSError, FileError):
                if (
                    waits
                    and os.path.exists(self._path)
                    and time.time() - os.stat(self._path).st_mtime < waits
                ):
                    return
                record = game.to_record(players=self._players, seed=self._seed)
                write_file(self._path, json.dumps({"record": record, "is_over": is_over}).encode())


def live_game(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """Read the game that a file shows.

    Returns:
        The ``record`` of the game so far, empty if there is none, and whether it ``is_over``.
    """
    try:
        with open(path, "rb") as file:
            shown: dict[str, Any] = json.load(file)
        return shown
    except (OSError, ValueError):
        return _NOTHING
