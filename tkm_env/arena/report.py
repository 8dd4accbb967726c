"""What the games of any number of players show: everything that a report says, gathered from their records in one pass."""

from __future__ import annotations

import dataclasses
import heapq
import json
import os
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.arena.rating import Ratings
from tkm_env.arena.results import Reader, RecordedGame, Results, name_of_settings
from tkm_env.arena.score import POINTS, Interval, Pairs
from tkm_env.errors import ConfigError, shown
from tkm_env.game.faults import START
from tkm_env.game.registry import game_spec

#: How many of the slowest turns are named.
_SLOWEST: Final = 10


class ReportedGame(NamedTuple):
    """A finished game.

    Attributes:
        number: counts all games of the report, from 1, in the order of the files.
        record: its record.
        settings: its settings in a few words.
        turns: how many it had.
    """

    number: int
    record: Mapping[str, Any]
    settings: str
    turns: int


class Thought(NamedTuple):
    """What a player took to decide on the actions of one turn.

    Attributes:
        seconds: all of them together, since some decide on the whole turn before its first action.
        player: whose turn it was.
        game: the number of the game.
        ply: the number of the turn's first action in the game, from 1.
    """

    seconds: float
    player: str
    game: int
    ply: int


class Lost(NamedTuple):
    """A game that was lost by a fault.

    Attributes:
        player: who lost it.
        kind: one of `tkm_env.game.faults.FAULTS`.
        game: the number of the game.
        ply: the number of the action that was due, from 1; `tkm_env.game.faults.START` after a failed start.
        seen: what was seen.
    """

    player: str
    kind: str
    game: int
    ply: int
    seen: str


@dataclasses.dataclass(frozen=True)
class Conduct:
    """What one player did in some games.

    Attributes:
        player: the name.
        wins: how many.
        draws: how many, truncated games included.
        losses: how many.
        faults: how many of the losses were by a fault, by kind; failed starts apart.
        failed_starts: how many games it lost because it did not start.
        turns: how many were timed.
        median: the median of their times in seconds; None without any, like the next two.
        p99: the time in seconds that one turn in a hundred exceeded.
        slowest: the one that took longest.
        memory: the most resident memory in MiB; None where none was measured.
        memory_game: the number of the game in which that was.
        isolation: where the player ran, names of `tkm_env.isolation.program.ISOLATIONS`; several if that changed.
    """

    player: str
    wins: int
    draws: int
    losses: int
    faults: Mapping[str, int]
    failed_starts: int
    turns: int
    median: float | None
    p99: float | None
    slowest: Thought | None
    memory: float | None
    memory_game: int | None
    isolation: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Part:
    """Games of one kind: all of them, or those under the same settings.

    Attributes:
        config: the settings that differ from the defaults; None for all games where there are several settings.
        games: how many.
        ratings: what they say about the players.
        first_move: the share of points of those who moved first, with its 95% interval.
        results: how many ended in each way, in words.
        faulty: how many a fault ended.
        turns: the mean number of turns.
        players: what each did, in the order of the ratings.
    """

    config: Mapping[str, Any] | None
    games: int
    ratings: Ratings
    first_move: Interval
    results: Mapping[str, int]
    faulty: int
    turns: float
    players: tuple[Conduct, ...]

    @property
    def name(self) -> str:
        """The settings in a few words."""
        return "all settings" if self.config is None else name_of_settings(self.config)


@dataclasses.dataclass(frozen=True)
class Section:
    """All about one of the games that were played.

    Attributes:
        game: its name in the registry.
        title: its name for people.
        parts: all its games first and, where they had several settings, those under each.
        cross: the points of the first of two players against the second, for each two who met, both ways round.
        slowest: the turns that took longest, slowest first.
        lost: the games that were lost by a fault, in order.
    """

    game: str
    title: str
    parts: tuple[Part, ...]
    cross: Mapping[tuple[str, str], Pairs]
    slowest: tuple[Thought, ...]
    lost: tuple[Lost, ...]

    @property
    def whole(self) -> Part:
        """All games."""
        return self.parts[0]


@dataclasses.dataclass(frozen=True)
class Report:
    """What the games show.

    Attributes:
        sections: one for each of the games that were played, *That Time You Killed Me* and Terminus, say.
        games: all finished games.
        anchor: the player whose rating was given, and that rating; None if the mean is 0.
        unfinished: how many games were left out because they are not over.
        growing: the files whose last line was left out because it was still being written.
    """

    sections: tuple[Section, ...]
    games: tuple[ReportedGame, ...]
    anchor: tuple[str, float] | None
    unfinished: int
    growing: tuple[str, ...]

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all players, in alphabetical order."""
        return tuple(sorted({conduct.player for section in self.sections for conduct in section.whole.players}))


class Gathering:
    """Gathers what a report says, file by file.

    Each game is rated by itself, since strength in one says nothing about another.
    """

    def __init__(self) -> None:
        self._reader = Reader()
        self._of_game: dict[str, _Gathered] = {}
        self._games: list[ReportedGame] = []
        self._unfinished = 0

    def read(self, path: str | os.PathLike[str]) -> Iterator[int]:
        """Add the games in a file, and yield the number of each line that was read. Somebody may be writing to it.

        Raises:
            FileError: as `tkm_env.arena.results.Reader.read`.
        """
        for recorded in self._reader.read(path):
            record = recorded.record
            if record["result"] is None:
                self._unfinished += 1
            else:
                listed = ReportedGame(len(self._games) + 1, record, name_of_settings(record["config"]), recorded.game.turn)
                self._games.append(listed)
                self._of_game.setdefault(recorded.game.name, _Gathered()).add(recorded, listed.number)
            yield recorded.line

    @property
    def games(self) -> int:
        """How many finished games there are so far."""
        return len(self._games)

    def report(self, anchor: tuple[str, float] | None = None) -> Report:
        """The report on all games so far.

        Args:
            anchor: a player and the Elo that this player is to have, in each game that it played; None for a mean of 0.

        Raises:
            ConfigError: if there are no finished games, or the anchor has played none.
            MissingExtraError: without the extra ``[arena]``.
        """
        if not self._games:
            raise ConfigError("games", 0, "there must be a finished game")
        names = {name for game in self._games for name in game.record["players"].values()}
        if anchor is not None and anchor[0] not in names:
            raise ConfigError("anchor", anchor[0], f"no game was played by it; the players are {shown(sorted(names))}")
        sections = tuple(gathered.section(name, anchor) for name, gathered in self._of_game.items())
        return Report(sections, tuple(self._games), anchor, self._unfinished, tuple(self._reader.growing))


class _Gathered:
    """What was gathered on one game."""

    def __init__(self) -> None:
        self._results = Results()
        self._whole = _Tally()
        self._of_settings: dict[str, _Tally] = defaultdict(_Tally)
        self._points: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
        self._pairs: dict[object, int] = {}
        self._met: Counter[object] = Counter()
        self._slowest: list[Thought] = []
        self._lost: list[Lost] = []

    def add(self, recorded: RecordedGame, number: int) -> None:
        record, sides = recorded.record, recorded.game.players
        self._results.add(recorded)
        names = record["players"]
        pair = self._pair_of(record, number)
        gained = POINTS[record["result"]]
        one, other = (names[side] for side in sides)
        self._points[one, other].append((pair, gained))
        self._points[other, one].append((pair, 1 - gained))
        thoughts = _thoughts(recorded, number)
        self._slowest = heapq.nlargest(_SLOWEST, [*self._slowest, *thoughts], key=_seconds)
        lost = _lost(record, number)
        if lost is not None:
            self._lost.append(lost)
        for tally in (self._whole, self._of_settings[json.dumps(record["config"], sort_keys=True)]):
            tally.add(recorded, number, pair, thoughts, lost)

    def _pair_of(self, record: Mapping[str, Any], number: int) -> int:
        """The number of a pair: two games with the same start, sides swapped. A game without a seed has one of its own."""
        if "seed" not in record:
            return self._pairs.setdefault(number, len(self._pairs))
        names = tuple(record["players"].values())
        start = (json.dumps(record["config"], sort_keys=True), record.get("position"), record["seed"] // 2)
        self._met[start, names] += 1  # the same match may have been played twice
        return self._pairs.setdefault((start, *sorted(names), self._met[start, names]), len(self._pairs))

    def section(self, name: str, anchor: tuple[str, float] | None) -> Section:
        whole = self._results.games()
        here = anchor is not None and any(anchor[0] in (game.first, game.second) for game in whole)
        parts = []
        for config, ratings in self._results.ratings(anchor if here else None):
            settings = None if config is None else json.dumps(config, sort_keys=True)
            tally = self._whole if settings is None else self._of_settings[settings]
            parts.append(tally.part(config, ratings, game_spec(name).players))
        cross = {both: Pairs.of(games) for both, games in self._points.items()}
        return Section(name, game_spec(name).title, tuple(parts), cross, tuple(self._slowest), tuple(self._lost))


class _Tally:
    """What is counted of some games."""

    def __init__(self) -> None:
        self._of_player: dict[str, _Account] = defaultdict(_Account)
        self._first: list[tuple[int, float]] = []
        self._results: Counter[str] = Counter()
        self._turns: list[int] = []
        self._faulty = 0

    def add(self, recorded: RecordedGame, number: int, pair: int, thoughts: list[Thought], lost: Lost | None) -> None:
        record, played = recorded.record, recorded.played
        assert played is not None
        self._first.append((pair, played.points))
        self._results[record["result"]] += 1
        self._turns.append(recorded.game.turn)
        self._faulty += lost is not None
        for side, name in record["players"].items():
            account = self._of_player[name]
            account.outcomes[round(2 * (played.points if side == recorded.first else 1 - played.points))] += 1
            if "isolation" in record:
                account.isolation[record["isolation"][side]] = None
            account.memory = max(account.memory, (record.get("memory", {}).get(side, 0.0), -number))
        for thought in thoughts:
            self._of_player[thought.player].add(thought)
        if lost is not None:
            self._of_player[lost.player].faults["" if lost.ply == START else lost.kind] += 1

    def part(self, config: Mapping[str, Any] | None, ratings: Ratings, sides: tuple[str, ...]) -> Part:
        words = {"1-0": f"{sides[0]} won", "0-1": f"{sides[1]} won", "1/2": "draw", "*": "cut off"}
        return Part(
            config=config,
            games=len(self._turns),
            ratings=ratings,
            first_move=Pairs.of(self._first).score,
            results={words[result]: self._results[result] for result in words if self._results[result]},
            faulty=self._faulty,
            turns=float(np.mean(self._turns)),
            players=tuple(self._of_player[rating.player].conduct(rating.player) for rating in ratings.players),
        )


class _Account:
    """What is counted of one player."""

    def __init__(self) -> None:
        self.outcomes = [0, 0, 0]  # by the half points of a game
        self.faults: Counter[str] = Counter()  # by kind; "" for a failed start
        self.isolation: dict[str, None] = {}
        self.memory = (0.0, 0)  # and minus the number of the game, so that the first of several is the largest
        self._seconds = array("d")
        self._slowest: Thought | None = None

    def add(self, thought: Thought) -> None:
        self._seconds.append(thought.seconds)
        if self._slowest is None or thought.seconds > self._slowest.seconds:
            self._slowest = thought

    def conduct(self, player: str) -> Conduct:
        losses, draws, wins = self.outcomes
        median, p99 = map(_rounded, np.percentile(self._seconds, (50, 99))) if self._seconds else (None, None)
        memory, game = self.memory
        return Conduct(
            player=player,
            wins=wins,
            draws=draws,
            losses=losses,
            faults={kind: count for kind, count in sorted(self.faults.items()) if kind},
            failed_starts=self.faults[""],
            turns=len(self._seconds),
            median=median,
            p99=p99,
            slowest=self._slowest,
            memory=memory or None,
            memory_game=-game if memory else None,
            isolation=tuple(self.isolation),
        )


def _rounded(seconds: float) -> float:
    """To a microsecond, as records have it."""
    return round(float(seconds), 6)


def _seconds(thought: Thought) -> float:
    return thought.seconds


def _thoughts(recorded: RecordedGame, number: int) -> list[Thought]:
    """The times of a game, turn by turn."""
    record, again = recorded.record, recorded.game.start
    thoughts: list[Thought] = []
    turn = None
    for ply, (action, seconds) in enumerate(zip(record["actions"], record.get("seconds", ()), strict=False), 1):
        if turn == (again.to_act, again.turn):
            last = thoughts.pop()
            thoughts.append(last._replace(seconds=_rounded(last.seconds + seconds)))
        else:
            turn = (again.to_act, again.turn)
            thoughts.append(Thought(seconds, record["players"][again.to_act], number, ply))
        again.play(action)
    return thoughts


def _lost(record: Mapping[str, Any], number: int) -> Lost | None:
    if "fault" not in record:
        return None
    fault = record["fault"]
    return Lost(record["players"][fault["player"]], fault["kind"], number, fault["ply"], fault["seen"])
