"""What the game brings along for courses: a page of rules with its pictures, and a first evaluation."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from tkm_env.course.teaching_material import Picture, TeachingMaterial
from tkm_env.games.terminus.game import TerminusGame

__all__ = ["TEACHING"]

#: What one visible era of a player's colour is worth.
_ERA: Final = 100


def _worth(game: TerminusGame) -> int:
    red, blue = game.victories.values()
    return _ERA * (red - blue)


TEACHING: Final = TeachingMaterial(
    worth=_worth,
    folder=files("tkm_env.games.terminus.teaching"),
    pictures={"start.svg": Picture(), "second.svg": Picture(("play first at 1",), legal=True)},
    depth=3,
)
