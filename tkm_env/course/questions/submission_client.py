"""The grader's side of a conversation with a submission, whose program runs isolated."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tkm_env.core.game import BaseGame
from tkm_env.course.game_tree import GameTree
from tkm_env.course.question_protocol import Ask, Call, Look, parse_response, parse_results
from tkm_env.course.questions.question import QuestionContext
from tkm_env.course.submission import Submission
from tkm_env.foundations.errors import PlayerError, ProtocolError


class SubmissionClient:
    """Asks a submission about the positions of one question.

    The submission's program is started anew.

    Args:
        submission: the submission.
        context: what the questions of the assignment depend on.
        seconds: the time for all positions together, once the program has started. A Python file
            also gets the time of a start on top, since it may compile code.
        generator: draws the seeds that the program is given.

    Raises:
        PlayerError: if the submission holds neither a Python file nor a program.
    """

    def __init__(
        self,
        submission: Submission,
        context: QuestionContext,
        seconds: float,
        generator: np.random.Generator,
    ) -> None:
        limits = context.conditions.reading([str(submission.folder)]).limits
        self._name = submission.name
        self._output_kib = limits.output_kib
        self._generator = generator
        self._player = submission.player(limits)
        self._seconds = seconds
        self._deadline: float | None = None

    def close(self) -> None:
        """Kill the program, with all child processes."""
        self._player.drop()

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
        """Let the submission play a turn in the game.

        Raises:
            PlayerError: naming the submission's fault.
        """
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
