"""What all drawings of a game share, its colours, and the SVG document.

A drawing consists of parts, each the content of a slot. Parts refer to colours and glyphs by name,
so that a page can share glyphs and change the theme.
"""

import dataclasses
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any, Final, Generic, TypeVar

from tkm_env.foundations.checks import checked_choice, checked_integer
from tkm_env.foundations.files import packaged_text

#: Line ends and joins: attributes of the `svg` element.
STROKES: Final = 'stroke-linecap="round" stroke-linejoin="round"'
#: The largest width in pixels: more than any screen has, but few enough for image viewers.
_MAX_SIZE: Final = 2**14
View = TypeVar("View")
_NAMES: Final = re.compile(r"var\(--([a-z-]+)\)|tkm-")
_COLOURS: Final = packaged_text(__package__, "colours.css")


def themes_in(style: str) -> dict[str, dict[str, str]]:
    """Return the themes "light" and "dark": the colours of ``colours.css``, then a game's own."""
    colours = re.findall(r"--([a-z-]+): light-dark\((#\w+), (#\w+)\)", _COLOURS + style)
    return {
        theme: {name: both[number] for name, *both in colours}
        for number, theme in enumerate(("light", "dark"))
    }


#: The themes without a game's own colours.
THEMES: Final = themes_in("")


@dataclasses.dataclass(frozen=True, eq=False)
class Canvas:
    """What all drawings of a game share."""

    width: float  # in units of the drawing
    height: float  # in units of the drawing
    #: The definitions of the glyphs: an element ``defs`` with a group of id ``tkm-NAME`` for each.
    glyphs: str
    background: str  # the content shared by all drawings
    #: The names of the slots from back to front, each with the transformation of its content.
    slots: Mapping[str, str]
    themes: Mapping[str, Mapping[str, str]]  # the colours of each theme, all by name

    def document(
        self,
        parts: Mapping[str, str],
        *,
        size: int | None = None,
        theme: str = "light",
        title: str = "",
        description: str = "",
    ) -> str:
        """Return a drawing as an SVG document.

        Args:
            parts: the contents of the slots, by name.
            size: the width in pixels, from 1 to 16,384; None leaves it to the viewer.
            theme: "light" or "dark".
            title: what the drawing shows, for readers who cannot see it.
            description: the same at greater length.

        Returns:
            The document.

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
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}"'
            f'{pixels} {STROKES} role="img">'
            f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
            f"{_resolve_background(self, theme).replace('tkm-', prefix)}"
            f"{_resolve_names(content, colours, prefix)}</svg>"
        )

    def colours(self, theme: str) -> Mapping[str, str]:
        """Return the colours of a theme by name.

        Raises:
            ConfigError: if there is no such theme.
        """
        return self.themes[checked_choice("theme", theme, self.themes)]


@dataclasses.dataclass(frozen=True)
class Scene(Generic[View]):
    """Everything that a drawing shows."""

    view: View  # the position, as its game's drawing needs it
    action: str | None = None  # the name of the last action, if it is to be shown
    events: Sequence[Any] = ()  # what it did
    before: View | None = None  # the position before it
    legal: Sequence[str] = ()  # the names of the actions whose targets are to be shown
    earlier: "Sequence[Scene[View]]" = ()  # scenes of earlier actions whose marks are also shown


def _resolve_names(content: str, colours: Mapping[str, str], prefix: str) -> str:
    """Replace the names in the content by a theme's colours and by ids with this prefix."""
    return _NAMES.sub(lambda found: colours[found[1]] if found[1] else prefix, content)


@lru_cache(8)
def _resolve_background(canvas: Canvas, theme: str) -> str:
    return _resolve_names(canvas.glyphs + canvas.background, canvas.themes[theme], "tkm-")
