"""How the drawing looks: the glyphs of ``glyphs.svg``, and as tables the colours and the layout.

A space is 60 wide, and its middle is the origin of every glyph.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final, NamedTuple

from tkm_env.render.canvas import themes_with
from tkm_env.render.shapes import definitions

#: The definitions of all glyphs.
GLYPHS: Final = definitions((files(__package__) / "glyphs.svg").read_text("utf-8"))

#: How far marks that point east are rotated, by direction.
TURNED: Final = {"north": -90, "east": 0, "south": 90, "west": 180}

#: The colours by name, in each theme.
THEMES: Final = themes_with(
    {
        "past": ("#ecdfc8", "#3a342c"),
        "present": ("#dfe5d6", "#2f3731"),
        "future": ("#d8e1e8", "#2c343f"),
        "white": ("#fffdf6", "#f3ecdc"),
        "white-line": ("#35313a", "#2a2730"),
        "black": ("#2b2830", "#0f0e13"),
        "black-line": ("#f2ead9", "#d8cfbd"),
        "orange": ("#e2913a", "#e2913a"),
        "orange-line": ("#7a4312", "#40220a"),
        "wood": ("#c39566", "#c39566"),
        "wood-line": ("#5d3f22", "#2e1e10"),
        "dark": ("#6f7683", "#646b79"),
        "dark-line": ("#f0ece2", "#e6e0d2"),
        "light": ("#e6e0d6", "#d9d3c8"),
        "light-line": ("#4a4850", "#2f2d35"),
    }
)


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
