"""How *Terminus* is drawn."""

from collections.abc import Sequence
from typing import Any, Final

from tkm_env.core.renderer import SceneRenderer
from tkm_env.games.terminus.render.svg import CANVAS, icon_of, parts
from tkm_env.games.terminus.view import PublicView, TerminusPly, view_of


def _clauses(
    before: PublicView, action: str, after: PublicView, events: Sequence[Any]
) -> tuple[str, ...]:
    return TerminusPly(before, action, after).events


RENDERER: Final = SceneRenderer(CANVAS, view_of, parts, icon_of, clauses=_clauses)
