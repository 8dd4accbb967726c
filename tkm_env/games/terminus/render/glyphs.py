"""How the drawing of Terminus looks, as tables: glyphs, colours, layout.

An era is 60 wide, and its middle is the origin of every glyph.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tkm_env.render.canvas import themes_with
from tkm_env.render.shapes import TARGET, GlyphUse, Shape, box, disc, length, outline


def _letter(letter: str, colour: str, x: float = 0, y: float = 0, width: float = 1.6) -> Shape:
    """A letter centred on a point."""
    return Shape(outline(letter, x - length(letter, 10) / 2, y - 5), None, colour, width)


def _corner(letter: str, colour: str) -> tuple[Shape, ...]:
    """The letter of an era other than a victory, in its corner."""
    return (_letter(letter, colour, 18.5, 18.5, 1.3),)


_HOURGLASS: Final = "M-10-20H10M-10 20H10M-8-20c0 10 6 13 6 20s-6 10-6 20M8-20c0 10-6 13-6 20s6 10 6 20"
_SNOW: Final = (
    "M0-19V19M-16.5-9.5L16.5 9.5M16.5-9.5L-16.5 9.5M-5-16l5 4.5l5-4.5M-5 16l5-4.5l5 4.5"
    "M-16.4-3.7l6.4-2l-1.3-6.6M16.4 3.7l-6.4 2l1.3 6.6M16.4-3.7l-6.4-2l1.3-6.6M-16.4 3.7l6.4 2l-1.3 6.6"
)

#: All glyphs by name, each made of shapes and other glyphs from back to front. Red's and blue's also differ in shape and letter: red's
#: shield is pointed, blue's round.
GLYPHS: Final[dict[str, tuple[Shape | GlyphUse, ...]]] = {
    "red-shield": (
        Shape("M-17-18H17V-1c0 10-8 16-17 21c-9-5-17-11-17-21z", "red", "red-line"),
        Shape("M-12.5-13.5H12.5V-1c0 7-6 12-12.5 16c-6.5-4-12.5-9-12.5-16z", None, "red-line", 1.1),
        _letter("R", "red-line", 0, -2, 2),
    ),
    "blue-shield": (
        Shape(disc(0, 0, 19.5), "blue", "blue-line"),
        Shape(disc(0, 0, 14.5), None, "blue-line", 1.1),
        _letter("B", "blue-line", 0.4, 0, 2),
    ),
    # Eras, without the card's ground.
    "empty-era": (Shape(disc(0, 0, 2), "faint"),),
    "grow-era": (
        Shape("M0 20V-4", None, "leaf", 2.6),
        Shape("M0 6c-14 1-18-7-18-15c11-1 18 5 18 15z", "leaf", "leaf-line"),
        Shape("M0-3c-1-11 6-17 17-17c1 10-5 17-17 17z", "leaf", "leaf-line"),
        *_corner("G", "card-line"),
    ),
    "freeze-era": (Shape(_SNOW, None, "frost", 2.2), *_corner("F", "card-line")),
    "swap-era": (
        Shape("M-17-7H14M6-15l9 8l-9 8M17 8H-14M-6 0l-9 8l9 8", None, "ground", 6),
        Shape("M-17-7H14M6-15l9 8l-9 8M17 8H-14M-6 0l-9 8l9 8", None, "swap", 2.6),
        *_corner("S", "card-line"),
    ),
    "approaches-era": (
        Shape(box(-26, -26, 52, 52, 8), "fixed"),
        Shape("M-5-11h10c-1 4-3.5 6-5 8c-1.5-2-4-4-5-8zM-7 19c1-6 4-8 7-10c3 2 6 4 7 10z", "fixed-line"),
        Shape(_HOURGLASS, None, "fixed-line", 2.2),
        *_corner("A", "fixed-line"),
    ),
    "impetus-era": (
        Shape(box(-26, -26, 52, 52, 8), "fixed"),
        Shape("M0-20L4-6L16-12L8 0L16 12L4 6L0 20L-4 6L-16 12L-8 0L-16-12L-4-6z", "fixed-line"),
        *_corner("I", "fixed-line"),
    ),
    "terminus-era": (
        Shape("M-11 18V-8a11 11 0 0 1 22 0V18z", None, "terminus-line", 2),
        Shape("M-17 18H17", None, "terminus-line", 2.4),
        _letter("T", "terminus-line", 0, 1, 1.8),
    ),
    # Beside the timeline.
    "back": (Shape(box(-30, -42, 60, 84, 7), "fixed", "fixed-line"), GlyphUse("hourglass", 0, 0)),
    "stone": (Shape(box(-30, -42, 60, 84, 7), "terminus", "terminus-line"), GlyphUse("terminus-era", 0, 0, 1.1)),
    "hourglass": (Shape(_HOURGLASS, None, "fixed-line", 2.2),),
    "approached": (Shape(disc(0, 0, 26), "fixed"), GlyphUse("hourglass", 0, 0, 0.8)),
    "frozen": (Shape(disc(0, 0, 26), "ground", "frost", 2.4), Shape(_SNOW, None, "frost", 2.6)),
    # Marks.
    "target": TARGET,
    "beyond": (Shape(box(-27, -27, 54, 54, 8), None, "rule", 1.8),),
}

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

#: The colours by name, in each theme.
THEMES: Final = themes_with(
    {
        "card": ("#fffdf6", "#31343d"),
        "card-line": ("#35313a", "#d8cfbd"),
        "red": ("#bb4b34", "#b5503a"),
        "red-line": ("#fff4e8", "#fff1e6"),
        "blue": ("#41699b", "#4670a8"),
        "blue-line": ("#f0f5fb", "#eef4fb"),
        "frost": ("#3d7f95", "#86c3d6"),
        "swap": ("#8a5a9c", "#c199d1"),
        "fixed": ("#3a3642", "#14151a"),
        "fixed-line": ("#f0dfb8", "#ecd9a8"),
        "terminus": ("#2b2830", "#08080b"),
        "terminus-line": ("#d8b45c", "#e0bd66"),
    }
)


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
