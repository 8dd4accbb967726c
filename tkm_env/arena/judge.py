"""Playing one game: clocks, and what becomes of whoever breaks the rules. A player can lose a game here, but not stop it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tkm_env.agents.command import CommandAgent
from tkm_env.agents.specs import make_agent
from tkm_env.core.faults import START
from tkm_env.core.game import BaseGame
from tkm_env.core.settings import checked_integer, checked_number
from tkm_env.errors import IllegalActionError, PlayerError, shown
from tkm_env.wall.program import Wall

__all__ = ["Conditions", "Player", "play_out"]

_LONGEST_REMARK: Final = 500


@dataclasses.dataclass(frozen=True)
class Conditions:
    """Under which conditions players play.

    Attributes:
        wall: behind which files and commands run.
        trust: whether files run in the judge's process, like this package's own players. Commands never do.
        turn_seconds: how long a turn may take; None for no limit but the bank's.
        bank_seconds: how long all turns of a player may take together; None for no such limit.
        increment_seconds: what each turn adds to the bank.
        bench_after: after how many failed starts in a row a player is no longer started: it loses its remaining games.

    Raises:
        ConfigError: naming the invalid field.
    """

    wall: Wall = dataclasses.field(default_factory=Wall)
    trust: bool = False
    turn_seconds: float | None = 10.0
    bank_seconds: float | None = None
    increment_seconds: float = 0.0
    bench_after: int = 3

    def __post_init__(self) -> None:
        for keyword in ("turn_seconds", "bank_seconds"):
            if getattr(self, keyword) is not None:
                checked_number(keyword, getattr(self, keyword))
        if self.increment_seconds:
            checked_number("increment_seconds", self.increment_seconds)
        checked_integer("bench_after", self.bench_after, 1, 10**9)


class Player:
    """A player of a match, from game to game.

    Args:
        line: as `tkm_env.agents.specs.make_agent` reads it.
        game: the name of the game.
        conditions: how it plays.
        keyword: the argument's name in error messages.

    Attributes:
        isolation: where it runs, one of `tkm_env.wall.program.ISOLATIONS`.

    Raises:
        ConfigError: if there is no such player.
    """

    def __init__(self, line: str, game: str | None, conditions: Conditions, keyword: str = "agent") -> None:
        self.line = line
        self.agent: Any = make_agent(line, keyword, game, wall=None if conditions.trust else conditions.wall)
        if isinstance(self.agent, CommandAgent) and conditions.trust:  # a command is behind the wall also then
            self.agent = make_agent(line, keyword, game, wall=conditions.wall)
        self.isolation: str = self.agent.isolation if isinstance(self.agent, CommandAgent) else "none"
        self._conditions = conditions
        #: Failed starts in a row, and what was seen at the last one.
        self._failed_starts = 0
        self._last_failure: PlayerError | None = None
        #: Whether its time is taken: what is compiled for the first answer of all is not charged.
        self._is_warm = isinstance(self.agent, CommandAgent) and not self.agent.compiles

    def begin(self, game: BaseGame, side: str, generator: np.random.Generator) -> None:
        """Get ready for a game, with a full clock.

        Raises:
            PlayerError: if it does not start, or is benched.
        """
        self._bank = self._conditions.bank_seconds
        self._used = 0.0
        self._turn: tuple[int, str] | None = None
        if self._failed_starts >= self._conditions.bench_after:
            assert self._last_failure is not None
            reason = f"benched after {self._failed_starts} failed starts in a row, the last one: {self._last_failure.reason}"
            raise PlayerError(self.line, reason, self._last_failure.kind, starting=True)
        try:
            self._start(game, side, generator)
        except PlayerError as error:
            self._failed_starts += 1
            self._last_failure = error
            raise
        self._failed_starts = 0

    def _start(self, game: BaseGame, side: str, generator: np.random.Generator) -> None:
        if isinstance(self.agent, CommandAgent):
            self.agent.reset(generator)
            self.agent.begin(game, side)
        elif hasattr(self.agent, "reset"):
            try:
                self.agent.reset(generator)
            except (Exception, SystemExit) as error:
                raise PlayerError(self.line, f"reset raised {_raised(error)}", "crash", starting=True) from error

    def answer(self, game: BaseGame) -> tuple[list[int | str], float]:
        """Its next actions, as it gives them, and how many seconds they took.

        Raises:
            PlayerError: saying what it did instead.
        """
        turn = (game.turn, game.to_act)
        if turn != self._turn:
            if self._turn is not None and self._bank is not None:
                self._bank += self._conditions.increment_seconds
            self._turn, self._used = turn, 0.0
        left = self._left()
        began = time.perf_counter()
        actions = self._asked(game, left)
        seconds = time.perf_counter() - began
        if self._is_warm:
            if seconds > left and self.isolation == "none":  # nobody interrupts what runs in this process
                raise PlayerError(self.line, f"it took {seconds:.3f} s of {left:.3f}", "timeout")
            self._used += seconds
            if self._bank is not None:
                self._bank -= seconds
        self._is_warm = True
        return actions, seconds

    def _asked(self, game: BaseGame, left: float) -> list[Any]:
        if isinstance(self.agent, CommandAgent):
            return [*self.agent.answer(game, left, self._bank, self._conditions.increment_seconds)]
        try:
            return [self.agent.act(game.copy())]
        except (Exception, SystemExit) as error:
            raise PlayerError(self.line, f"it raised {_raised(error)}", "crash") from error

    def _left(self) -> float:
        """Seconds until it must have answered."""
        limit = self._conditions.turn_seconds
        turn = float("inf") if limit is None else limit - self._used
        bank = float("inf") if self._bank is None else self._bank
        return max(0.0, min(turn, bank, 1e6))

    def end(self, result: str, reason: str) -> None:
        """A game is over."""
        if isinstance(self.agent, CommandAgent):
            self.agent.end(result, reason)

    def close(self) -> None:
        """End its program, if it has one; it starts again with the next game."""
        if isinstance(self.agent, CommandAgent):
            self.agent.close()


def play_out(
    game: BaseGame, players: Mapping[str, Player], generators: Mapping[str, np.random.Generator]
) -> tuple[list[float], dict[str, Any] | None]:
    """Play a game to its end, or to the first fault.

    Args:
        game: the game, which is changed; no player gets it.
        players: by side.
        generators: their random numbers, by side.

    Returns:
        how many seconds each action took, and the fault, as records hold it, or None. Of actions that were answered together, the
        first one took all the time.
    """
    seconds: list[float] = []
    side, begun = game.players[0], False
    try:
        for side, player in players.items():
            player.begin(game, side, generators[side])
        begun = True
        while game.result is None:
            side = game.to_act
            actions, taken = players[side].answer(game)
            for _ in _played(game, actions, players[side].line):
                seconds.append(taken)
                taken = 0.0
    except PlayerError as error:
        due = len(seconds) + 1 if begun else START
        fault = {"player": side, "kind": error.kind, "ply": due, "seen": error.reason[:_LONGEST_REMARK]}
        _end(players, "0-1" if side == game.players[0] else "1-0", "fault")
        return seconds, fault
    except BaseException:
        _end(players, "*", "stopped")
        raise
    _end(players, game.result, "normal")
    return seconds, None


def _played(game: BaseGame, actions: Sequence[Any], line: str) -> Iterator[Any]:
    """Play what a player answered, while it is its turn and the game goes on, and yield each action once it is played.

    Raises:
        PlayerError: if an action is not legal, or comes after the end of the turn.
    """
    turn = game.to_act, game.turn
    for action in actions:
        if game.result is not None:
            return
        if (game.to_act, game.turn) != turn:
            name = game.action_names[action] if isinstance(action, int) else str(action)
            raise PlayerError(line, f"{shown(name)} comes after the end of its turn")
        _play(game, action, line)
        yield action


def _play(game: BaseGame, action: Any, line: str) -> None:
    """Play what a player answered.

    Raises:
        PlayerError: if it is not legal.
    """
    try:
        game.play(action)
    except IllegalActionError as error:
        raise PlayerError(line, str(error)) from None
    except Exception as error:  # whatever an object of a stranger's class raises
        raise PlayerError(line, f"it answered with {shown(action)}: {_raised(error)}") from error


def _end(players: Mapping[str, Player], result: str, reason: str) -> None:
    for player in players.values():
        player.end(result, reason)


def _raised(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {shown(text)}" if text else type(error).__name__
