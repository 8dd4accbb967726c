"""How the drawing looks: the glyphs and colours of ``glyphs.svg``, and the layout.

A space is 60 wide, and its middle is the origin of every glyph.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final, NamedTuple

from tkm_env.render.canvas import themes_in
from tkm_env.render.shapes import definitions

_SHEET: Final = (files(__package__) / "glyphs.svg").read_text("utf-8")
#: The definitions of all glyphs.
GLYPHS: Final = definitions(_SHEET)
#: The colours by name, in each theme.
THEMES: Final = themes_in(_SHEET)

#: How far marks that point east are rotated, by direction.
TURNED: Final = {"north": -90, "east": 0, "south": 90, "west": 180}


class BoardsLayout(NamedTuple):
    """Positions and sizes, in units of the drawing."""

    width: float = 924
    height: float = 462
    #: The middle of the first space of each era.
    boards: tuple[tuple[float, float], ...] = ((70, 140), (366, 140), (662, 140))
    pitch: float = 64
    tile: float = 60
    #: Vertical positions of the lines of text: the situation, the eras' names, the players, their belongings.
    situation: float = 34
    names: float = 84
    players: float = 396
    things: float = 430


LAYOUT: Final = BoardsLayout()
