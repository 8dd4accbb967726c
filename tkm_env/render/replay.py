"""A game frame by frame, for the page and the GIF. Nothing here depends on any rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

from tkm_env.render.canvas import Canvas
from tkm_env.render.evaluation_graph import Point
from tkm_env.render.html import as_html

#: How a notebook's frame around the page looks.
_FRAME: Final = "width: 100%; height: 640px; border: 0"


class Side(NamedTuple):
    """One of the sides.

    Attributes:
        name: its name in the game, such as "white".
        player: who played it; "" if unknown.
        icon: its symbol, drawn with the canvas's glyphs; 60 wide and 60 high, centred on the origin.
    """

    name: str
    player: str
    icon: str


class Frame(NamedTuple):
    """The game after one action, or before the first.

    Attributes:
        parts: the drawing, as contents of the canvas's slots; a missing slot is empty.
        turn: the turn in which the action was taken.
        side: the side that took it, as an index into the sides; None before the first action.
        action: its name; None before the first action.
        events: what it did, one clause each.
    """

    parts: Mapping[str, str]
    turn: int
    side: int | None = None
    action: str | None = None
    events: Sequence[str] = ()


class Replay(NamedTuple):
    """A whole game. A notebook displays it as the page for following it, which needs neither server nor network.

    Attributes:
        title: one line.
        about: what was chosen or drawn for the game, a few words each.
        sides: the sides.
        canvas: what all drawings have in common. Its themes "light" and "dark" define the colours "ground", "ink", "faint", "rule", "mark"
            and "active", which are also used around the drawing.
        frames: the start, and the game after each action.
        result: how it ended, in a few words.
        points: what positions were worth, for a graph; none for no graph.
    """

    title: str
    about: Sequence[str]
    sides: Sequence[Side]
    canvas: Canvas
    frames: Sequence[Frame]
    result: str
    points: Sequence[Point] = ()

    def _repr_html_(self) -> str:
        """The page, shown by notebooks in a frame of its own."""
        from tkm_env.render.replay_page import replay_page

        return f'<iframe title="{as_html(self.title)}" srcdoc="{escape(replay_page(self))}" style="{_FRAME}"></iframe>'


def title_of(sides: Sequence[Side], otherwise: str) -> str:
    """The players' names, or another title if they are unknown.

    >>> title_of((Side("white", "greedy", ""), Side("black", "random", "")), "A game")
    'greedy against random'
    """
    return " against ".join(side.player for side in sides) if any(side.player for side in sides) else otherwise
