"""What the game brings along for courses: a page of rules with its pictures, and a first evaluation."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from tkm_env.course.teaching_material import Picture, TeachingMaterial
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.search.evaluation import value_of

__all__ = ["TEACHING"]


def _worth(game: Game) -> int:
    worth: int = value_of(game.state)
    return worth if game.to_act == game.players[0] else -worth


TEACHING: Final = TeachingMaterial(
    worth=_worth,
    folder=files("tkm_env.games.tkm.teaching"),
    pictures={
        "start.svg": Picture(),
        "choose.svg": Picture(("choose 1",), legal=True),
        "travel.svg": Picture(("choose 1", "move east", "travel forward")),
        "push.svg": Picture(
            ("move north",), position="..../W.../B.../....|...W/..../..../...B|W.../..../..../.... - w 2 PF P5 3/4 - ---/--- -/- 9"
        ),
    },
    depth=5,
    trained=True,
)
