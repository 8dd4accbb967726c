"""Playing the games of a schedule, in this process or in several on this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing, nullcontext
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from typing import Any, Final, Protocol

from tkm_env.agents.specs import make_agent
from tkm_env.arena.ledger import Ledger
from tkm_env.arena.referee import Conditions, Player, conduct_game
from tkm_env.arena.schedule import Entrant, Schedule, ScheduledGame
from tkm_env.checks import checked_instance, checked_integer
from tkm_env.game.base import BaseGame
from tkm_env.game.registry import GameSpec, add_games, game_spec, registered_games

#: How many players' programs a process keeps running between games.
_KEPT_RUNNING: Final = 4


class Players:
    """The players of one process, from game to game.

    Each is made once. Programs keep running between games; beyond a few, those that have waited longest are ended, and start again with
    their next game.
    """

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        #: Those who played last come last.
        self._known: dict[tuple[str, Entrant], Player] = {}

    def seat(self, fixture: ScheduledGame) -> dict[str, Player]:
        """The players of a game, by side.

        Raises:
            ConfigError: if there is no such player.
        """
        playing = {}
        for side, contestant in zip(fixture.players, fixture.contestants, strict=True):
            key = (fixture.game, contestant)
            player = self._known.pop(key, None)
            if player is None:
                player = Player(contestant.line, fixture.game, self._conditions.reading(contestant.readable))
            playing[side] = self._known[key] = player
        programs = [player for player in self._known.values() if player.isolation != "none"]
        for player in programs[:-_KEPT_RUNNING]:
            player.close()
        return playing

    def close(self) -> None:
        """End all their programs."""
        for player in self._known.values():
            player.close()


#: The players of this process whose code is compiled, each with its game.
_WARM: set[tuple[str, str]] = set()


def _warm_up(line: str, game: BaseGame) -> None:
    """Have a player of this line's kind, if it is one of the game's own, play two turns of a copy.

    The first decisions in a process wait for the compiler, or for machine code to be read from disk; that is not to count as thinking.
    The player of this kind on the game's ladder decides quickly, and the one that is to play keeps its state.
    """
    spec = game_spec(game.name)
    name = line.partition(":")[0]
    if name in spec.agents and (spec.name, name) not in _WARM:
        _WARM.add((spec.name, name))
        quick = next((rung for rung in spec.ladder if rung.partition(":")[0] == name), line)
        agent, trial = make_agent(quick, game=spec.name), game.copy()
        while trial.result is None and trial.turn < game.turn + 2:
            trial.play(agent.act(trial))


def play_scheduled_game(fixture: ScheduledGame, players: Players) -> dict[str, Any]:
    """Play one game and return its record.

    Raises:
        ConfigError: if it cannot begin, or there is no such player.
    """
    checked_instance("players", players, Players)
    return play_between(players.seat(checked_instance("fixture", fixture, ScheduledGame)), fixture)


def play_between(players: Mapping[str, Player], fixture: ScheduledGame) -> dict[str, Any]:
    """Play one game between these players, given by side, and return its record.

    Raises:
        ConfigError: if it cannot begin.
    """
    game = fixture.begin()
    for contestant in fixture.contestants:
        _warm_up(contestant.line, game)
    measured = conduct_game(game, players, {side: fixture.generator(side) for side in players})
    isolation = {side: player.isolation for side, player in players.items()}
    return game.to_record(players=fixture.players, seed=fixture.seed, isolation=isolation, **measured._asdict())


class Workers(Protocol):
    """What plays games, in any order."""

    @property
    def capacity(self) -> int:
        """How many games may be under way: those being played, and enough others to keep all workers busy."""

    def submit(self, number: int, fixture: ScheduledGame) -> None:
        """Have a game played, identified by this number."""

    def wait(self) -> Iterable[tuple[int, dict[str, Any]]]:
        """Wait for submitted games to end; the numbers and records of at least one."""

    def close(self) -> None:
        """Begin no other game, and return when none is being played any more."""


def play_schedule(
    schedule: Schedule,
    workers: Callable[[], Workers],
    save: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    stopping: Callable[[], Any] = bool,
) -> Generator[dict[str, Any]]:
    """Play the games of a schedule and yield their records in its order, with those that were saved before.

    Args:
        schedule: which games.
        workers: makes the workers, once the file has been checked.
        save: a file of records, to which each is appended. Games that end before their turn are kept in a file beside it until then.
        resume: go on with the games in that file.
        stopping: whether to begin no more games.

    Raises:
        FileError: as `tkm_env.arena.ledger.Ledger` does.
    """
    with nullcontext() if save is None else Ledger(save, schedule, resume=resume) as ledger:
        known: Mapping[int, dict[str, Any]] = {} if ledger is None else ledger.known
        results: list[dict[str, Any]] = []
        early: dict[int, dict[str, Any]] = {}
        number, under_way, is_open = 0, 0, True
        with closing(workers()) as playing:
            while is_open or under_way or early:
                while is_open and under_way < playing.capacity and number - len(results) < (schedule.lag or number + 1):
                    fixture = None if stopping() else schedule.fixture(number, results)
                    if fixture is None:
                        is_open = False
                        break
                    if fixture.seed in known:
                        early[number] = known[fixture.seed]
                    else:
                        playing.submit(number, fixture)
                        under_way += 1
                    number += 1
                while len(results) in early:
                    results.append(record := early.pop(len(results)))
                    if ledger is not None:
                        ledger.add(record, is_last=not early)
                    yield record
                if under_way:
                    for finished, record in playing.wait():
                        under_way -= 1
                        early[finished] = record
                        if ledger is not None and finished != len(results):
                            ledger.keep(record)


def checked_processes(given: object) -> int:
    """How many processes work on this machine, 1 to 1024.

    Raises:
        ConfigError: if it is anything else.
    """
    return checked_integer("processes", given, 1, 1024)


def local_workers(conditions: Conditions, processes: int, games: int | None = None) -> Callable[[], Workers]:
    """A function that makes workers on this machine, which play up to ``processes`` games at a time, of at most ``games``.

    Raises:
        ConfigError: if the number of processes is not from 1 to 1024.
    """
    processes = checked_processes(processes)
    wanted = processes if games is None else min(processes, games)
    return lambda: _OneProcess(conditions) if wanted < 2 else _Processes(conditions, wanted)


class _OneProcess:
    """One game after the other, in this process."""

    capacity = 1

    def __init__(self, conditions: Conditions) -> None:
        self._players = Players(conditions)
        self._submitted: list[tuple[int, ScheduledGame]] = []

    def submit(self, number: int, fixture: ScheduledGame) -> None:
        self._submitted.append((number, fixture))

    def wait(self) -> list[tuple[int, dict[str, Any]]]:
        number, fixture = self._submitted.pop(0)
        return [(number, play_scheduled_game(fixture, self._players))]

    def close(self) -> None:
        self._players.close()


class _Processes:
    """Several processes, each of which plays one game at a time."""

    def __init__(self, conditions: Conditions, processes: int) -> None:
        # One more than can be played, so that no process waits, and few remain to be finished when the schedule is stopped.
        self.capacity = processes + 1
        self._pool = process_pool(processes, _prepare_players, conditions)
        self._numbers: dict[Future[dict[str, Any]], int] = {}

    def submit(self, number: int, fixture: ScheduledGame) -> None:
        self._numbers[self._pool.submit(_play, fixture)] = number

    def wait(self) -> list[tuple[int, dict[str, Any]]]:
        finished, _ = wait(self._numbers, return_when=FIRST_COMPLETED)
        return [(self._numbers.pop(future), future.result()) for future in finished]

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


#: The players of this process, if it plays for another one.
_PLAYERS: list[Players] = []


def _prepare_players(conditions: Conditions) -> None:
    _PLAYERS.append(Players(conditions))


def _play(fixture: ScheduledGame) -> dict[str, Any]:
    return play_scheduled_game(fixture, _PLAYERS[0])


def process_pool(processes: int, prepare: Callable[..., object] | None = None, *arguments: Any) -> ProcessPoolExecutor:
    """Processes that know the games registered here. They ignore Ctrl-C, which is for this process, and end with it, however it ends.

    Each of them first calls ``prepare`` with the arguments.
    """
    # Spawned processes share nothing with this one, on any system, so the games registered here are passed on to them. Copies of a server
    # would start faster, but it looks for the package where Python starts, and so may find another version than this one.
    known = list(registered_games().values())
    return ProcessPoolExecutor(processes, get_context("spawn"), _begin, (known, prepare, arguments))


def _begin(known: list[GameSpec], prepare: Callable[..., object] | None, arguments: Sequence[Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    add_games(known)
    parent = parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    if prepare is not None:
        prepare(*arguments)
