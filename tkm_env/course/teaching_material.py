"""What courses need of a game."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tkm_env.core.rulebook_text import RulesSection

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@dataclasses.dataclass(frozen=True)
class TeachingMaterial:
    """What courses need of a game. An entry point of the group ``tkm_env.teaching_materials``, named after the game, names one.

    Attributes:
        worth: returns a rough value of an unfinished game to the first player, an integer.
        folder: holds ``evaluation.py.txt``, the body of the function ``evaluate(game)`` in the staff's solution.
        notation: returns how positions and actions are written under a config.
        depth: of questions about trees: a search written in Python takes a moment for it.
        rare: the largest share of the ways to play a turn that win where a question asks for one, from 0 to 1.
        beats_random: the share of points against the random player that brings all points of that question, from 0 to 1.
    """

    worth: Callable[[Any], int]
    folder: "Traversable"
    notation: Callable[[Any], Sequence[RulesSection]]
    depth: int
    rare: float = 0.15
    beats_random: float = 0.97

    def text(self, name: str) -> str:
        """The content of a file in the folder."""
        return (self.folder / name).read_text("utf-8")
