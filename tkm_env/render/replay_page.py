"""A `Replay` as a single page that opens from disk, without a network; its sources are in ``page/``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, Final
from unicodedata import category

from tkm_env.render.canvas import STROKES, Canvas
from tkm_env.render.replay import Replay

__all__ = ["page"]

_FOLDER: Final = files("tkm_env.render") / "page"


def page(replay: Replay) -> str:
    """A page for following a game ply by ply, as an HTML document.

    >>> from tkm_env import Game
    >>> page(Game().replay())[:15]
    '<!doctype html>'
    """
    # Without "<" nothing in the script element can end it, or begin a comment in it; in ASCII any text, even half a character, is a file's.
    content = json.dumps(_content(replay), separators=(",", ":")).replace("<", "\\u003c")
    return Template(_file("replay.html")).substitute(
        title=_as_html(replay.title),
        style=_colours(replay.canvas) + _file("replay.css"),
        drawing=_drawing(replay.canvas),
        replay=content,
        script=_file("replay.js"),
    )


def _as_html(text: str) -> str:
    """The text as an HTML document can hold it; halves of characters and control characters are replaced, as browsers do."""
    return escape("".join("\N{REPLACEMENT CHARACTER}" if category(character) in ("Cc", "Cs") else character for character in text))


def _file(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")


def _colours(canvas: Canvas) -> str:
    """The themes as custom properties: the system's preferred one, unless the reader has chosen another."""
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in canvas.colours(theme).items()) + f"color-scheme:{theme}"
        for theme in ("light", "dark")
    )
    chosen = ':root[data-theme="dark"]'
    preferred = '@media(prefers-color-scheme:dark){:root:not([data-theme="light"])'
    return f":root{{{light}}}\n{preferred}{{{dark}}}}}\n{chosen}{{{dark}}}\n"


def _drawing(canvas: Canvas) -> str:
    """The drawing with empty slots, numbered from back to front."""
    slots = "".join(
        f'<g id="slot-{number}"' + (f' transform="{transform}"></g>' if transform else "></g>")
        for number, transform in enumerate(canvas.slots.values())
    )
    return (
        f'<svg id="drawing" viewBox="0 0 {canvas.width:g} {canvas.height:g}" {STROKES} role="img" aria-labelledby="events">'
        f"{canvas.glyphs}{canvas.background}{slots}</svg>"
    )


def _content(replay: Replay) -> dict[str, Any]:
    """The data for the page's script; repeated parts are stored once, and for each frame only the changes."""
    numbers: dict[str, int] = {"": 0}
    shown: dict[str, str] = {}
    frames = []
    for frame in replay.frames:
        changes = [
            number
            for slot, content in _changes(replay.canvas, shown, frame.parts)
            for number in (slot, numbers.setdefault(content, len(numbers)))
        ]
        shown = dict(frame.parts)
        frames.append([frame.turn, frame.side, frame.action, frame.events, changes])
    return {
        "title": replay.title,
        "about": replay.about,
        "result": replay.result,
        "sides": replay.sides,
        "contents": list(numbers),
        "frames": frames,
    }


def _changes(canvas: Canvas, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """The number and the new content of each slot that changes."""
    for number, slot in enumerate(canvas.slots):
        if before.get(slot, "") != after.get(slot, ""):
            yield number, after.get(slot, "")
