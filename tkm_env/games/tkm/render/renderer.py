"""How *That Time You Killed Me* is drawn."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from tkm_env.core.renderer import SceneRenderer, Target
from tkm_env.games.tkm.render.svg import CANVAS, box_of, icon_of, parts, place_of
from tkm_env.games.tkm.view import View, view_of

if TYPE_CHECKING:
    from tkm_env.games.tkm.game import Game


def _events_by_ply(game: "Game") -> Iterator[Sequence[Any]]:
    return (ply.events for ply in game.plies())


def _target_of(action: str, view: View) -> Target | None:
    place = place_of(action, view)
    return None if place is None else Target(place, *box_of(place))


RENDERER: Final = SceneRenderer(
    CANVAS, view_of, parts, icon_of, _events_by_ply, target_of=_target_of
)
