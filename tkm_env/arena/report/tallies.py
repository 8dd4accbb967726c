"""Tallies of games, to which games are added one by one, however many there are.

What they hold is proportional to the number of starts and turns at most, in a few bytes each.
"""

import heapq
from array import array
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.arena.record_results import RecordedGame
from tkm_env.arena.report.report import Conduct, LostByFault, ReportedGame, TurnTime
from tkm_env.core.record_schema import START
from tkm_env.evaluation.score import PairResults

#: The number of slowest turns that a report names.
_SLOWEST: Final = 10


class _Sums(NamedTuple):
    """Sums over groups of games: of points squared, of points times games, of games squared.

    Points are counted twice, so that all numbers are integers.
    """

    points: int = 0
    mixed: int = 0
    games: int = 0

    def moved(self, before: tuple[int, int], after: tuple[int, int]) -> "_Sums":
        """Return the sums after a group's points and games have changed."""
        (points, games), (more, larger) = before, after
        return _Sums(
            self.points + more * more - points * points,
            self.mixed + more * larger - points * games,
            self.games + larger * larger - games * games,
        )

    def plus(self, other: "_Sums") -> "_Sums":
        """Return the sums over the groups of both."""
        return _Sums(*(one + two for one, two in zip(self, other, strict=True)))

    def mirrored(self) -> "_Sums":
        """Return the sums for the points of the other side."""
        return _Sums(
            4 * self.games - 4 * self.mixed + self.points, 2 * self.games - self.mixed, self.games
        )

    def squares(self, points: int, games: int) -> int:
        """Return the sum of the squares of the groups' deviations, times ``games`` squared.

        Args:
            points: the points of all groups, counted twice.
            games: the games of all groups.
        """
        return (
            games * games * self.points
            - 2 * points * games * self.mixed
            + points * points * self.games
        )


class PairTally(NamedTuple):
    """The points of one player, or side, in games that come in pairs, and share starts."""

    #: The numbers of pairs that brought 0, ½, 1, 1½ and 2 points.
    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    #: The numbers of games in incomplete pairs that brought 0, ½ and 1 point.
    single: tuple[int, int, int] = (0, 0, 0)
    pairs: _Sums = _Sums()
    starts: _Sums = _Sums()
    number_of_starts: int = 0

    def plus(self, other: "PairTally") -> "PairTally":
        """Return the tally of both, which share neither pairs nor starts."""
        four, one = (
            tuple(mine + theirs for mine, theirs in zip(each, its, strict=True))
            for each, its in ((self.counts, other.counts), (self.single, other.single))
        )
        return PairTally(
            four,  # type: ignore[arg-type]  # as many as before
            one,  # type: ignore[arg-type]  # as many as before
            self.pairs.plus(other.pairs),
            self.starts.plus(other.starts),
            self.number_of_starts + other.number_of_starts,
        )

    def mirrored(self) -> "PairTally":
        """Return the tally of the other side."""
        return self._replace(
            counts=self.counts[::-1],
            single=self.single[::-1],
            pairs=self.pairs.mirrored(),
            starts=self.starts.mirrored(),
        )

    def results(self) -> PairResults:
        """Return the results, as `PairResults.of` counts them."""
        return PairResults(self.counts, self.single, self._shared())

    def _shared(self) -> float:
        """Return the factor by which shared starts multiply the variance, from exact sums."""
        number = sum(self.counts) + sum(self.single)
        games = 2 * sum(self.counts) + sum(self.single)
        points = sum(
            half * count
            for counts in (self.counts, self.single)
            for half, count in enumerate(counts)
        )
        squares, starts = self.pairs.squares(points, games), self.number_of_starts
        if not squares or starts in (1, number):
            return 1.0
        return max(1.0, starts / (starts - 1) * (self.starts.squares(points, games) / squares))


class PairCounter:
    """Counts the points of one player, or side, game by game.

    Attributes:
        tally: what was counted so far.
    """

    def __init__(self) -> None:
        self.tally = PairTally()
        #: Twice the points of the first game of each incomplete pair.
        self._open: dict[Hashable, int] = {}
        #: Twice the points, and the games, of each start.
        self._starts: dict[int, tuple[int, int]] = {}

    def add(self, pair: Hashable, start: Hashable, points: float) -> None:
        """Add a game.

        Args:
            pair: the pair to which it belongs.
            start: the start of the pair.
            points: its points: 0, 0.5 or 1.
        """
        counts, single = [*self.tally.counts], [*self.tally.single]
        half, earlier = int(2 * points), self._open.pop(pair, None)
        if earlier is None:
            self._open[pair] = half
            single[half] += 1
            pairs = self.tally.pairs.moved((0, 0), (half, 1))
        else:
            single[earlier] -= 1
            counts[earlier + half] += 1
            pairs = self.tally.pairs.moved((earlier, 1), (earlier + half, 2))
        key = hash(start)
        before = self._starts.get(key, (0, 0))
        after = self._starts[key] = before[0] + half, before[1] + 1
        self.tally = PairTally(
            tuple(counts),  # type: ignore[arg-type]  # as many as before
            tuple(single),  # type: ignore[arg-type]  # as many as before
            pairs,
            self.tally.starts.moved(before, after),
            len(self._starts),
        )


class _Peak(NamedTuple):
    """The highest value of some games, and the first game that had it."""

    value: float
    game: int

    @classmethod
    def of(cls, peaks: Iterable["_Peak | None"]) -> "_Peak | None":
        """Return the highest of several; None if there is none."""
        known = [peak for peak in peaks if peak is not None]
        return max(known, key=lambda peak: (peak.value, -peak.game), default=None)


class ConductTally:
    """What one player did, game by game."""

    def __init__(self) -> None:
        self._outcomes = Counter[float]()
        self._faults = Counter[str]()
        self._failed_starts = 0
        self._seconds, self._cpu = array("d"), array("d")
        self._slowest: list[TurnTime] = []
        self._memory: _Peak | None = None
        self._cpu_most: _Peak | None = None
        #: The first game with each of these names, and the place of the name in it.
        self._isolation: dict[str, tuple[int, int]] = {}
        self._unprotected: dict[str, tuple[int, int]] = {}

    def add(
        self, side: str, game: ReportedGame, record: Mapping[str, Any], times: Iterable[TurnTime]
    ) -> None:
        """Add a game.

        Args:
            side: the player's side.
            game: the game.
            record: its record.
            times: the times of the player's turns in it.
        """
        self._outcomes[game.points_of(side)] += 1
        if game.fault is not None and game.fault.player == game.players[side]:
            if game.fault.ply == START:
                self._failed_starts += 1
            else:
                self._faults[game.fault.kind] += 1
        for time in times:
            self._seconds.append(time.seconds)
            self._slowest = slowest_among([*self._slowest, time], 1)
        if side in record.get("memory", ()):
            peak = _Peak(record["memory"][side], game.number)
            self._memory = _Peak.of((self._memory, peak))
        if side in record.get("cpu", ()):
            self._cpu.append(record["cpu"][side])
            self._cpu_most = _Peak.of((self._cpu_most, _Peak(record["cpu"][side], game.number)))
        if "isolation" in record:
            self._isolation.setdefault(record["isolation"][side], (game.number, 0))
        for place, name in enumerate(record.get("unprotected", {}).get(side, ())):
            self._unprotected.setdefault(name, (game.number, place))

    @classmethod
    def sum_of(cls, tallies: Sequence["ConductTally"]) -> "ConductTally":
        """Return the tally of all games of several."""
        if len(tallies) == 1:
            return tallies[0]
        whole = cls()
        for each in tallies:
            whole._outcomes += each._outcomes
            whole._faults += each._faults
            whole._failed_starts += each._failed_starts
            whole._seconds.extend(each._seconds)
            whole._cpu.extend(each._cpu)
            for names, more in (
                (whole._isolation, each._isolation),
                (whole._unprotected, each._unprotected),
            ):
                for name, first in more.items():
                    names[name] = min(first, names.get(name, first))
        whole._slowest = slowest_among((time for each in tallies for time in each._slowest), 1)
        whole._memory = _Peak.of(each._memory for each in tallies)
        whole._cpu_most = _Peak.of(each._cpu_most for each in tallies)
        return whole

    def conduct(self, player: str) -> Conduct:
        """Return what the player did, in short."""
        median = p99 = None
        if self._seconds:
            median, p99 = map(to_microsecond, np.percentile(np.asarray(self._seconds), (50, 99)))
        memory = self._memory if self._memory is not None and self._memory.value else None
        return Conduct(
            player=player,
            wins=self._outcomes[1],
            draws=self._outcomes[0.5],
            losses=self._outcomes[0],
            faults=dict(sorted(self._faults.items())),
            failed_starts=self._failed_starts,
            turns=len(self._seconds),
            median=median,
            p99=p99,
            slowest=self._slowest[0] if self._slowest else None,
            memory=memory and memory.value,
            memory_game=memory and memory.game,
            cpu=float(np.median(np.asarray(self._cpu))) if self._cpu else None,
            cpu_most=self._cpu_most and self._cpu_most.value,
            cpu_game=self._cpu_most and self._cpu_most.game,
            isolation=tuple(sorted(self._isolation, key=self._isolation.__getitem__)),
            unprotected=tuple(sorted(self._unprotected, key=self._unprotected.__getitem__)),
        )


class SettingsTally:
    """The games of one kind under the same settings.

    Attributes:
        config: the settings that differ from the defaults.
        results: the number of games with each result, as records have it.
        faulty: the number of games that a fault ended.
        adjudicated: the number of games that the referee ended, since the players agreed.
        turns: the number of turns of all games.
        first_move: counts the points of the side that moved first.
        conduct: what each player did.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = config
        self.results = Counter[str]()
        self.faulty = self.adjudicated = self.turns = 0
        self.first_move = PairCounter()
        self.conduct: dict[str, ConductTally] = defaultdict(ConductTally)

    def add(self, game: ReportedGame, record: Mapping[str, Any], times: Sequence[TurnTime]) -> None:
        """Add a game.

        Args:
            game: the game.
            record: its record.
            times: the times of its turns.
        """
        self.results[game.result] += 1
        self.faulty += game.fault is not None
        self.adjudicated += game.is_adjudicated
        self.turns += game.turns
        self.first_move.add(game.pair, game.start, game.points_of(game.first))
        for side, player in game.players.items():
            mine = [time for time in times if time.player == player]
            self.conduct[player].add(side, game, record, mine)


class GameTally:
    """The games of one kind, under any settings.

    Attributes:
        settings: those under each settings, by the settings as text.
        lost: the games that were lost by a fault.
        slowest_of: the slowest turns of each player, slowest first.
        spoken: the records of games of language models, each with the key of its start.
    """

    def __init__(self) -> None:
        self.settings: dict[str, SettingsTally] = {}
        self.lost: list[LostByFault] = []
        self.slowest_of: dict[str, list[TurnTime]] = defaultdict(list)
        self.spoken: list[tuple[Mapping[str, Any], Hashable]] = []
        #: The points of the first of two players against the second, in alphabetical order.
        self._between: dict[tuple[str, str], PairCounter] = defaultdict(PairCounter)
        #: In which order pairs of players met, and who had the side named first.
        self._met: dict[tuple[str, str], None] = {}

    def add(self, game: ReportedGame, recorded: RecordedGame, times: Sequence[TurnTime]) -> None:
        """Add a game.

        Args:
            game: the game.
            recorded: the same game, replayed.
            times: the times of its turns.
        """
        record = recorded.record
        under = self.settings.setdefault(recorded.settings, SettingsTally(record["config"]))
        under.add(game, record, times)
        if game.fault is not None:
            self.lost.append(game.fault)
        for player in game.players.values():
            mine = (time for time in times if time.player == player)
            self.slowest_of[player] = slowest_among([*self.slowest_of[player], *mine])
        if "models" in record:
            self.spoken.append((record, game.start))
        (side, one), (_, other) = game.players.items()
        self._met.setdefault((one, other))
        self._met.setdefault((other, one))
        points = game.points_of(side)
        if one < other:
            self._between[one, other].add(game.pair, game.start, points)
        else:
            self._between[other, one].add(game.pair, game.start, 1 - points)

    def slowest(self) -> list[TurnTime]:
        """Return the slowest turns of all players, slowest first."""
        return slowest_among(chain.from_iterable(self.slowest_of.values()))

    def cross(self) -> dict[tuple[str, str], PairResults]:
        """Return the points of one player against another, for any two who met, in both orders."""
        return {
            (one, other): (
                self._between[one, other].tally
                if one < other
                else self._between[other, one].tally.mirrored()
            ).results()
            for one, other in self._met
        }


def slowest_among(times: Iterable[TurnTime], number: int = _SLOWEST) -> list[TurnTime]:
    """Return the slowest of some turns, slowest first, and earlier ones before later ones.

    Args:
        times: the turns.
        number: the maximum number of turns that are returned.

    Returns:
        Those turns.
    """
    return heapq.nsmallest(number, times, key=lambda time: (-time.seconds, time.game, time.ply))


def to_microsecond(seconds: float) -> float:
    """Round a time as in records."""
    return round(float(seconds), 6)
