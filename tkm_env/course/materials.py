"""The teaching material of each game."""

from typing import Final

from tkm_env.core.per_game import PerGame
from tkm_env.core.registry import GameSpec
from tkm_env.course.any_game import material_for
from tkm_env.course.teaching_material import TeachingMaterial

_OWN: Final[PerGame[TeachingMaterial | None]] = PerGame(
    "tkm_env.teaching_materials", TeachingMaterial, None
)


def teaching_material(spec: GameSpec) -> TeachingMaterial:
    """Return the teaching material of a game: its own, or else the general one."""
    return _OWN.of(spec) or material_for(spec.game_class)
