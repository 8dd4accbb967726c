"""What courses need of a game that brings nothing along: a rough value by mobility, and the names of its actions."""

from importlib.resources import files
from typing import Any

from tkm_env.core.game import BaseGame
from tkm_env.core.rulebook_text import RulesSection
from tkm_env.course.teaching_material import TeachingMaterial

__all__ = ["material_for"]


def _mobility(game: Any) -> int:
    """How many legal actions the player to act has, from the first player's side."""
    actions = len(game.legal_actions())
    return actions if game.to_act == game.players[0] else -actions


def material_for(game_class: type[BaseGame]) -> TeachingMaterial:
    """The material for courses about a game that has none of its own."""
    names = ", ".join(f"`{name}`" for name in game_class.action_names)
    notation = [RulesSection("actions", "Names of actions", (f"The actions are {names}.",))]
    return TeachingMaterial(
        worth=_mobility, folder=files(__name__), notation=lambda config: notation, depth=3
    )
