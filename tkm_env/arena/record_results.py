"""The games in files of records, and their results as ratings need them."""

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tkm_env.arena.game_counts import GameCounts, Played
from tkm_env.arena.playing.schedule import has_swapped_sides
from tkm_env.arena.playing.versions import Versions, digest_of_agent
from tkm_env.arena.rating import Ratings, fit
from tkm_env.core.game import BaseGame
from tkm_env.core.growing_records import KeptRecord, RecordFile, RecordPlace
from tkm_env.core.record_files import from_record
from tkm_env.evaluation.score import points_of
from tkm_env.foundations.errors import FileError, RecordError


class RecordedGame(NamedTuple):
    """A game replayed from its record."""

    line: int  # the number of its line in a file, from 1
    record: Mapping[str, Any]  # its record
    game: BaseGame  # the game, replayed
    #: The side that moved first: the one to act at the record's start, which is after the opening
    #: in games of matches.
    first: str
    #: Where the record was found; there, players have no versions in their names.
    place: RecordPlace | KeptRecord

    @classmethod
    def of(
        cls, record: Mapping[str, Any], line: int = 1, place: RecordPlace | KeptRecord | None = None
    ) -> "RecordedGame":
        """Replay the game of a record.

        Args:
            record: the record.
            line: the number of its line in a file, from 1.
            place: where it was found; None if it is in no file.

        Returns:
            The game.

        Raises:
            RecordError: if the record does not describe a game.
        """
        game = from_record(record)
        return cls(line, record, game, game.start.to_act, place or KeptRecord(dict(record)))

    def decisions(self) -> Iterator[tuple[str, int, float]]:
        """Yield the side, the turn and the seconds of each action that was timed."""
        replayed = self.game.start
        for action, seconds in zip(self.game.history, self.record.get("seconds", ()), strict=False):
            yield replayed.to_act, replayed.turn, seconds
            replayed.play(action)

    @property
    def played(self) -> Played | None:
        """The result; None if the game is unfinished."""
        if self.record["result"] is None:
            return None
        players, number = self.record["players"], self.game.players.index(self.first)
        points = points_of(self.record["result"], number)
        by_fault = "fault" in self.record
        return Played(
            players[self.first],
            players[self.game.players[1 - number]],
            points,
            start=self.start,
            by_fault=by_fault,
        )

    @property
    def start(self) -> tuple[str, int]:
        """A key that games share if they begin alike, up to symmetry."""
        return self.settings, self.game.start.symmetry_key

    @property
    def settings(self) -> str:
        """The settings that differ from the defaults, as JSON."""
        return json.dumps(self.record["config"], sort_keys=True)


class Repeats:
    """Finds games that repeat an earlier one.

    Deterministic players play the same game whenever they begin alike.
    """

    def __init__(self) -> None:
        self._courses: set[int] = set()

    def is_new(self, recorded: RecordedGame) -> bool:
        """Whether these players have not played this game before.

        A repeated game has the same sides, the same start, and the same actions to the end.
        """
        record, game = recorded.record, recorded.game
        players = tuple(record.get("players", {}).values())
        if (
            len({*players}) == 1
        ):  # if a player plays against itself, the seed says which instance has which side
            players += (has_swapped_sides(record.get("seed", 0)),)
        course = hash(
            (
                game.name,
                recorded.settings,
                game.start.key,
                players,
                tuple(game.history),
                record["result"],
            )
        )
        is_new = course not in self._courses
        self._courses.add(course)
        return is_new


class RecordReader:
    """Reads the games between named players in any number of files, each game once.

    Attributes:
        repeated: the number of games left out because programs had played the same game before.
        growing: the files whose last line was left out because it is still being written.
    """

    def __init__(self) -> None:
        self.growing: list[str] = []
        self.repeated = 0
        self._versions = Versions()
        self._repeats = Repeats()
        #: The file and the line of each game, by a hash of its record.
        self._lines: dict[int, tuple[Path, int]] = {}

    def read(self, file: str | os.PathLike[str] | RecordFile) -> Iterator[RecordedGame]:
        """Read the games in a file, and check each by replaying it.

        Args:
            file: the file, or one of which a part may have been read; the rest of it is read then.

        Yields:
            The games.

        Raises:
            FileError: naming the line that is not a game record, names no players or one against
                itself, or is a copy of an earlier one.
        """
        file = file if isinstance(file, RecordFile) else RecordFile(file)
        path = file.path
        for number, record, place in file.read():
            try:
                self._check(record, path, number)
                digests = record.get("digest", {})
                players = {
                    side: self._versions.name_of(name, digests.get(side) or digest_of_agent(name))
                    for side, name in record["players"].items()
                }
                recorded = RecordedGame.of({**record, "players": players}, number, place)
            except RecordError as error:
                raise FileError(path, f"line {number}: {error}") from error
            if "seed" not in record or self._repeats.is_new(
                recorded
            ):  # games without a seed are played by people, who may play the same game again
                yield recorded
            else:
                self.repeated += 1
        self.growing = [each for each in self.growing if each != os.fspath(path)]
        if file.is_growing:
            self.growing.append(os.fspath(path))

    def _check(self, record: Mapping[str, Any], path: Path, line: int) -> None:
        if record.get("players") is None:
            raise RecordError("players", "this record has no player names, so it cannot be rated")
        if len({*record["players"].values()}) == 1:
            raise RecordError(
                "players", "a player's games against itself say nothing about its strength"
            )
        if "seed" in record:
            digest = hash(json.dumps(record, sort_keys=True))
            if digest in self._lines:
                earlier, number = self._lines[digest]
                place = f"line {number} of {earlier}"
                raise RecordError(
                    "record", f"it is the same game as {place}, which would count twice"
                )
            self._lines[digest] = path, line


class Results:
    """The results of games of one kind, by their settings.

    Attributes:
        game: the name of the game; None before the first record.
        unfinished: the number of records left out because their game is not over.
        reader: the reader of the files.
    """

    def __init__(self) -> None:
        self.game: str | None = None
        self.unfinished = 0
        self.reader = RecordReader()
        #: The results of all games, and of those under each settings, as JSON.
        self._all = GameCounts()
        self._counts: dict[str, GameCounts] = defaultdict(GameCounts)

    def read(self, path: str | os.PathLike[str]) -> Iterator[int]:
        """Add the games in a file.

        Yields:
            The number of each line that was added.

        Raises:
            FileError: as `RecordReader.read` does, or naming a line of another game than the lines
                before.
        """
        for recorded in self.reader.read(path):
            try:
                self.add(recorded)
            except RecordError as error:
                raise FileError(path, f"line {recorded.line}: {error}") from error
            yield recorded.line

    def add(self, recorded: RecordedGame) -> None:
        """Add a game.

        Raises:
            RecordError: if it is of another game than those before.
        """
        name, played = recorded.game.name, recorded.played
        if name != (self.game or name):
            raise RecordError(
                "game",
                f"it is {name!r}, but earlier games are {self.game!r}: rate each game separately",
            )
        self.game = name
        if played is None:
            self.unfinished += 1
        else:
            self._all.add(played)
            self._counts[recorded.settings].add(played)

    @property
    def settings(self) -> list[dict[str, Any]]:
        """All settings, as differences from the defaults, in the order of their first game."""
        return [json.loads(text) for text in self._counts]

    def games(self, settings: Mapping[str, Any] | None = None) -> GameCounts:
        """Return the results of all finished games, or of those under some settings."""
        return self._all if settings is None else self._counts[json.dumps(settings, sort_keys=True)]

    def ratings(
        self, anchor: tuple[str, float] | None = None
    ) -> list[tuple[dict[str, Any] | None, Ratings]]:
        """Rate the players by all games and, if there are several settings, by those under each.

        Args:
            anchor: a player and its Elo; it is ignored under settings under which it did not play.

        Returns:
            The settings, None for all games together, with the ratings. If all games have the same
                settings, there is one row.

        Raises:
            ConfigError: as `tkm_env.arena.rating.fit` does.
            MissingExtraError: without the extra ``[arena]``.
        """
        whole = fit(self.games(), anchor=anchor)
        if len(self.settings) == 1:
            return [(self.settings[0], whole)]
        fits: list[tuple[dict[str, Any] | None, Ratings]] = [(None, whole)]
        for settings in self.settings:
            games = self.games(settings)
            here = anchor is not None and anchor[0] in games.players
            fits.append((settings, fit(games, anchor=anchor if here else None)))
        return fits


def name_of_settings(settings: Mapping[str, Any]) -> str:
    """Describe settings in a few words.

    >>> name_of_settings({"chapters": ["growth", "memory"], "edition": "2022"})
    'chapters=growth+memory, edition=2022'
    >>> name_of_settings({})
    'default settings'
    """
    texts = {
        key: "+".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
        for key, value in settings.items()
    }
    return ", ".join(f"{key}={text}" for key, text in texts.items()) or "default settings"
