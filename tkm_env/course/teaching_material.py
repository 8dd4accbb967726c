"""What courses need of a game."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tkm_env.core.rulebook_text import RulesSection

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@dataclasses.dataclass(frozen=True)
class TeachingMaterial:
    """What courses need of a game. An entry point of the group ``tkm_env.teaching_materials``, named after the game, names one."""

    worth: Callable[
        [Any], int
    ]  # returns a rough value of an unfinished game to the first player, a whole number
    folder: "Traversable"  # a folder with ``evaluation.py.txt``, the body of the function ``evaluate(game)`` in the staff's solution
    notation: Callable[
        [Any], Sequence[RulesSection]
    ]  # returns how positions and actions are written under such a config
    depth: (
        int  # the depth of questions about trees: a search written in Python takes a moment for it
    )

    def text(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")
