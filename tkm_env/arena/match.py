"""Matches: two players, many games, balanced sides, several processes."""

from __future__ import annotations

import dataclasses
import itertools
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import Any

import numpy as np

from tkm_env.arena.judge import Conditions, Player, play_out
from tkm_env.arena.score import Interval, score_interval
from tkm_env.core.faults import START
from tkm_env.core.game import BaseGame
from tkm_env.core.records import from_record, read_records, write_record
from tkm_env.core.registry import GameSpec, add_games, default_game, game_spec, registered_games
from tkm_env.core.settings import changed_settings, checked_integer, make_config
from tkm_env.errors import FileError
from tkm_env.files import cut_unfinished_line

__all__ = ["Match", "MatchGame", "Standing", "play_game", "standings"]


@dataclasses.dataclass(frozen=True)
class MatchGame:
    """One game of a match: how it begins and who plays which side.

    Games 2i and 2i + 1 have the same start with sides swapped: it is drawn from half their seed, rounded down. The first player of the
    match has the first side, white or red, where the seed is even.

    Attributes:
        number: from 0.
        seed: determines the start and the players' randomness.
        lines: the players, by the order of the sides.
    """

    number: int
    seed: int
    lines: tuple[str, str]


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
    _agents: dict[str, Any] = dataclasses.field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        spec = game_spec(self.game or default_game())
        object.__setattr__(self, "game", spec.name)
        object.__setattr__(self, "config", make_config(type(spec.game_class.default_config), self.config, {}))
        for number, (keyword, line) in enumerate((("first", self.first), ("second", self.second))):
            self._agents[_key(number, line)] = Player(line, spec.name, self.conditions, keyword)
        object.__setattr__(self, "games", 2 * -(-checked_integer("games", self.games, 1, 10**9) // 2))
        checked_integer("seed", self.seed, 0, 2**63 - 1)
        checked_integer("opening_turns", self.opening_turns, 0, self.config.max_turns - 1)

    def __getstate__(self) -> dict[str, Any]:
        """Leaves the agents out: another process makes its own."""
        return self.__dict__ | {"_agents": {}, "_stopping": []}

    def stop(self) -> None:
        """Have `play` finish the games that are being played, and begin no others; from a signal's handler or any thread."""
        self._stopping.append(True)

    def pairing(self) -> list[MatchGame]:
        """All games, in order."""
        found = []
        for number in range(self.games):
            sequence = np.random.SeedSequence(self.seed, spawn_key=(number // 2,))
            lines = (self.first, self.second) if number % 2 == 0 else (self.second, self.first)
            start = int(sequence.generate_state(1, np.uint64)[0]) >> 2
            found.append(MatchGame(number, 2 * start + number % 2, lines))
        return found

    def play(
        self, save: str | os.PathLike[str] | None = None, *, resume: bool = False, processes: int = 1
    ) -> Iterator[dict[str, Any]]:
        """Play the remaining games and yield each record as soon as its game is over; finished games that were saved come first.

        Args:
            save: a file of game records, to which each finished game is appended.
            resume: continue with the games in that file.
            processes: the number of processes.

        Raises:
            FileError: if the file exists and ``resume`` is not set, or it holds games of another match.
        """
        done = self._saved(Path(save), resume) if save is not None else {}
        yield from done.values()
        left = [game for game in self.pairing() if game.seed not in done]
        for record in self._played(left, checked_integer("processes", processes, 1, 1024)):
            if save is not None:
                write_record(save, record)
            yield record

    def _saved(self, path: Path, resume: bool) -> dict[int, dict[str, Any]]:
        """The games of this match that are in the file, by seed."""
        if not path.exists():
            return {}
        if not resume:
            raise FileError(path, "it exists already: resume it, or give another name")
        cut_unfinished_line(path)
        sides = game_spec(self.game).game_class.players
        expected = {game.seed: dict(zip(sides, game.lines, strict=True)) for game in self.pairing()}
        settings = changed_settings(self.config)
        done = {}
        for number, record in read_records(path):
            seed = record.get("seed", -1)
            found = record["game"], record.get("players"), record["config"]
            if found != (self.game, expected.get(seed), settings) or record["result"] is None:
                raise FileError(path, f"line {number} does not hold a game of this match: players, settings or seed differ")
            done[seed] = record
        return done

    def _played(self, games: Sequence[MatchGame], processes: int) -> Iterator[dict[str, Any]]:
        if processes == 1 or len(games) < 2:
            try:
                for game in games:
                    if self._stopping:
                        return
                    yield play_game(self, game, self._agents)
            finally:
                for player in self._agents.values():
                    player.close()
            return
        # Spawned processes share nothing with this one, on any system, so the games registered here are passed on to them.
        known = list(registered_games().values())
        with ProcessPoolExecutor(min(processes, len(games)), get_context("spawn"), _prepare, (known,)) as pool:
            coming = iter(games)
            waiting: set[Future[dict[str, Any]]] = set()
            try:
                while True:
                    # One more than can be played, so that no process waits; and few to finish when the match is stopped.
                    for game in itertools.islice(coming, 0 if self._stopping else processes + 1 - len(waiting)):
                        waiting.add(pool.submit(_play, self, game))
                    if not waiting:
                        return
                    finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for future in finished:
                        yield future.result()
            finally:
                pool.shutdown(cancel_futures=True)


#: The agents of this process, by game.
_AGENTS_OF: dict[str | None, dict[str, Any]] = {}


def _prepare(known: list[GameSpec]) -> None:
    """Get a process of a match ready: Ctrl-C is for the one that plays the match, and this one ends with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    add_games(known)
    parent = parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


def _play(match: Match, game: MatchGame) -> dict[str, Any]:
    agents = _AGENTS_OF.setdefault(match.game, {})
    return play_game(match, game, agents)


def _key(number: int, line: str) -> str:
    """The key of the first or second player of a match, 0 or 1, in a cache: one that plays itself needs two instances."""
    return f"{number} {line}"


def opening(kind: type[BaseGame], config: Any, seed: int, turns: int) -> BaseGame:
    """A game that begins after this many turns of random play, including a draft, and is still undecided."""
    generator = np.random.default_rng(seed)
    while True:
        game = kind(config, seed=generator)
        while game.result is None and game.turn <= turns:
            legal = game.legal_actions()
            game.play(legal[generator.integers(len(legal))])
        if game.result is None:
            return kind(config, position=game.position)


def play_game(match: Match, paired: MatchGame, agents: dict[str, Any]) -> dict[str, Any]:
    """Play one game of a match and return its record.

    Args:
        match: the match.
        paired: which of its games.
        agents: a cache of `tkm_env.arena.judge.Player`; new ones are added, so that each is made only once.
    """
    kind = game_spec(match.game).game_class
    game = opening(kind, match.config, paired.seed // 2, match.opening_turns)
    lines = dict(zip(kind.players, paired.lines, strict=True))
    playing: dict[str, Player] = {}
    for number, (side, line) in enumerate(lines.items()):
        key = _key((number + paired.seed) % 2, line)
        if key not in agents:
            agents[key] = Player(line, match.game, match.conditions)
        playing[side] = agents[key]
    generators = {side: np.random.default_rng([paired.seed, number]) for number, side in enumerate(lines)}
    seconds, fault = play_out(game, playing, generators)
    isolation = {side: player.isolation for side, player in playing.items()}
    return game.to_record(players=lines, seed=paired.seed, seconds=seconds, fault=fault, isolation=isolation)


@dataclasses.dataclass(frozen=True)
class Standing:
    """How one player did: wins, draws (including truncated games) and losses by side, and how fast.

    Attributes:
        player: the player's line.
        by_side: for each side, "white" and "black" or "red" and "blue": wins, draws, losses.
        turns: the mean number of turns per game.
        seconds: the mean time of this player's decisions.
        faults: how many of its losses were by a fault, by kind; failed starts apart.
        failed_starts: how many games it lost because it did not start.
    """

    player: str
    by_side: dict[str, tuple[int, int, int]]
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
        """The share of points with its 95% interval; a draw is half a point."""
        points = sum(wins + draws / 2 for wins, draws, _ in self.by_side.values())
        return score_interval(points, self.games)


def standings(records: Sequence[dict[str, Any]], match: Match) -> tuple[Standing, Standing]:
    """How the first and the second player of a match did in these games, at least one."""
    sides = game_spec(match.game).game_class.players
    counts = [{side: [0, 0, 0] for side in sides} for _ in range(2)]
    seconds: list[list[float]] = [[], []]
    turns = []
    faults: list[Counter[str]] = [Counter(), Counter()]
    failed_starts = [0, 0]
    for record in records:
        game = from_record(record)
        turns.append(game.turn)
        # By side: which player of the match that is.
        number_of = dict(zip(sides, (0, 1) if record["seed"] % 2 == 0 else (1, 0), strict=True))
        for side, number in number_of.items():
            winner = game.winner_of(record["result"])
            counts[number][side][1 if winner is None else 0 if winner == side else 2] += 1
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
            float(np.mean(turns)),
            float(np.mean(seconds[number] or [0])),
            dict(faults[number]),
            failed_starts[number],
        )
        for number, line in enumerate((match.first, match.second))
    )
    return first, second_player
