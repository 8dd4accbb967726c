"""A submission while it answers questions: its program behind the wall, and the dialogue with it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tkm_env.agents.command import CommandAgent
from tkm_env.arena.referee import Conditions
from tkm_env.course.protocol import Ask, Look, parse_look
from tkm_env.course.submission import Submission
from tkm_env.course.trees import Tree
from tkm_env.errors import PlayerError, ProtocolError
from tkm_env.game.base import BaseGame


class Examinee:
    """A submission that is asked the items of one question.

    Args:
        submission: whose program is started anew.
        conditions: where it runs.
        refused: patterns of the modules that it may not import.
        seconds: how long it may take for all items together, once it has started; for a Python file, which may compile, the time of a
            start is added.
        generator: of the seeds that it is given.
    """

    def __init__(
        self,
        submission: Submission,
        conditions: Conditions,
        refused: tuple[str, ...],
        seconds: float,
        generator: np.random.Generator,
    ) -> None:
        limits = conditions.reading([str(submission.folder)]).limits
        self._name = submission.name
        self._room = limits.output_kib << 10
        self._generator = generator
        self.player: CommandAgent = submission.player(limits, refused)
        self._seconds = seconds
        self._deadline: float | None = None

    @contextmanager
    def present(self) -> Iterator[Examinee]:
        """Itself; in the end its program, and all that came of it, is ended at once."""
        try:
            yield self
        finally:
            self.player.drop()

    def ask(self, game: BaseGame, ask: Ask, tree: Tree | None = None) -> int | float | None:
        """The answer to a question; None if it gives none.

        Args:
            game: which the question is about.
            ask: the question.
            tree: where it may look around before it answers; None for nowhere.

        Raises:
            PlayerError: naming its fault.
        """
        self.player.reset(self._generator)
        self.player.begin(game, game.to_act)
        deadline = self._due()
        program = self.player.program
        assert program is not None
        room = self._room
        try:
            program.write_line(str(ask), deadline)
            while True:
                line = program.read_line(deadline)
                if line.startswith("info "):
                    room -= len(line)
                    if room < 0:
                        raise PlayerError(self._name, f"more than {self._room >> 10} KiB before its answer", "output")
                    continue
                said = parse_look(line)
                if not isinstance(said, Look):
                    return said.number
                if tree is None:
                    raise ProtocolError(line, "this question has no tree: answer NUMBER is due")
                program.write_line(str(tree.reply(said)), deadline)
        except ProtocolError as error:
            raise PlayerError(self._name, str(error), "protocol") from None

    def play_turn(self, game: BaseGame) -> None:
        """Have it play a turn, in the game.

        Raises:
            PlayerError: naming its fault.
        """
        self.player.reset(self._generator)
        side, turn = game.to_act, game.turn
        self.player.begin(game, side)
        deadline = self._due()
        while game.result is None and (game.to_act, game.turn) == (side, turn):
            for action in self.player.answer(game, max(0.001, deadline - time.monotonic() - self.player.grace)):
                self._play(game, action)
                if game.result is not None or (game.to_act, game.turn) != (side, turn):
                    break

    def _due(self) -> float:
        """When it must be done with all items, by `time.monotonic`; its time runs from when it has started."""
        if self._deadline is None:
            self._deadline = time.monotonic() + self._seconds + self.player.grace
        return self._deadline

    def _play(self, game: BaseGame, action: Any) -> None:
        if not game.action_mask()[action]:
            raise PlayerError(self._name, game.why_illegal(action))
        game.play(action)
