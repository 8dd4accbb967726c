"""The results in files of game records, as ratings need them."""

from __future__ import annotations

import dataclasses
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tkm_env.arena.rating import Played
from tkm_env.arena.score import POINTS
from tkm_env.core.records import from_record, read_records
from tkm_env.errors import FileError, RecordError

__all__ = ["Results", "name_of_settings", "played_in"]


def played_in(record: Mapping[str, Any]) -> Played:
    """The result of a finished game between two players, which is played again to check it.

    The one who moved first is the one to act at the record's start, which is after the opening in games of matches.

    Raises:
        RecordError: if it is not a game.

    """
    start = from_record(record).start
    first = start.to_act
    (second,) = (side for side in start.players if side != first)
    points = POINTS[record["result"]]
    return Played(record["players"][first], record["players"][second], points if first == start.players[0] else 1 - points)


@dataclasses.dataclass
class Results:
    """The results of games of one kind, by their settings.

    Attributes:
        game: the game's name; None before the first record.
        unfinished: how many records were left out because their game is not over.
    """

    game: str | None = None
    unfinished: int = 0
    _counts: dict[str, Counter[Played]] = dataclasses.field(default_factory=dict, init=False, repr=False)
    _seen: dict[int, str] = dataclasses.field(default_factory=dict, init=False, repr=False)

    def read(self, path: str | os.PathLike[str]) -> Iterator[int]:
        """Add the games in a file, and yield the number of each line that was added. Every game is played again, which checks it.

        The one who moved first is the one to act at the record's start, which is after the opening in games of matches.

        Raises:
            FileError: naming the line that is no game record, is of another game than those before, names no players or one against
                itself, or is a copy of an earlier one.
        """
        for number, record in read_records(path):
            try:
                self._add(record, f"line {number} of {os.fspath(path)}")
            except RecordError as error:
                raise FileError(path, f"line {number}: {error}") from error
            yield number

    def _add(self, record: Mapping[str, Any], place: str) -> None:
        if record["game"] != (self.game or record["game"]):
            raise RecordError("game", f"it is {record['game']!r}, but games before are of {self.game!r}: rate each game by itself")
        if record.get("players") is None:
            raise RecordError("players", "a game without names says nothing about anyone")
        if len({*record["players"].values()}) == 1:
            raise RecordError("players", "a player's games against itself say nothing about its strength")
        if "seed" in record:  # people may play the same game again
            known = self._seen.get(digest := hash(json.dumps(record, sort_keys=True)))
            if known is not None:
                raise RecordError("record", f"it is the same game as {known}, which would count twice")
            self._seen[digest] = place
        if record["result"] is None:
            self.game = from_record(record).name
            self.unfinished += 1
            return
        self._counts.setdefault(json.dumps(record["config"], sort_keys=True), Counter())[played_in(record)] += 1
        self.game = record["game"]

    @property
    def settings(self) -> list[dict[str, Any]]:
        """The settings under which games were played, those that differ from the defaults; in order of their first game."""
        return [json.loads(text) for text in self._counts]

    def games(self, settings: Mapping[str, Any] | None = None) -> list[Played]:
        """All finished games, or those under some settings."""
        wanted: Iterable[Counter[Played]] = self._counts.values()
        if settings is not None:
            wanted = [self._counts[json.dumps(settings, sort_keys=True)]]
        total: Counter[Played] = sum(wanted, Counter())
        return [game._replace(games=count) for game, count in total.items()]


def name_of_settings(settings: Mapping[str, Any]) -> str:
    """Settings in a few words.

    >>> name_of_settings({"chapters": ["growth", "memory"], "edition": "2022"})
    'chapters=growth+memory, edition=2022'
    >>> name_of_settings({})
    'default settings'
    """
    texts = {key: "+".join(map(str, value)) if isinstance(value, list) else str(value) for key, value in settings.items()}
    return ", ".join(f"{key}={text}" for key, text in texts.items()) or "default settings"
