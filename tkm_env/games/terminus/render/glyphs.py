"""How the drawing of Terminus looks: the glyphs and colours of ``glyphs.svg``, and the layout.

An era is 60 wide, and its middle is the origin of every glyph.
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

#: The glyph of each era by its letter.
ERA_GLYPHS: Final = {
    ".": "empty-era",
    "R": "red-shield",
    "B": "blue-shield",
    "G": "grow-era",
    "F": "freeze-era",
    "S": "swap-era",
    "A": "approaches-era",
    "I": "impetus-era",
    "T": "terminus-era",
}


class TimelineLayout(NamedTuple):
    """Positions and sizes, in units of the drawing."""

    width: float = 924
    height: float = 462
    margin: float = 40
    #: The maximum width of an era of the timeline, and the timeline's vertical middle.
    era: float = 58
    timeline: float = 132
    #: An era of a hand's cards, and the space between cards.
    held: float = 42
    gap: float = 12
    #: Vertical positions: the line of text, the row beside the timeline, the players, their hands.
    situation: float = 34
    beside: float = 258
    players: float = 334
    hands: float = 388


LAYOUT: Final = TimelineLayout()
