"""The elements of drawings, for any game: glyphs, colours, slots, and the SVG document.

A drawing is made of parts, each the content of a slot. Parts refer to colours (``var(--ink)``) and glyphs (``#tkm-tree``) by name, so
that a page can share glyphs and change the theme; `Canvas.document` puts parts together and resolves both.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Final, NamedTuple

from tkm_env.checks import checked_integer
from tkm_env.errors import ConfigError

#: Line ends and joins: attributes of the `svg` element.
STROKES: Final = 'stroke-linecap="round" stroke-linejoin="round"'
#: Pixels: more than any screen has, and few enough for programs that show pictures.
_MAX_SIZE: Final = 2**14
_NAMES: Final = re.compile(r"var\(--([a-z-]+)\)|tkm-")


class Shape(NamedTuple):
    """One path of a glyph: its data, the names of its fill and line colours, and the width of the line."""

    path: str
    fill: str | None
    line: str | None = None
    width: float = 1.8


class Placed(NamedTuple):
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


def definitions(glyphs: Mapping[str, Sequence[Shape | Placed]]) -> str:
    """The definitions of glyphs, each made of shapes and other glyphs from back to front."""
    groups = (f'<g id="tkm-{name}">{"".join(map(_part, parts))}</g>' for name, parts in glyphs.items())
    return f"<defs>{''.join(groups)}</defs>"


def _part(part: Shape | Placed) -> str:
    if isinstance(part, Placed):
        return use(part.glyph, part.x, part.y, scale=part.scale)
    fill = f"var(--{part.fill})" if part.fill else "none"
    line = f' stroke="var(--{part.line})" stroke-width="{part.width:g}"' if part.line else ""
    return f'<path d="{part.path}" fill="{fill}"{line}/>'


def bow(x: float, to_x: float, y: float, *, height: float, aside: float) -> str:
    """A curved arrow between two points at the same height.

    Args:
        x: the x of the first point.
        to_x: the x of the second point.
        y: the y of both.
        height: how far it bends upwards.
        aside: the distance of the arrow's ends from the points.
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


@dataclasses.dataclass(frozen=True, eq=False)
class Canvas:
    """What all drawings of a game share.

    Attributes:
        width: in units of the drawing.
        height: in units of the drawing.
        glyphs: their definitions, from `definitions`.
        background: the content shared by all drawings.
        slots: the names of the slots from back to front, each with the transformation of its content.
        themes: by name, the colours of each theme by name.
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
        """The SVG document of a drawing.

        Args:
            parts: the contents of slots; a missing slot stays empty.
            size: its width in pixels, 1 to 16,384; None leaves it to the viewer.
            theme: the name of one of the themes.
            title: a short description.
            description: a longer one.

        Raises:
            ConfigError: if the size or the theme is invalid.
        """
        colours = self.colours(theme)
        width = None if size is None else checked_integer("size", size, 1, _MAX_SIZE)
        content = "".join(
            f'<g transform="{transform}">{parts[slot]}</g>' if transform else parts[slot]
            for slot, transform in self.slots.items()
            if slot in parts
        )
        # Each drawing has ids of its own, so that one document can hold several.
        prefix = f"tkm-{hashlib.sha256(f'{theme}{content}'.encode()).hexdigest()[:8]}-"
        pixels = f' width="{width}" height="{width * self.height / self.width:g}"' if width else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}"{pixels} {STROKES} role="img">'
            f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
            f"{_resolve_background(self, theme).replace('tkm-', prefix)}{_resolve_names(content, colours, prefix)}</svg>"
        )

    def colours(self, theme: str) -> Mapping[str, str]:
        """The colours of a theme by name.

        Raises:
            ConfigError: if there is no such theme.
        """
        if not isinstance(theme, str) or theme not in self.themes:
            raise ConfigError("theme", theme, f"it must be {' or '.join(map(repr, self.themes))}")
        return self.themes[theme]


def _resolve_names(content: str, colours: Mapping[str, str], prefix: str) -> str:
    """The content with names replaced by a theme's colours and by ids with this prefix."""
    return _NAMES.sub(lambda found: colours[found[1]] if found[1] else prefix, content)


@lru_cache(8)
def _resolve_background(canvas: Canvas, theme: str) -> str:
    return _resolve_names(canvas.glyphs + canvas.background, canvas.themes[theme], "tkm-")
