"""How far a file of games is known to be right, kept beside it, so that who resumes need not play all games again to check them.

Each game's link is a digest of its line and of the link before, so that the last one stands for all of them: whoever has noted it can
tell later whether any earlier game was changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tkm_env.errors import FileError
from tkm_env.files import read_json, write_json

_KIND: Final = "tkm_env checkpoint"
_KEYS: Final = ("games", "chain", "state")
#: It is written again after so many games.
_INTERVAL: Final = 64


class Checkpoint:
    """The checkpoint of a file of results, named after it with ``.checkpoint`` added.

    Args:
        results: the file.
        identity: what all its games belong to.
        lines: the lines with games in it so far.
        verify: trust nothing.

    Attributes:
        games: how many games the file holds.
        trusted: how many of these, from the first, were checked when they were written.
        state: what the schedule has kept, see `tkm_env.arena.schedule.Schedule.state`; None if nothing.
        chain: the link of the last game, 64 hexadecimal digits.
    """

    def __init__(self, results: Path, identity: str, lines: Iterable[bytes], *, verify: bool = False) -> None:
        self._path = results.with_name(f"{results.name}.checkpoint")
        self.games, self.trusted, self.chain = 0, 0, hashlib.sha256(identity.encode()).hexdigest()
        self.state: Any = None
        kept: dict[str, Any] = {}
        if not verify:
            with suppress(FileError):  # without it, or if it is damaged, all games are checked
                kept = read_json(self._path, _KIND, _KEYS)
        for line in (b"", *lines):
            self._link(line)
            if (self.games, self.chain) == (kept.get("games"), kept.get("chain")):
                self.trusted, self.state = self.games, kept["state"]

    def _link(self, line: bytes) -> None:
        if line:
            self.chain = hashlib.sha256(self.chain.encode() + line.strip()).hexdigest()
            self.games += 1

    def add(self, line: bytes, state: Any) -> None:
        """A game was written, after which the schedule has this to be kept."""
        self._link(line)
        if self.games % _INTERVAL == 0:
            self.save(state)

    def save(self, state: Any) -> None:
        """Write it. Raises a `FileError` if it cannot be written."""
        write_json(self._path, _KIND, {"games": self.games, "chain": self.chain, "state": state})
