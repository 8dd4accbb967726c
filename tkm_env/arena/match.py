"""Matches: two players, many games, balanced sides."""

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from tkm_env.arena.playing.ledger import with_kept_seed
from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS, Conditions, Player
from tkm_env.arena.playing.schedule import (
    Entrant,
    Schedule,
    ScheduledGame,
    Stoppable,
    has_swapped_sides,
    pair_of_games,
)
from tkm_env.arena.playing.schedule_run import play_schedule
from tkm_env.arena.playing.versions import entered
from tkm_env.arena.playing.workers import Workers, local_workers
from tkm_env.arena.record_results import RecordedGame, Repeats
from tkm_env.arena.sprt import SPRT
from tkm_env.core.record_schema import START
from tkm_env.core.registry import game_spec
from tkm_env.evaluation.score import Interval, PairResults, points_of
from tkm_env.evaluation.starts import Settings, Starts, settings_with_openings
from tkm_env.foundations.checks import checked_instance, checked_integer, is_text
from tkm_env.foundations.errors import ConfigError, RecordError
from tkm_env.foundations.seeds import checked_secret
from tkm_env.players.factory import check_start


@dataclasses.dataclass(frozen=True)
class Match(Stoppable):
    """A match between two players, which can be played, stopped and resumed.

    Raises:
        ConfigError: naming the invalid field.
    """

    first: str  # a player, as `tkm_env.players.factory.make_agent` reads it
    second: str  # the other player
    games: int = 100  # the number of games, rounded up to an even number
    config: Any = None  # the settings of every game; None for the defaults
    #: A secret from which all starts and all players' random numbers are derived, by
    #: `tkm_env.foundations.seeds.derived`. The same seed gives the same games on any number of
    #: processes (with time limits, only as far as timing is reproducible). None draws 128 bits from
    #: the system; players could guess a small number.
    seed: int | None = None
    #: The number of random turns that begin a game; one more once hardly any starts are left, so
    #: that no game is played twice. None: the game's own openings begin the first games, as long as
    #: they last; then 2 random turns, or more, begin the others.
    opening_turns: int | None = None
    game: str | None = None  # the name of the game; None for the first in the registry
    #: Where the players run, and how long they may think.
    conditions: Conditions = DEFAULT_CONDITIONS
    #: Whether the seed was drawn.
    is_seed_drawn: bool = dataclasses.field(init=False, repr=False, compare=False)
    _settings: Settings = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        settings = settings_with_openings(self.game, self.config, self.opening_turns)
        for name, value in (
            ("game", settings.game),
            ("config", settings.config),
            ("_settings", settings),
        ):
            object.__setattr__(self, name, value)
        for keyword, line in (("first", self.first), ("second", self.second)):
            Player(line, self.game, self.conditions, keyword, self.config)
            if not is_text(line):
                raise ConfigError(keyword, line, "it must be text, since records name it")
        object.__setattr__(
            self, "games", 2 * -(-checked_integer("games", self.games, 1, 10**9) // 2)
        )
        object.__setattr__(self, "is_seed_drawn", self.seed is None)
        object.__setattr__(self, "seed", checked_secret(self.seed))

    def fixtures(self) -> Iterator[ScheduledGame]:
        """Yield all games, in order.

        The first player of the match has the first side, white or red, in every other game.
        """
        assert self.game is not None
        assert self.seed is not None
        second = Entrant(self.second, self.second, number=int(self.first == self.second))
        two = (
            entered(Entrant(self.first, self.first), self.conditions),
            entered(second, self.conditions),
        )
        starts, settings = Starts(self._settings, self.seed), self._settings.without_openings()
        for pair in range(self.games // 2):
            yield from pair_of_games(settings, *starts[pair], two)

    def play(
        self,
        save: str | os.PathLike[str] | None = None,
        *,
        resume: bool = False,
        processes: int = 1,
        workers: Callable[[], Workers] | None = None,
        sprt: SPRT | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Play the games.

        A match that was interrupted in any way resumes with the same games.

        Args:
            save: the file of the records, a `tkm_env.arena.playing.ledger.Ledger`; None saves
                nothing.
            resume: whether the file may already hold games.
            processes: the number of games to play at a time on this machine, 1 to 1024.
            workers: makes other workers instead of these processes.
            sprt: a test; the match stops after the pair of games that decides it, which is the same
                one on any number of processes.

        Yields:
            The records in order, including those that were saved before.

        Raises:
            ConfigError: if there is no file to resume, ``processes`` is invalid, or a player does
                not start before the first game.
            FileError: as `tkm_env.arena.playing.ledger.Ledger` does.
        """
        if save is None and resume:
            raise ConfigError("resume", resume, "it needs save: the file with the games so far")
        workers = workers or local_workers(self.conditions, processes, self.games)
        schedule = _MatchSchedule(with_kept_seed(self, save, resume=resume))
        records = play_schedule(
            schedule,
            workers,
            save,
            resume=resume,
            stopping=lambda: self.is_stopped,
            starting=self._check_starts,
        )
        with closing(records):
            yield from records if sprt is None else _until_decided(sprt, records)

    def _check_starts(self) -> None:
        for keyword, line in {"first": self.first, "second": self.second}.items():
            check_start(
                line,
                self.game,
                self.config,
                keyword,
                self.conditions.limits,
                trust=self.conditions.trust,
            )


def _until_decided(sprt: SPRT, records: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the games of a match, in order, up to the pair that decides the test."""
    repeats, counts = Repeats(), [0] * 5
    points: list[float] = []
    for record in records:
        yield record
        is_second = has_swapped_sides(record["seed"])
        if repeats.is_new(RecordedGame.of(record)):
            points.append(points_of(record["result"], int(is_second)))
        if is_second:
            if len(points) == 2:
                counts[round(2 * sum(points))] += 1
                if (
                    sprt.accepted(
                        PairResults((counts[0], counts[1], counts[2], counts[3], counts[4]))
                    )
                    is not None
                ):
                    return
            points.clear()


class _MatchSchedule(Schedule):
    """The schedule of a match."""

    title = "match"

    def __init__(self, match: Match) -> None:
        self.conditions, self.games = match.conditions, match.games
        self.drawn_seed = match.seed if match.is_seed_drawn else None
        self._match = match
        self._others = match.fixtures()
        self._by_seed: dict[int, ScheduledGame] = {}

    def fixtures(self) -> Iterator[ScheduledGame]:
        return self._match.fixtures()

    def find(self, record: Mapping[str, Any]) -> ScheduledGame | None:
        seed = record.get("seed", -1)
        while seed not in self._by_seed and (fixture := next(self._others, None)) is not None:
            self._by_seed[fixture.seed] = fixture
        return self._by_seed.get(seed)


@dataclasses.dataclass(frozen=True)
class Standing:
    """The results of one player in a match.

    A game that repeats an earlier one says nothing new, and is not counted.
    """

    player: str  # its line
    #: For each side, "white" and "black" or "red" and "blue": the numbers of wins, draws (including
    #: truncated games) and losses.
    by_side: dict[str, tuple[int, int, int]]
    pairs: PairResults  # the points of the games, in pairs that have the same start
    turns: float  # the mean number of turns per game
    seconds: float  # the mean time of this player's decisions, in seconds
    #: The number of losses through a fault, by kind, without failed starts.
    faults: dict[str, int] = dataclasses.field(default_factory=dict)
    failed_starts: int = 0  # the number of games lost because the player did not start
    repeated: int = 0  # the number of games that are not counted

    @property
    def games(self) -> int:
        """The number of games that count."""
        return sum(map(sum, self.by_side.values()))

    @property
    def score(self) -> Interval:
        """The share of points, with its 95% interval from pairs; a draw is half a point."""
        return self.pairs.score


def standings(records: Sequence[dict[str, Any]], match: Match) -> tuple[Standing, Standing]:
    """Compute the results of both players of a match.

    Args:
        records: the records of its games.
        match: the match.

    Returns:
        The standings of the first player and of the second.

    Raises:
        ConfigError: if there are no records.
        RecordError: if a record is not of a game of a match, which has a seed and seconds.
    """
    if not isinstance(records, Sequence) or not records:
        raise ConfigError("records", records, "it must be a sequence of at least one game record")
    sides = game_spec(checked_instance("match", match, Match).game).players
    games = [RecordedGame.of(record) for record in records]
    for game in games:
        for key in ("seed", "seconds"):
            if key not in game.record:
                raise RecordError(
                    key, "it is required, since it tells who played which side, and how fast"
                )
    repeats = Repeats()
    new = [game for game in games if repeats.is_new(game)]
    first, second = (
        _standing(line, number, sides, new)
        for number, line in enumerate((match.first, match.second))
    )
    repeated = len(games) - len(new)
    return dataclasses.replace(first, repeated=repeated), dataclasses.replace(
        second, repeated=repeated
    )


def _standing(
    line: str, number: int, sides: Sequence[str], games: Sequence[RecordedGame]
) -> Standing:
    """Compute the results of the player with this index in the match."""
    counts: Counter[tuple[str, float]] = Counter()
    points: list[tuple[int, float]] = []
    seconds: list[float] = []
    faults: Counter[str] = Counter()
    failed_starts = 0
    for game in games:
        record = game.record
        seat = number ^ has_swapped_sides(record["seed"])
        gained = points_of(record["result"], seat)
        counts[sides[seat], gained] += 1
        points.append((record["seed"] // 2, gained))
        seconds += [taken for side, _, taken in game.decisions() if side == sides[seat]]
        fault = record.get("fault")
        if fault is not None and fault["player"] == sides[seat]:
            if fault["ply"] == START:
                failed_starts += 1
            else:
                faults[fault["kind"]] += 1
    return Standing(
        line,
        {side: (counts[side, 1.0], counts[side, 0.5], counts[side, 0.0]) for side in sides},
        PairResults.of(points),
        float(np.mean([game.game.turn for game in games])),
        float(np.mean(seconds or [0])),
        dict(faults),
        failed_starts,
    )
