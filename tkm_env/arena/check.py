"""Walking a bot through the protocol, step by step, for whoever writes one."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from tkm_env.agents.command import CommandAgent, bot_command
from tkm_env.agents.specs import COMMAND, make_agent
from tkm_env.arena.referee import Conditions
from tkm_env.errors import ConfigError, PlayerError, ProtocolError
from tkm_env.game.base import BaseGame
from tkm_env.game.registry import GameSpec, default_game, game_spec
from tkm_env.game.settings import changed_settings
from tkm_env.isolation.program import Program
from tkm_env.isolation.protocol import Begin, End, Go, Hello, Info, Play, Quit, expected, parse_answer

#: Seconds in which a bot must do what takes no thinking.
_SOON: Final = 2.0
#: How many actions a whole game may have before it is left.
_LONGEST_GAME: Final = 400


@dataclasses.dataclass(frozen=True)
class Step:
    """One thing that a bot must do.

    Attributes:
        name: what, in a few words.
        run: does it, and raises a `PlayerError` if the bot does not; what it returns is worth showing.
    """

    name: str
    run: Callable[[Bench], object]


class Bench:
    """Where a bot is walked through the steps: its program, the last lines in both directions, and what it wrote to standard error."""

    def __init__(self, line: str, spec: GameSpec, conditions: Conditions) -> None:
        agent = make_agent(line, "player", spec.name, limits=conditions.limits)
        self.name = line
        self.command = agent.command if isinstance(agent, CommandAgent) else bot_command(line, spec.name)
        self.compiles = not line.startswith(f"{COMMAND}:")
        self.spec = spec
        self.conditions = conditions
        self.program: Program | None = None
        self.lines: list[str] = []
        self._is_warm = False

    def fail(self, reason: str, kind: str = "protocol") -> PlayerError:
        return PlayerError(self.name, reason, kind)

    @property
    def error_output(self) -> str:
        """What the program has written to standard error."""
        return self.program.error_output() if self.program is not None else ""

    def running(self) -> Program:
        """The program, started if it does not run."""
        if self.program is None or not self.program.is_running:
            self._is_warm = False
            self.program = self.new_program()
        return self.program

    def new_program(self) -> Program:
        """Another one."""
        return Program(self.command, self.name, self.conditions.limits, CommandAgent.code_cache(compiles=self.compiles))

    def restart(self) -> None:
        """End the program, and start it again."""
        if self.program is not None:
            self.program.kill()
        self.running()

    def tell(self, line: object) -> None:
        """Write a line that needs no answer."""
        self.lines.append(f"> {line}")
        self.running().write_line(str(line), time.monotonic() + _SOON)

    def ask(self, line: object, kind: type[Any], seconds: float) -> Any:
        """Write a line, and return the answer to it."""
        self.tell(line)
        deadline = time.monotonic() + seconds
        while True:
            text = self.running().read_line(deadline)
            self.lines.append(f"< {text}")
            try:
                if not isinstance(answer := parse_answer(text), Info):
                    return expected(text, type(answer) if type(answer) is kind else kind)
            except ProtocolError as error:
                raise self.fail(str(error)) from None

    def begin(self, game: BaseGame, seat: str | None = None, extra: str = "") -> Hello:
        """Begin a game."""
        line = str(Begin(game.name, seat or game.to_act, 7, changed_settings(game.config)))
        hello: Hello = self.ask(line.replace("tkm 1", f"tkm 1{extra}"), Hello, self.conditions.limits.start_seconds)
        return hello

    def go(self, game: BaseGame, seed: int = 1, extra: str = "", seconds: float | None = None, **clock: Any) -> list[int]:
        """Ask for actions; those that are answered, of which the first is legal."""
        seconds = seconds or self.conditions.turn_seconds or _SOON
        patience = seconds + (0 if self._is_warm or not self.compiles else self.conditions.limits.start_seconds)
        names = [game.action_names[action] for action in game.history]
        line = str(Go(game.visible_position, tuple(game.legal_actions()), names, int(1000 * seconds), seed, **clock))
        answer = self.ask(line.replace("go ", f"go {extra}", 1), Play, patience)
        self._is_warm = True
        try:
            actions = [game.index_of(action) for action in answer.actions]
            trial = game.copy()
            turn = trial.to_act, trial.turn
            for action in actions:
                if trial.result is not None or (trial.to_act, trial.turn) != turn:
                    break
                trial.play(action)
        except ValueError as error:
            raise self.fail(str(error), "illegal") from None
        return actions

    def silent(self, seconds: float = 0.1) -> None:
        """Check that the bot says nothing now."""
        time.sleep(seconds)
        for line in self.running().waiting().splitlines():
            if not line.startswith(b"info"):
                raise self.fail(f"it wrote without being asked: {line[:60]!r}")

    def new_game(self, given: dict[str, Any] | None = None) -> BaseGame:
        return self.spec.game_class(self.spec.config_from_text(given or {}), seed=1)

    def later(self, turns: int, given: dict[str, Any] | None = None, seed: int = 1) -> BaseGame:
        """A game after so many turns of random play, or shortly before its end."""
        game, generator = self.new_game(given), np.random.default_rng(seed)
        while game.turn <= turns:
            after = game.copy()
            after.play(generator.choice(game.legal_actions()))
            if after.result is not None:
                break
            game = after
        return game


def check(
    line: str, game: str | None = None, conditions: Conditions | None = None
) -> Iterator[tuple[Step, object, PlayerError | None, Bench]]:
    """Walk a player through the steps, up to the first that it fails.

    Args:
        line: the player, as `tkm_env.agents.specs.make_agent` reads it.
        game: the name of the game; None for the first.
        conditions: where it runs, and how long it may think.

    Yields:
        each step, what is worth showing of it, the error if it failed, and the bench.

    Raises:
        ConfigError: if there is no such player.
    """
    bench = Bench(line, game_spec(game or default_game()), conditions or Conditions())
    try:
        for step in steps_of(bench.spec):
            try:
                shown = step.run(bench)
            except PlayerError as error:
                yield step, None, error, bench
                return
            yield step, shown, None, bench
    finally:
        if bench.program is not None:
            bench.program.kill()


def steps_of(spec: GameSpec) -> list[Step]:
    """All steps for a game, in order."""
    return [
        Step("it starts", lambda bench: ", ".join(bench.running().active)),
        Step("it is silent until it is asked", lambda bench: bench.silent()),
        Step("it answers tkm", lambda bench: bench.begin(bench.new_game())),
        Step("it is silent when it has answered", lambda bench: bench.silent()),
        Step("it says its name", lambda bench: bench.begin(bench.new_game()).name),
        Step("it may name its version", lambda bench: bench.begin(bench.new_game()).version or "it does not"),
        Step("it answers go with a legal action", lambda bench: bench.go(bench.new_game())),
        Step("it answers by name or by number", _form),
        Step("it answers the same request again", _again),
        Step("it answers a request about another position", lambda bench: bench.go(bench.later(3))),
        Step("it answers where there is one legal action", _forced),
        Step("it plays a whole turn", _turn),
        *(Step(f"it plays {_described(given)}", _starting(given)) for given in _settings_of(spec)),
        Step("it answers late in a game", lambda bench: _begun(bench, bench.later(25))),
        Step("it answers after a restart in the middle of a game", _restarted),
        Step("it answers after 1000 actions", _long),
        Step("it answers with a bank of time", lambda bench: bench.go(bench.later(2), bank_ms=60_000, inc_ms=500)),
        Step("it answers with half a second left", lambda bench: bench.go(bench.later(2), seconds=0.5)),
        Step("it ignores words that it does not know in tkm", lambda bench: bench.begin(bench.new_game(), extra=" mood=good")),
        Step("it ignores words that it does not know in go", lambda bench: bench.go(bench.new_game(), extra="mood=good ")),
        Step("it takes the largest seed", lambda bench: bench.go(bench.new_game(), seed=2**62 - 1)),
        Step("it is silent at the end of a game", _ended),
        Step("it begins another game after that", lambda bench: _begun(bench, bench.new_game())),
        Step("it begins another game without an end before", lambda bench: _begun(bench, bench.new_game())),
        *(Step(f"it plays a game as {seat}", _whole(seat)) for seat in spec.players),
        Step("it plays two games in a row without a restart", lambda bench: [_whole(seat)(bench) for seat in spec.players]),
        Step("two of it play side by side", _side_by_side),
        Step("it keeps within its memory", lambda bench: f"{bench.running().usage()['memory'] >> 20} MiB"),
        Step("it ends by itself at quit", lambda bench: _quits(bench, said=True)),
        Step("it ends with the exit code 0", lambda bench: _quits(bench, said=True, code=0)),
        Step("it ends by itself when its input ends", lambda bench: _quits(bench, said=False)),
        Step("it starts again", lambda bench: _begun(bench, bench.new_game())),
    ]


def _settings_of(spec: GameSpec) -> list[dict[str, str | bool]]:
    """Each choice of each setting by itself, as far as it can stand by itself."""
    asked: list[dict[str, str | bool]] = []
    for setting in spec.settings:
        if setting.kind == "choice":
            asked += [{setting.keyword: choice} for choice in setting.choices]
        elif setting.kind == "pair":
            asked.append({setting.keyword: f"{setting.choices[1]},{setting.choices[0]}"})
        elif setting.kind == "switch":
            asked.append({setting.keyword: True})
    return [given for given in asked if _stands(spec, given)]


def _stands(spec: GameSpec, given: dict[str, Any]) -> bool:
    try:
        spec.config_from_text(given)
    except ConfigError:
        return False
    return True


def _described(given: dict[str, Any]) -> str:
    return ", ".join(keyword if value is True else f"{keyword}={value}" for keyword, value in given.items())


def _begun(bench: Bench, game: BaseGame) -> object:
    bench.begin(game)
    return bench.go(game)


def _starting(given: dict[str, Any]) -> Callable[[Bench], object]:
    """The start, and a position some turns later."""

    def run(bench: Bench) -> None:
        for turns in (0, 6):
            _begun(bench, bench.later(turns, given))

    return run


def _form(bench: Bench) -> str:
    bench.go(bench.new_game())
    answer = expected(bench.lines[-1].removeprefix("< "), Play)
    assert isinstance(answer, Play)
    return "by name" if isinstance(answer.actions[0], str) else "by number"


def _again(bench: Bench) -> str:
    first, second = (bench.go(bench.later(1)) for _ in range(2))
    return "the same way" if first == second else "another way"


def _forced(bench: Bench) -> object:
    for seed in range(100):
        game = bench.later(seed % 8, seed=seed)
        if len(game.legal_actions()) == 1:
            return bench.go(game)
    return "there is none in this game"


def _turn(bench: Bench) -> str:
    game = bench.new_game()
    bench.begin(game)
    turn, requests, played = (game.to_act, game.turn), 0, 0
    while game.result is None and (game.to_act, game.turn) == turn:
        requests += 1
        for action in bench.go(game):
            if game.result is None and (game.to_act, game.turn) == turn:
                game.play(action)
                played += 1
    return f"{played} actions in {requests} answers"


def _restarted(bench: Bench) -> object:
    bench.restart()
    return _begun(bench, bench.later(9))


def _long(bench: Bench) -> object:
    """The position counts; what was played to reach it may be any length."""
    game = bench.later(4)
    played = (game.action_names[0],) * 1000
    line = str(Go(game.visible_position, tuple(game.legal_actions()), played))
    return bench.ask(line, Play, bench.conditions.turn_seconds or _SOON)


def _ended(bench: Bench) -> None:
    bench.tell(End("1-0"))
    bench.silent()


def _whole(seat: str) -> Callable[[Bench], object]:
    """A game against random play."""

    def run(bench: Bench) -> str:
        game, generator = bench.new_game(), np.random.default_rng(3)
        bench.begin(game, seat)
        slowest = 0.0
        while game.result is None and len(game.history) < _LONGEST_GAME:
            if game.to_act != seat:
                game.play(generator.choice(game.legal_actions()))
                continue
            turn, began = (game.to_act, game.turn), time.perf_counter()
            actions = bench.go(game)
            slowest = max(slowest, time.perf_counter() - began)
            for action in actions:
                if game.result is None and (game.to_act, game.turn) == turn:
                    game.play(action)
        bench.tell(End(game.result or "*", "normal" if game.result else "stopped"))
        return f"{game.result or 'left'} after {len(game.history)} actions, slowest answer {1000 * slowest:.0f} ms"

    return run


def _side_by_side(bench: Bench) -> None:
    first, second = bench.running(), bench.new_program()
    try:
        bench.program = second
        bench._is_warm = False
        _begun(bench, bench.new_game())
        bench.program = first
        _begun(bench, bench.new_game())
    finally:
        bench.program = first
        second.kill()


def _quits(bench: Bench, *, said: bool, code: int | None = None) -> str:
    _begun(bench, bench.new_game())
    if said:
        bench.tell(Quit())
    program = bench.running()
    ended = program.close(_SOON)
    if ended is None:
        raise bench.fail(f"it was still running after {_SOON:.0f} s", "timeout")
    if code is not None and ended != code:
        raise bench.fail(f"the exit code is {ended}", "crash")
    return f"exit code {ended}"
