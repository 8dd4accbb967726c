"""What the tests of drawings share: reading an SVG document strictly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from tkm_env.core.game import BaseGame

HREF = "{http://www.w3.org/2000/svg}use"


def checked(svg: str) -> ElementTree.Element:
    """The drawing read as XML, every glyph it uses being defined once and every colour settled."""
    root = ElementTree.fromstring(svg)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)), "an id is given twice"
    used = {element.get("href", "")[1:] for element in root.iter(HREF)}
    assert used <= set(ids), f"these glyphs are used, but not defined: {used - set(ids)}"
    assert "var(" not in svg, "a colour is left open"
    return root


def glyphs_in(content: str) -> list[str]:
    return re.findall(r"#tkm-([a-z-]+)", content)


def drawn_parts(game: BaseGame, **shown: bool) -> Mapping[str, str]:
    """The drawing of a game: the contents of its slots."""
    return game.renderer().parts(game, **shown)
