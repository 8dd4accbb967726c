"""Shapes, glyphs, and text drawn as lines, so that no font is needed.

Colours (``var(--ink)``) and glyphs (``#tkm-tree``) are names.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any, Final
from unicodedata import combining, normalize

from tkm_env.foundations.files import packaged_json
from tkm_env.foundations.message import Message

_SPACING: Final = 2.6
#: Single-line capital letters, digits and signs: the width of each, and its strokes, each as
#: a starting point followed by relative commands. Letters are 10 high; y goes down to the baseline
#: at 10.
LETTERS: Final[dict[str, tuple[float, list[tuple[float, float, str]]]]] = packaged_json(
    __package__, "letters.json"
)


def box(x: float, y: float, width: float, height: float, round_: float = 1.5) -> str:
    """Return the path of a rectangle with rounded corners.

    Args:
        x: the left edge.
        y: the top edge.
        width: the width.
        height: the height.
        round_: the radius of the corners.

    Returns:
        The path's data.
    """
    corner = f"a{round_:g} {round_:g} 0 0 1"
    across, down = width - 2 * round_, height - 2 * round_
    return (
        f"M{x + round_:g} {y:g}"
        f"h{across:g}{corner} {round_:g} {round_:g}v{down:g}{corner}-{round_:g} {round_:g}"
        f"h{-across:g}{corner}-{round_:g}-{round_:g}v{-down:g}{corner} {round_:g}-{round_:g}z"
    )


def use(
    glyph: str, x: float = 0, y: float = 0, *, turn: int = 0, scale: float = 1, opacity: float = 1
) -> str:
    """Place a glyph.

    Args:
        glyph: its name.
        x: the x of its origin.
        y: the y of its origin.
        turn: degrees to turn it by, clockwise.
        scale: the factor to enlarge it by.
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
    """Return the ``defs`` of an SVG document: the glyphs of a `Canvas`.

    They are on one line, without comments.
    """
    first, last = svg.index("<defs>"), svg.index("</defs>")
    return re.sub(r"\s*(<!--.*?-->|\n)\s*", "", svg[first:last]) + "</defs>"


def bow(x: float, to_x: float, y: float, *, height: float, aside: float) -> str:
    """Draw a curved arrow that bends upwards.

    Args:
        x: the x that it comes from.
        to_x: the x that it leads to.
        y: the y of both ends.
        height: how far it bends.
        aside: the distance of its ends from ``x`` and ``to_x``.

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
    head = (
        f"M{tip:.5g} {y:.5g}L{foot_x - 7 * down:.5g} {foot_y + 7 * ahead:.5g}"
        f"L{foot_x + 7 * down:.5g} {foot_y - 7 * ahead:.5g}z"
    )
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
    """Draw a line of capitals as strokes.

    Args:
        text: the line, in the letters of `LETTERS`; lower case is drawn as capitals.
        height: the height of a capital.
        colour: the name of the colour.
        x: the x of the anchor.
        y: the y of the middle of the capitals.
        anchor: the part of the line that stands at ``x``: 0 its beginning, 0.5 its middle, 1 its
            end.
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
        f'<path transform="translate({left:.5g} {y - height / 2:g})scale({height / 10:g})" '
        f'd="{path}" fill="none" stroke="var(--{colour})" stroke-width="{weight:g}"/>'
    )


class DrawnText(Message):
    """A line of capitals drawn as strokes, which is drawn again in other words.

    Args:
        text: the line, as for `draw_text`.
        room: how much longer than the line other words may be.
        *how: the further arguments of `draw_text`.
    """

    room: float
    how: tuple[Any, ...]

    def __new__(cls, text: str, room: float, /, *how: Any) -> DrawnText:
        drawn = str.__new__(cls, draw_text(text, *how))
        drawn.template, drawn.plural, drawn.filling = text, "", {}
        drawn.room, drawn.how = room, how
        return drawn

    def __reduce__(self) -> tuple[Any, ...]:
        return DrawnText, (self.template, self.room, *self.how)

    def said(self, words: str) -> str:
        """Draw other words without accents, and smaller if they would be too long.

        Where letters are missing, the English words remain.
        """
        plain = "".join(letter for letter in normalize("NFD", words) if not combining(letter))
        if not {*plain.upper()} <= LETTERS.keys():
            return self
        height, *rest = self.how
        longest = length(self.template, height) + self.room
        return draw_text(plain, height * min(1, longest / length(plain, height)), *rest)


@lru_cache(256)
def length(text: str, height: float) -> float:
    """Return the width of a line of capitals.

    Args:
        text: the line.
        height: the height of a capital.

    Returns:
        The width, in the units of ``height``.
    """
    # Not `sum`, which adds floats differently from Python 3.12 on.
    return (
        (math.fsum(LETTERS[letter][0] + _SPACING for letter in text.upper()) - _SPACING)
        * height
        / 10
    )


def strike_out(text: str, height: float, x: float, y: float) -> str:
    """Draw a line through text that begins at ``x``.

    Args:
        text: the text.
        height: the height of its capitals.
        x: the x where it begins.
        y: the y of its middle.

    Returns:
        The line, as SVG.
    """
    return (
        f'<path d="M{x - 3:.5g} {y:g}h{length(text, height) + 6:.4g}" stroke="var(--faint)" '
        'stroke-width="1.4"/>'
    )
