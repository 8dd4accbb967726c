"""Playing one game: clocks, and what becomes of whoever breaks the rules. A player can lose a game here, but not stop it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.agents.command import CommandAgent
from tkm_env.agents.specs import COMMAND, make_agent
from tkm_env.checks import checked_flag, checked_instance, checked_integer, checked_number
from tkm_env.errors import IllegalActionError, PlayerError, shown
from tkm_env.game.base import BaseGame
from tkm_env.game.faults import START
from tkm_env.isolation.program import Limits

_LONGEST_REMARK: Final = 500
#: Seconds, where nothing limits a turn.
_LONGEST_TURN: Final = 1e6


@dataclasses.dataclass(frozen=True)
class Conditions:
    """Under which conditions players play.

    Attributes:
        limits: behind which files and commands run.
        trust: whether files run in the judge's process, like this package's own players. Commands never do.
        turn_seconds: how long a turn may take; None for no limit but the bank's.
        bank_seconds: how long all turns of a player may take together; None for no such limit.
        increment_seconds: what each turn adds to the bank.
        bench_after: after how many failed starts in a row a player is no longer started: it loses its remaining games.

    Raises:
        ConfigError: naming the invalid field.
    """

    limits: Limits = dataclasses.field(default_factory=Limits)
    trust: bool = False
    turn_seconds: float | None = 10.0
    bank_seconds: float | None = None
    increment_seconds: float = 0.0
    bench_after: int = 3

    def __post_init__(self) -> None:
        checked_instance("limits", self.limits, Limits)
        checked_flag("trust", self.trust)
        for keyword in ("turn_seconds", "bank_seconds"):
            if getattr(self, keyword) is not None:
                checked_number(keyword, getattr(self, keyword))
        if not isinstance(self.increment_seconds, (int, float)) or self.increment_seconds is False or self.increment_seconds != 0:
            checked_number("increment_seconds", self.increment_seconds)
        checked_integer("bench_after", self.bench_after, 1, 10**9)

    def reading(self, paths: Sequence[str]) -> Conditions:
        """The same for a player who may read these files and folders, too."""
        return dataclasses.replace(self, limits=dataclasses.replace(self.limits, readable=(*self.limits.readable, *paths)))


class Player:
    """A player of a match, from game to game.

    Args:
        line: as `tkm_env.agents.specs.make_agent` reads it.
        game: the name of the game.
        conditions: how it plays.
        keyword: the argument's name in error messages.
        config: the settings of the games that it will play; None if they are not known yet.
        agent: who plays; None for whom the line describes.

    Attributes:
        line: see above.
        isolation: where it runs, one of `tkm_env.isolation.program.ISOLATIONS`.

    Raises:
        ConfigError: if there is no such player.
    """

    def __init__(
        self,
        line: str,
        game: str | None,
        conditions: Conditions,
        keyword: str = "agent",
        config: Any = None,
        agent: Any = None,
    ) -> None:
        self.line = line
        is_command = isinstance(line, str) and line.startswith(f"{COMMAND}:")  # a command is never trusted
        limits = conditions.limits if is_command or not conditions.trust else None
        self._agent: Any = make_agent(line, keyword, game, limits=limits, config=config) if agent is None else agent
        self._program = self._agent if isinstance(self._agent, CommandAgent) else None
        self.isolation = "none" if self._program is None else self._program.isolation
        self._conditions = conditions
        #: Failed starts in a row, and what was seen at the last one.
        self._failed_starts = 0
        self._last_failure: PlayerError | None = None
        #: Whether its time is taken: what is compiled for the first answer of all is not charged.
        self._is_warm = self._program is not None and not self._program.compiles

    def begin(self, game: BaseGame, side: str, generator: np.random.Generator) -> None:
        """Get ready for a game, with a full clock.

        Raises:
            PlayerError: if it does not start, or is benched.
        """
        self._bank = self._conditions.bank_seconds
        self._left = 0.0
        self._turn: tuple[int, str] | None = None
        if self._failed_starts >= self._conditions.bench_after:
            # In the words of the last failure, so that the records are the same on any number of processes.
            assert self._last_failure is not None
            raise PlayerError(self.line, self._last_failure.reason, self._last_failure.kind, starting=True)
        try:
            self._start(game, side, generator)
        except PlayerError as error:
            self._failed_starts += 1
            self._last_failure = error
            raise
        self._failed_starts = 0

    def _start(self, game: BaseGame, side: str, generator: np.random.Generator) -> None:
        if self._program is not None:
            self._program.reset(generator)
            self._program.begin(game, side)
        elif hasattr(self._agent, "reset"):
            try:
                self._agent.reset(generator)
            except (Exception, SystemExit) as error:
                raise PlayerError(self.line, f"reset raised {_raised(error)}", "crash", starting=True) from error

    def answer(self, game: BaseGame) -> tuple[list[int | str], float]:
        """Its next actions, as it gives them, and how many seconds they took.

        Raises:
            PlayerError: saying what it did instead.
        """
        turn = (game.turn, game.to_act)
        if turn != self._turn:
            self._begin_turn(first=self._turn is None)
            self._turn = turn
        left = max(0.0, self._left)
        began = time.perf_counter()
        if self._program is not None:
            bank = None if self._bank is None else max(0.0, self._bank)
            actions: list[Any] = [*self._program.answer(game, left, bank, self._conditions.increment_seconds)]
        else:
            try:
                actions = [self._agent.act(game.copy())]
            except (Exception, SystemExit) as error:
                raise PlayerError(self.line, f"it raised {_raised(error)}", "crash") from error
        seconds = time.perf_counter() - began
        if self._is_warm:
            if seconds > left and self._program is None:  # nobody interrupts what runs in this process
                raise PlayerError(self.line, f"it took {seconds:.3f} s of {left:.3f}", "timeout")
            self._left -= seconds
            if self._bank is not None:
                self._bank -= seconds
        self._is_warm = True
        return actions, seconds

    def _begin_turn(self, *, first: bool) -> None:
        if self._bank is not None and not first:
            self._bank += self._conditions.increment_seconds
        limits = [limit for limit in (self._conditions.turn_seconds, self._bank) if limit is not None]
        self._left = min([*limits, _LONGEST_TURN])

    @property
    def memory_mib(self) -> float | None:
        """The most resident memory of its processes at a time during the game, in MiB; None without processes of its own."""
        return None if self._program is None else self._program.memory_mib

    def end(self, result: str, reason: str) -> None:
        """A game is over."""
        if self._program is not None:
            self._program.end(result, reason)

    def drop(self) -> None:
        """End its program at once, if it has one; it starts again with the next game."""
        if self._program is not None:
            self._program.drop()

    def close(self) -> None:
        """End its program, if it has one; it starts again with the next game."""
        if self._program is not None:
            self._program.close()


class Measured(NamedTuple):
    """What is measured of a game, as records hold it.

    Attributes:
        seconds: how long each action took. Of actions that were answered together, the first one took all the time.
        fault: the fault that ended it, or None.
        memory: the most resident memory of players behind a wall, by side, in MiB; None if there is no such player.
    """

    seconds: list[float]
    fault: dict[str, Any] | None
    memory: dict[str, float] | None


def referee(game: BaseGame, players: Mapping[str, Player], generators: Mapping[str, np.random.Generator]) -> Measured:
    """Play a game to its end, or to the first fault.

    Args:
        game: the game, which is changed; no player gets it.
        players: by side.
        generators: their random numbers, by side.
    """
    seconds: list[float] = []
    begun: list[str] = []
    side = game.players[0]
    try:
        for side, player in players.items():
            player.begin(game, side, generators[side])
            begun.append(side)
        while game.result is None:
            side = game.to_act
            actions, taken = players[side].answer(game)
            turn = side, game.turn
            for number, action in enumerate(actions):
                if number and not _goes_on(game, turn, action):
                    break
                _play(game, action)
                seconds.append(0.0 if number else taken)
    except PlayerError as error:
        due = len(seconds) + 1 if len(begun) == len(players) else START
        fault = {"player": side, "kind": error.kind, "ply": due, "seen": error.reason[:_LONGEST_REMARK]}
        players[side].drop()  # what it still has to say is not for the next game
        memory = _memory_of(players, begun)
        _end(players, "0-1" if side == game.players[0] else "1-0", "fault")
        return Measured(seconds, fault, memory)
    except BaseException:
        _end(players, "*", "stopped")
        raise
    memory = _memory_of(players, begun)
    _end(players, game.result, "normal")
    return Measured(seconds, None, memory)


def _play(game: BaseGame, action: Any) -> None:
    """Play what a player answered.

    Raises:
        PlayerError: if it is not legal.
    """
    try:
        game.play(action)
    except IllegalActionError as error:
        raise PlayerError(game.to_act, str(error)) from None
    except Exception as error:  # whatever an object of a stranger's class raises
        raise PlayerError(game.to_act, f"it answered with {shown(action)}: {_raised(error)}") from error


def _memory_of(players: Mapping[str, Player], sides: Iterable[str]) -> dict[str, float] | None:
    """The most memory of those who have begun, as far as it is known."""
    found = {side: players[side].memory_mib for side in sides}
    return {side: memory for side, memory in found.items() if memory is not None} or None


def _end(players: Mapping[str, Player], result: str, reason: str) -> None:
    for player in players.values():
        player.end(result, reason)


def _goes_on(game: BaseGame, turn: tuple[str, int], action: Any) -> bool:
    """Whether a further action of an answer is to be played: if the game is over, none is.

    Raises:
        PlayerError: if only the turn is over.
    """
    if game.result is not None:
        return False
    if (game.to_act, game.turn) != turn:
        name = game.action_names[action] if isinstance(action, int) else action
        raise PlayerError(turn[0], f"{shown(name)} comes after the end of its turn")
    return True


def _raised(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {shown(text)}" if text else type(error).__name__
