"""What a question is about, without its words: a position, and what is played from there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from tkm_env.core.game import BaseGame
from tkm_env.core.turns import played


@dataclass(frozen=True)
class Task:
    """What a question is about.

    Attributes:
        game: the game at the position that is shown, without a history; never changed.
        difficulty: the difficulty, as the kind measures it.
        actions: the names of the actions that are played from there, in order.
    """

    game: BaseGame
    difficulty: int
    actions: tuple[str, ...] = field(default=())

    @cached_property
    def after(self) -> BaseGame:
        """The game after the actions, with them as its history; to be copied, not changed."""
        return played(self.game, self.actions)
