"""How *Terminus* is drawn."""

from collections.abc import Sequence
from typing import Any, Final

from tkm_env.core.renderer import SceneRenderer, Target
from tkm_env.games.terminus.render.svg import CANVAS, box_of, icon_of, parts, place_of
from tkm_env.games.terminus.view import PublicView, TerminusPly, view_of


def _clauses(
    before: PublicView, action: str, after: PublicView, events: Sequence[Any]
) -> tuple[str, ...]:
    return TerminusPly(before, action, after).events


def _target_of(action: str, view: PublicView) -> Target | None:
    place = place_of(action, view.to_act)
    return None if place is None else Target(place, *box_of(place, view))


RENDERER: Final = SceneRenderer(
    CANVAS, view_of, parts, icon_of, clauses=_clauses, target_of=_target_of
)
