"""How *That Time You Killed Me* is drawn."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from tkm_env.core.renderer import SceneRenderer
from tkm_env.games.tkm.render.svg import CANVAS, icon_of, parts
from tkm_env.games.tkm.view import view_of

if TYPE_CHECKING:
    from tkm_env.games.tkm.game import Game


def _events_by_ply(game: "Game") -> Iterator[Sequence[Any]]:
    return (ply.events for ply in game.plies())


RENDERER: Final = SceneRenderer(CANVAS, view_of, parts, icon_of, _events_by_ply)
