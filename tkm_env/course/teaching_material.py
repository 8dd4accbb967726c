"""What a game provides for courses; a game's row in the registry refers to it."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tkm_env.core.registry import GameSpec, load
from tkm_env.core.rulebook_text import RulesSection
from tkm_env.foundations.errors import ConfigError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@dataclasses.dataclass(frozen=True)
class TeachingMaterial:
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


def teaching_material(spec: GameSpec) -> TeachingMaterial:
    """What that game provides; raises a `ConfigError` if that is nothing."""
    if spec.teaching is None:
        raise ConfigError("game", spec.name, "it has no teaching material")
    found: TeachingMaterial = load(spec.teaching)
    return found
