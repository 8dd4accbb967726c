"""How the positions of a game are drawn.

Renderers are imported only once something is drawn.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final, NamedTuple

from tkm_env.render.canvas import THEMES, Canvas, Scene
from tkm_env.render.replay import Frame


class Target(NamedTuple):
    """A place on a drawing to which a legal action leads."""

    place: str  # its name
    x: float  # the left edge of its rectangle, in units of the drawing
    y: float  # the top edge
    width: float
    height: float


class Renderer(ABC):
    """Draws the positions of a game.

    Attributes:
        canvas: what all drawings of the game have in common.
    """

    canvas: Canvas

    @abstractmethod
    def parts(self, game: Any, *, last: bool = True, legal: bool = False) -> Mapping[str, str]:
        """The drawing of a position, by slots of `canvas`.

        Args:
            game: the game, a `tkm_env.core.game.BaseGame`.
            last: whether to mark what the last action did.
            legal: whether to mark the targets of the legal actions.

        Returns:
            The content of each slot, as SVG.
        """

    def targets(self, game: Any) -> Mapping[str, Target]:
        """The places to which the legal actions lead, by the actions' names.

        Actions that lead to no place are left out; by default, these are all.
        """
        return {}

    def icon(self, player: str) -> str:
        """A player's symbol, made of the canvas's glyphs; by default empty.

        It is 60 wide and 60 high, centred on the origin.
        """
        return ""

    def frames(self, game: Any) -> Iterator[Frame]:
        """A game step by step: its start, and the position after each action."""
        now = game.start
        yield Frame(self.parts(now), now.turn)
        for action in game.history:
            turn, player = now.turn, now.to_act
            now.play(action)
            side = game.players.index(player)
            yield Frame(self.parts(now), turn, side, game.action_names[action])


class TextRenderer(Renderer):
    """Draws any game as the text that ``str`` returns."""

    canvas = Canvas(
        width=640,
        height=480,
        glyphs="<defs></defs>",
        background='<rect width="640" height="480" fill="var(--ground)"/>',
        slots={"text": ""},
        themes=THEMES,
    )

    def parts(self, game: Any, *, last: bool = True, legal: bool = False) -> Mapping[str, str]:
        lines = str(game).splitlines()
        longest = max(map(len, lines), default=1)
        size = min(20.0, 600 / (0.62 * longest), 440 / (1.3 * len(lines)))
        rows = "".join(
            f'<tspan x="20" y="{20 + 1.3 * size * number:.1f}">{escape(line)}</tspan>'
            for number, line in enumerate(lines, 1)
        )
        font = f'font-family="monospace" font-size="{size:.1f}" xml:space="preserve"'
        return {"text": f'<text {font} fill="var(--ink)">{rows}</text>'}


def _told(before: Any, action: str, after: Any, events: Sequence[Any]) -> tuple[str, ...]:
    """The events in words."""
    return tuple(map(str, events))


def _nowhere(action: str, view: Any) -> None:
    """Return no target."""


@dataclasses.dataclass(frozen=True)
class SceneRenderer(Renderer):
    """Draws a game from views of its positions.

    Attributes:
        canvas: what all drawings of the game have in common.
        view_of: takes a position apart for display.
        draw: returns the content of each slot for a scene of such views.
        icon_of: returns a player's symbol.
        events_by_ply: returns what each action of a game did, in order; None if the game has no
            events.
        clauses: returns what an action did, one clause each, given the view before it, its name,
            the view after it and its events; by default the events in words.
        target_of: returns the place to which a legal action leads, given its name and the view
            before it; None if it leads to none.
    """

    canvas: Canvas
    view_of: Callable[[Any], Any]
    draw: Callable[[Scene[Any]], Mapping[str, str]]
    icon_of: Callable[[str], str]
    events_by_ply: Callable[[Any], Iterable[Sequence[Any]]] | None = None
    clauses: Callable[[Any, str, Any, Sequence[Any]], tuple[str, ...]] = _told
    target_of: Callable[[str, Any], Target | None] = _nowhere

    def parts(self, game: Any, *, last: bool = True, legal: bool = False) -> Mapping[str, str]:
        scene = Scene(self.view_of(game), legal=tuple(game.legal_names()) if legal else ())
        if last and game.history:
            action, before = game.action_names[game.history[-1]], self.view_of(game.at(-1))
            events = () if self.events_by_ply is None else game.events
            scene = dataclasses.replace(scene, action=action, events=events, before=before)
        return self.draw(scene)

    def targets(self, game: Any) -> Mapping[str, Target]:
        view = self.view_of(game)
        found = {name: self.target_of(name, view) for name in game.legal_names()}
        return {name: target for name, target in found.items() if target is not None}

    def icon(self, player: str) -> str:
        return self.icon_of(player)

    def frames(self, game: Any) -> Iterator[Frame]:
        now = game.start
        before = self.view_of(now)
        yield Frame(self.draw(Scene(before)), now.turn)
        nothing: Iterable[Sequence[Any]] = [()] * len(game.history)
        happened = nothing if self.events_by_ply is None else self.events_by_ply(game)
        for number, events in zip(game.history, happened, strict=True):
            turn, side, action = now.turn, game.players.index(now.to_act), game.action_names[number]
            now.play(number)
            after = self.view_of(now)
            drawn = self.draw(Scene(after, action, events, before))
            yield Frame(drawn, turn, side, action, self.clauses(before, action, after, events))
            before = after


#: Draws any game as text.
TEXT_RENDERER: Final = TextRenderer()
