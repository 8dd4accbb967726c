"""Matches: two players, many games, balanced sides, several processes."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import signal
import threading
import warnings
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from typing import Any, Final

import numpy as np

from tkm_env.agents.specs import make_agent
from tkm_env.arena.judge import Conditions, Measured, Player, play_out
from tkm_env.arena.score import POINTS, Interval, Pairs
from tkm_env.arena.sprt import SPRT
from tkm_env.checks import checked_instance, checked_integer, is_text
from tkm_env.core.faults import START
from tkm_env.core.game import BaseGame
from tkm_env.core.records import KIND, VERSION, from_record, line_of, records_in
from tkm_env.core.registry import GameSpec, add_games, default_game, game_spec, registered_games
from tkm_env.core.settings import changed_settings, make_config
from tkm_env.errors import ConfigError, FileError, RecordError
from tkm_env.line_file import LineFile

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
        spec = game_spec(default_game() if self.game is None else self.game)
        object.__setattr__(self, "game", spec.name)
        object.__setattr__(self, "config", make_config(type(spec.game_class.default_config), self.config, {}))
        for number, (keyword, line) in enumerate((("first", self.first), ("second", self.second))):
            self._agents[_key(number, line)] = Player(line, spec.name, self.conditions, keyword)
            if not is_text(line):
                raise ConfigError(keyword, line, "it must be text, since records name it")
        object.__setattr__(self, "games", 2 * -(-checked_integer("games", self.games, 1, 10**9) // 2))
        object.__setattr__(self, "seed", checked_integer("seed", self.seed, 0, 2**63 - 1))
        turns = checked_integer("opening_turns", self.opening_turns, 0, self.config.max_turns - 1)
        object.__setattr__(self, "opening_turns", turns)

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
        self,
        save: str | os.PathLike[str] | None = None,
        *,
        resume: bool = False,
        processes: int = 1,
        sprt: SPRT | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Play the remaining games and yield each record as soon as its game is over; finished games that were saved come first.

        While it runs, no other match can write to the file. A game is saved as a whole or not at all. Whatever stops a match, if only the
        file is there, it can be resumed and then has the same games as if nothing had stopped it.

        Args:
            save: a file of game records, to which each finished game is appended.
            resume: continue with the games in that file. If the last record is unfinished because its writer was killed, it is moved to
                the end of a file of the same name with ``.cut`` added, with a `RuntimeWarning`.
            processes: the number of processes.
            sprt: stop after the pair of games that decides this test. The games are then yielded and saved in order of their number, so
                that the same seed stops at the same pair on any number of processes; a game that is over before earlier ones is kept
                until they are, and lost if the match is interrupted.

        Raises:
            ConfigError: if there is nothing to resume, or ``processes`` is invalid.
            FileError: before the first game, if the file cannot be written, another match is writing to it, it exists and ``resume`` is not
                set, or it holds anything but games of this match; such a file is left as it is. Also if a game cannot be saved; those
                before it have been.
        """
        checked_integer("processes", processes, 1, 1024)
        if save is None:
            if resume:
                raise ConfigError("resume", resume, "it needs save: the file with the games so far")
            yield from self._records({}, processes, sprt)
            return
        with LineFile(save) as file:
            if not resume and file.read():
                raise FileError(save, "it exists already: resume it, or give another name")
            done = self._saved(file)
            if len(done) < self.games:
                file.check_room()
            with closing(self._records(done, processes, sprt)) as records:
                for record in records:
                    if record["seed"] not in done:
                        file.append_line(line_of(record))
                    yield record

    def _records(self, done: Mapping[int, dict[str, Any]], processes: int, sprt: SPRT | None) -> Generator[dict[str, Any]]:
        """The games that are done, by seed, and the others as they are played, up to the pair that decides the test."""
        left = [game for game in self.pairing() if game.seed not in done]
        with closing(self._played(left, processes)) as played:
            records = itertools.chain(done.values(), played)
            yield from records if sprt is None else self._until_decided(sprt, records)

    def _until_decided(self, sprt: SPRT, records: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """All games of the match, in order of their number, up to the pair that decides the test."""
        early: dict[int, dict[str, Any]] = {}
        counts, points = [0] * 5, 0.0
        for game in self.pairing():
            if game.number % 2 == 0:
                points = 0.0
                if sprt.accepted(Pairs((counts[0], counts[1], counts[2], counts[3], counts[4]))) is not None:
                    return
            while game.seed not in early:
                played = next(records, None)
                if played is None:  # the match was stopped
                    return
                early[played["seed"]] = played
            record = early.pop(game.seed)
            yield record
            points += _points(record)
            if game.number % 2:
                counts[round(2 * points)] += 1

    def _saved(self, file: LineFile) -> dict[int, dict[str, Any]]:
        """The games of this match that are in the file, by seed; nothing but they, and what a killed writer left of one, may be there."""
        games = {game.seed: game for game in self.pairing()}
        done: dict[int, dict[str, Any]] = {}

        def add(number: int, record: dict[str, Any]) -> None:
            game = games.get(record.get("seed", -1))
            if (
                game is None
                or _beginning_of(record) != self._beginning(game)
                or record.get("isolation") != self._isolation(game)
                or record["result"] is None
                or "seconds" not in record
            ):
                raise FileError(
                    file.path,
                    f"line {number} does not hold a game of this match: players, settings, opening, isolation or seed differ",
                )
            if game.seed in done:
                raise FileError(file.path, f"line {number} holds a game that is there already, the one with the seed {game.seed}")
            try:
                from_record(record)
            except RecordError as error:
                raise FileError(file.path, f"line {number} is not a game: {error}") from error
            done[game.seed] = record

        content = file.read()
        *lines, last = content.split(b"\n")
        for number, record in records_in(file.path, lines):
            add(number, record)
        try:
            rest = list(records_in(file.path, [last], len(lines) + 1))
        except FileError:
            if not any(self._may_begin(last, game) for game in games.values() if game.seed not in done):
                raise
            beside = file.cut(len(content) - len(last))
            warnings.warn(
                f"{file.path}: its last record was unfinished; it has been moved to the end of {beside}",
                RuntimeWarning,
                stacklevel=3,
            )
        else:
            for number, record in rest:
                add(number, record)
            file.end_line()
        return done

    def _beginning(self, game: MatchGame) -> dict[str, Any]:
        """What is known of a game's record before it is played."""
        game_class = game_spec(self.game).game_class
        start = opening(game_class, self.config, game.seed // 2, self.opening_turns)
        return _beginning_of(start.to_record(players=dict(zip(game_class.players, game.lines, strict=True)), seed=game.seed))

    def _isolation(self, game: MatchGame) -> dict[str, str]:
        """Where the players of a game run, by side."""
        seats = enumerate(zip(game_spec(self.game).players, game.lines, strict=True))
        return {side: self._agents[_key((number + game.seed) % 2, line)].isolation for number, (side, line) in seats}

    def _may_begin(self, text: bytes, game: MatchGame) -> bool:
        """Whether this may be what a killed writer left of a game's record."""
        # What needs no opening, which takes its time, comes first.
        seeded = {"kind": KIND, "version": VERSION, "game": self.game, "config": changed_settings(self.config), "seed": game.seed}
        known = json.dumps(seeded).encode("utf-8")[:-1]
        if known.startswith(text):
            return True
        if not text.startswith(known):
            return False
        known = json.dumps(self._beginning(game)).encode("utf-8")[:-1] + b', "actions": ['
        return known.startswith(text) or text.startswith(known)

    def _played(self, games: Sequence[MatchGame], processes: int) -> Generator[dict[str, Any]]:
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


#: How many random games are played to find one that lasts beyond its opening.
_OPENINGS_TRIED: Final = 300

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


def _beginning_of(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what is known only after the game, and without where the players ran."""
    return {key: value for key, value in record.items() if key not in ("actions", "result", *Measured._fields, "isolation")}


def _points(record: dict[str, Any]) -> float:
    """What a finished game of a match brought its first player."""
    first_sides = POINTS[record["result"]]
    return first_sides if record["seed"] % 2 == 0 else 1 - first_sides


def _key(number: int, line: str) -> str:
    """The key of the first or second player of a match, 0 or 1, in a cache: one that plays itself needs two instances."""
    return f"{number} {line}"


def opening(kind: type[BaseGame], config: Any, seed: int, turns: int) -> BaseGame:
    """A game that begins after this many turns of random play, including a draft, and is still undecided.

    Raises:
        ConfigError: if no game of very many random ones lasts so long.
    """
    generator = np.random.default_rng(seed)
    for _ in range(_OPENINGS_TRIED):
        game = kind(config, seed=generator)
        while game.result is None and game.turn <= turns:
            legal = game.legal_actions()
            game.play(legal[generator.integers(len(legal))])
        if game.result is None:
            return kind(config, position=game.position)
    raise ConfigError("opening_turns", turns, f"each of {_OPENINGS_TRIED} random games was over by then; fewer are needed")


#: The players of this process whose code is compiled, each with its game.
_WARM: set[tuple[str, str]] = set()


def _warm_up(line: str, game: BaseGame) -> None:
    """Have a player of this line's kind, if it is one of the game's own, play two turns that nobody sees.

    The first decisions in a process wait for the compiler, or for machine code to be read from disk, which is not to be in their times.
    The player of this kind on the game's ladder makes them, which does not take long; the one that is to play plays as if nothing had
    been.
    """
    spec = game_spec(game.name)
    name = line.partition(":")[0]
    if name in spec.agents and (spec.name, name) not in _WARM:
        _WARM.add((spec.name, name))
        quick = next((rung for rung in spec.ladder if rung.partition(":")[0] == name), line)
        agent, trial = make_agent(quick, game=spec.name), game.copy()
        while trial.result is None and trial.turn < game.turn + 2:
            trial.play(agent.act(trial))


def play_game(match: Match, paired: MatchGame, agents: dict[str, Any]) -> dict[str, Any]:
    """Play one game of a match and return its record.

    Args:
        match: the match.
        paired: which of its games.
        agents: a cache of `tkm_env.arena.judge.Player`; new ones are added, so that each is made only once.
    """
    checked_instance("paired", paired, MatchGame)
    kind = game_spec(checked_instance("match", match, Match).game).game_class
    game = opening(kind, match.config, paired.seed // 2, match.opening_turns)
    lines = dict(zip(kind.players, paired.lines, strict=True))
    playing: dict[str, Player] = {}
    for number, (side, line) in enumerate(lines.items()):
        key = _key((number + paired.seed) % 2, line)
        _warm_up(line, game)
        if key not in agents:
            agents[key] = Player(line, match.game, match.conditions)
        playing[side] = agents[key]
    generators = {side: np.random.default_rng([paired.seed, number]) for number, side in enumerate(lines)}
    measured = play_out(game, playing, generators)
    isolation = {side: player.isolation for side, player in playing.items()}
    return game.to_record(players=lines, seed=paired.seed, isolation=isolation, **measured._asdict())


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
