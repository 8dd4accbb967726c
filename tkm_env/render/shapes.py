"""The elements of drawings, for any game: shapes, glyphs made of them, and text drawn as lines, so that no font is needed.

Colours (``var(--ink)``) and glyphs (``#tkm-tree``) are named; a `Canvas` or a page resolves the names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

_SPACING: Final = 2.6
#: Single-line capital letters, digits and signs: the width, and the strokes, each as a starting point followed by relative commands.
#: Letters are 10 high; y goes down to the baseline at 10.
LETTERS: Final[dict[str, tuple[float, tuple[tuple[float, float, str], ...]]]] = {
    " ": (2.5, ()),
    "A": (8, ((0, 10, "l4-10 4 10"), (1.5, 6.5, "h5"))),
    "B": (6, ((0, 0, "h2.9a2.3 2.3 0 0 1 0 4.6h-2.9"), (0, 0, "v10h3.3a2.7 2.7 0 0 0 0-5.4"))),
    "C": (8.6, ((8.6, 1.5, "a5 5 0 1 0 0 7"),)),
    "D": (7.5, ((0, 0, "h2.5a5 5 0 0 1 0 10h-2.5z"),)),
    "E": (5.3, ((5.3, 0, "h-5.3v10h5.3"), (0, 4.8, "h4.6"))),
    "F": (5.2, ((5.2, 0, "h-5.2v10"), (0, 4.9, "h4.5"))),
    "G": (9.6, ((8.5, 1.4, "a5 5 0 1 0 1.2 4.2h-4"),)),
    "H": (7, ((0, 0, "v10"), (7, 0, "v10"), (0, 4.8, "h7"))),
    "I": (0, ((0, 0, "v10"),)),
    "J": (4, ((4, 0, "v7.4a2.6 2.6 0 0 1-4 1.9"),)),
    "K": (6.3, ((0, 0, "v10"), (5.9, 0, "l-5.9 6"), (2.3, 3.7, "l4 6.3"))),
    "L": (4.8, ((0, 0, "v10h4.8"),)),
    "M": (9, ((0, 10, "v-10l4.5 6.8 4.5-6.8v10"),)),
    "N": (7.4, ((0, 10, "v-10l7.4 10v-10"),)),
    "O": (10, ((0, 5, "a5 5 0 1 0 10 0a5 5 0 1 0-10 0"),)),
    "P": (5.8, ((0, 10, "v-10h3a2.8 2.8 0 0 1 0 5.6h-3"),)),
    "Q": (10, ((0, 5, "a5 5 0 1 0 10 0a5 5 0 1 0-10 0"), (6.4, 6.6, "l3.2 3.8"))),
    "R": (6, ((0, 10, "v-10h3a2.8 2.8 0 0 1 0 5.6h-3"), (3, 5.6, "l3 4.4"))),
    "S": (
        6,
        ((5.7, 1.9, "c-.5-1.2-1.5-1.9-2.8-1.9c-1.6 0-2.6 1-2.6 2.4c0 3.5 5.7 1.6 5.7 5c0 1.6-1.2 2.6-3 2.6c-1.5 0-2.6-.8-3-2.1"),),
    ),
    "T": (6.8, ((0, 0, "h6.8"), (3.4, 0, "v10"))),
    "U": (7, ((0, 0, "v6.5a3.5 3.5 0 0 0 7 0v-6.5"),)),
    "V": (7.8, ((0, 0, "l3.9 10 3.9-10"),)),
    "W": (11.6, ((0, 0, "l2.9 10 2.9-10 2.9 10 2.9-10"),)),
    "X": (7, ((0, 0, "l7 10"), (7, 0, "l-7 10"))),
    "Y": (7.4, ((0, 0, "l3.7 5.2 3.7-5.2"), (3.7, 5.2, "v4.8"))),
    "Z": (6.4, ((0, 0, "h6.4l-6.4 10h6.4"),)),
    "0": (6, ((3, 0, "c-2 0-3 2-3 5s1 5 3 5 3-2 3-5-1-5-3-5z"),)),
    "1": (2.3, ((0, 1.8, "l2.3-1.8v10"),)),
    "2": (5.8, ((0.3, 2.7, "c0-1.6 1.1-2.7 2.7-2.7s2.6 1.1 2.6 2.5c0 2.1-2.2 3.6-5.5 7.5h5.7"),)),
    "3": (5.6, ((0.4, 0, "h4.8l-3 3.9c2.2-.2 3.4 1.2 3.4 3c0 1.9-1.3 3.1-3.1 3.1c-1.2 0-2.1-.6-2.5-1.6"),)),
    "4": (6.4, ((4.7, 10, "v-10l-4.7 7.2h6.4"),)),
    "5": (5.7, ((5, 0, "h-3.9l-.6 4.4c.6-.5 1.3-.8 2.1-.8c1.8 0 3.1 1.3 3.1 3.2s-1.3 3.2-3.1 3.2c-1.2 0-2.1-.5-2.6-1.5"),)),
    "6": (6, ((4.3, 0, "l-3.7 5.2"), (0, 7, "a3 3 0 1 0 6 0a3 3 0 1 0-6 0"))),
    "7": (5.6, ((0, 0, "h5.6l-3.8 10"),)),
    "8": (5.6, ((0.5, 2.3, "a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0-4.6 0"), (0, 7.3, "a2.8 2.7 0 1 0 5.6 0a2.8 2.7 0 1 0-5.6 0"))),
    "9": (6, ((1.7, 10, "l3.7-5.2"), (0, 3, "a3 3 0 1 0 6 0a3 3 0 1 0-6 0"))),
    "-": (3.2, ((0, 5.2, "h3.2"),)),
    ",": (0.8, ((0.7, 9.6, "l-.7 2.2"),)),
    ".": (0, ((0, 10, "h0"),)),
    "·": (0, ((0, 5, "h0"),)),
    ":": (0, ((0, 3.2, "h0"), (0, 9.4, "h0"))),
}


class Shape(NamedTuple):
    """One path of a glyph: its data, the names of its fill and line colours, and the width of the line."""

    path: str
    fill: str | None
    line: str | None = None
    width: float = 1.8


class GlyphUse(NamedTuple):
    """Another glyph as a part of this one: its name, the position of its origin, and its scale."""

    glyph: str
    x: float
    y: float
    scale: float = 1


def disc(x: float, y: float, r: float) -> str:
    """The path of a circle."""
    return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0-{2 * r:g} 0z"


def box(x: float, y: float, width: float, height: float, round_: float = 1.5) -> str:
    """The path of a rectangle with rounded corners."""
    corner = f"a{round_:g} {round_:g} 0 0 1"
    across, down = width - 2 * round_, height - 2 * round_
    return (
        f"M{x + round_:g} {y:g}h{across:g}{corner} {round_:g} {round_:g}v{down:g}{corner}-{round_:g} {round_:g}"
        f"h{-across:g}{corner}-{round_:g}-{round_:g}v{-down:g}{corner} {round_:g}-{round_:g}z"
    )


def use(glyph: str, x: float = 0, y: float = 0, *, turn: int = 0, scale: float = 1, opacity: float = 1) -> str:
    """A glyph at a position.

    >>> use("tree", 30, 40)
    '<use href="#tkm-tree" x="30" y="40"/>'
    """
    turned = (f"rotate({turn})" if turn else "") + (f"scale({scale:g})" if scale != 1 else "")
    shifted = (f' x="{x:g}"' if x else "") + (f' y="{y:g}"' if y else "")
    where = f' transform="translate({x:g} {y:g}){turned}"' if turned else shifted
    faded = f' opacity="{opacity:g}"' if opacity != 1 else ""
    return f'<use href="#tkm-{glyph}"{where}{faded}/>'


def definitions(glyphs: Mapping[str, Sequence[Shape | GlyphUse]]) -> str:
    """The definitions of glyphs, each made of shapes and other glyphs from back to front."""
    groups = (f'<g id="tkm-{name}">{"".join(map(_part, parts))}</g>' for name, parts in glyphs.items())
    return f"<defs>{''.join(groups)}</defs>"


def _part(part: Shape | GlyphUse) -> str:
    if isinstance(part, GlyphUse):
        return use(part.glyph, part.x, part.y, scale=part.scale)
    fill = f"var(--{part.fill})" if part.fill else "none"
    line = f' stroke="var(--{part.line})" stroke-width="{part.width:g}"' if part.line else ""
    return f'<path d="{part.path}" fill="{fill}"{line}/>'


def bow(x: float, to_x: float, y: float, *, height: float, aside: float) -> str:
    """A curved arrow from ``x`` to ``to_x``, both at ``y``: it bends upwards by ``height`` and ends ``aside`` from both points."""
    way = 1 if to_x > x else -1
    start, tip = x + way * aside, to_x - way * aside
    # The arrow's head continues in the direction in which the curve arrives.
    over = (start + tip) / 2
    run = tip - over
    steepness = (run * run + height * height) ** 0.5
    ahead, down = run / steepness, height / steepness
    foot_x, foot_y = tip - 13 * ahead, y - 13 * down
    head = f"M{tip:.5g} {y:.5g}L{foot_x - 7 * down:.5g} {foot_y + 7 * ahead:.5g}L{foot_x + 7 * down:.5g} {foot_y - 7 * ahead:.5g}z"
    line = f"M{start:.5g} {y:.5g}Q{over:.5g} {y - height:.5g} {foot_x:.5g} {foot_y:.5g}"
    return (
        f'<path d="{line}" fill="none" stroke="var(--mark)" stroke-width="4"/>'
        f'<path d="{head}" fill="var(--mark)" stroke="var(--mark)" stroke-width="2"/>'
    )


@lru_cache(4096)
def draw_text(text: str, height: float, colour: str, x: float, y: float, anchor: float = 0, weight: float = 1.25) -> str:
    """A line of capitals, its middle at height ``y``; ``anchor`` 0 begins at ``x``, 0.5 is centred there, 1 ends there.

    Args:
        text: in the letters of `LETTERS`, upper or lower case.
        height: the height of a letter.
        colour: the name of a theme colour.
        x: the position of the anchor.
        y: the vertical middle.
        anchor: the part of the line that is at ``x``.
        weight: the stroke width at a height of 10.

    >>> draw_text("i", 10, "ink", 0, 5)
    '<path transform="translate(0 0)scale(1)" d="M0 0v10" fill="none" stroke="var(--ink)" stroke-width="1.25"/>'
    """
    left = x - anchor * length(text, height)
    return (
        f'<path transform="translate({left:.5g} {y - height / 2:g})scale({height / 10:g})" d="{outline(text)}" fill="none" '
        f'stroke="var(--{colour})" stroke-width="{weight:g}"/>'
    )


def outline(text: str, x: float = 0, y: float = 0) -> str:
    """The path of a line of capitals, 10 high, from its upper left corner.

    >>> outline("it")
    'M0 0v10M2.6 0h6.8M6 0v10'
    """
    pen, strokes = x, []
    for letter in text.upper():
        width, lines = LETTERS[letter]
        strokes += [f"M{pen + left:.4g} {y + top:g}{line}" for left, top, line in lines]
        pen += width + _SPACING
    return "".join(strokes)


@lru_cache(256)
def length(text: str, height: float) -> float:
    """The width of a line of capitals.

    >>> length("IT", 10)
    9.4
    """
    # Of floats, `sum` adds up differently from Python 3.12 on.
    return (math.fsum(LETTERS[letter][0] + _SPACING for letter in text.upper()) - _SPACING) * height / 10


def strike_out(text: str, height: float, x: float, y: float) -> str:
    """A line through text that begins at ``x``."""
    return f'<path d="M{x - 3:.5g} {y:g}h{length(text, height) + 6:.4g}" stroke="var(--faint)" stroke-width="1.4"/>'


#: Marks a place that a legal action leads to.
TARGET: Final = (Shape(disc(0, 0, 7.5), "target", "ground", 2),)
