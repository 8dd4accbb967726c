"""Teaching material for games that have none of their own: mobility, and action names."""

from functools import cache
from importlib.resources import files
from typing import Final

from tkm_env.core.game import BaseGame
from tkm_env.core.rulebook_text import RulesSection
from tkm_env.course.teaching_material import TeachingMaterial

__all__ = ["material_for"]

#: The most lines of play in a question about a tree, and a bound on its depth.
_MOST: Final = 4000
_DEEPEST: Final = 6
#: A small game has few ways to play a turn, so a larger share of them may win.
_RARE: Final = 1 / 3
#: A game may often end in a draw, and mobility may say little about it.
_BEATS_RANDOM: Final = 0.75


def _mobility(game: BaseGame) -> int:
    """Count the legal actions of the player to act; negative for the second player."""
    actions = len(game.legal_actions())
    return actions if game.to_act == game.players[0] else -actions


def _lines(game: BaseGame, depth: int, most: int) -> int:
    """Count the lines of ``depth`` actions; stop once the count exceeds ``most``."""
    if depth == 0 or game.result is not None:
        return int(depth == 0)
    count = 0
    for action in game.legal_actions():
        after = game.copy()
        after.play(action)
        count += _lines(after, depth - 1, most)
        if count > most:
            break
    return count


@cache
def material_for(game_class: type[BaseGame]) -> TeachingMaterial:
    """Make the material for courses about a game that has none of its own."""
    names = ", ".join(f"`{name}`" for name in game_class.action_names)
    notation = [RulesSection("actions", "Names of actions", (f"The actions are {names}.",))]
    game = game_class(seed=0)
    depth = max(
        each for each in range(2, _DEEPEST) if _lines(game, each, _MOST) <= _MOST or each == 2
    )
    return TeachingMaterial(
        worth=_mobility,
        folder=files(__name__),
        notation=lambda config: notation,
        depth=depth,
        rare=_RARE,
        beats_random=_BEATS_RANDOM,
    )
