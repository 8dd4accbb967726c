"""The grader's side of a conversation with a submission about one question."""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tkm_env.core.game import BaseGame
from tkm_env.course.game_tree import GameTree
from tkm_env.course.question_protocol import Ask, Call, Look, parse_response, parse_results
from tkm_env.foundations.errors import PlayerError, ProtocolError
from tkm_env.players.command_agent import CommandAgent


class SubmissionClient(ABC):
    """Asks a submission about the positions of one question."""

    @abstractmethod
    def ask(self, game: BaseGame, ask: Ask, tree: GameTree | None = None) -> int | float | None:
        """Ask the submission about a game.

        Args:
            game: the game, at the position in question.
            ask: the question.
            tree: the tree that the submission may inspect; None for none.

        Returns:
            The answer; None if the submission has none yet.

        Raises:
            PlayerError: naming the submission's fault.
        """

    @abstractmethod
    def call(self, game: BaseGame, task: str, arguments: Sequence[Sequence[Any]]) -> list[Any]:
        """Call a function of the submission.

        Args:
            game: a game of the assignment, which is announced to the program.
            task: the name of the function.
            arguments: a list of arguments for each call.

        Returns:
            The result of each call; None for no answer yet.

        Raises:
            PlayerError: naming the submission's fault.
        """

    @abstractmethod
    def play_turn(self, game: BaseGame) -> None:
        """Let the submission play a turn in the game.

        Raises:
            PlayerError: naming the submission's fault.
        """

    @abstractmethod
    def restart(self) -> None:
        """End what a fault left behind; the next question starts the submission again."""

    @abstractmethod
    def close(self) -> None:
        """End the submission's program, with all child processes."""


class ProgramClient(SubmissionClient):
    """Asks a submission whose program runs isolated.

    The program is started anew for each question, and again after each `restart`. The time of a
    restart counts, so that crashing costs time.

    Args:
        name: the name of the submission.
        player: the program, not yet started.
        output_kib: the amount that it may write before an answer, in KiB.
        seconds: the time for all positions together, once the program has started. A Python file
            also gets the time of a start on top, since it may compile code.
        generator: draws the seeds that the program is given.
    """

    def __init__(
        self,
        name: str,
        player: CommandAgent,
        output_kib: int,
        seconds: float,
        generator: np.random.Generator,
    ) -> None:
        self._name = name
        self._player = player
        self._output_kib = output_kib
        self._seconds = seconds
        self._generator = generator
        self._deadline: float | None = None

    def close(self) -> None:
        self._player.drop()

    def restart(self) -> None:
        self._player.drop()

    def ask(self, game: BaseGame, ask: Ask, tree: GameTree | None = None) -> int | float | None:
        deadline = self._begin(game)
        line = str(ask)
        with self._protocol():
            while True:
                line = self._exchange(line, deadline)
                response = parse_response(line)
                if not isinstance(response, Look):
                    return response.number
                if tree is None:
                    raise ProtocolError(line, "this question has no tree: write answer NUMBER")
                line = tree.reply(response)

    def call(self, game: BaseGame, task: str, arguments: Sequence[Sequence[Any]]) -> list[Any]:
        deadline = self._begin(game)
        with self._protocol():
            return parse_results(
                self._exchange(str(Call(task, arguments)), deadline), len(arguments)
            )

    def _exchange(self, line: str, deadline: float) -> str:
        """Write a line to the program; return the first line of its reply that is no remark."""
        program = self._player.program
        assert program is not None
        program.write_line(line, deadline)
        room = self._output_kib << 10
        while (reply := program.read_line(deadline)).startswith("info "):
            room -= len(reply)
            if room < 0:
                raise PlayerError(
                    self._name, f"more than {self._output_kib} KiB before its answer", "output"
                )
        return reply

    @contextmanager
    def _protocol(self) -> Iterator[None]:
        """Treat lines that violate the protocol as the submission's fault."""
        try:
            yield
        except ProtocolError as error:
            raise PlayerError(self._name, str(error), "protocol") from None

    def play_turn(self, game: BaseGame) -> None:
        deadline = self._begin(game)
        turn = game.turn_id
        while game.is_in_turn(turn):
            for action in self._player.answer(
                game, max(0.001, deadline - time.monotonic() - self._player.grace)
            ):
                if not game.action_mask()[action]:
                    raise PlayerError(self._name, game.why_illegal(action))
                game.play(action)
                if not game.is_in_turn(turn):
                    break

    def _begin(self, game: BaseGame) -> float:
        """Start the program if necessary, and announce the game.

        Returns:
            The deadline for all positions, by `time.monotonic`.
        """
        self._player.reset(self._generator)
        self._player.begin(game, game.to_act)
        if self._deadline is None:
            self._deadline = time.monotonic() + self._seconds + self._player.grace
        return self._deadline
