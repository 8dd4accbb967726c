"""Submissions that are trusted and run in this process, so that trying hundreds is cheap."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from tkm_env.core.game import BaseGame
from tkm_env.core.settings import changed_settings
from tkm_env.course.game_tree import GameTree
from tkm_env.course.python_runner import BOT, StudentError, StudentFile
from tkm_env.course.question_protocol import Ask, Call, Look, parse_response
from tkm_env.course.submission import AGENT, Submission
from tkm_env.course.submission_client import SubmissionClient
from tkm_env.foundations.errors import PlayerError
from tkm_env.isolation.bot_protocol import Begin
from tkm_env.isolation.limits import Limits
from tkm_env.players.factory import player_in
from tkm_env.players.python_file import reraise_with_location

#: The message of a fault that is made on purpose.
_FAULT: Final = "a rare fault, made on purpose"
_Answer = TypeVar("_Answer")


class RareFaults:
    """Raises an exception now and then.

    Args:
        call_rate: the probability that a function of the submission fails, each time it is asked.
        action_rate: the probability that its bot does, each time it chooses an action.
        seed: the seed of all faults.
    """

    def __init__(self, call_rate: float, action_rate: float, seed: int) -> None:
        self._rates = {"call": call_rate, "action": action_rate}
        self._generator = np.random.default_rng(seed)

    def strike(self, what: str) -> None:
        """Raise an exception, rarely; ``what`` is ``"call"`` or ``"action"``."""
        if self._generator.random() < self._rates[what]:
            raise RuntimeError(_FAULT)


class LocalSubmission(Submission):
    """A trusted submission, a Python file, that runs in this process without any limits.

    Args:
        path: the Python file, or a folder that holds `AGENT`.
        seed: the seed of the module `random`, for functions that draw random numbers.
        faults: what makes the submission fail now and then; None for nothing.
    """

    def __init__(self, path: Path, seed: int, faults: RareFaults | None = None) -> None:
        self._file = path / AGENT if path.is_dir() else path
        super().__init__(path.stem, self._file.parent)
        self._seed = seed
        self._strike: Callable[[str], object] = faults.strike if faults else str
        self._answers: Iterator[str] = iter(())

    def client(
        self, limits: Limits, seconds: float, generator: np.random.Generator
    ) -> SubmissionClient:
        return _LocalClient(self._file, self._seed, self._strike, generator)

    def player(self, limits: Limits) -> Any:
        return _LocalBot(_Tree(self._file).student.module, self._strike, self._seed)


class _Tree:
    """A student's file that looks at a tree of the grader's directly."""

    def __init__(self, file: Path) -> None:
        self.tree: GameTree | None = None
        self._lines: list[str] = []
        self.student = StudentFile(file, self._replies(), self._lines.append)

    def _replies(self) -> Iterator[str]:
        while True:
            look = parse_response(self._lines.pop())
            assert isinstance(look, Look)
            assert self.tree is not None
            yield self.tree.reply(look)


class _LocalBot:
    """The bot in a student's file, which gets copies of games."""

    def __init__(self, module: Any, strike: Callable[[str], object], seed: int) -> None:
        self.name = "local"
        self._module, self._strike, self._seed = module, strike, seed
        self._bot: Any = None
        self._generator = np.random.default_rng(seed)

    def reset(self, seed: np.random.Generator) -> None:
        """Prepare for a game."""
        self._generator = seed
        if hasattr(self._bot, "reset"):
            self._bot.reset(seed)

    def act(self, game: BaseGame) -> Any:
        """Return the action that the bot chooses."""
        self._strike("action")
        if self._bot is None:
            self._bot = player_in(self._module, BOT, game.name, self.name, StudentError)
            self.reset(self._generator)
        return self._bot.act(game.copy())


class _LocalClient(SubmissionClient):
    """Calls the functions of a student's file."""

    def __init__(
        self, file: Path, seed: int, strike: Callable[[str], object], generator: np.random.Generator
    ) -> None:
        self._file, self._strike, self._generator = file, strike, generator
        self._seeded = seed
        random.seed(seed)
        self._tree = _Tree(file)
        self._bot = _LocalBot(self._tree.student.module, strike, seed)

    def ask(self, game: BaseGame, ask: Ask, tree: GameTree | None = None) -> int | float | None:
        self._tree.tree = tree
        begin = Begin(game.name, game.to_act, self._seeded, changed_settings(game.config))
        return self._guarded("call", lambda: self._tree.student.answer(ask, begin))

    def call(self, game: BaseGame, task: str, arguments: Sequence[Sequence[Any]]) -> list[Any]:
        return self._guarded("call", lambda: self._tree.student.call(Call(task, arguments)))

    def play_turn(self, game: BaseGame) -> None:
        self._bot.reset(self._generator)
        turn = game.turn_id
        while game.is_in_turn(turn):
            action = game.index_of(self._guarded("", lambda: self._bot.act(game)))
            if not game.action_mask()[action]:
                raise PlayerError(self._file.stem, game.why_illegal(action))
            game.play(action)

    def _guarded(self, what: str, function: Callable[[], _Answer]) -> _Answer:
        """Call a function; raise a `PlayerError` for whatever it raises."""

        def refuse(reason: str) -> PlayerError:
            return PlayerError(self._file.stem, reason, "crash")

        with reraise_with_location(self._file, refuse):
            if what:
                self._strike(what)
            return function()

    def restart(self) -> None:
        self._tree = _Tree(self._file)

    def close(self) -> None:
        """Nothing is left behind."""
