"""The game's teaching material: what positions are worth, and a first evaluation."""

from importlib.resources import files
from typing import Final

from tkm_env.course.teaching_material import TeachingMaterial
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.rulebook_text import notation_for

__all__ = ["TEACHING"]

#: What one visible era of a player's colour is worth.
_ERA: Final = 100


def _worth(game: TerminusGame) -> int:
    red, blue = game.victories.values()
    return _ERA * (red - blue)


TEACHING: Final = TeachingMaterial(
    worth=_worth, folder=files("tkm_env.course.terminus"), notation=notation_for, depth=3
)
