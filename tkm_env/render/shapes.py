"""Shapes, glyphs, and text drawn as lines, so that no font is needed.

Colours (``var(--ink)``) and glyphs (``#tkm-tree``) are names.
"""

import math
import re
from functools import lru_cache
from typing import Final

from tkm_env.foundations.files import packaged_json

_SPACING: Final = 2.6
#: Single-line capital letters, digits and signs: the width, and the strokes, each as a starting
#: point followed by relative commands. Letters are 10 high; y goes down to the baseline at 10.
LETTERS: Final[dict[str, tuple[float, list[tuple[float, float, str]]]]] = packaged_json(
    __package__, "letters.json"
)


def box(x: float, y: float, width: float, height: float, round_: float = 1.5) -> str:
    """The path of a rectangle with rounded corners.

    Args:
        x: its left edge.
        y: its top edge.
        width: how wide it is.
        height: how high it is.
        round_: the radius of its corners.

    Returns:
        The path's data.
    """
    corner = f"a{round_:g} {round_:g} 0 0 1"
    across, down = width - 2 * round_, height - 2 * round_
    return (
        f"M{x + round_:g} {y:g}h{across:g}{corner} {round_:g} {round_:g}v{down:g}{corner}-{round_:g} {round_:g}"
        f"h{-across:g}{corner}-{round_:g}-{round_:g}v{-down:g}{corner} {round_:g}-{round_:g}z"
    )


def use(
    glyph: str, x: float = 0, y: float = 0, *, turn: int = 0, scale: float = 1, opacity: float = 1
) -> str:
    """A glyph at a position.

    Args:
        glyph: its name.
        x: where its origin is.
        y: where its origin is.
        turn: by how many degrees it is turned clockwise.
        scale: how many times its size.
        opacity: from 0 to 1.

    Returns:
        The SVG element.
    """
    turned = (f"rotate({turn})" if turn else "") + (f"scale({scale:g})" if scale != 1 else "")
    shifted = (f' x="{x:g}"' if x else "") + (f' y="{y:g}"' if y else "")
    where = f' transform="translate({x:g} {y:g}){turned}"' if turned else shifted
    faded = f' opacity="{opacity:g}"' if opacity != 1 else ""
    return f'<use href="#tkm-{glyph}"{where}{faded}/>'


def definitions(svg: str) -> str:
    """The ``defs`` of an SVG document, on one line, without comments: the glyphs of a `Canvas`."""
    first, last = svg.index("<defs>"), svg.index("</defs>")
    return re.sub(r"\s*(<!--.*?-->|\n)\s*", "", svg[first:last]) + "</defs>"


def bow(x: float, to_x: float, y: float, *, height: float, aside: float) -> str:
    """A curved arrow that bends upwards.

    Args:
        x: where it comes from.
        to_x: where it leads.
        y: the height of both ends.
        height: how far it bends.
        aside: how far from ``x`` and ``to_x`` it begins and ends.

    Returns:
        The arrow, as SVG.
    """
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
def draw_text(
    text: str,
    height: float,
    colour: str,
    x: float,
    y: float,
    anchor: float = 0,
    weight: float = 1.25,
) -> str:
    """A line of capitals, drawn as lines.

    Args:
        text: the line, in the letters of `LETTERS`.
        height: the height of a capital.
        colour: the name of its colour.
        x: where it stands.
        y: the height of its middle.
        anchor: which part of it stands at ``x``: 0 its beginning, 0.5 its middle, 1 its end.
        weight: the stroke width at a height of 10.

    Returns:
        The line, as SVG.
    """
    left = x - anchor * length(text, height)
    pen, path = 0.0, ""
    for letter in text.upper():
        width, strokes = LETTERS[letter]
        path += "".join(f"M{pen + right:.4g} {down:g}{stroke}" for right, down, stroke in strokes)
        pen += width + _SPACING
    return (
        f'<path transform="translate({left:.5g} {y - height / 2:g})scale({height / 10:g})" d="{path}" fill="none" '
        f'stroke="var(--{colour})" stroke-width="{weight:g}"/>'
    )


@lru_cache(256)
def length(text: str, height: float) -> float:
    """The width of a line of capitals."""
    # Of floats, `sum` adds up differently from Python 3.12 on.
    return (
        (math.fsum(LETTERS[letter][0] + _SPACING for letter in text.upper()) - _SPACING)
        * height
        / 10
    )


def strike_out(text: str, height: float, x: float, y: float) -> str:
    """A line through text that begins at ``x``."""
    return f'<path d="M{x - 3:.5g} {y:g}h{length(text, height) + 6:.4g}" stroke="var(--faint)" stroke-width="1.4"/>'
