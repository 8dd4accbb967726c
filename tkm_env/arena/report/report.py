"""The content of a report: what the games of any number of players show."""

import dataclasses
import json
import os
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.arena.event_table import EventTable
from tkm_env.arena.playing.versions import successors
from tkm_env.arena.rating import Played, Ratings, fit
from tkm_env.arena.record_results import RecordedGame, RecordReader, Results, name_of_settings
from tkm_env.arena.report.head_to_head import Summary, summarize
from tkm_env.arena.report.model_table import ModelTable, model_table
from tkm_env.core.outcome import Outcome
from tkm_env.core.record_schema import FAULTS, START
from tkm_env.core.registry import game_spec
from tkm_env.evaluation.score import Elo, Interval, PairResults, points_of
from tkm_env.foundations.errors import ConfigError, repr_of

#: The number of slowest turns that a report names.
_SLOWEST: Final = 10


class TurnTime(NamedTuple):
    """The time that a player took for the actions of one turn."""

    #: The time for all of them, in seconds, since some players decide on the whole turn before its
    #: first action.
    seconds: float
    player: str  # the player of the turn
    game: int  # the number of the game
    ply: int  # the number of the turn's first action in the game, from 1


class LostByFault(NamedTuple):
    """A game that was lost through a fault."""

    player: str  # the player that lost it
    kind: str  # one of `tkm_env.core.record_schema.FAULTS`
    game: int  # the number of the game
    #: The number of the action that was due, from 1; `tkm_env.core.record_schema.START` after a
    #: failed start.
    ply: int
    seen: str  # what was observed


class ReportedGame(NamedTuple):
    """A finished game."""

    number: int  # its number among all games of the report, from 1, in the order of the files
    record: Mapping[str, Any]  # its record
    settings: str  # its settings in a few words
    turns: int  # the number of its turns
    first: str  # the side that moved first
    #: A key that it shares only with the game from the same start with sides swapped.
    pair: Hashable
    start: Hashable  # a key that it shares with all games that begin alike
    times: tuple[TurnTime, ...]  # its turns that were timed

    def points_of(self, side: str) -> float:
        """Return the points of one side: 0, 0.5 or 1."""
        return points_of(self.record["result"], game_spec(self.record["game"]).players.index(side))

    @property
    def is_adjudicated(self) -> bool:
        """Whether the referee ended it, since the players agreed how it would end."""
        return "adjudicated" in self.record

    @property
    def fault(self) -> LostByFault | None:
        """The fault that ended the game; None if none did."""
        if "fault" not in self.record:
            return None
        fault = self.record["fault"]
        return LostByFault(
            self.record["players"][fault["player"]],
            fault["kind"],
            self.number,
            fault["ply"],
            fault["seen"],
        )


@dataclasses.dataclass(frozen=True)
class Conduct:
    """What one player did in some games."""

    player: str
    wins: int
    draws: int  # including truncated games
    losses: int
    #: The number of losses through a fault, by kind, without failed starts.
    faults: Mapping[str, int]
    failed_starts: int  # the number of games lost because the player did not start
    turns: int  # the number of turns that were timed
    #: The median of their times, in seconds; None if there are none, like the next two.
    median: float | None
    p99: float | None  # the 99th percentile of their times, in seconds
    slowest: TurnTime | None  # the slowest turn
    memory: float | None  # the peak resident memory in MiB; None if it was not measured
    memory_game: int | None  # the number of the game of that peak
    #: The median CPU time of a game, in seconds; None if it was not measured, like the next two.
    cpu: float | None
    cpu_most: float | None  # the longest CPU time of a game, in seconds
    cpu_game: int | None  # the number of that game
    #: Where the player ran, names of `tkm_env.isolation.limits.ISOLATIONS`; several if that
    #: changed.
    isolation: tuple[str, ...]
    #: The protections that were missing in some game, names of `PROTECTIONS` there.
    unprotected: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class ReportPart:
    """Games of one kind: all of them, or those under the same settings."""

    #: The settings that differ from the defaults; None for all games under several settings.
    config: Mapping[str, Any] | None
    games: int
    ratings: Ratings  # the ratings by these games
    #: What ratings cannot express; None for two players, or if no games connect some of them.
    head_to_head: Summary | None
    first_move: Interval  # the share of points of the first mover, with its 95% interval
    results: Mapping[str, int]  # the number of games with each result, by its description
    faulty: int  # the number of games that a fault ended
    adjudicated: int  # the number of games that the referee ended, since the players agreed
    turns: float  # the mean number of turns
    players: tuple[Conduct, ...]  # what each player did, in the order of the ratings

    @property
    def name(self) -> str:
        """The settings in a few words."""
        return "all settings" if self.config is None else name_of_settings(self.config)


class Gain(NamedTuple):
    """By how much a version of a player is stronger than the previous version."""

    player: str
    before: str
    elo: Elo  # the difference, with its 95% interval

    def __str__(self) -> str:
        return f"{self.player} against {self.before}: {self.elo} Elo"


@dataclasses.dataclass(frozen=True)
class ReportSection:
    """The section of a report about one of the games that were played."""

    game: str  # its name in the registry
    title: str
    #: First all of its games, then, if they had several settings, those under each.
    parts: tuple[ReportPart, ...]
    #: The points of one player against another, for any two who met, in both orders.
    cross: Mapping[tuple[str, str], PairResults]
    slowest: tuple[TurnTime, ...]  # the slowest turns, slowest first
    lost: tuple[LostByFault, ...]  # the games that were lost through a fault, in order
    models: ModelTable  # the language models among the players

    @property
    def whole(self) -> ReportPart:
        """The part with all games."""
        return self.parts[0]

    @property
    def results(self) -> list[str]:
        """The descriptions of the results that occurred."""
        return list(dict.fromkeys(result for part in self.parts for result in part.results))

    @property
    def kinds(self) -> list[str]:
        """The kinds of faults through which games were lost, without failed starts."""
        return [
            kind for kind in FAULTS if any(kind in conduct.faults for conduct in self.whole.players)
        ]

    @property
    def gains(self) -> list[Gain]:
        """The gain of each new version of a player, if games connect it to the previous one."""
        ratings = self.whole.ratings
        versions = successors(rating.player for rating in ratings.players)
        return [
            Gain(new, old, ratings.difference(new, old))
            for new, old in versions
            if ratings.connects(new, old)
        ]


@dataclasses.dataclass(frozen=True)
class Report:
    """What the games show."""

    #: A section for each of the games that were played, such as *That Time You Killed Me*.
    sections: tuple[ReportSection, ...]
    games: tuple[ReportedGame, ...]  # all finished games
    #: The player whose rating was given, and that rating; None if the mean is 0.
    anchor: tuple[str, float] | None
    unfinished: int  # the number of games left out because they are not over
    repeated: int  # the number of games left out because they repeat an earlier one
    #: The files whose last line was left out because it was still being written.
    growing: tuple[str, ...]
    #: The table of the tournament in rounds to which the games belong; None for none.
    event: EventTable | None = None

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all players, in alphabetical order."""
        return tuple(
            sorted(
                {conduct.player for section in self.sections for conduct in section.whole.players}
            )
        )


class ReportBuilder:
    """Gathers the content of a report, file by file.

    Each game is rated separately, since strength in one says nothing about another.
    """

    def __init__(self) -> None:
        self._reader = RecordReader()
        self._results: dict[str, Results] = defaultdict(Results)
        self._games: list[ReportedGame] = []
        #: The number of times that each game of a pair was played, since matches may be repeated.
        self._repeats: Counter[Hashable] = Counter()
        self._unfinished = 0

    def read(self, path: str | os.PathLike[str], after: int = 0) -> Iterator[int]:
        """Add the games in a file.

        Args:
            path: the file, which another program may still be writing.
            after: the number of lines to skip.

        Yields:
            The number of each line that was read.

        Raises:
            FileError: as `tkm_env.arena.record_results.RecordReader.read` does.
        """
        for recorded in self._reader.read(path, after):
            if recorded.record["result"] is None:
                self._unfinished += 1
            else:
                self._results[recorded.game.name].add(recorded)
                self._add(recorded)
            yield recorded.line

    def _add(self, recorded: RecordedGame) -> None:
        record, number = recorded.record, len(self._games) + 1
        pair: Hashable = number
        if "seed" in record:
            names = tuple(record["players"].values())
            start = (
                record["game"],
                json.dumps(record["config"], sort_keys=True),
                record.get("position"),
                record["seed"] // 2,
            )
            self._repeats[start, names] += 1
            pair = start, tuple(sorted(names)), self._repeats[start, names]
        settings, times = name_of_settings(record["config"]), tuple(_turn_times(recorded, number))
        played = ReportedGame(
            number,
            record,
            settings,
            recorded.game.turn,
            recorded.first,
            pair,
            recorded.start,
            times,
        )
        self._games.append(played)

    @property
    def line(self) -> int:
        """The number of the last line that was read."""
        return self._reader.line

    @property
    def games(self) -> int:
        """The number of finished games so far."""
        return len(self._games)

    @property
    def players(self) -> set[str]:
        """The names of their players."""
        return {name for game in self._games for name in game.record["players"].values()}

    def ratings(self, anchor: tuple[str, float] | None = None) -> dict[str, Ratings]:
        """Rate the players by all games so far.

        Args:
            anchor: a player and its Elo in each game that it played; None for a mean of 0.

        Returns:
            The ratings, for each game that was played by its name.
        """
        return {
            name: fit(games, anchor=_anchor_among(games, anchor))
            for name, results in self._results.items()
            for games in [results.games()]
        }

    def report(self, anchor: tuple[str, float] | None = None) -> Report:
        """Make the report on all games so far.

        Args:
            anchor: a player and its Elo in each game that it played; None for a mean of 0.

        Raises:
            ConfigError: if there are no finished games, or the anchor has played none.
            MissingExtraError: without the extra ``[arena]``.
        """
        if not self._games:
            raise ConfigError("games", 0, "there must be at least one finished game")
        if anchor is not None and anchor[0] not in self.players:
            raise ConfigError(
                "anchor",
                anchor[0],
                f"it has played no game; the players are {repr_of(sorted(self.players))}",
            )
        sections = tuple(
            _section(results, [game for game in self._games if game.record["game"] == name], anchor)
            for name, results in self._results.items()
        )
        return Report(
            sections,
            tuple(self._games),
            anchor,
            self._unfinished,
            self._reader.repeated,
            tuple(self._reader.growing),
        )


def _anchor_among(
    games: Sequence[Played], anchor: tuple[str, float] | None
) -> tuple[str, float] | None:
    """Return the anchor if it played one of these games, otherwise None."""
    is_here = anchor is not None and any(anchor[0] in (each.first, each.second) for each in games)
    return anchor if is_here else None


def _turn_times(recorded: RecordedGame, number: int) -> list[TurnTime]:
    """Return the times of a game, turn by turn."""
    times: list[TurnTime] = []
    last: tuple[str, int] | None = None
    for ply, (side, turn, seconds) in enumerate(recorded.decisions(), 1):
        if (side, turn) == last:
            times[-1] = times[-1]._replace(seconds=_to_microsecond(times[-1].seconds + seconds))
        else:
            times.append(TurnTime(seconds, recorded.record["players"][side], number, ply))
        last = side, turn
    return times


def _section(
    results: Results, games: Sequence[ReportedGame], anchor: tuple[str, float] | None
) -> ReportSection:
    spec = game_spec(games[0].record["game"])
    points: dict[tuple[str, str], list[tuple[Hashable, float]]] = defaultdict(list)
    for game in games:
        one, other = (game.record["players"][side] for side in spec.players)
        points[one, other].append((game.pair, game.points_of(spec.players[0])))
        points[other, one].append((game.pair, game.points_of(spec.players[1])))
    fits, starts = (
        results.ratings(_anchor_among(results.games(), anchor)),
        {game.pair: game.start for game in games},
    )
    return ReportSection(
        game=spec.name,
        title=spec.title,
        parts=tuple(
            _part(
                config,
                ratings,
                results.games(config),
                [game for game in games if config in (None, game.record["config"])],
            )
            for config, ratings in fits
        ),
        cross={names: PairResults.of(gained, starts) for names, gained in points.items()},
        slowest=tuple(
            sorted((time for game in games for time in game.times), key=_seconds, reverse=True)[
                :_SLOWEST
            ]
        ),
        lost=tuple(fault for game in games if (fault := game.fault) is not None),
        models=model_table(
            [(game.record, game.start) for game in games], results.games(), fits[0][1]
        ),
    )


def _part(
    config: Mapping[str, Any] | None,
    ratings: Ratings,
    played: Iterable[Played],
    games: Sequence[ReportedGame],
) -> ReportPart:
    first, second = game_spec(games[0].record["game"]).players
    words = {
        Outcome.FIRST_WON: f"{first} won",
        Outcome.SECOND_WON: f"{second} won",
        Outcome.DRAWN: "draw",
        Outcome.TRUNCATED: "cut off",
    }
    results = Counter(game.record["result"] for game in games)
    of_player: dict[str, list[tuple[str, ReportedGame]]] = defaultdict(list)
    for game in games:
        for side, name in game.record["players"].items():
            of_player[name].append((side, game))
    return ReportPart(
        config=config,
        games=len(games),
        ratings=ratings,
        head_to_head=summarize(played, ratings),
        first_move=PairResults.of(
            ((game.pair, game.points_of(game.first)) for game in games),
            {game.pair: game.start for game in games},
        ).score,
        results={
            word: results[outcome.value]
            for outcome, word in words.items()
            if results[outcome.value]
        },
        faulty=sum(game.fault is not None for game in games),
        adjudicated=sum(game.is_adjudicated for game in games),
        turns=float(np.mean([game.turns for game in games])),
        players=tuple(
            _conduct(rating.player, of_player[rating.player]) for rating in ratings.players
        ),
    )


def _conduct(player: str, games: Sequence[tuple[str, ReportedGame]]) -> Conduct:
    """Summarize what a player did in its games; each comes with the player's side."""
    outcomes = Counter(game.points_of(side) for side, game in games)
    faults = [
        fault for _, game in games if (fault := game.fault) is not None and fault.player == player
    ]
    kinds = Counter(fault.kind for fault in faults if fault.ply != START)
    times = [time for _, game in games for time in game.times if time.player == player]
    median = p99 = slowest = memory = memory_game = None
    if times:
        median, p99 = map(
            _to_microsecond, np.percentile([time.seconds for time in times], (50, 99))
        )
        slowest = max(times, key=_seconds)
    measured = [
        (game.record["memory"][side], -game.number)
        for side, game in games
        if side in game.record.get("memory", ())
    ]
    if measured and max(measured)[0]:
        memory, negative_number = max(measured)  # the first game of several with this maximum
        memory_game = -negative_number
    spent = [
        (game.record["cpu"][side], -game.number)
        for side, game in games
        if side in game.record.get("cpu", ())
    ]
    return Conduct(
        player=player,
        wins=outcomes[1],
        draws=outcomes[0.5],
        losses=outcomes[0],
        faults=dict(sorted(kinds.items())),
        failed_starts=len(faults) - kinds.total(),
        turns=len(times),
        median=median,
        p99=p99,
        slowest=slowest,
        memory=memory,
        memory_game=memory_game,
        cpu=float(np.median([seconds for seconds, _ in spent])) if spent else None,
        cpu_most=max(spent)[0] if spent else None,
        cpu_game=-max(spent)[1] if spent else None,
        isolation=tuple(
            dict.fromkeys(
                game.record["isolation"][side] for side, game in games if "isolation" in game.record
            )
        ),
        unprotected=tuple(
            dict.fromkeys(
                name
                for side, game in games
                for name in game.record.get("unprotected", {}).get(side, ())
            )
        ),
    )


def _to_microsecond(seconds: float) -> float:
    """Round a time as in records."""
    return round(float(seconds), 6)


_seconds = attrgetter("seconds")
