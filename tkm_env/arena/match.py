"""Matches: two players, many games, balanced sides."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from tkm_env.arena.fixture import Contestant, Fixture, RandomStart, seed_of_pair
from tkm_env.arena.referee import Conditions, Player
from tkm_env.arena.schedule import play_schedule
from tkm_env.arena.score import POINTS, Interval, Pairs
from tkm_env.arena.sprt import SPRT
from tkm_env.arena.workers import Workers, local_workers
from tkm_env.checks import checked_instance, checked_integer, is_text
from tkm_env.errors import ConfigError, RecordError
from tkm_env.game.faults import START
from tkm_env.game.records import from_record
from tkm_env.game.registry import default_game, game_spec
from tkm_env.game.settings import make_config


@dataclasses.dataclass(frozen=True)
class Match:
    """A match between two players: it schedules the games, plays them, and resumes where it was stopped.

    Attributes:
        first: a player, as `tkm_env.agents.specs.make_agent` reads it.
        second: the other player.
        games: how many; rounded up to an even number.
        config: the settings of every game; None, the defaults.
        seed: determines all starts and all players' randomness: the same seed gives the same games on any number of processes (with time
            limits, only as far as timing is reproducible).
        opening_turns: how many turns are played at random before the players take over, so that deterministic players do not repeat
            the same game.
        game: the name of the game; None for the first in the registry.
        conditions: where the players run, and how long they may think.

    Raises:
        ConfigError: naming the invalid field.

    >>> match = Match("random", "random", games=4, seed=1)
    >>> [game.seed // 2 == other.seed // 2 for game, other in zip(match.pairing()[::2], match.pairing()[1::2], strict=True)]
    [True, True]
    """

    first: str
    second: str
    games: int = 100
    config: Any = None
    seed: int = 0
    opening_turns: int = 2
    game: str | None = None
    conditions: Conditions = dataclasses.field(default_factory=Conditions)
    _stopping: list[bool] = dataclasses.field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        spec = game_spec(default_game() if self.game is None else self.game)
        object.__setattr__(self, "game", spec.name)
        object.__setattr__(self, "config", make_config(type(spec.game_class.default_config), self.config, {}))
        for keyword, line in (("first", self.first), ("second", self.second)):
            Player(line, spec.name, self.conditions, keyword, self.config)
            if not is_text(line):
                raise ConfigError(keyword, line, "it must be text, since records name it")
        object.__setattr__(self, "games", 2 * -(-checked_integer("games", self.games, 1, 10**9) // 2))
        object.__setattr__(self, "seed", checked_integer("seed", self.seed, 0, 2**63 - 1))
        turns = checked_integer("opening_turns", self.opening_turns, 0, self.config.max_turns - 1)
        object.__setattr__(self, "opening_turns", turns)

    def stop(self) -> None:
        """Have `play` finish the games that are being played, and begin no others; from a signal's handler or any thread."""
        self._stopping.append(True)

    def pairing(self) -> list[Fixture]:
        """All games, in order. The first player of the match has the first side, white or red, in games with even seeds."""
        assert self.game is not None
        two = (Contestant(self.first, self.first), Contestant(self.second, self.second, int(self.first == self.second)))
        found = []
        for pair in range(self.games // 2):
            start = seed_of_pair(self.seed, pair)
            for swapped, contestants in enumerate((two, two[::-1])):
                found.append(
                    Fixture(self.game, self.config, RandomStart(start, self.opening_turns), 2 * start + swapped, contestants)
                )
        return found

    def play(
        self,
        save: str | os.PathLike[str] | None = None,
        *,
        resume: bool = False,
        processes: int = 1,
        workers: Callable[[], Workers] | None = None,
        sprt: SPRT | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Play the games and yield their records in order, with those that were saved before.

        While it runs, no other match can write to the file. A game is saved as a whole or not at all. Whatever stops a match, if only the
        file is there, it can be resumed and then has the same games as if nothing had stopped it.

        Args:
            save: a file of game records, to which each finished game is appended in its order. One that is over before earlier ones is
                kept in a file of the same name with ``.ahead`` added until then.
            resume: continue with the games in that file. If the last record is unfinished because its writer was killed, it is moved to
                the end of a file of the same name with ``.cut`` added, with a `RuntimeWarning`.
            processes: the number of processes on this machine.
            workers: makes others who play; then ``processes`` does not matter.
            sprt: stop after the pair of games that decides this test, which is the same one on any number of processes.

        Raises:
            ConfigError: if there is nothing to resume, or ``processes`` is invalid.
            FileError: before the first game, if the file cannot be written, another match is writing to it, it exists and ``resume`` is not
                set, or it holds anything but games of this match; such a file is left as it is. Also if a game cannot be saved; those
                before it have been.
        """
        checked_integer("processes", processes, 1, 1024)
        if save is None and resume:
            raise ConfigError("resume", resume, "it needs save: the file with the games so far")
        records = play_schedule(
            _Games(self),
            workers or (lambda: local_workers(self.conditions, processes, self.games)),
            save,
            resume=resume,
            stopping=lambda: self._stopping,
        )
        with closing(records):
            yield from records if sprt is None else _until_decided(sprt, records)


def _until_decided(sprt: SPRT, records: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The games of a match, in its order, up to the pair that decides the test."""
    counts, points = [0] * 5, 0.0
    sprt.accepted(Pairs())  # what is missing for it is missed before the first game
    for record in records:
        yield record
        points += _points(record)
        if record["seed"] % 2:
            counts[round(2 * points)] += 1
            points = 0.0
            if sprt.accepted(Pairs((counts[0], counts[1], counts[2], counts[3], counts[4]))) is not None:
                return


class _Games:
    """The schedule of a match."""

    title = "match"
    lag = None

    def __init__(self, match: Match) -> None:
        self.games = match.games
        self._pairing = match.pairing()
        self._by_seed = {fixture.seed: fixture for fixture in self._pairing}
        lines = {match.first, match.second}
        self._isolations = {line: Player(line, match.game, match.conditions).isolation for line in lines}

    def fixture(self, number: int, results: Sequence[Mapping[str, Any]]) -> Fixture | None:
        return self._pairing[number] if number < len(self._pairing) else None

    def find(self, record: Mapping[str, Any]) -> Fixture | None:
        return self._by_seed.get(record.get("seed", -1))

    def fixtures(self) -> Iterator[Fixture]:
        return iter(self._pairing)

    def isolation(self, contestant: Contestant) -> str:
        return self._isolations[contestant.line]

    def resume(self, played: Sequence[Fixture]) -> None:
        """What was played before changes nothing."""


def _points(record: Mapping[str, Any]) -> float:
    """What a finished game of a match brought its first player."""
    first_sides = POINTS[record["result"]]
    return first_sides if record["seed"] % 2 == 0 else 1 - first_sides


@dataclasses.dataclass(frozen=True)
class Standing:
    """How one player did: wins, draws (including truncated games) and losses by side, and how fast.

    Attributes:
        player: the player's line.
        by_side: for each side, "white" and "black" or "red" and "blue": wins, draws, losses.
        pairs: the points of the games, in pairs that have the same start.
        turns: the mean number of turns per game.
        seconds: the mean time of this player's decisions.
        faults: how many of its losses were by a fault, by kind; failed starts apart.
        failed_starts: how many games it lost because it did not start.
    """

    player: str
    by_side: dict[str, tuple[int, int, int]]
    pairs: Pairs
    turns: float
    seconds: float
    faults: dict[str, int] = dataclasses.field(default_factory=dict)
    failed_starts: int = 0

    @property
    def games(self) -> int:
        """How many games were played."""
        return sum(map(sum, self.by_side.values()))

    @property
    def score(self) -> Interval:
        """The share of points with its 95% interval, from pairs of games; a draw is half a point."""
        return self.pairs.score


def standings(records: Sequence[dict[str, Any]], match: Match) -> tuple[Standing, Standing]:
    """How the first and the second player of a match did in these games.

    Raises:
        ConfigError: if there are none.
        RecordError: if one is not the record of a game of a match, with its seed and its seconds.
    """
    if not isinstance(records, Sequence) or not records:
        raise ConfigError("records", records, "it must be a sequence of at least one game record")
    sides = game_spec(checked_instance("match", match, Match).game).game_class.players
    counts = [{side: [0, 0, 0] for side in sides} for _ in range(2)]
    points: list[tuple[int, float]] = []
    seconds: list[list[float]] = [[], []]
    turns = []
    faults: list[Counter[str]] = [Counter(), Counter()]
    failed_starts = [0, 0]
    for record in records:
        game = from_record(record)
        for key in ("seed", "seconds"):
            if key not in record:
                raise RecordError(key, "it is required: it says who played which side, and how fast")
        turns.append(game.turn)
        # By side: which player of the match that is.
        number_of = dict(zip(sides, (0, 1) if record["seed"] % 2 == 0 else (1, 0), strict=True))
        gained = _points(record)
        points.append((record["seed"] // 2, gained))
        for side, number in number_of.items():
            counts[number][side][round(2 * (gained if number else 1 - gained))] += 1
        if fault := record.get("fault"):
            number = number_of[fault["player"]]
            if fault["ply"] == START:
                failed_starts[number] += 1
            else:
                faults[number][fault["kind"]] += 1
        again = game.start
        for action, second in zip(game.history, record["seconds"], strict=True):
            seconds[number_of[again.to_act]].append(second)
            again.play(action)
    first, second_player = (
        Standing(
            line,
            {side: (wins, draws, losses) for side, (wins, draws, losses) in counts[number].items()},
            Pairs.of((pair, 1 - gained if number else gained) for pair, gained in points),
            float(np.mean(turns)),
            float(np.mean(seconds[number] or [0])),
            dict(faults[number]),
            failed_starts[number],
        )
        for number, line in enumerate((match.first, match.second))
    )
    return first, second_player
