"""The games in progress that others can watch: a file of each process that plays."""

import json
import os
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkm_env.core.game import BaseGame
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import write_file

#: The time between two positions that a process shows, of all its games, in seconds.
_EVERY: Final = 0.5
#: The time after which a game that has stopped changing is no longer shown, in seconds.
_FORGOTTEN: Final = 600.0
#: When this process may show a position again, by the folder; by `time.monotonic`.
_due: Final[dict[str, float]] = {}


class LiveGame:
    """Shows a game in the file of this process.

    Of games that take less than half a second, only some are shown.

    Args:
        folder: the folder of the file; empty to show nothing.
        players: the names of the players, by side.
        seed: the game's seed.
    """

    def __init__(self, folder: str, players: Mapping[str, str], seed: int) -> None:
        self._folder, self._players, self._seed = folder, players, seed
        self._since = time.time()
        self._is_shown = False

    def show(self, game: BaseGame, *, is_over: bool = False) -> None:
        """Show the present position of a game; errors of writing are ignored.

        Args:
            game: the game.
            is_over: whether the game is over; otherwise it is shown only twice a second.
        """
        is_due = time.monotonic() >= _due.get(self._folder, 0.0)
        if not self._folder or not (self._is_shown if is_over else is_due):
            return
        _due[self._folder] = time.monotonic() + _EVERY
        record = game.to_record(players=self._players, seed=self._seed)
        content = {"record": record, "is_over": is_over, "since": self._since}
        with suppress(OSError, FileError):
            write_file(Path(self._folder, f"{_worker()}.json"), json.dumps(content).encode("utf-8"))
            self._is_shown = True


def _worker() -> str:
    return f"{socket.gethostname()}-{os.getpid()}"


class ShownGame(NamedTuple):
    """A game that a process plays, or played last."""

    worker: str  # the machine and the process
    record: Mapping[str, Any]  # the record of the game so far
    is_over: bool
    since: float  # when it began, in seconds since 1970
    at: float  # when it was last shown, in seconds since 1970


def live_games(folder: str | os.PathLike[str]) -> list[ShownGame]:
    """Read the games that the files in a folder show, those that began last first."""
    found: list[ShownGame] = []
    with suppress(OSError):
        for path in Path(folder).glob("*.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                at, content = path.stat().st_mtime, json.loads(path.read_bytes())
                game = ShownGame(
                    path.stem,
                    {**content["record"]},
                    bool(content["is_over"]),
                    float(content["since"]),
                    at,
                )
                if time.time() - at < _FORGOTTEN:
                    found.append(game)
    return sorted(found, key=lambda game: game.since, reverse=True)


def clear_live_games(folder: Path) -> None:
    """Make the folder, and remove what processes that have ended showed there."""
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
        for path in folder.glob("*.json"):
            path.unlink()
