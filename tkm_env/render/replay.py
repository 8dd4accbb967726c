"""A game frame by frame, and the single page that shows it, without a network.

Nothing here depends on any rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from string import Template
from types import MappingProxyType
from typing import Final, NamedTuple

from tkm_env.foundations.files import packaged_text
from tkm_env.render.canvas import STROKES, Canvas
from tkm_env.render.evaluation_graph import GraphPoint, graph
from tkm_env.render.html import as_data, as_html, as_style

#: The style of a notebook's frame around the page.
_FRAME: Final = "width: 100%; height: 640px; border: 0"


class Side(NamedTuple):
    """One of the two sides of a game."""

    name: str  # its name in the game, such as "white"
    player: str  # who played it; "" if unknown
    icon: str  # its symbol in the canvas's glyphs; 60 wide and high, centred on the origin


class Frame(NamedTuple):
    """The game after one action, or before the first."""

    #: The drawing, as contents of the canvas's slots by name; a missing slot is empty.
    parts: Mapping[str, str]
    turn: int  # the turn in which the action was taken
    #: The side that took it, as an index into the sides; None before the first action.
    side: int | None = None
    action: str | None = None  # its name; None before the first action
    events: Sequence[str] = ()  # its effects, one clause each


class Note(NamedTuple):
    """Text about a position, such as what a player said."""

    heading: str
    text: str
    is_open: bool = False  # whether it is open at first


class Replay(NamedTuple):
    """A whole game.

    A notebook displays it as a page to step through it, which needs neither server nor network.
    """

    title: str  # one line
    about: Sequence[str]  # what was chosen or drawn for the game, a few words each
    sides: Sequence[Side]  # the sides, in the order of the game's players
    #: What all drawings have in common. Its themes "light" and "dark" define the colours "ground",
    #: "ink", "faint", "rule", "mark" and "active", which are also used around the drawing.
    canvas: Canvas
    frames: Sequence[Frame]  # the start, and the game after each action
    result: str  # how it ended, in a few words
    points: Sequence[GraphPoint] = ()  # the values of positions, for a graph; empty for no graph
    #: The notes by the index of the first frame that shows them; they stay until the turn played
    #: from it ends.
    notes: Mapping[int, Sequence[Note]] = MappingProxyType({})

    def _repr_html_(self) -> str:
        """The page, which notebooks show in a frame."""
        title, page = as_html(self.title), escape(replay_page(self))
        return f'<iframe title="{title}" srcdoc="{page}" style="{_FRAME}"></iframe>'


def title_of(sides: Sequence[Side], otherwise: str) -> str:
    """Name a game after its players.

    Args:
        sides: the sides; the name of the side replaces an unknown player's name.
        otherwise: the title if both players are unknown.

    Returns:
        The title.
    """
    return (
        " against ".join(side.player or side.name for side in sides)
        if any(side.player for side in sides)
        else otherwise
    )


def replay_page(replay: Replay) -> str:
    """Return a page to step through a game ply by ply: an HTML document that opens from disk.

    >>> from tkm_env import Game
    >>> replay_page(Game().replay())[:15]
    '<!doctype html>'
    """
    return shell(replay.canvas, replay.title, data(replay))


def shell(canvas: Canvas, title: str, content: str) -> str:
    """Return the page of any replay with this canvas.

    Args:
        canvas: what the drawings have in common.
        title: the title of the page.
        content: the replay's `data`, or a placeholder for it.

    Returns:
        The page, an HTML document.
    """
    return Template(packaged_text("tkm_env.render", "page/replay.html")).substitute(
        title=as_html(title),
        style=as_style(canvas.themes) + packaged_text("tkm_env.render", "page/replay.css"),
        drawing=_empty_drawing(canvas),
        replay=content,
        script=packaged_text("tkm_env.render", "page/replay.js"),
    )


def data(replay: Replay) -> str:
    """Return a replay as JSON for the page's script, in ASCII.

    Repeated parts are stored once, and each frame stores only what changes.
    """
    numbers: dict[str, int] = {"": 0}
    shown: Mapping[str, str] = {}
    frames = []
    for frame in replay.frames:
        changes: list[int] = []
        for slot, name in enumerate(replay.canvas.slots):
            if (content := frame.parts.get(name, "")) != shown.get(name, ""):
                changes += slot, numbers.setdefault(content, len(numbers))
        shown = frame.parts
        frames.append([frame.turn, frame.side, frame.action, frame.events, changes])
    notes = {
        frame: [
            (heading, numbers.setdefault(text, len(numbers)), is_open)
            for heading, text, is_open in rows
        ]
        for frame, rows in replay.notes.items()
    }
    return as_data(
        {
            "title": replay.title,
            "about": replay.about,
            "result": replay.result,
            "sides": replay.sides,
            "contents": list(numbers),
            "frames": frames,
            **({"notes": notes} if notes else {}),
            **(
                {"graph": graph(replay.points, [side.name for side in replay.sides])}
                if replay.points
                else {}
            ),
        }
    )


def _empty_drawing(canvas: Canvas) -> str:
    """The drawing with empty slots, numbered from back to front."""
    slots = "".join(
        f'<g id="slot-{number}"' + (f' transform="{transform}"></g>' if transform else "></g>")
        for number, transform in enumerate(canvas.slots.values())
    )
    return (
        f'<svg id="drawing" viewBox="0 0 {canvas.width:g} {canvas.height:g}" {STROKES} '
        f'role="img" aria-labelledby="events">{canvas.glyphs}{canvas.background}{slots}</svg>'
    )
