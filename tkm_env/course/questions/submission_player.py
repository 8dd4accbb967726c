"""A submission as a player in a match, whom a rare fault costs little."""

import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.arena.playing.referee import Conditions, Player
from tkm_env.core.game import BaseGame
from tkm_env.foundations.errors import PlayerError, UnknownActionError

#: After this many faults in a row in a game, the game is lost.
_MOST_IN_A_ROW: Final = 3


class MatchFault(NamedTuple):
    """A fault after which the rest of a turn was played at random.

    Attributes:
        error: the fault.
        position: the position in which the submission was asked, in text.
        turn: the number of the turn.
    """

    error: PlayerError
    position: str
    turn: int


class SubmissionPlayer(Player):
    """Plays for a submission; after a fault, it plays the rest of the turn at random.

    So a rare fault costs a turn, not the game, and no one gains by a fault, since a submission
    could have played at random itself. The third fault in a row loses the game, as does any fault
    once too many have been forgiven.

    Args:
        name: the submission's name in records.
        agent: the submission's program.
        game: the name of the game.
        config: the settings of the games.
        conditions: the conditions under which it plays.
        generator: draws the random actions.
        most_forgiven: the number of faults to forgive in the whole match.

    Attributes:
        forgiven: the faults that have been forgiven; the match empties it after each game.
    """

    def __init__(
        self,
        name: str,
        agent: Any,
        game: str,
        config: Any,
        conditions: Conditions,
        generator: np.random.Generator,
        most_forgiven: int,
    ) -> None:
        super().__init__(name, game, conditions, config=config, agent=agent)
        self.forgiven: list[MatchFault] = []
        self._draw = generator
        self._left_to_forgive = most_forgiven
        self._in_a_row = 0
        self._side = ""
        self._random_turn: tuple[str, int] | None = None

    def begin(self, game: BaseGame, side: str, generator: np.random.Generator) -> None:
        self._in_a_row, self._side, self._random_turn = 0, side, None
        super().begin(game, side, generator)

    def answer(self, game: BaseGame) -> tuple[list[int | str], float]:
        """Ask the submission for its next actions.

        Args:
            game: the game, at the submission's turn.

        Returns:
            The actions, and the time that they took, in seconds.

        Raises:
            PlayerError: if the submission commits a fault that is not forgiven.
            MachineError: if the machine fails.
        """
        if game.turn_id == self._random_turn:
            return [self._random_action(game)], 0.0
        began = time.perf_counter()
        try:
            actions, seconds = super().answer(game)
            _check(self.line, game, actions)
        except PlayerError as error:
            self._in_a_row += 1
            if self._in_a_row >= _MOST_IN_A_ROW or not self._left_to_forgive:
                raise
            self._left_to_forgive -= 1
            self.forgiven.append(MatchFault(error, game.visible_position, game.turn))
            self._random_turn = game.turn_id
            self.drop()
            if self.program is not None:
                self.program.begin(game, self._side)  # its start counts as thinking
            return [self._random_action(game)], time.perf_counter() - began
        self._in_a_row = 0
        return actions, seconds

    def _random_action(self, game: BaseGame) -> int:
        legal = game.legal_actions()
        return int(legal[self._draw.integers(len(legal))])


def _check(name: str, game: BaseGame, actions: Sequence[int | str]) -> None:
    """Raise a `PlayerError` if an action is illegal, or after the end of the turn."""
    after, turn = game.copy(), game.turn_id
    for number, action in enumerate(actions):
        if number and not after.is_in_turn(turn):
            if after.result is None:
                raise PlayerError(name, f"{action!r} comes after the end of its turn")
            return
        try:
            index = after.index_of(action)
        except UnknownActionError as error:
            raise PlayerError(name, str(error)) from None
        if not after.action_mask()[index]:
            raise PlayerError(name, after.why_illegal(index))
        after.play(index)
