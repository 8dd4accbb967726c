"""How the drawing looks, as tables: glyphs, marks, colours, layout.

A space is 60 wide, and its middle is the origin of every glyph.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tkm_env.render.canvas import themes_with
from tkm_env.render.shapes import TARGET, GlyphUse, Shape, box, disc

_CLOAK: Final = "M-16 22c0-13 5-19 16-19s16 6 16 19a2 2 0 0 1-2 2h-28a2 2 0 0 1-2-2z"
_PLINTH: Final = (box(-12, 11, 24, 7), box(-17, 17.5, 34, 6.5))
_BUSH: Final = "M-14 20a10.5 10.5 0 0 1-3-20.4a9 9 0 0 1 5.5-8.8a12.5 12.5 0 0 1 23 0a9 9 0 0 1 5.5 8.8a10.5 10.5 0 0 1-3 20.4z"
_ELEPHANT: Final = (
    "M-23 21V2a14 14 0 0 1 14-14H7a15 15 0 0 1 15 15V18a4.5 4.5 0 0 1-4.5 4.5h-3.5v-5h2V11H8V21a1.5 1.5 0 0 1-1.5 1.5"
    "h-7a1.5 1.5 0 0 1-1.5-1.5V14h-11.5v7a1.5 1.5 0 0 1-1.5 1.5h-6.5a1.5 1.5 0 0 1-1.5-1.5z"
)


def _copy(player: str) -> tuple[Shape | GlyphUse, ...]:
    line = f"{player}-line"
    return (
        Shape(_CLOAK, player, line),
        Shape("M-5.5 4.5L0 11l5.5-6.5M0 11v12", None, line),
        Shape(disc(0, -6, 8), player, line),
        GlyphUse(f"{player}-hat", 0, -10.5),
    )


def _elephant(colour: str) -> tuple[Shape, ...]:
    """An elephant that looks east."""
    line = f"{colour}-line"
    return (
        Shape("M-23 2c-4 2-4.5 6-3.5 10", None, line),
        Shape(_ELEPHANT, colour, line),
        Shape("M-3-8.5c-7 .5-8.5 14.5-1 17c6.5 1 9.5-6 8-15", None, line),
        Shape(disc(13, -3, 1.7), line),
    )


def _statue(colour: str, *figure: Shape) -> tuple[Shape, ...]:
    """A figure on a plinth."""
    return (*figure, *(Shape(path, colour, f"{colour}-line") for path in _PLINTH))


#: All glyphs by name, each made of shapes and other glyphs from back to front. White's and black's pieces also differ in shape: white
#: wears a bowler and builds a column, black wears a top hat and builds an obelisk.
GLYPHS: Final[dict[str, tuple[Shape | GlyphUse, ...]]] = {
    # Hats; the origin is the middle of the brim.
    "white-hat": (
        Shape("M-7.5 0a7.5 9 0 0 1 15 0z", "white", "white-line"),
        Shape("M-10.5 0h21", None, "white-line", 5.6),
        Shape("M-10.5 0h21", None, "white", 2.2),
    ),
    "black-hat": (
        Shape("M-6.5 0L-7.5-13H7.5L6.5 0z", "black", "black-line"),
        Shape("M-7-4.6h14", None, "black-line"),
        Shape("M-10.5 0h21", None, "black-line", 5.6),
        Shape("M-10.5 0h21", None, "black", 2.2),
    ),
    # Pieces.
    "white-copy": _copy("white"),
    "black-copy": _copy("black"),
    "seed": (
        Shape("M0-13c7 6 10 11 10 16a10 10 0 0 1-20 0c0-5 3-10 10-16z", "wood", "wood-line"),
        Shape("M0-6c2.5 4 2.5 9 0 13", None, "wood-line"),
    ),
    "shrub": (
        Shape(_BUSH, "leaf", "leaf-line"),
        Shape("M-9 1a6 6 0 0 0 7 6M10-6a6 6 0 0 1-7 5M13 9a6 6 0 0 1-8 3.5", None, "leaf-line"),
    ),
    "tree": (
        Shape(box(-3, 14, 6, 10), "wood", "wood-line"),
        Shape("M0-27L10-13H5.5L14 1H8.5L18 16H-18L-8.5 1H-14L-5.5-13H-10z", "leaf", "leaf-line"),
    ),
    # The trunk points east, and reaches into the space where the tree stood.
    "fallen-tree": (
        Shape("M-20 0H31", None, "wood-line", 9),
        Shape("M-20 0H31", None, "wood", 5.6),
        Shape("M-10-13L-22 0L-10 13M3-15L-10 0L3 15M16-17L2 0L16 17", None, "leaf-line", 6),
        Shape("M-10-13L-22 0L-10 13M3-15L-10 0L3 15M16-17L2 0L16 17", None, "leaf", 2.8),
        Shape(disc(32, 0, 5), "light", "wood-line"),
        Shape(disc(32, 0, 1.8), None, "wood-line", 1.2),
    ),
    "orange-statue": _statue(
        "orange",
        Shape("M-9-21c0 8 6.5 9 6.5 13.5S-9 1-9 9H9C9 1 2.5-3 2.5-7.5S9-13 9-21z", "light", "orange-line"),
        Shape("M-6.2-13.5H6.2C4.5-10.5 2-10 0-7C-2-10-4.5-10.5-6.2-13.5z", "orange"),
        Shape("M-7.5 9C-6 4 0 4 0-1C0 4 6 4 7.5 9z", "orange"),
        Shape(box(-12.5, -25, 25, 5), "orange", "orange-line"),
        Shape(box(-12.5, 6, 25, 5), "orange", "orange-line"),
    ),
    "white-statue": _statue(
        "white",
        Shape("M-8.5 11L-7-15H7L8.5 11z", "white", "white-line"),
        Shape("M-2.6 9L-2.2-13M2.6 9L2.2-13", None, "white-line", 1.4),
        Shape("M-7-15c-7 0-7-7-2-7H9c5 0 5 7-2 7z", "white", "white-line"),
        Shape(box(-14, -25.5, 28, 4.5), "white", "white-line"),
    ),
    "black-statue": _statue(
        "black",
        Shape("M-9.5 11L-6-17L0-27L6-17L9.5 11z", "black", "black-line"),
        Shape("M-6-17L0-14L6-17M0-14V10", None, "black-line", 1.4),
    ),
    "dark-elephant": _elephant("dark"),
    "light-elephant": _elephant("light"),
    # Focus tokens: watches, round and angular.
    "white-focus": (
        Shape("M0-10v-4M-3-14h6", None, "ink", 2),
        Shape(disc(0, 0, 10), "white", "white-line"),
        Shape("M0-5.5V0L3.5 2.5", None, "white-line"),
    ),
    "black-focus": (
        Shape("M0-10v-4M-3-14h6", None, "ink", 2),
        Shape("M-4-10h8l6 6v8l-6 6h-8l-6-6v-8z", "black", "black-line"),
        Shape("M0-5.5V0L3.5 2.5", None, "black-line"),
    ),
    # Marks. Those of steps point east.
    "active": (Shape(box(-30, -30, 60, 60, 8), None, "active", 3.4),),
    "target": TARGET,
    "target-piece": (
        Shape(
            "M-27-15v-6a6 6 0 0 1 6-6h6M27-15v-6a6 6 0 0 0-6-6h-6M-27 15v6a6 6 0 0 0 6 6h6M27 15v6a6 6 0 0 1-6 6h-6",
            None,
            "target",
            4,
        ),
    ),
    "step": (Shape("M2 0H34", None, "mark", 5), Shape("M46 0L31-9.5V9.5z", "mark", "mark", 2)),
    "step-out": (Shape("M2 0H20", None, "mark", 5), Shape("M31 0L17-9.5V9.5z", "mark", "mark", 2)),
    "step-in": (Shape("M-31 0H-28", None, "mark", 5), Shape("M-16 0L-30-9.5V9.5z", "mark", "mark", 2)),
    "shove": (Shape("M26-7l7 7l-7 7M34-7l7 7l-7 7", None, "ground", 7), Shape("M26-7l7 7l-7 7M34-7l7 7l-7 7", None, "mark", 3.2)),
    "swap": (Shape("M24-5h17l-5-5M41 5h-17l5 5", None, "ground", 7), Shape("M24-5h17l-5-5M41 5h-17l5 5", None, "mark", 3.2)),
    "appear": (Shape("M-27-18v-6h6M27-18v-6h-6M-27 18v6h6M27 18v6h-6", None, "mark", 3),),
    "vanish": (
        Shape("M-7-7L7 7M7-7L-7 7", None, "mark", 2.6),
        Shape("M-6-18a19 19 0 0 1 12 0M18-6a19 19 0 0 1 0 12M6 18a19 19 0 0 1-12 0M-18 6a19 19 0 0 1 0-12", None, "mark", 2.2),
    ),
    "white-died": (Shape(disc(0, 0, 10), "white", "white-line"), Shape("M-4.5-4.5l9 9M4.5-4.5l-9 9", None, "mark", 3.4)),
    "black-died": (
        Shape("M-4-10h8l6 6v8l-6 6h-8l-6-6v-8z", "black", "black-line"),
        Shape("M-4.5-4.5l9 9M4.5-4.5l-9 9", None, "mark", 3.4),
    ),
    "untrained": (Shape("M-26-26l8 8M-18-26l-8 8", None, "mark", 3),),
    "returned": (Shape("M-6 6a8.5 8.5 0 1 0-2-8M-9-9l1 7l7-1", None, "mark", 2.6),),
}

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
