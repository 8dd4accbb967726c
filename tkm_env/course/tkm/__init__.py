"""The game's teaching material: what positions are worth, and a first evaluation."""

from importlib.resources import files
from typing import Final

from tkm_env.course.teaching_material import TeachingMaterial
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.rulebook_text import notation_for
from tkm_env.players.tkm.search.evaluation import value_of

__all__ = ["TEACHING"]


def _worth(game: Game) -> int:
    worth: int = value_of(game.state)
    return worth if game.to_act == game.players[0] else -worth


TEACHING: Final = TeachingMaterial(
    worth=_worth,
    folder=files("tkm_env.course.tkm"),
    notation=notation_for,
    depth=5,
    beats_greedy=0.57,
)
