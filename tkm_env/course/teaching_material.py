"""What courses need to know about a game."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tkm_env.core.rulebook_text import RulesSection

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@dataclasses.dataclass(frozen=True)
class TeachingMaterial:
    """What courses need to know about a game.

    An entry point of the group ``tkm_env.teaching_materials``, named after the game, names an
    instance.

    Attributes:
        worth: returns a rough value of an unfinished game to the first player, an integer.
        folder: holds ``evaluation.py.txt``, the body of the function ``evaluate(game)`` in the
            staff's solution.
        notation: returns the rules of how positions and actions are written under a config.
        depth: the depth of questions about trees, in actions; a search written in Python takes a
            moment for it.
        rare: the largest share of winning ways to play the turn, from 0 to 1, in a question that
            asks for one.
        beats_random: the share of the points against the random player, from 0 to 1, that earns
            all points of that question.
        beats_greedy: the same against the greedy player; under settings other than the default
            ones, it is at most 0.45.
    """

    worth: Callable[[Any], int]
    folder: "Traversable"
    notation: Callable[[Any], Sequence[RulesSection]]
    depth: int
    rare: float = 0.15
    beats_random: float = 0.97
    beats_greedy: float = 0.4

    def text(self, name: str) -> str:
        """Return the content of a file in the folder."""
        return (self.folder / name).read_text("utf-8")
