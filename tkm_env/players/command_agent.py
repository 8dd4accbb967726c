"""Programs as players: isolated processes that speak the protocol of ``docs/protocol.md``."""

import shlex
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tkm_env.compiled.decorators import cache_place
from tkm_env.core.game import BaseGame
from tkm_env.core.settings import changed_settings
from tkm_env.foundations.errors import (
    ConfigError,
    MachineError,
    PlayerError,
    ProtocolError,
    UnknownActionError,
    repr_of,
)
from tkm_env.foundations.seeds import derived
from tkm_env.isolation.bot_protocol import (
    MOST_REMARKS,
    SEEDS,
    Begin,
    End,
    Go,
    Hello,
    Info,
    Play,
    Quit,
    check_names,
    expected,
    parse_answer,
)
from tkm_env.isolation.import_rules import ENVIRONMENT, ImportRules
from tkm_env.isolation.limits import CONFINED, DEFAULT_LIMITS, Limits
from tkm_env.isolation.program import Program, check_isolation
from tkm_env.players.player_spec import PlayerKind, PlayerRequest

#: How long one turn may take by default, in seconds.
TURN_SECONDS: Final = 10.0

_RUN_MODULE: Final = Path(__file__).with_name("run_module.py")
#: The parts of this package that a contestant's program can see and import: the environment, and
#: the modules that serve the protocol. Players, searches and networks are not among them.
CONTESTANT: Final = (
    *ENVIRONMENT,
    "tkm_env.isolation",
    "tkm_env.players.bot_server",
    "tkm_env.players.model_file",
    "tkm_env.players.player_spec",
    "tkm_env.players.policy",
    "tkm_env.players.python_file",
    "tkm_env.players.roster",
    "tkm_env.players.run_module",
    "tkm_env.players.factory",
)


class CommandAgent:
    """Plays the answers of a program, which is started for the first game and kept running.

    Args:
        command: the program and its arguments, as words or as one line, which is split as a shell
            splits it.
        name: the agent's name in errors; by default ``cmd:`` and the command.
        limits: the isolation of the program, and the resources that it may use; None for the
            default limits.
        compiles: whether the first answer may take ``start_seconds`` longer, because the program
            compiles code. This applies once, and again only if the program was ended through no
            fault of its own.
        transcript: called with each line of the conversation with the program, as
            `tkm_env.isolation.program.Program` does; None for no transcript.

    Attributes:
        command: the words of the command.
        program: the running program; None if none is running. `close` ends it.
        reported: what the program reported before its last answer, as
            `tkm_env.isolation.bot_protocol.Info.report` has it; of several values, the last.

    Raises:
        ConfigError: if the command is malformed, or this system lacks the isolation.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        name: str | None = None,
        limits: Limits | None = None,
        compiles: bool = False,
        transcript: Callable[[str], object] | None = None,
    ) -> None:
        self._transcript = transcript
        self.command = _checked_words(command)
        self.name = name or f"cmd:{shlex.join(self.command)}"
        self._limits = limits or DEFAULT_LIMITS
        check_isolation(self._limits)
        self.isolation = self._limits.isolation
        self.compiles = compiles
        self._has_had_grace = False
        self.program: Program | None = None
        self.reported: dict[str, float] = {}
        #: The program of the current game, even after its end.
        self._measured: Program | None = None
        #: CPU seconds of that program so far, and before the current game.
        self._cpu = self._cpu_before = 0.0
        self._begun: tuple[object, ...] | None = None
        self.reset()

    @property
    def grace(self) -> float:
        """The additional time for the program's next answer, in seconds, since it compiles."""
        return self._limits.start_seconds if self.compiles and not self._has_had_grace else 0.0

    @property
    def used(self) -> tuple[float, float] | None:
        """What the program's processes used in the current or last game; None if unknown.

        This is the peak of their memory, in MiB, and their CPU time, in seconds, including that of
        the start. Both are unknown in a container.
        """
        if self._measured is None or self.isolation == "container":
            return None
        usage = self._measured.usage()
        self._cpu = max(self._cpu, usage.get("cpu", 0.0))
        if not usage.get("memory"):
            return None
        return usage["memory"] / (1 << 20), self._cpu - self._cpu_before

    @property
    def error_output(self) -> str:
        """What the program of the current or last game wrote to standard error."""
        return "" if self._measured is None else self._measured.error_output()

    @property
    def unprotected(self) -> list[str]:
        """The protections that the confined program of the current or last game lacks.

        Empty if there is no such program, or it is not to be confined.
        """
        if self._measured is None or self.isolation not in CONFINED:
            return []
        return self._measured.unprotected

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Prepare for a new game; the program is told with the first request for an action.

        The seeds that the program is given derive from a secret drawn from ``seed``.
        """
        # Successive numbers of a generator can be predicted from the previous ones.
        self._secret = int.from_bytes(np.random.default_rng(seed).bytes(16), "big")
        self._requests = 0
        self._begun = self._measured = None

    def begin(self, game: BaseGame, seat: str) -> None:
        """Start the program if necessary, and announce the game unless that has been done.

        Args:
            game: the game.
            seat: the name of the side that the program plays.

        Raises:
            PlayerError: if the program answers too late, or not by the protocol.
            MachineError: if this machine fails.
        """
        key = (game.name, seat, game.config)
        if key == self._begun and self.program is not None:
            return
        deadline = time.monotonic() + self._limits.start_seconds
        try:
            if self.program is None:
                check_names(game.name, game.players, game.action_names)
                code_cache = cache_place() if self.compiles else None
                self.program = Program(
                    self.command, self.name, self._limits, code_cache, self._transcript
                )
                self._cpu = 0.0
            else:
                self.program.forget_peaks()
            self._measured, self._cpu_before = self.program, self._cpu
            line = str(Begin(game.name, seat, self._next_seed(), changed_settings(game.config)))
            self._ask(line, deadline, Hello)
        except PlayerError as error:
            raise PlayerError(self.name, error.reason, error.kind, starting=True) from None
        self._begun = key

    def act(self, game: BaseGame) -> int:
        """Ask the program for its next action.

        Raises:
            PlayerError: naming the program's fault; the next game starts it again.
            MachineError: if this machine fails.
        """
        return self.answer(game)[0]

    def answer(
        self,
        game: BaseGame,
        left: float = TURN_SECONDS,
        bank: float | None = None,
        increment: float = 0.0,
    ) -> list[int]:
        """Ask the program for its next actions.

        Args:
            game: the game, at the program's turn; unchanged.
            left: the time for the answer, in seconds.
            bank: the part of ``left`` that is carried over from turn to turn, in seconds; None
                for no such clock.
            increment: the time added to the bank with each turn, in seconds.

        Returns:
            The indices of the actions, at least one. They exist, but may be illegal here, and may
                go past the end of the turn.

        Raises:
            PlayerError: naming the program's fault; the next request starts it again.
            MachineError: if this machine fails.
        """
        seat = game.to_act
        self.begin(game, seat)
        self.reported = {}
        request = Go(
            game.visible_position,
            tuple(game.legal_actions()),
            [game.action_names[action] for action in game.history],
            int(1000 * left),
            self._next_seed(),
            None if bank is None else int(1000 * bank),
            int(1000 * increment),
        )
        grace, self._has_had_grace = self.grace, True
        actions = self._ask(str(request), time.monotonic() + left + grace, Play).actions
        try:
            return [game.index_of(action) for action in actions]
        except UnknownActionError as error:
            raise PlayerError(self.name, str(error), "illegal") from None

    def _next_seed(self) -> int:
        self._requests += 1
        return derived(self._secret, "request", self._requests) % SEEDS

    def end(self, result: str, reason: str = "normal") -> None:
        """Tell the program, if it is running, that the game is over.

        Args:
            result: the result, such as ``"1-0"``.
            reason: why the game ended, as ``docs/protocol.md`` lists it.
        """
        self._begun = None
        if self.program is not None:
            try:
                self.program.write_line(str(End(result, reason)), time.monotonic() + 1)
            except (PlayerError, MachineError):  # the game is over in any case
                self.drop()

    def close(self) -> None:
        """Ask the program to quit, then end it."""
        program, self.program, self._begun = self.program, None, None
        if program is not None and program.is_running:
            self._has_had_grace = False
            try:
                program.write_line(str(Quit()), time.monotonic() + 0.1)
                program.close()
            except (PlayerError, MachineError):
                program.kill()

    def drop(self) -> None:
        """End the program at once."""
        program, self.program, self._begun = self.program, None, None
        if program is not None:
            program.kill()

    def _ask(self, line: str, deadline: float, kind: type[Any]) -> Any:
        program = self.program
        assert program is not None
        try:
            if waiting := program.waiting():
                self._check_remarks(waiting)
            program.write_line(line, deadline)
            room = self._limits.output_kib << 10
            for _ in range(MOST_REMARKS + 1):
                text = program.read_line(deadline)
                room -= len(text)
                if room < 0:
                    reason = f"more than {self._limits.output_kib} KiB before its answer"
                    raise PlayerError(self.name, reason, "output")
                if not text.startswith("info"):
                    return expected(text, kind)
                remark = parse_answer(text)
                if isinstance(remark, Info):
                    self.reported |= remark.report
            raise self._talks_too_much()
        except ProtocolError as error:
            self.drop()
            raise PlayerError(self.name, str(error), "protocol") from None
        except BaseException as error:
            self.drop()
            self._has_had_grace &= isinstance(error, PlayerError)
            raise

    def _check_remarks(self, waiting: bytes) -> None:
        """Check that the program wrote nothing but remarks before the request."""
        if waiting.count(b"\n") > MOST_REMARKS:
            raise self._talks_too_much()
        lines = filter(None, waiting.split(b"\n"))
        if not all(b"info ".startswith(line[:5]) for line in lines):
            early = repr_of(waiting[:60].decode("utf-8", "replace"))
            raise PlayerError(self.name, f"it wrote without a request: {early}", "protocol")

    def _talks_too_much(self) -> PlayerError:
        reason = f"more than {MOST_REMARKS:,} lines before its answer"
        return PlayerError(self.name, reason, "output")


def _checked_words(command: str | Sequence[str]) -> list[str]:
    """Split a command into words; raise a `ConfigError` if it is malformed."""
    try:
        words = shlex.split(command) if isinstance(command, str) else [*command]
    except ValueError as error:
        reason = f"it cannot be split into words: {error}"
        raise ConfigError("command", command, reason) from None
    if not words or not all(isinstance(word, str) and word and "\0" not in word for word in words):
        reason = "a program and its arguments are needed, such as ./mybot or python3 mybot.py"
        raise ConfigError("command", command, reason)
    return words


def bot_command(spec: str, game: str, rules: ImportRules | None = None) -> list[str]:
    """Return the command of a program that plays as a player of this package or of a file.

    Args:
        spec: the player, as `tkm_env.players.factory.make_agent` reads it.
        game: the name of the game.
        rules: the modules that the program may import; None for all.

    Returns:
        The words of a command that runs `tkm_env.players.bot_server`.
    """
    words = [] if rules is None else [rules.to_text()]
    return package_command("tkm_env.players.bot_server", spec, game, *words)


def package_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs the function ``main`` of a module of this package.

    Args:
        module: the full name of the module.
        *arguments: the strings that ``main`` receives, as a list.

    Returns:
        The words of the command.
    """
    return [sys.executable, str(_RUN_MODULE), module, *arguments]


class _CommandKind(PlayerKind):
    """Players described by ``cmd:COMMAND``."""

    form = "COMMAND"

    def split(self, text: str) -> tuple[str, str]:
        return text, ""

    def make(self, request: PlayerRequest) -> CommandAgent:
        try:
            return CommandAgent(request.spec.subject, name=request.line, limits=request.limits)
        except ConfigError as error:
            if error.keyword == "command":
                raise request.refuse(error.reason) from None
            raise


PLAYER_KIND: Final = _CommandKind()
