"""The content of a report: what the games of any number of players show."""

import dataclasses
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any, NamedTuple

from tkm_env.arena.event_table import EventTable
from tkm_env.arena.playing.versions import successors
from tkm_env.arena.rating import Ratings
from tkm_env.arena.record_results import name_of_settings
from tkm_env.arena.report.head_to_head import Summary
from tkm_env.arena.report.model_table import ModelTable
from tkm_env.core.growing_records import KeptRecord, RecordPlace
from tkm_env.core.record_schema import FAULTS
from tkm_env.core.registry import game_spec
from tkm_env.evaluation.score import Elo, Interval, PairResults, points_of

_points_of = cache(points_of)


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
    """A finished game, without its actions, of which there may be a million."""

    number: int  # its number among all games of the report, from 1, in the order of the files
    game: str  # the name of the game that was played
    players: Mapping[str, str]  # the players' names, by side
    result: str  # as records have it
    settings: str  # its settings in a few words
    turns: int  # the number of its turns
    actions: int  # the number of its actions
    first: str  # the side that moved first
    #: A key that it shares only with the game from the same start with sides swapped.
    pair: Hashable
    start: Hashable  # a key that it shares with all games that begin alike
    seed: int | None  # the seed by which records identify it; None if it has none
    ended: float | None  # when it ended, in seconds since 1970, if that is known
    fault: LostByFault | None  # the fault that ended it; None if none did
    #: What the referee saw if it ended the game since the players agreed; None otherwise.
    adjudicated: str | None
    place: RecordPlace | KeptRecord  # where its record is

    def points_of(self, side: str) -> float:
        """Return the points of one side: 0, 0.5 or 1."""
        return _points_of(self.result, game_spec(self.game).players.index(side))

    @property
    def is_adjudicated(self) -> bool:
        """Whether the referee ended it, since the players agreed how it would end."""
        return self.adjudicated is not None

    @property
    def record(self) -> dict[str, Any]:
        """Its record, which is read again each time.

        Raises:
            FileError: if it is no longer where it was.
        """
        return {**self.place.read(), "players": dict(self.players)}


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
    slowest_of: Mapping[str, tuple[TurnTime, ...]]  # the same, for each player
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
