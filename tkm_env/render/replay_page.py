"""A `Replay` as a single page that opens from disk, without a network; its sources are in ``page/``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from string import Template
from typing import Any, Final

from tkm_env.render.canvas import STROKES, Canvas
from tkm_env.render.evaluation_graph import graph
from tkm_env.render.html import as_data, as_html, as_style
from tkm_env.render.replay import Replay

_FOLDER: Final = files("tkm_env.render") / "page"


def replay_page(replay: Replay) -> str:
    """A page for following a game ply by ply, as an HTML document.

    >>> from tkm_env import Game
    >>> replay_page(Game().replay())[:15]
    '<!doctype html>'
    """
    return shell(replay.canvas, replay.title, data(replay))


def shell(canvas: Canvas, title: str, content: str) -> str:
    """The page of a replay with this canvas, where ``content`` is its `data`, or what will be replaced by it."""
    return Template(_file("replay.html")).substitute(
        title=as_html(title),
        style=as_style(canvas.themes) + _file("replay.css"),
        drawing=_drawing(canvas),
        replay=content,
        script=_file("replay.js"),
    )


def data(replay: Replay) -> str:
    """A replay as its page's script reads it, in ASCII."""
    return as_data(_content(replay))


def _file(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")


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
        **({"graph": graph(replay.points, [side.name for side in replay.sides])} if replay.points else {}),
    }


def _changes(canvas: Canvas, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """The number and the new content of each slot that changes."""
    for number, slot in enumerate(canvas.slots):
        if before.get(slot, "") != after.get(slot, ""):
            yield number, after.get(slot, "")
