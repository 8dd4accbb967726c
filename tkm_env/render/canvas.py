"""What drawings are made of, whatever the game: glyphs, colours, slots, and the SVG document.

A drawing is made of parts, each the content of a slot. Parts name their colours (``var(--ink)``) and glyphs (``#tkm-tree``), so that a
page can share glyphs and change the theme; `Canvas.document` puts parts together and settles both.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Final, NamedTuple

from tkm_env.errors import ConfigError

__all__ = ["STROKES", "Canvas", "Placed", "Shape", "bow", "box", "definitions", "disc", "use"]

#: How all lines end and bend: attributes of the `svg` element.
STROKES: Final = 'stroke-linecap="round" stroke-linejoin="round"'
_NAMED: Final = re.compile(r"var\(--([a-z-]+)\)|tkm-")


class Shape(NamedTuple):
    """One path of a glyph: its data, the names of the colours of its area and its line, the line's width."""

    path: str
    fill: str | None
    line: str | None = None
    width: float = 1.8


class Placed(NamedTuple):
    """Another glyph as a part of one: its name, where its origin lies, its size."""

    glyph: str
    x: float
    y: float
    scale: float = 1


def disc(x: float, y: float, r: float) -> str:
    """The path of a circle."""
    return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0-{2 * r:g} 0z"


def box(x: float, y: float, width: float, height: float, round_: float = 1.5) -> str:
    """The path of a rectangle with round corners."""
    corner = f"a{round_:g} {round_:g} 0 0 1"
    across, down = width - 2 * round_, height - 2 * round_
    return (
        f"M{x + round_:g} {y:g}h{across:g}{corner} {round_:g} {round_:g}v{down:g}{corner}-{round_:g} {round_:g}"
        f"h{-across:g}{corner}-{round_:g}-{round_:g}v{-down:g}{corner} {round_:g}-{round_:g}z"
    )


def use(glyph: str, x: float = 0, y: float = 0, *, turn: int = 0, scale: float = 1, opacity: float = 1) -> str:
    """A glyph in its place.

    >>> use("tree", 30, 40)
    '<use href="#tkm-tree" x="30" y="40"/>'
    """
    turned = (f"rotate({turn})" if turn else "") + (f"scale({scale:g})" if scale != 1 else "")
    shifted = (f' x="{x:g}"' if x else "") + (f' y="{y:g}"' if y else "")
    where = f' transform="translate({x:g} {y:g}){turned}"' if turned else shifted
    faded = f' opacity="{opacity:g}"' if opacity != 1 else ""
    return f'<use href="#tkm-{glyph}"{where}{faded}/>'


def definitions(glyphs: Mapping[str, Sequence[Shape | Placed]]) -> str:
    """The definitions of glyphs, each made of shapes and other glyphs from the back to the front."""
    groups = (f'<g id="tkm-{name}">{"".join(map(_part, parts))}</g>' for name, parts in glyphs.items())
    return f"<defs>{''.join(groups)}</defs>"


def _part(part: Shape | Placed) -> str:
    if isinstance(part, Placed):
        return use(part.glyph, part.x, part.y, scale=part.scale)
    fill = f"var(--{part.fill})" if part.fill else "none"
    line = f' stroke="var(--{part.line})" stroke-width="{part.width:g}"' if part.line else ""
    return f'<path d="{part.path}" fill="{fill}"{line}/>'


def bow(x: float, to_x: float, y: float, *, height: float, aside: float) -> str:
    """A bent arrow between two points on one height.

    Args:
        x: where it begins.
        to_x: where it leads.
        y: the height of both.
        height: how far it bends upwards.
        aside: how far from the points it begins and ends.
    """
    way = 1 if to_x > x else -1
    start, tip = x + way * aside, to_x - way * aside
    # The arrow's head goes on in the direction in which the bow arrives.
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


@dataclasses.dataclass(frozen=True, eq=False)
class Canvas:
    """What all drawings of a game have in common.

    Attributes:
        width: in units of the drawing.
        height: the same.
        glyphs: their definitions, as `definitions` makes them.
        background: what is the same in every drawing.
        slots: the names of the slots from the back to the front, each with the transformation of its content.
        themes: the colours by name, by the name of the theme.
    """

    width: float
    height: float
    glyphs: str
    background: str
    slots: Mapping[str, str]
    themes: Mapping[str, Mapping[str, str]]

    def document(
        self, parts: Mapping[str, str], *, size: int | None = None, theme: str = "light", title: str = "", description: str = ""
    ) -> str:
        """The SVG document that shows parts.

        Args:
            parts: the contents of slots; a slot that is missing stays empty.
            size: how wide it is, in pixels; None leaves that to what shows it.
            theme: the name of one of the themes.
            title: what is to be seen, in a few words.
            description: the same in more.

        Raises:
            ConfigError: if the size or the theme cannot be.
        """
        colours = self.colours(theme)
        if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
            raise ConfigError("size", size, "it must be None or a number of pixels from 1 on")
        content = "".join(
            f'<g transform="{transform}">{parts[slot]}</g>' if transform else parts[slot]
            for slot, transform in self.slots.items()
            if slot in parts
        )
        # Where several drawings are in one document, each has ids of its own.
        prefix = f"tkm-{hashlib.sha256(f'{theme}{content}'.encode()).hexdigest()[:8]}-"
        pixels = f' width="{size}" height="{size * self.height / self.width:g}"' if size else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}"{pixels} {STROKES} role="img">'
            f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
            f"{_unchanging(self, theme).replace('tkm-', prefix)}{_settled(content, colours, prefix)}</svg>"
        )

    def colours(self, theme: str) -> Mapping[str, str]:
        """The colours of a theme by name.

        Raises:
            ConfigError: if there is no such theme.
        """
        if theme not in self.themes:
            raise ConfigError("theme", theme, f"it must be {' or '.join(map(repr, self.themes))}")
        return self.themes[theme]


def _settled(content: str, colours: Mapping[str, str], prefix: str) -> str:
    """The content with a theme's colours, and with ids of its own."""
    return _NAMED.sub(lambda found: colours[found[1]] if found[1] else prefix, content)


@lru_cache(8)
def _unchanging(canvas: Canvas, theme: str) -> str:
    return _settled(canvas.glyphs + canvas.background, canvas.themes[theme], "tkm-")
