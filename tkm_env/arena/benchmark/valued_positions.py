"""Fixed positions in which every turn has a value, and the credit for a turn."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from tkm_env.core.game import BaseGame
from tkm_env.core.registry import game_spec
from tkm_env.core.turns import played

#: The version of the positions, which is part of their file's name.
VERSION: Final = 1
_FILE: Final = Path(__file__).with_name(f"turns-{VERSION}.jsonl.gz")
_SEPARATOR: Final = "; "


@dataclass(frozen=True)
class ValuedPosition:
    """A position, and what each of its turns is worth.

    Attributes:
        group: what it stands for, such as "growth".
        game_name: the name of the game.
        settings: the settings that differ from the defaults.
        position: the text of the position.
        values: for each turn, the names of its actions, and the chance to win for the side to act,
            from 0 to 1: exact where the game is solved or proven, else by a search.
    """

    group: str
    game_name: str
    settings: Mapping[str, Any]
    position: str
    values: Mapping[tuple[str, ...], float]

    @cached_property
    def game(self) -> BaseGame:
        """The game at the position; to be copied, not changed."""
        spec = game_spec(self.game_name)
        game: BaseGame = spec.game_class(
            spec.config(dict(self.settings)), seed=0, position=self.position
        )
        return game

    @cached_property
    def _by_outcome(self) -> dict[int, float]:
        return {played(self.game, turn).key: value for turn, value in self.values.items()}

    def credit(self, actions: tuple[int, ...]) -> float:
        """What a turn is worth, from 0 for the worst turn to 1 for the best.

        The credit falls with the regret: the difference from the best turn's value.

        Args:
            actions: the indices of the turn's actions.

        Returns:
            The credit.
        """
        best, worst = max(self.values.values()), min(self.values.values())
        value = self._by_outcome[played(self.game, actions).key]
        return 1 - (best - value) / (best - worst)

    @property
    def credit_at_random(self) -> float:
        """The mean credit of a player that draws one of the turns."""
        best, worst = max(self.values.values()), min(self.values.values())
        mean = sum(self.values.values()) / len(self.values)
        return 1 - (best - mean) / (best - worst)


@cache
def valued_positions() -> tuple[ValuedPosition, ...]:
    """The positions, in the order of their file."""
    rows = [json.loads(line) for line in gzip.decompress(_FILE.read_bytes()).splitlines()]
    return tuple(
        ValuedPosition(
            row["group"],
            row["game"],
            row["settings"],
            row["position"],
            {tuple(turn.split(_SEPARATOR)): value for turn, value in row["values"].items()},
        )
        for row in rows
    )


@cache
def positions_digest() -> str:
    """The SHA-256 of the positions and their values, in hexadecimal digits."""
    return hashlib.sha256(gzip.decompress(_FILE.read_bytes())).hexdigest()


def write_valued_positions(rows: list[dict[str, Any]], path: Path = _FILE) -> None:
    """Write positions to a file; the same rows always give the same bytes.

    Args:
        rows: for each position its ``group``, ``game``, ``settings``, ``position`` and ``values``,
            the latter by turns, whose actions are separated by semicolons.
        path: the file.
    """
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content, mtime=0))
