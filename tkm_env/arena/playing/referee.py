"""The referee of one game: clocks and faults. Players can lose a game, but not stop it."""

import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.arena.playing.adjudication import Adjudication, Agreement
from tkm_env.arena.playing.retries import machine_fault
from tkm_env.core.agent import PlansTurns
from tkm_env.core.game import BaseGame
from tkm_env.core.outcome import Outcome
from tkm_env.core.record_schema import START
from tkm_env.foundations.checks import (
    checked_flag,
    checked_instance,
    checked_integer,
    checked_number,
)
from tkm_env.foundations.errors import IllegalActionError, PlayerError, repr_of
from tkm_env.isolation.limits import DEFAULT_LIMITS, Limits
from tkm_env.players.command_agent import CommandAgent
from tkm_env.players.factory import make_agent
from tkm_env.players.player_spec import COMMAND, PYTHON, PlayerSpec
from tkm_env.text.language_model import LanguageModel
from tkm_env.text.paid_answers import NO_LIMIT, Budget, PaidAnswers

_LONGEST_REMARK: Final = 500
#: The time for a turn that nothing else limits, in seconds.
_LONGEST_TURN: Final = 1e6


@dataclasses.dataclass(frozen=True)
class Conditions:
    """The conditions under which players play.

    Raises:
        ConfigError: naming the invalid field.
    """

    limits: Limits = DEFAULT_LIMITS  # how files and commands are isolated
    #: Whether files run in the referee's process, like this package's own players; commands never
    #: do.
    trust: bool = False
    #: The time for a turn, in seconds; None for no limit but the bank's.
    turn_seconds: float | None = 10.0
    #: The time for all turns of a player together, in seconds; None for no such limit.
    bank_seconds: float | None = None
    increment_seconds: float = 0.0  # the time that each turn adds to the bank, in seconds
    #: When the players' scores end a game early; None for never.
    adjudication: Adjudication | None = None
    #: After this many failed starts in a row, a player loses its remaining games without being
    #: started.
    bench_after: int = 3
    kept_programs: int = 4  # the number of programs that a process keeps running between games
    budget: Budget = NO_LIMIT  # what the answers of language models may cost

    def __post_init__(self) -> None:
        checked_instance("limits", self.limits, Limits)
        checked_flag("trust", self.trust)
        for keyword in ("turn_seconds", "bank_seconds"):
            if getattr(self, keyword) is not None:
                checked_number(keyword, getattr(self, keyword))
        checked_number("increment_seconds", self.increment_seconds, from_low=True)
        if self.adjudication is not None:
            checked_instance("adjudication", self.adjudication, Adjudication)
        checked_integer("bench_after", self.bench_after, 1, 10**9)
        checked_integer("kept_programs", self.kept_programs, 2, 10**6)

    def reading(self, paths: Sequence[str]) -> "Conditions":
        """Return these conditions for a player that may also read these files and folders."""
        if not paths:
            return self
        return dataclasses.replace(
            self, limits=dataclasses.replace(self.limits, readable=(*self.limits.readable, *paths))
        )


DEFAULT_CONDITIONS: Final = Conditions()


class Player:
    """A player of a match, from game to game.

    Args:
        line: the player, as `tkm_env.players.factory.make_agent` reads it.
        game: the name of the game that it plays; None for the first in the registry.
        conditions: the conditions under which it plays.
        keyword: the argument's name in error messages.
        config: the settings of its games; None if they are not known yet.
        agent: an agent that plays instead of the one that the line describes; None for that one.

    Attributes:
        isolation: where it runs, one of `tkm_env.isolation.limits.ISOLATIONS`.
        program: the agent if it is a program, else None.
        model: the agent if it is a language model, else None.

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
        is_command = (
            isinstance(line, str) and PlayerSpec.parse(line).kind == COMMAND
        )  # a command is never trusted
        limits = conditions.limits if is_command or not conditions.trust else None
        self._agent: Any = (
            make_agent(line, keyword, game, limits=limits, config=config)
            if agent is None
            else agent
        )
        self.program = self._agent if isinstance(self._agent, CommandAgent) else None
        self.model = self._agent if isinstance(self._agent, LanguageModel) else None
        self.isolation = "none" if self.program is None else self.program.isolation
        self._conditions = conditions
        turn_seconds = conditions.turn_seconds
        self._longest_turn = (
            _LONGEST_TURN if turn_seconds is None else min(turn_seconds, _LONGEST_TURN)
        )
        self._failed_starts_in_a_row: list[PlayerError] = []
        #: Whether it is a Python file, so that errors in this process are its fault.
        self._is_foreign = isinstance(line, str) and PlayerSpec.parse(line).kind == PYTHON
        #: Whether it is one of this package's players, which get the game itself, since they do not
        #: change it and a copy takes longer than an action.
        self._is_own = type(self._agent).__module__.startswith("tkm_env.") and not self._is_foreign
        #: Whether it answers with whole turns, unless its score after each action is needed.
        self._plans_turns = (
            self._is_own and isinstance(self._agent, PlansTurns) and conditions.adjudication is None
        )
        #: Whether the time of an agent in this process counts: it does not for its very first
        #: answer, which may compile code.
        self._is_warm = self.model is not None

    def begin(self, game: BaseGame, side: str, generator: np.random.Generator) -> None:
        """Prepare for a game, with a full clock.

        Args:
            game: the game before its first action.
            side: the side that the player has.
            generator: the player's random numbers.

        Raises:
            PlayerError: if the player does not start, or is benched.
            MachineError: if the machine fails.
        """
        self._bank = self._conditions.bank_seconds
        self._left = 0.0
        self._turn: tuple[str, int] | None = None
        failures = self._failed_starts_in_a_row
        if len(failures) >= self._conditions.bench_after:
            # This repeats the last failure, so that records do not depend on the number of
            # processes.
            raise PlayerError(self.line, failures[-1].reason, failures[-1].kind, starting=True)
        try:
            self._start(game, side, generator)
        except PlayerError as error:
            failures.append(error)
            raise
        failures.clear()

    def keep_answers(self, path: str) -> None:
        """Keep a language model's answers in this file, so that none is paid for twice."""
        if self.model is not None and (path, self._conditions.budget) != (
            self.model.paid.path,
            self.model.paid.budget,
        ):
            self.model.paid = PaidAnswers(path, self._conditions.budget)

    def _start(self, game: BaseGame, side: str, generator: np.random.Generator) -> None:
        if self.program is not None:
            self.program.reset(generator)
            self.program.begin(game, side)
        elif hasattr(self._agent, "reset"):
            try:
                self._agent.reset(generator)
            except (Exception, SystemExit) as error:
                self._check_machine(error)
                raise PlayerError(
                    self.line, f"reset raised {_describe(error)}", "crash", starting=True
                ) from error

    def _check_machine(self, error: BaseException) -> None:
        """Raise a `MachineError` if the package's own code failed because of the machine.

        Another player may have exhausted its resources.
        """
        if not self._is_foreign and (fault := machine_fault(error)) is not None:
            raise fault from error

    def answer(self, game: BaseGame) -> tuple[list[int | str], float]:
        """Ask the player for its next actions.

        Returns:
            The actions, unchecked, and the time that they took of the player's clock, in seconds:
                0 if the player may have compiled code for the answer, which is part of starting.

        Raises:
            PlayerError: if the player commits a fault instead.
            MachineError: if the machine fails.
        """
        turn = game.turn_id
        if turn != self._turn:
            if self._bank is not None and self._turn is not None:
                self._bank += self._conditions.increment_seconds
            self._left = (
                self._longest_turn if self._bank is None else min(self._longest_turn, self._bank)
            )
            self._turn = turn
        left = max(0.0, self._left)
        is_warm = self._is_warm if self.program is None else not self.program.grace
        began, recalled = time.perf_counter(), 0.0
        if self.program is not None:
            bank = None if self._bank is None else max(0.0, self._bank)
            actions: list[Any] = [
                *self.program.answer(game, left, bank, self._conditions.increment_seconds)
            ]
        elif self.model is not None:
            actions, recalled = self.model.answer(game, left)
        else:
            try:
                actions = (
                    [*self._agent.plan_turn(game)]
                    if self._plans_turns
                    else [self._agent.act(game if self._is_own else game.copy())]
                )
            except (Exception, SystemExit) as error:
                self._check_machine(error)
                raise PlayerError(self.line, f"it raised {_describe(error)}", "crash") from error
        self._is_warm = True
        if not is_warm:
            return actions, 0.0
        seconds = time.perf_counter() - began + recalled
        if seconds > left and self.program is None:  # an agent in this process is not interrupted
            raise PlayerError(self.line, f"it took {seconds:.3f} s of {left:.3f}", "timeout")
        self._left -= seconds
        if self._bank is not None:
            self._bank -= seconds
        return actions, seconds

    @property
    def reported(self) -> dict[str, float] | None:
        """What it reported with its last answer; None if it said nothing.

        Only programs report, unless scores may decide the game; then agents in this process do.
        """
        if self.program is not None:
            return self.program.reported or None
        if self._conditions.adjudication is None or self.expectation is None:
            return None
        return {"score": self.expectation}

    @property
    def expectation(self) -> float | None:
        """What its agent, if it plays in this process, says that it expected when it last planned.

        From -1 (a loss) to 1 (a win); None if the agent says nothing, or nothing of that form.
        """
        found = getattr(self._agent, "expectation", None)
        return float(found) if isinstance(found, (int, float)) and -1 <= found <= 1 else None

    def end(self, result: str, reason: str) -> None:
        """Tell the player's program, if it has one, that the game is over.

        Args:
            result: the result, as in records.
            reason: why the game ended, one of `tkm_env.isolation.bot_protocol.REASONS`.
        """
        if self.program is not None:
            self.program.end(result, reason)

    def drop(self) -> None:
        """End the player's program at once, if it has one; it starts again with the next game."""
        if self.program is not None:
            self.program.drop()

    def close(self) -> None:
        """End the player's program, if it has one; it starts again with the next game."""
        if self.program is not None:
            self.program.close()


class AbsentPlayer(Player):
    """A player that loses every game without playing.

    The files that its line names need not exist any more.

    Args:
        line: the player, as `tkm_env.players.factory.make_agent` reads it.
        game: the name of the game; None for the first in the registry.
        conditions: the conditions under which it would have played.
        reason: why it loses.
    """

    def __init__(self, line: str, game: str | None, conditions: Conditions, reason: str) -> None:
        super().__init__(line, game, conditions, agent=object())
        self._reason = reason
        kind = PlayerSpec.parse(line).kind
        if kind == COMMAND or (kind == PYTHON and not conditions.trust):
            self.isolation = conditions.limits.isolation

    def begin(self, game: BaseGame, side: str, generator: np.random.Generator) -> None:
        """Refuse to play.

        Args:
            game: the game.
            side: the side that the player has.
            generator: unused.

        Raises:
            PlayerError: always, with the reason.
        """
        raise PlayerError(self.line, self._reason, "crash", starting=True)


@cache
def isolation_of(line: str, game: str, conditions: Conditions) -> str:
    """Return where a player runs.

    Args:
        line: the player, as `tkm_env.players.factory.make_agent` reads it.
        game: the name of the game.
        conditions: the conditions under which it plays.

    Returns:
        One of `tkm_env.isolation.limits.ISOLATIONS`.

    Raises:
        ConfigError: if there is no such player.
    """
    return Player(line, game, conditions).isolation


class Measurements(NamedTuple):
    """What was measured in a game, as records hold it."""

    #: The time of each action, as `Player.answer` counts it, in seconds; the time of an answer with
    #: several actions counts for the first.
    seconds: list[float]
    fault: dict[str, Any] | None  # the fault that ended the game; None for none
    #: The protections that confined players lacked, by side; None if none lacked any.
    unprotected: dict[str, list[str]] | None
    #: The peak resident memory of isolated players, by side, in MiB; None if there are none.
    memory: dict[str, float] | None
    #: The CPU time of isolated players, by side, in seconds; None if there are none.
    cpu: dict[str, float] | None
    #: The conversations with language models, by side; None if there are none.
    models: dict[str, dict[str, Any]] | None
    #: The results that players of this process expected for themselves, by side, from -1 to 1, in
    #: games that stop after a number of turns; None if none could tell.
    expected: dict[str, float] | None
    #: What players reported with each answer, for its first action; None for other actions, and
    #: instead of the list if nothing was reported.
    reports: list[dict[str, float] | None] | None
    #: How the players' scores ended the game; None if they did not.
    adjudicated: dict[str, Any] | None


def conduct_game(
    game: BaseGame,
    players: Mapping[str, Player],
    generators: Mapping[str, np.random.Generator],
    show: Callable[[BaseGame], object] = bool,
    turns: int | None = None,
    adjudication: Adjudication | None = None,
) -> Measurements:
    """Play a game to its end, to the first fault, or for a number of turns.

    Args:
        game: the game before its first action; it is played on in place. Only this package's own
            players get the game itself; all others get copies.
        players: the players, by side.
        generators: the players' random numbers, by side.
        show: called with the game before each answer.
        turns: the number of turns, of both sides, after which the game stops; None to play on.
        adjudication: when the players' scores end the game; None for never.

    Returns:
        What was measured.

    Raises:
        MachineError: if the machine fails, which is no player's fault.
    """
    seconds: list[float] = []
    reports: list[dict[str, float] | None] = []
    fault: dict[str, Any] | None = None
    adjudicated: dict[str, Any] | None = None
    agreement = None if adjudication is None else Agreement(adjudication, game)
    begun: list[str] = []
    earlier = len(game.history)
    side, result, reason = game.players[0], Outcome.TRUNCATED.value, "stopped"
    stops_at = math.inf if turns is None else game.turn + turns
    try:
        try:
            for side, player in players.items():
                player.begin(game, side, generators[side])
                begun.append(side)
            while game.result is None and game.turn < stops_at:
                side = game.to_act
                show(game)
                actions, taken = players[side].answer(game)
                reported = players[side].reported
                try:
                    _play(game, actions)
                finally:
                    played = len(game.history) - earlier - len(seconds)
                    if played:
                        seconds += [taken, *repeat(0.0, played - 1)]
                        reports += [reported, *repeat(None, played - 1)]
                agreed = agreement and agreement.after(side, reported)
                if agreed:
                    outcome, adjudicated = agreed
                    result, reason = outcome.value, "adjudicated"
                    break
            if game.result is not None:
                result, reason = game.result, "normal"
        except PlayerError as error:
            due = len(seconds) + 1 if len(begun) == len(players) else START
            fault = {
                "player": side,
                "kind": error.kind,
                "ply": due,
                "seen": error.reason[:_LONGEST_REMARK],
            }
            players[side].drop()  # its late output must not reach the next game
            result, reason = Outcome.won_by(1 - game.players.index(side)).value, "fault"
        programs = {
            name: program for name in begun if (program := players[name].program) is not None
        }
        used = {
            name: used for name, program in programs.items() if (used := program.used) is not None
        }
        memory, cpu = (
            {name: each[number] for name, each in used.items()} or None for number in range(2)
        )
        unprotected = {
            name: lacking for name, program in programs.items() if (lacking := program.unprotected)
        }
        models = {
            name: model.conversation for name in begun if (model := players[name].model) is not None
        }
        expected = {
            name: expectation
            for name in begun
            if turns is not None and (expectation := players[name].expectation) is not None
        }
        return Measurements(
            seconds,
            fault,
            unprotected or None,
            memory,
            cpu,
            models or None,
            expected or None,
            reports if any(reports) else None,
            adjudicated,
        )
    finally:
        for player in players.values():
            player.end(result, reason)


def _play(game: BaseGame, actions: Sequence[Any]) -> None:
    """Play the actions of an answer; what follows the end of the game is ignored.

    Raises:
        PlayerError: if one of them is not legal, or comes after the end of its turn.
    """
    side, before = game.to_act, len(game.history)
    try:
        played = game.play_turn(actions)
    except IllegalActionError as error:
        raise PlayerError(game.to_act, str(error)) from None
    except Exception as error:  # an object of an unknown class may raise anything
        action = actions[len(game.history) - before]
        raise PlayerError(
            game.to_act, f"it answered with {repr_of(action)}: {_describe(error)}"
        ) from error
    if played < len(actions) and game.result is None:
        action = actions[played]
        name = game.action_names[action] if isinstance(action, int) else action
        raise PlayerError(side, f"{repr_of(name)} comes after the end of its turn")


def _describe(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {repr_of(text)}" if text else type(error).__name__
