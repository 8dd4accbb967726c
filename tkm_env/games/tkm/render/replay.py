"""A `Game` frame by frame: the drawing after each action, and what the action did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tkm_env.games.tkm.engine.state import PLAYERS
from tkm_env.games.tkm.render.svg import parts
from tkm_env.games.tkm.view import view_of
from tkm_env.render.canvas import Scene
from tkm_env.render.replay import Frame

if TYPE_CHECKING:
    from tkm_env.games.tkm.game import Game


def frames_of(game: Game) -> Iterator[Frame]:
    """The start of a game, or its given position, and the position after each action.

    >>> from tkm_env import Game
    >>> game = Game()
    >>> for action in ("choose 1", "move east"):
    ...     game.play(action)
    >>> list(frames_of(game))[-1].events
    ('the white copy walked from past 1 to 2',)
    """
    now = game.start
    before = view_of(now)
    yield Frame(parts(Scene(before)), now.turn)
    for ply in game.plies():
        now.play(ply.action)
        after = view_of(now)
        drawn = parts(Scene(after, ply.action, ply.events, before))
        yield Frame(drawn, ply.turn, PLAYERS.index(ply.player), ply.action, tuple(map(str, ply.events)))
        before = after
