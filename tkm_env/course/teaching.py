"""What a game brings along for courses; a game's row in the registry refers to one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tkm_env.errors import ConfigError
from tkm_env.game.registry import GameSpec, load

if TYPE_CHECKING:
    from importlib.abc import Traversable  # elsewhere since Python 3.14


class Picture(NamedTuple):
    """A drawing of a position for the rules.

    Attributes:
        actions: the names of actions from the start.
        legal: whether to mark the targets of the legal actions.
        position: the text of a position to begin at; None for the start.
    """

    actions: tuple[str, ...] = ()
    legal: bool = False
    position: str | None = None


@dataclasses.dataclass(frozen=True)
class Teaching:
    """What a game brings along for courses.

    Attributes:
        worth: what a game that is not over is worth to the first player, in whole numbers, roughly.
        folder: the folder with ``rules.md``, a page of rules that shows the pictures, and ``evaluation.py.txt``, the body of the function
            ``evaluate(game)`` in the staff's solution.
        pictures: by the name of the file.
        depth: how many actions deep questions about trees go, so that a search written in Python is done with them in a moment.
        trained: whether ``tkm train`` learns the game.
    """

    worth: Callable[[Any], int]
    folder: Traversable
    pictures: Mapping[str, Picture]
    depth: int
    trained: bool = False

    def text(self, name: str) -> str:
        """What a file in the folder holds."""
        return (self.folder / name).read_text("utf-8")


def teaching_of(spec: GameSpec) -> Teaching:
    """What that game brings along.

    Raises:
        ConfigError: if that is nothing.
    """
    if spec.teaching is None:
        raise ConfigError("game", spec.name, "it brings nothing along for courses")
    found: Teaching = load(spec.teaching)
    return found
