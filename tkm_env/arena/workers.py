"""Playing the games of a schedule, in this process or in several on this machine."""

import dataclasses
import os
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, nullcontext
from functools import partial
from typing import Any, Final, Protocol

from tkm_env.arena.ledger import Ledger
from tkm_env.arena.live import LiveGame
from tkm_env.arena.process_pool import ProcessPool
from tkm_env.arena.referee import AbsentPlayer, Conditions, Player, conduct_game
from tkm_env.arena.retries import Retries, retried
from tkm_env.arena.schedule import Entrant, Schedule, ScheduledGame
from tkm_env.arena.versions import CHANGED, ChangedPlayerError, digest_of
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import game_spec
from tkm_env.foundations.checks import checked_instance, checked_integer
from tkm_env.foundations.errors import BudgetError, repr_of
from tkm_env.players.roster import ROSTERS
from tkm_env.players.specs import make_agent

#: What is tried again when the machine fails, as on a full disk.
_SAVING: Final = "saving a game"
_STARTING: Final = "starting the players"
_FORFEITS: Final = "until then it loses its games"


class Players:
    """The players of one process, from game to game. Each is made once. Programs keep running between games; beyond a few, those that have
    waited longest are ended, and start again with their next game.
    """

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        #: Those who played last come last.
        self._known: dict[tuple[str, Entrant], Player] = {}

    def seat(self, fixture: ScheduledGame) -> dict[str, Player]:
        """The players of a game, by side. Raises a `ConfigError` if there is no such player."""
        playing: dict[str, Player] = {}
        for side, contestant in zip(fixture.players, fixture.contestants, strict=True):
            if contestant.name == fixture.forfeits:
                playing[side] = AbsentPlayer(
                    contestant.line, fixture.game, self._conditions, CHANGED
                )
                continue
            key = (fixture.game, contestant)
            player = self._known.pop(key, None)
            if player is None:
                player = Player(
                    contestant.line, fixture.game, self._conditions.reading(contestant.readable)
                )
            player.keep_answers(fixture.answers)
            playing[side] = self._known[key] = player
        programs = [player for player in self._known.values() if player.isolation != "none"]
        for player in programs[: -self._conditions.kept_programs]:
            player.close()
        return playing

    def digests(self, fixture: ScheduledGame) -> dict[str, str]:
        """Digests of a game's players, by side; those with which they entered if one of them forfeits it. Raises a `ChangedPlayerError`
        if one is no longer what it was when it entered.
        """
        if fixture.forfeits:
            return {
                side: each.digest
                for side, each in zip(fixture.players, fixture.contestants, strict=True)
            }
        found = {}
        for side, contestant in zip(fixture.players, fixture.contestants, strict=True):
            found[side] = digest_of(contestant, self._conditions)
            if contestant.digest not in ("", found[side]):
                raise ChangedPlayerError(contestant.name, CHANGED)
        return found

    def close(self) -> None:
        """End all their programs."""
        for player in self._known.values():
            player.close()


#: The players of this process whose code is compiled, each with its game.
_WARM: set[tuple[str, str]] = set()


def _warm_up(line: str, game: BaseGame) -> None:
    """Have a player of this line's kind, if it is one of the game's own, play two turns of a copy: to wait for machine code is not to count
    as thinking. The player of this kind on the game's ladder decides quickly, and the one that is to play keeps its state.
    """
    spec = game_spec(game.name)
    name = line.partition(":")[0]
    if name in ROSTERS.of(spec).agents and (spec.name, name) not in _WARM:
        _WARM.add((spec.name, name))
        quick = next(
            (rung for rung in ROSTERS.of(spec).ladder if rung.partition(":")[0] == name), line
        )
        agent, trial = make_agent(quick, game=spec.name), game.copy()
        while trial.result is None and trial.turn < game.turn + 2:
            trial.play(agent.act(trial))


def play_scheduled_game(fixture: ScheduledGame, players: Players) -> dict[str, Any]:
    """Play one game and return its record. Raises a `ConfigError` if it cannot begin, or there is no such player, and a
    `ChangedPlayerError` if a player is no longer what it was when it entered, and a `MachineError` if the machine fails.

    After any error all players' programs have ended: they start anew, and leave the machine what they used.
    """
    checked_instance("players", players, Players)
    try:
        digests = players.digests(checked_instance("fixture", fixture, ScheduledGame))
        return play_between(players.seat(fixture), fixture, digests)
    except Exception:
        players.close()
        raise


def play_between(
    players: Mapping[str, Player], fixture: ScheduledGame, digests: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Play one game between these players, given by side like their digests, and return its record. Raises a `ConfigError` if it cannot
    begin.
    """
    game = fixture.begin()
    for contestant in fixture.contestants:
        _warm_up(contestant.line, game)
    live = LiveGame(fixture.live, fixture.players, fixture.seed)
    measured = conduct_game(
        game, players, {side: fixture.generator(side) for side in players}, live.show
    )
    live.show(game, is_over=True)
    isolation = {side: player.isolation for side, player in players.items()}
    return game.to_record(
        players=fixture.players,
        seed=fixture.seed,
        isolation=isolation,
        digest=digests,
        **measured._asdict(),
    )


class Workers(Protocol):
    """What plays games, in any order."""

    @property
    def capacity(self) -> int:
        """How many games may be under way: those being played, and enough others to keep all workers busy."""

    def submit(self, number: int, fixture: ScheduledGame, /) -> None:
        """Have a game played, identified by this number."""

    def withdraw(self) -> Iterable[int]:
        """Forget submitted games that have not begun; their numbers."""

    def wait(self) -> Iterable[tuple[int, dict[str, Any] | Exception]]:
        """Wait for submitted games to end; the numbers of at least one, with its record, or the exception that ended it."""

    def close(self) -> None:
        """Begin no other game, and return when none is being played any more."""


def play_schedule(
    schedule: Schedule,
    workers: Callable[[], Workers],
    save: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    verify: bool = False,
    stopping: Callable[[], Any] = bool,
    live: str | os.PathLike[str] = "",
    starting: Callable[[], object] = bool,
) -> Generator[dict[str, Any]]:
    """Play the games of a schedule and yield their records in its order, with those that were saved before. The ``workers`` are made once
    the file has been checked. ``verify`` plays all saved games again, also those that a checkpoint trusts; once ``stopping`` says so, no
    more begin. The file ``live`` shows one of the games under way, as `tkm_env.arena.live` does. ``starting`` is called before the first
    game that is played, and what it raises ends everything before that.

    A player whose files have changed since it entered loses the games that it has not begun, with a `RuntimeWarning`; an open schedule
    leaves them out. A game that the machine ends is played again, see `tkm_env.arena.retries`. Once nothing is left of a budget, the
    games under way end there, no more begin, and a `RuntimeWarning` says so; resumed with a larger one, they go on with the answers that
    are paid. Raises a `FileError` as `tkm_env.arena.ledger.Ledger` does, and a `MachineError` if the machine fails again and again at
    playing or saving the same game; those saved before it can be resumed.
    """
    with (
        nullcontext()
        if save is None
        else Ledger(save, schedule, resume=resume, verify=verify) as ledger
    ):
        known: Mapping[int, dict[str, Any]] = {} if ledger is None else ledger.known
        answers, spent = "" if ledger is None else str(ledger.answers), ""
        results: list[dict[str, Any] | None] = []
        early: dict[int, dict[str, Any] | None] = {}
        under_way: dict[int, ScheduledGame] = {}
        failures: list[tuple[int, Exception]] = []
        retries = Retries()
        number, is_open, has_begun = 0, True, False
        with closing(workers()) as playing:
            while is_open or under_way or len(results) in early:
                if stopping() or spent:
                    is_open = False
                    for withdrawn in playing.withdraw():
                        del under_way[withdrawn]
                while is_open and len(under_way) < playing.capacity:
                    fixture = schedule.fixture(number, results)
                    if fixture == "wait":
                        break
                    if ledger is not None and schedule.is_new_choice:
                        retried(ledger.save_state, _SAVING)
                    if fixture is None:
                        is_open = False
                        break
                    if fixture.seed in known:
                        early[number] = known[fixture.seed]
                    elif fixture.forfeits and schedule.is_open:
                        early[number] = None
                    else:
                        if not has_begun:
                            retried(starting, _STARTING)
                            has_begun = True
                        under_way[number] = dataclasses.replace(
                            fixture, answers=answers, live=os.fspath(live)
                        )
                        playing.submit(number, under_way[number])
                    number += 1
                while len(results) in early:
                    results.append(record := early.pop(len(results)))
                    if record is None:
                        continue
                    if ledger is not None:
                        retried(partial(ledger.add, record, is_last=not early), _SAVING)
                    yield record
                for (
                    failed,
                    error,
                ) in failures:  # once all others are saved, since this may end the run
                    fixture = under_way[failed]
                    retries.pause(_playing(fixture), error, fixture.players.values())
                    playing.submit(failed, fixture)
                failures.clear()
                if under_way:
                    for finished, outcome in playing.wait():
                        if isinstance(outcome, ChangedPlayerError) and schedule.is_open:
                            early[finished] = None
                        elif (
                            isinstance(outcome, ChangedPlayerError)
                            and not under_way[finished].forfeits
                        ):
                            warnings.warn(f"{outcome} ({_FORFEITS})", RuntimeWarning, stacklevel=2)
                            under_way[finished] = dataclasses.replace(
                                under_way[finished], forfeits=str(outcome.path)
                            )
                            playing.submit(finished, under_way[finished])
                            continue
                        elif isinstance(outcome, BudgetError):
                            spent = str(outcome)
                        elif isinstance(outcome, Exception):
                            failures.append((finished, outcome))
                            continue
                        else:
                            early[finished] = outcome
                            if ledger is not None and finished != len(results):
                                retried(partial(ledger.keep, outcome), _SAVING)
                        del under_way[finished]
        if spent:
            warnings.warn(f"no more games begin: {spent}", RuntimeWarning, stacklevel=2)


def _playing(fixture: ScheduledGame) -> str:
    first, second = map(repr_of, fixture.players.values())
    return f"playing the game with the seed {fixture.seed}, {first} against {second}"


def checked_processes(given: object) -> int:
    """How many processes work on this machine, 1 to 1024. Raises a `ConfigError` if it is anything else."""
    return checked_integer("processes", given, 1, 1024)


def local_workers(
    conditions: Conditions, processes: int, games: int | None = None, block: int = 1
) -> Callable[[], Workers]:
    """A function that makes workers on this machine, which play up to ``processes`` games at a time, 1 to 1024 (else a `ConfigError`), of
    at most ``games``. Of ``block`` games in a row between the same players, one process plays as many as it can.
    """
    processes = checked_processes(processes)
    wanted = processes if games is None else min(processes, games)
    if wanted < 2:
        return lambda: _OneProcess(conditions)
    job = partial(play_scheduled_game, players=Players(conditions))
    return lambda: ProcessPool(wanted, job, lambda fixture: frozenset(fixture.contestants), block)


class _OneProcess:
    """One game after the other, in this process."""

    capacity = 1

    def __init__(self, conditions: Conditions) -> None:
        self._players = Players(conditions)
        self._submitted: list[tuple[int, ScheduledGame]] = []

    def submit(self, number: int, fixture: ScheduledGame) -> None:
        self._submitted.append((number, fixture))

    def withdraw(self) -> list[int]:
        numbers = [number for number, _ in self._submitted]
        self._submitted.clear()
        return numbers

    def wait(self) -> list[tuple[int, dict[str, Any] | Exception]]:
        number, fixture = self._submitted.pop(0)
        try:
            return [(number, play_scheduled_game(fixture, self._players))]
        except Exception as error:
            return [(number, error)]

    def close(self) -> None:
        self._players.close()
