"""A check of a bot for its author, which walks through the protocol step by step."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS, Conditions
from tkm_env.compiled.decorators import cache_place
from tkm_env.core.game import BaseGame
from tkm_env.core.outcome import Outcome
from tkm_env.core.registry import GameSpec, default_game, game_spec
from tkm_env.core.settings import changed_settings
from tkm_env.foundations.errors import ConfigError, PlayerError, ProtocolError
from tkm_env.isolation.bot_protocol import (
    SEEDS,
    Begin,
    End,
    Go,
    Hello,
    Info,
    Play,
    Quit,
    expected,
    parse_answer,
)
from tkm_env.isolation.program import Program
from tkm_env.players.command_agent import CommandAgent, bot_command
from tkm_env.players.factory import make_agent
from tkm_env.players.player_spec import COMMAND, PlayerSpec

#: The time limit where no thinking is needed, in seconds.
_SOON: Final = 2.0
#: How long a bot must stay silent, in seconds.
_SILENT: Final = 0.1
#: The time after an answer in which a bot's threads may come to rest, and the time for which it is
#: watched then, in seconds.
_SETTLES: Final = 0.3
_REST: Final = 1.0
#: The number of actions after which a full game is abandoned.
_LONGEST_GAME: Final = 400


class ProtocolHarness:
    """A bot under test: its program, the lines in both directions, and its standard error.

    Args:
        line: the player, as `tkm_env.players.factory.make_agent` reads it.
        spec: the game's row in the registry.
        conditions: the conditions under which it plays.

    Raises:
        ConfigError: if there is no such player.
    """

    def __init__(self, line: str, spec: GameSpec, conditions: Conditions) -> None:
        agent = make_agent(line, "player", spec.name, limits=conditions.limits)
        self.name = line
        self.command = (
            agent.command if isinstance(agent, CommandAgent) else bot_command(line, spec.name)
        )
        self.compiles = PlayerSpec.parse(line).kind != COMMAND
        self.spec = spec
        self.conditions = conditions
        self.program: Program | None = None
        self.lines: list[str] = []
        self._is_warm = False

    def fail(self, reason: str, kind: str = "protocol") -> PlayerError:
        """Return the error of a failed step.

        Args:
            reason: what was observed.
            kind: one of `tkm_env.core.record_schema.FAULTS`.

        Returns:
            The error, which names the bot.
        """
        return PlayerError(self.name, reason, kind)

    @property
    def error_output(self) -> str:
        """What the program wrote to standard error."""
        return self.program.error_output() if self.program is not None else ""

    def running(self) -> Program:
        """Return the program, which is started unless it is running."""
        if self.program is None or not self.program.is_running:
            self._is_warm = False
            self.program = self.new_program()
        return self.program

    def new_program(self) -> Program:
        """Start another instance of the program."""
        return Program(
            self.command,
            self.name,
            self.conditions.limits,
            cache_place() if self.compiles else None,
        )

    def send(self, line: object) -> None:
        """Write a line that needs no answer."""
        self.lines.append(f"> {line}")
        self.running().write_line(str(line), time.monotonic() + _SOON)

    def ask(self, line: object, kind: type[Any], seconds: float) -> Any:
        """Write a line, and return the answer to it.

        Args:
            line: the line, or a value whose `str` it is.
            kind: the class of the answer that is expected.
            seconds: the time for the answer, in seconds.

        Returns:
            The answer, an instance of ``kind``.

        Raises:
            PlayerError: if the answer is late, or anything else.
        """
        self.send(line)
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
        """Announce a game to the bot.

        Args:
            game: the game.
            seat: the side that the bot plays; None for the side to act.
            extra: words to insert into the line.

        Returns:
            The bot's answer.

        Raises:
            PlayerError: if the answer is late, or anything else.
        """
        line = str(Begin(game.name, seat or game.to_act, 7, changed_settings(game.config)))
        hello: Hello = self.ask(
            line.replace("tkm 1", f"tkm 1{extra}"), Hello, self.conditions.limits.start_seconds
        )
        return hello

    def go(
        self,
        game: BaseGame,
        seed: int = 1,
        extra: str = "",
        seconds: float | None = None,
        **clock: Any,
    ) -> list[int]:
        """Request actions.

        Args:
            game: the game, at the bot's turn; unchanged.
            seed: the seed in the request.
            extra: words to insert into the line.
            seconds: the time for the answer, in seconds; None for the time of a turn.
            **clock: fields of `Go` about the clock.

        Returns:
            The actions in the answer that belong to this turn, which are legal.

        Raises:
            PlayerError: if the answer is late, malformed, or contains an illegal action.
        """
        seconds = seconds or self.conditions.turn_seconds or _SOON
        patience = seconds + (
            0 if self._is_warm or not self.compiles else self.conditions.limits.start_seconds
        )
        names = [game.action_names[action] for action in game.history]
        line = str(
            Go(
                game.visible_position,
                tuple(game.legal_actions()),
                names,
                int(1000 * seconds),
                seed,
                **clock,
            )
        )
        answer = self.ask(line.replace("go ", f"go {extra}", 1), Play, patience)
        self._is_warm = True
        trial, turn, played = game.copy(), game.turn_id, list[int]()
        try:
            for action in [game.index_of(action) for action in answer.actions]:
                if not trial.is_in_turn(turn):
                    break
                trial.play(action)
                played.append(action)
        except ValueError as error:
            raise self.fail(str(error), "illegal") from None
        return played

    def expect_silence(self) -> None:
        """Check that the bot writes nothing now."""
        time.sleep(_SILENT)
        for line in self.running().waiting().splitlines():
            if not line.startswith(b"info"):
                raise self.fail(f"it wrote without a request: {line[:60]!r}")

    def new_game(self, given: dict[str, Any] | None = None) -> BaseGame:
        return self.spec.game_class(self.spec.config_from_text(given or {}), seed=1)

    def game_after(
        self, turns: int, given: dict[str, Any] | None = None, seed: int = 1
    ) -> BaseGame:
        """Return a game after some random turns, or just before its end if that comes sooner.

        Args:
            turns: the number of random turns.
            given: the settings of the game, as text; None for the defaults.
            seed: the seed of the random turns.

        Returns:
            The game, which is not over.
        """
        game, generator = self.new_game(given), np.random.default_rng(seed)
        while game.turn <= turns:
            after = game.copy()
            after.play(generator.choice(game.legal_actions()))
            if after.result is not None:
                break
            game = after
        return game


#: Makes a bot do one thing, and raises a `PlayerError` if it fails; returns what to show.
ProtocolStep: TypeAlias = Callable[[ProtocolHarness], object]


def check(
    line: str, game: str | None = None, conditions: Conditions | None = None
) -> Iterator[tuple[str, object, PlayerError | None, ProtocolHarness]]:
    """Walk a player through the steps of a game's protocol, up to the first that it fails.

    Args:
        line: the player, as `tkm_env.players.factory.make_agent` reads it.
        game: the name of the game; None for the first in the registry.
        conditions: the conditions under which it plays; None for the default ones.

    Yields:
        The name of each step, what to show about it, the error if it failed, and the harness.

    Raises:
        ConfigError: if there is no such player.
    """
    bot = ProtocolHarness(line, game_spec(game or default_game()), conditions or DEFAULT_CONDITIONS)
    try:
        for name, step in steps_of(bot.spec).items():
            try:
                shown = step(bot)
            except PlayerError as error:
                yield name, None, _with_hint(error, bot), bot
                return
            yield name, shown, None, bot
    finally:
        if bot.program is not None:
            bot.program.kill()


def _with_hint(error: PlayerError, bot: ProtocolHarness) -> PlayerError:
    """Add to a timeout of a bot that has not answered once what is usually the reason."""
    if error.kind != "timeout" or any(line.startswith("< ") for line in bot.lines):
        return error
    hint = (
        "it has not written a line so far: a bot must read its input line by line, and flush its "
        "output after every line; mawk does so with -W interactive"
    )
    return PlayerError(error.player, f"{error.reason}; {hint}", error.kind, error.starting)


def steps_of(spec: GameSpec) -> dict[str, ProtocolStep]:
    """Return all steps for a game, by name, in order."""
    return {
        "it starts": lambda bot: ", ".join(bot.running().active),
        "it is silent until the first request": ProtocolHarness.expect_silence,
        "it answers tkm": lambda bot: bot.begin(bot.new_game()),
        "it is silent when it has answered": ProtocolHarness.expect_silence,
        "it says its name": lambda bot: bot.begin(bot.new_game()).name,
        "it may name its version": lambda bot: bot.begin(bot.new_game()).version or "it does not",
        "it answers go with a legal action": lambda bot: bot.go(bot.new_game()),
        "it answers by name or by number": _answer_form,
        "it answers the same request again": _repeat,
        "it answers a request about another position": lambda bot: bot.go(bot.game_after(3)),
        "it answers where there is one legal action": _forced,
        "it plays a whole turn": _whole_turn,
        **{
            f"it plays {_describe(given)}": partial(_play_under, given)
            for given in _settings_of(spec)
        },
        "it answers late in a game": lambda bot: _begin_and_go(bot, bot.game_after(25)),
        "it answers after a restart in the middle of a game": _restart,
        "it answers after 1000 actions": _long_history,
        "it answers with a bank of time": lambda bot: bot.go(
            bot.game_after(2), bank_ms=60_000, inc_ms=500
        ),
        "it answers with half a second left": lambda bot: bot.go(bot.game_after(2), seconds=0.5),
        "it ignores unknown words in tkm": lambda bot: bot.begin(
            bot.new_game(), extra=" mood=good"
        ),
        "it ignores unknown words in go": lambda bot: bot.go(bot.new_game(), extra="mood=good "),
        "it takes the largest seed": lambda bot: bot.go(bot.new_game(), seed=SEEDS - 1),
        "it rests while another player thinks": _rest,
        "it is silent at the end of a game": _send_end,
        "it begins another game after that": lambda bot: _begin_and_go(bot, bot.new_game()),
        "it begins another game without an end before": lambda bot: _begin_and_go(
            bot, bot.new_game()
        ),
        **{f"it plays a game as {seat}": partial(_whole_game, seat) for seat in spec.players},
        "it plays two games in a row without a restart": lambda bot: [
            _whole_game(seat, bot) for seat in spec.players
        ],
        "two instances play side by side": _side_by_side,
        "it keeps within its memory": lambda bot: f"{bot.running().usage()['memory'] >> 20} MiB",
        "it ends by itself at quit": lambda bot: _quit(bot, with_quit=True),
        "it ends with the exit code 0": lambda bot: _quit(bot, with_quit=True, code=0),
        "it ends by itself when its input ends": lambda bot: _quit(bot, with_quit=False),
        "it starts again": lambda bot: _begin_and_go(bot, bot.new_game()),
    }


def _settings_of(spec: GameSpec) -> list[dict[str, str | bool]]:
    """Return each choice of each setting alone, where it is valid alone."""
    choices: list[dict[str, str | bool]] = []
    for setting in spec.settings:
        if setting.kind == "choice":
            choices += [{setting.keyword: choice} for choice in setting.choices]
        elif setting.kind == "pair":
            choices.append({setting.keyword: f"{setting.choices[1]},{setting.choices[0]}"})
        elif setting.kind == "switch":
            choices.append({setting.keyword: True})
    valid = []
    for given in choices:
        with suppress(ConfigError):
            spec.config_from_text(given)
            valid.append(given)
    return valid


def _describe(given: dict[str, Any]) -> str:
    return ", ".join(
        keyword if value is True else f"{keyword}={value}" for keyword, value in given.items()
    )


def _begin_and_go(bot: ProtocolHarness, game: BaseGame) -> object:
    bot.begin(game)
    return bot.go(game)


def _play_under(given: dict[str, Any], bot: ProtocolHarness) -> None:
    """Play under these settings, at the start and some turns later."""
    for turns in (0, 6):
        _begin_and_go(bot, bot.game_after(turns, given))


def _answer_form(bot: ProtocolHarness) -> str:
    bot.go(bot.new_game())
    answer = expected(bot.lines[-1].removeprefix("< "), Play)
    assert isinstance(answer, Play)
    return "by name" if isinstance(answer.actions[0], str) else "by number"


def _repeat(bot: ProtocolHarness) -> str:
    first, second = (bot.go(bot.game_after(1)) for _ in range(2))
    return "the same way" if first == second else "differently"


def _forced(bot: ProtocolHarness) -> object:
    for seed in range(100):
        game = bot.game_after(seed % 8, seed=seed)
        if len(game.legal_actions()) == 1:
            return bot.go(game)
    return "this game has no such position"


def _whole_turn(bot: ProtocolHarness) -> str:
    game = bot.new_game()
    bot.begin(game)
    turn, requests = game.turn_id, 0
    while game.is_in_turn(turn):
        requests += 1
        for action in bot.go(game):
            game.play(action)
    return f"{len(game.history)} actions in {requests} answers"


def _restart(bot: ProtocolHarness) -> object:
    bot.running().kill()
    return _begin_and_go(bot, bot.game_after(9))


def _long_history(bot: ProtocolHarness) -> object:
    """Request actions with a long history, to check that only the position counts."""
    game = bot.game_after(4)
    played = (game.action_names[0],) * 1000
    line = str(Go(game.visible_position, tuple(game.legal_actions()), played))
    return bot.ask(line, Play, bot.conditions.turn_seconds or _SOON)


def _rest(bot: ProtocolHarness) -> None:
    bot.go(bot.game_after(2))
    time.sleep(_SETTLES)
    before = (
        bot.running().usage().get("cpu", math.inf)
    )  # if this cannot be measured, the bot passes
    time.sleep(_REST)
    used = bot.running().usage().get("cpu", 0.0) - before
    if used > _REST / 5:
        raise bot.fail(
            f"it used {used:.2f} s of CPU time in the {_REST:.1f} s after its answer, "
            "when it was not its turn"
        )


def _send_end(bot: ProtocolHarness) -> None:
    bot.send(End(Outcome.FIRST_WON.value))
    bot.expect_silence()


def _whole_game(seat: str, bot: ProtocolHarness) -> str:
    """Play a full game against random play."""
    game, generator = bot.new_game(), np.random.default_rng(3)
    bot.begin(game, seat)
    slowest = 0.0
    while game.result is None and len(game.history) < _LONGEST_GAME:
        if game.to_act != seat:
            game.play(generator.choice(game.legal_actions()))
            continue
        began = time.perf_counter()
        actions = bot.go(game)
        slowest = max(slowest, time.perf_counter() - began)
        for action in actions:
            game.play(action)
    bot.send(End(game.result or Outcome.TRUNCATED.value, "normal" if game.result else "stopped"))
    return (
        f"{game.result or 'abandoned'} after {len(game.history)} actions, "
        f"slowest answer {1000 * slowest:.0f} ms"
    )


def _side_by_side(bot: ProtocolHarness) -> None:
    first, second = bot.running(), bot.new_program()
    try:
        bot.program = second
        bot._is_warm = False
        _begin_and_go(bot, bot.new_game())
        bot.program = first
        _begin_and_go(bot, bot.new_game())
    finally:
        bot.program = first
        second.kill()


def _quit(bot: ProtocolHarness, *, with_quit: bool, code: int | None = None) -> str:
    _begin_and_go(bot, bot.new_game())
    if with_quit:
        bot.send(Quit())
    program = bot.running()
    seconds = bot.conditions.limits.start_seconds  # on a busy machine, ending takes long, too
    ended = program.close(seconds)
    if ended is None:
        raise bot.fail(f"it was still running after {seconds:g} s", "timeout")
    if code is not None and ended != code:
        raise bot.fail(f"the exit code is {ended}", "crash")
    return f"exit code {ended}"
